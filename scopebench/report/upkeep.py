"""Prints what the doctor found, and the entries of the cache."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from scopebench.cache import KINDS, Entry, Pruned, Verified
from scopebench.doctor import Checkup
from scopebench.report.console import console, plain_table, print_rows, printable

_STYLES: Final = {"ok": "", "note": "dim", "problem": "yellow", "missing": "bold red"}


def print_checkup(found: Checkup) -> None:
    """Print what was found, then one suggestion for each problem."""
    screen = console()
    table = plain_table("ScopeBench")
    for name in ("part", "what", "found", "status"):
        table.add_column(name, overflow="fold")
    for finding in found.findings:
        texts = (finding.part, finding.name, finding.found, finding.status)
        table.add_row(*(Text(printable(text), style=_STYLES[finding.status]) for text in texts))
    screen.print(table)
    for finding in found.findings:
        if finding.status in ("problem", "missing"):
            told = f"{finding.name}: {finding.found}; {finding.suggestion}"
            screen.print(Text(printable(told), style=_STYLES[finding.status]), soft_wrap=True)
    ready = "`scopebench score` can run" if found.ok else "`scopebench score` cannot run yet"
    screen.print(f"{ready}.")


def print_entries(entries: Sequence[Entry]) -> None:
    """Print entries and their size in all."""
    print_rows([_row(entry) for entry in entries], title="Cache")
    console().print(f"{len(entries)} entries, {told_size(sum(entry.size for entry in entries))}")


def print_pruned(pruned: Sequence[Pruned]) -> None:
    """Print what became of entries."""
    rows = [{**_row(each.entry), "outcome": each.reason or each.outcome} for each in pruned]
    print_rows(rows, title="Cache")
    gone = [each.entry.size for each in pruned if each.outcome != "in use"]
    console().print(f"{len(gone)} entries, {told_size(sum(gone))}")


def print_verified(found: Sequence[Verified]) -> None:
    """Print whether entries are as they should be."""
    rows = [
        {"entry": each.entry.name, "status": each.status, "compared": each.told} for each in found
    ]
    print_rows(rows, title="Cache")


def told_size(size: float) -> str:
    """Return bytes in the unit that reads best."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _row(entry: Entry) -> dict[str, str]:
    return {
        "entry": entry.name,
        "kind": entry.kind,
        "size": told_size(entry.size),
        "last used": "never" if entry.last_used is None else _ago(entry.last_used),
        "what": KINDS[entry.kind],
    }


def _ago(moment: datetime) -> str:
    days = (datetime.now(UTC) - moment).days
    return moment.strftime("%Y-%m-%d %H:%M UTC") if days < 1 else f"{days} days ago"
