"""`scopebench headroom`: every number of a run, recomputed from its tables without a model."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.cli.options import echo_json, json_option


@click.command(
    "headroom",
    epilog="""\b
Examples:
  scopebench headroom runs/inlay
  scopebench headroom runs/inlay --matcher paper
  scopebench headroom runs/inlay --json
  scopebench headroom runs/inlay --benchmark mquake
""",
)
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option(
    "--matcher",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="The matcher of the table that is printed; --json holds both.",
)
@click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    help="Refuse the run unless it was made on this built benchmark, by the SHA-256 of its files.",
)
@json_option
def command(run_dir: Path, matcher: str, benchmark_dir: Path | None, as_json: bool) -> None:
    """Recompute every number of RUN_DIR from outcomes.parquet and decisions.parquet alone."""
    from scopebench.report.console import print_report
    from scopebench.run.folder import refuse_other_benchmark, refuse_other_version
    from scopebench.scoring.summary import read_reports

    refuse_other_version(run_dir)
    if benchmark_dir is not None:
        refuse_other_benchmark(run_dir, benchmark_dir)
    strict, paper = read_reports(run_dir)
    if as_json:
        echo_json(
            {**strict.model_dump(mode="json"), "paper_matcher": paper.model_dump(mode="json")}
        )
    else:
        print_report(paper if matcher == "paper" else strict, title=f"{run_dir} ({matcher})")
