"""`scopebench build`: source files in, a benchmark folder out."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from scopebench.api.benchmarks import CURATED_SIZE, build
from scopebench.cli.options import echo_json, json_option, parse_columns, parse_sources


@click.command(
    "build",
    epilog="""\b
Examples:
  scopebench build --out benchmark
  scopebench build --source mquake_cf=MQuAKE-CF.json --out mquake
  scopebench build --source counterfact=a.json --source counterfact=b.json --limit 500 --out cf
  scopebench build --source mine=edits.csv --columns mine=columns.toml --out mine
""",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="DATASET=PATH",
    help="A source file; repeat for more files or data sets. Without it: the starter.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder to write.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Keep at most N edits a data set (whole groups, seeded).",
)
@click.option(
    "--withhold",
    type=click.Choice(["own", "shared"]),
    default="own",
    show_default=True,
    help="Hide each query's own edit, or share one index without all hidden edits.",
)
@click.option(
    "--assign",
    type=click.Choice(["subject", "query"]),
    default="subject",
    show_default=True,
    help="Hide an exact share by subject component, or by independent draws per query.",
)
@click.option(
    "--fraction",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Share of the queries whose edit is hidden in `withheld`.",
)
@click.option(
    "--curated-size",
    type=click.IntRange(min=0),
    default=CURATED_SIZE,
    show_default=True,
    help="At most N rows in each cell of `curated`; 0 leaves the population out.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="DATASET=FILE",
    help="Names of the columns of your own edits, where they are not ours (TOML or JSON).",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seeds every choice.")
@click.option(
    "--on-bad-record",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="Stop at a bad record, or skip it and list it in the manifest.",
)
@json_option
def command(
    sources: tuple[str, ...],
    out: Path,
    limit: int | None,
    withhold: Literal["own", "shared"],
    assign: Literal["subject", "query"],
    fraction: float,
    curated_size: int,
    columns: tuple[str, ...],
    seed: int,
    on_bad_record: Literal["fail", "skip"],
    as_json: bool,
) -> None:
    """Build the populations of every cell the sources allow.

    A DATASET that is none of the published ones (`scopebench list sources`) holds your own edits:
    CSV, JSON Lines or parquet with the columns subject, prompt or relation, and new.
    """
    from scopebench.report.console import print_build

    built = build(
        parse_sources(sources),
        out,
        columns=parse_columns(columns),
        withhold=withhold,
        assign=assign,
        fraction=fraction,
        curated_size=curated_size,
        seed=seed,
        limit=limit,
        on_bad_record=on_bad_record,
    )
    if as_json:
        echo_json(built.manifest)
    else:
        print_build(built.manifest, out)
