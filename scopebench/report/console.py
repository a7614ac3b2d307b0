"""What every verb prints on a terminal: tables of rows, and what a build wrote."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_WITHOUT_TERMINAL: Final = 200
NOTHING: Final = "–"


def console() -> Console:
    """Return a console on stdout that keeps tables whole where there is no terminal."""
    return Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL, highlight=False)


def print_rows(rows: Sequence[Mapping[str, Any]], *, title: str) -> None:
    """Print mappings of equal keys as a table."""
    table = plain_table(title)
    for name in rows[0] if rows else ():
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_plain(value)) for value in row.values()))
    console().print(table)


def printable(text: str) -> str:
    """Return a text whose control and direction characters are written out as escapes.

    Data may hold escape sequences; a terminal must show them and not obey them.
    """
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in {"Cc", "Cf"} and char not in "\n\t"
        else char
        for char in text
    )


def print_build(manifest: Mapping[str, Any], out: Path) -> None:
    """Print what a build wrote, what it left out and what to do next."""
    rows = [
        {
            "config": config,
            "split": split,
            "rows": counts.get("queries", counts.get("edits")),
            "in scope": counts.get("in_scope"),
            "out of scope": counts.get("out_of_scope"),
        }
        for config, described in manifest["configs"].items()
        for split, counts in described["splits"].items()
    ]
    print_rows(rows, title=manifest["name"])
    screen = console()
    for dataset, described in manifest["datasets"].items():
        drops = described["drops"]
        told = [
            f"{entry['count']} {part.replace('_', ' ')} ({reason})"
            for part in ("edits", "queries", "outcome_gold")
            for reason, entry in drops[part].items()
        ]
        if described["bad_records"]["count"]:
            told.append(f"{described['bad_records']['count']} bad records")
        if told:
            screen.print(f"{dataset}: left out {', '.join(told)}", soft_wrap=True)
        if described["curated"] is not None and not described["curated"]["policies"]:
            screen.print(
                f"{dataset}: no `curated`: no out-of-scope row could be balanced by an in-scope "
                "one; give more edits",
                soft_wrap=True,
            )
        if described["curated"] is not None and not described["curated"]["leak_passed"]:
            screen.print(
                f"{dataset}: the wording of `curated` gives the label away more than it should; "
                "see the leak test in the card",
                soft_wrap=True,
            )
        for kind, columns in (described["missing_columns"] or {}).items():
            screen.print(
                f"{dataset}: {kind} cannot be made, or not scored; columns that would allow it: "
                f"{', '.join(columns)}",
                soft_wrap=True,
            )
    screen.print(
        f"Written: {out} (what was left out, and why: {out / 'manifest.json'})\n"
        f"Next: scopebench score --editor inlay --benchmark {out} --out runs/inlay",
        soft_wrap=True,
    )


def plain_table(title: str) -> Table:
    """Return an empty table with the look of all tables here."""
    return Table(
        title=Text(printable(title), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return NOTHING if value is None else str(value)
