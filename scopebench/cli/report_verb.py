"""`scopebench report`: one page, or one Markdown file, about one run or several side by side."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.cli.options import number_options, parse_mixes, parse_static

SUFFIXES = (".html", ".htm", ".md")


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
    from scopebench.disk_errors import clear_disk_errors
    from scopebench.errors import DataError
    from scopebench.report.gather import gather
    from scopebench.report.page.build import render_html, render_markdown
    from scopebench.report.write import write_text
    from scopebench.scoring.summary import Settings

    if not outs and figures is None:
        raise click.UsageError(
            "nothing to write: give --out report.html, --out report.md, --figures"
        )
    for out in outs:
        if out.suffix.lower() not in SUFFIXES:
            raise click.BadParameter(
                f"{out} ends in none of {', '.join(SUFFIXES)}", param_hint="--out"
            )
    gathered = gather(
        paths,
        Settings(mixes=parse_mixes(mixes), seed=seed, n_resamples=resamples),
        rule=parse_static(static),
        told=lambda text: click.echo(f"scopebench: {text}", err=True),
    )
    for out in outs:
        render = render_markdown if out.suffix.lower() == ".md" else render_html
        write_text(render(gathered.views, gathered.comparisons), out)
        click.echo(out)
    if figures is not None:
        from scopebench.report.figures import write_figures

        reports = {view.name: view.report for view in gathered.views}
        with clear_disk_errors(figures, DataError):
            written = write_figures(reports, figures)
        for path in written:
            click.echo(path)
