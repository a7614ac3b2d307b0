"""`scopebench headroom`: every number of a run or of one's own outcomes, without a model."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.reports import Matcher, headroom
from scopebench.cli.options import echo_json, json_option, number_options, tell, usage_errors


@click.command(
    "headroom",
    epilog="""\b
Examples:
  scopebench headroom runs/inlay
  scopebench headroom runs/inlay --matcher paper --json
  scopebench headroom runs/inlay --mix 0.3 --mix direct=0.8,near_name=0.2
  scopebench headroom runs/inlay --benchmark mquake
  scopebench headroom outcomes.csv
  scopebench headroom routers.parquet --static small-model
""",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--matcher",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="The matcher of the table that is printed for a run; --json holds both.",
)
@number_options
@click.option(
    "--benchmark",
    metavar="DIR|ORG/NAME[@REVISION]",
    help="Refuse the run unless it was made on this built benchmark, by the SHA-256 of its files.",
)
@json_option
def command(
    path: Path,
    matcher: Matcher,
    static: str | None,
    mixes: tuple[str, ...],
    seed: int,
    resamples: int,
    benchmark: str | None,
    as_json: bool,
) -> None:
    """Compute every number of PATH: a run folder, or a CSV or parquet file of outcomes.

    A run folder is computed again from outcomes.parquet and decisions.parquet alone. A file holds
    one row per query and action (query_id, action, correct), or one row per query and one column
    per model with its score; docs/your_outcomes.md lists the columns that allow more.
    """
    from scopebench.report.numbers import print_report

    with usage_errors():
        report = headroom(
            path,
            static=static,
            mixes=mixes,
            seed=seed,
            resamples=resamples,
            benchmark=benchmark,
            tell=tell,
        )
    if as_json:
        echo_json(report.as_json())
        return
    title = str(path) if report.paper_matcher is None else f"{path} ({matcher})"
    print_report(report.under(matcher), title=title)
