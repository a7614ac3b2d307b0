"""`scopebench headroom`: every number of a run or of one's own outcomes, without a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from scopebench.cli.options import echo_json, json_option, number_options, parse_mixes, parse_static
from scopebench.errors import DataError

PATHS: Final = (
    "give a run folder written by `scopebench score`, or a CSV or parquet file of outcomes"
)


def _refuse_changed(folder: Path) -> None:
    """Refuse tables that are not those of the `run.json` beside them; without one, none are."""
    from scopebench.run.folder import RESULT_FILE, read_result, refuse_changed_tables

    if not (folder / RESULT_FILE).is_file():
        return
    try:
        result = read_result(folder)
    except DataError as error:
        click.echo(f"scopebench: {error}; the tables are computed alone", err=True)
        return
    refuse_changed_tables(folder, result)


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
    "benchmark_dir",
    type=click.Path(path_type=Path),
    help="Refuse the run unless it was made on this built benchmark, by the SHA-256 of its files.",
)
@json_option
def command(
    path: Path,
    matcher: str,
    static: str | None,
    mixes: tuple[str, ...],
    seed: int,
    resamples: int,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Compute every number of PATH: a run folder, or a CSV or parquet file of outcomes.

    A run folder is computed again from outcomes.parquet and decisions.parquet alone. A file holds
    one row per query and action (query_id, action, correct), or one row per query and one column
    per model with its score; docs/your_outcomes.md lists the columns that allow more.
    """
    from scopebench.report.numbers import print_report
    from scopebench.run.folder import refuse_other_benchmark, refuse_other_version
    from scopebench.scoring.summary import Settings, read_plain_report, read_reports

    settings = Settings(mixes=parse_mixes(mixes), seed=seed, n_resamples=resamples)
    rule = parse_static(static)
    if not path.exists():
        raise DataError("no such file or folder", file=path, fix=PATHS)
    if path.is_file():
        if benchmark_dir is not None:
            raise click.UsageError("--benchmark is for a run folder, not for a file of outcomes")
        report, paper = read_plain_report(path, settings, rule=rule), None
    else:
        refuse_other_version(path)
        _refuse_changed(path)
        if benchmark_dir is not None:
            refuse_other_benchmark(path, benchmark_dir)
        report, paper = read_reports(
            path, settings if rule is None else replace(settings, rule=rule)
        )
    if as_json:
        other = {} if paper is None else {"paper_matcher": paper.model_dump(mode="json")}
        echo_json({**report.model_dump(mode="json"), **other})
        return
    shown = paper if matcher == "paper" and paper is not None else report
    print_report(shown, title=str(path) if paper is None else f"{path} ({matcher})")
