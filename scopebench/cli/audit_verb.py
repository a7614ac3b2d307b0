"""`scopebench audit`: a person judges a sample of a benchmark's rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from scopebench.api.auditing import AUDITOR, SAMPLE, audit, audit_sheet
from scopebench.cli.options import echo_json, json_option, say, tell, usage_errors


@click.command(
    "audit",
    epilog="""\b
Examples:
  scopebench audit mquake --sample 200 --seed 1
  scopebench audit mquake --out sheet.xlsx
  scopebench audit mquake --answers sheet.xlsx --auditor second
  scopebench audit mquake --summary --json
""",
)
@click.argument("benchmark")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=SAMPLE,
    show_default=True,
    help="Rows to draw, equally many of each kind.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seeds the choice."
)
@click.option(
    "--auditor",
    default=AUDITOR,
    show_default=True,
    metavar="NAME",
    help="A name for the person who judges; it stands in audit.json and on the card.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="SHEET",
    help="Write the rows to a .csv, .jsonl or .xlsx file to be filled in, and ask nothing.",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="SHEET",
    help="Record the answers of a sheet that was filled in, and ask nothing.",
)
@click.option("--summary", is_flag=True, help="Only show what was found so far.")
@json_option
def command(
    benchmark: str,
    sample: int,
    seed: int,
    auditor: str,
    out: Path | None,
    answers: Path | None,
    summary: bool,
    as_json: bool,
) -> None:
    """Judge a sample of the rows of BENCHMARK, a folder written by `scopebench build`.

    Rows are shown one by one with their label, gold, cards and source; one key judges a row. What
    is answered is kept at once, and the same command goes on where it was stopped.
    """
    if sum((out is not None, answers is not None, summary)) > 1:
        raise click.UsageError("give one of --out, --answers and --summary")
    with usage_errors():
        if out is not None:
            rows = audit_sheet(benchmark, out, sample=sample, seed=seed)
            tell(f"{rows} rows written to {out}; fill in its last columns, then give --answers")
            if as_json:
                echo_json({"sheet": str(out), "rows": rows})
            return
        asked = answers is None and not summary
        found = audit(
            benchmark,
            sample=sample,
            seed=seed,
            auditor=auditor,
            answers=answers,
            ask=_ask if asked else None,
            refuse=tell,
        )
    if as_json:
        echo_json(None if found is None else found.as_json())
    elif found is None:
        tell("nothing was judged yet")
    else:
        from scopebench.report.audit import print_audit

        print_audit(found)


def _ask(described: dict[str, Any], done: int, total: int) -> str | None:
    from scopebench.report.audit import print_judged

    print_judged(described, done, total)
    click.echo("> ", nl=False, err=True)
    typed = sys.stdin.readline()
    if not typed:
        say("")
        return None
    return typed
