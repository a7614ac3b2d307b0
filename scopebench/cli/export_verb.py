"""`scopebench export`: runs and benchmarks in the forms that other tools read."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.sharing import EXPORT_FORMATS, PROMPT_FAMILIES, Matcher, Population, export
from scopebench.cli.options import tell, usage_errors


@click.command(
    "export",
    epilog="""\b
Examples:
  scopebench export runs/inlay runs/rag --format csv --out numbers.csv
  scopebench export runs/inlay runs/rag --format latex --out table.tex
  scopebench export runs/inlay --format model-card --out CARD.md
  scopebench export runs/inlay --format hf-eval-results --dataset-id ORG/NAME --out model-repo
  scopebench export mquake --format lm-eval --out tasks/lm-eval
  scopebench export mquake --format inspect --out tasks/inspect
""",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "name",
    required=True,
    type=click.Choice(EXPORT_FORMATS),
    help="hf-eval-results, lm-eval and inspect write a folder, the others a file.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The file or folder to write."
)
@click.option(
    "--population",
    type=click.Choice(["original", "withheld", "curated"]),
    help="Whose rows [default: every population for csv, curated for the others].",
)
@click.option(
    "--matcher",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="Whose numbers; a task for a harness holds both.",
)
@click.option(
    "--dataset-id", metavar="ORG/NAME", help="The benchmark's dataset repository on the Hub."
)
@click.option("--dataset-revision", metavar="SHA", help="Its commit, 40 hex digits.")
@click.option(
    "--prompts",
    type=click.Choice(PROMPT_FAMILIES),
    default="generic",
    show_default=True,
    help="The prompt set of the model's family, for lm-eval and inspect.",
)
def command(
    paths: tuple[Path, ...],
    name: str,
    out: Path,
    population: Population | None,
    matcher: Matcher,
    dataset_id: str | None,
    dataset_revision: str | None,
    prompts: str,
) -> None:
    """Export PATHS: a run folder, or several for csv and latex, or a benchmark for a harness.

    Numbers are computed anew from the tables of a run. Runs of different protocols or benchmarks
    are refused, and so is a limited run where it would pass for a result. Nothing is sent.
    """
    with usage_errors():
        written = export(
            list(paths),
            name,
            out,
            matcher=matcher,
            population=population,
            dataset_id=dataset_id,
            dataset_revision=dataset_revision,
            prompts=prompts,
            tell=tell,
        )
    for path in written:
        click.echo(path)
