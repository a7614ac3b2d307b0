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
@json_option
def command(run_dir: Path, matcher: str, as_json: bool) -> None:
    """Recompute every number of RUN_DIR from outcomes.parquet and decisions.parquet alone."""
    from scopebench.report.console import print_report
    from scopebench.scoring.summary import read_reports

    strict, paper = read_reports(run_dir)
    if as_json:
        echo_json(
            {**strict.model_dump(mode="json"), "paper_matcher": paper.model_dump(mode="json")}
        )
    else:
        print_report(paper if matcher == "paper" else strict, title=f"{run_dir} ({matcher})")
