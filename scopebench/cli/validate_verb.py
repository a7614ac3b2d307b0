"""`scopebench validate`: what is wrong in a source file, a built benchmark or a run folder."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.checking import validate
from scopebench.cli.options import echo_json, json_option


@click.command(
    "validate",
    epilog="""\b
Examples:
  scopebench validate counterfact-edit.json
  scopebench validate edits.csv --columns columns.toml
  scopebench validate mquake --strict
  scopebench validate runs/inlay --benchmark mquake --json

Exit code: 0 where nothing is wrong, 1 for an error (with --strict also for a warning), 2 where PATH
cannot be validated at all.
""",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--benchmark",
    metavar="DIR|ORG/NAME[@REVISION]",
    help="For a run folder: the benchmark whose files and rows it must have.",
)
@click.option(
    "--columns",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For your own edits: names of their columns, where they are not ours (TOML or JSON).",
)
@click.option(
    "--limit-examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Findings printed for each check; --json holds all.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    benchmark: str | None,
    columns: Path | None,
    limit_examples: int,
    strict: bool,
    as_json: bool,
) -> None:
    """Find what is wrong at PATH: a raw source file, a built benchmark or a run folder."""
    from scopebench.report.findings import print_validation

    validation = validate(path, benchmark=benchmark, columns=columns)
    if as_json:
        echo_json(validation.as_json())
    else:
        print_validation(validation, examples=limit_examples)
    ctx.exit(1 if validation.fails(strict=strict) else 0)
