"""`scopebench show`: one query with its labels, cards, twin and, from a run, its outcomes."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.benchmarks import load
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
    metavar="DIR|ORG/NAME[@REVISION]",
    help="A folder written by `scopebench build`, or a published benchmark [default: the starter].",
)
@click.option("--run", "run_dir", type=click.Path(path_type=Path), help="A run folder.")
@json_option
def command(query_id: str, benchmark: str | None, run_dir: Path | None, as_json: bool) -> None:
    """Show QUERY_ID: what is asked, what is right, which edits govern it, what was answered."""
    from scopebench.report.query import print_query

    described = load(benchmark).show(query_id, run_dir, verify=False)
    if as_json:
        echo_json(described)
    else:
        print_query(described)
