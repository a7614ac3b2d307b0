"""`scopebench report`: one page, or one Markdown file, about one run or several side by side."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.reports import check_outs, compare
from scopebench.cli.options import number_options, tell, usage_errors


@click.command(
    "report",
    epilog="""\b
Examples:
  scopebench report runs/inlay --out report.html
  scopebench report runs/inlay runs/rag runs/base --out report.html --out report.md
  scopebench report runs/inlay --mix 0.2 --figures figures --out report.html
  scopebench report outcomes.csv --out report.html
""",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    "outs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write: a name ending in .html or .md; repeatable.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write figures for a paper into this folder too, as PNG and SVG.",
)
@number_options
def command(
    paths: tuple[Path, ...],
    outs: tuple[Path, ...],
    figures: Path | None,
    static: str | None,
    mixes: tuple[str, ...],
    seed: int,
    resamples: int,
) -> None:
    """Write a report of PATHS: run folders, or CSV or parquet files of outcomes.

    The page is one self-contained file: it loads nothing, works without a network and prints.
    Every number is computed anew from the tables. Runs of different protocols or benchmarks are
    refused, for their numbers cannot be compared.
    """
    with usage_errors():
        check_outs(outs, figures=figures is not None)
        compared = compare(
            paths, static=static, mixes=mixes, seed=seed, resamples=resamples, tell=tell
        )
    for path in compared.report(*outs, figures=figures):
        click.echo(path)
