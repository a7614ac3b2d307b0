"""`scopebench show`: one query with its labels, cards, twin and, from a run, its outcomes."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.cli.options import echo_json, json_option


@click.command(
    "show",
    epilog="""\b
Examples:
  scopebench show counterfact/3/0/direct/withheld
  scopebench show mquake_cf/1/0/direct/original --benchmark mquake --run runs/mquake --json
""",
)
@click.argument("query_id")
@click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    help="A folder written by `scopebench build` [default: the starter].",
)
@click.option("--run", "run_dir", type=click.Path(path_type=Path), help="A run folder.")
@json_option
def command(query_id: str, benchmark_dir: Path | None, run_dir: Path | None, as_json: bool) -> None:
    """Show QUERY_ID: what is asked, what is right, which edits govern it, what was answered."""
    from scopebench.construct.embedded import starter_benchmark
    from scopebench.construct.reader import read_benchmark
    from scopebench.report.query import describe_query, print_query

    folder = starter_benchmark() if benchmark_dir is None else benchmark_dir
    described = describe_query(query_id, read_benchmark(folder, verify=False), run_dir)
    if as_json:
        echo_json(described)
    else:
        print_query(described)
