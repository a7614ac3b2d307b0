"""Tables for a terminal, and the one sentence that says what they mean."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scopebench.records import ACTIONS, POPULATIONS, Cell, KindRow, Report, RouterRow, RunResult

WIDTH_WITHOUT_TERMINAL: Final = 120
NOTHING: Final = "–"
STRATA: Final = {"known": "known to it", "kept": "kept half", "hidden": "hidden half"}


def console() -> Console:
    """Return a console on stdout that keeps tables whole where there is no terminal."""
    return Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL, highlight=False)


def print_rows(rows: Sequence[Mapping[str, Any]], *, title: str) -> None:
    """Print mappings of equal keys as a table."""
    table = _table(title)
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


def print_run(result: RunResult, folder: Path) -> None:
    """Print a run: the cells, the pooled rows, what they mean, where it is and what is next."""
    report = Report(
        cells=result.cells,
        pooled=result.pooled,
        strata=result.strata,
        router=result.router,
        kinds=result.kinds,
    )
    limit = result.benchmark.limit
    scope = "all queries" if limit is None else f"at most {limit} queries a cell and population"
    print_report(report, title=f"{result.editor.name} beside {result.model.id}, {scope}")
    console().print(
        f"Written: {folder} (run {result.run_id}, protocol {result.protocol.protocol_id})\n"
        f"Next: scopebench headroom {folder} --matcher paper",
        soft_wrap=True,
    )


def print_report(report: Report, *, title: str) -> None:
    """Print a report's tables and its sentence."""
    screen = console()
    screen.print(_headroom_table(report, title))
    decision_only = sum(cell.n - cell.n_scorable for cell in report.cells)
    if decision_only:
        screen.print(
            f"n leaves out {decision_only} decision-only rows, which have no outcome gold.\n"
        )
    screen.print(_router_table(report.router))
    if shown := _worst_first(report.kinds):
        screen.print(_kinds_table(shown))
    screen.print(meaning(report), soft_wrap=True)


def meaning(report: Report) -> str:
    """Say in one sentence what the pooled rows show."""
    pooled = {cell.population: cell for cell in report.pooled}
    parts = []
    original, withheld = pooled.get("original"), pooled.get("withheld")
    if original is not None and original.headroom.value is not None:
        gain = original.headroom.value
        parts.append(
            f"Where every question is about an edited fact, the best per-query decision gains "
            f"{gain:+.4f} over one fixed rule"
        )
    if withheld is not None and withheld.headroom.value is not None:
        parts.append(
            f"once edits are withheld it can gain {withheld.headroom.value:+.4f} "
            f"(95% interval {_interval(withheld) or 'undefined'}), and abstaining "
            f"is the only right action on {_count(withheld.unique_wins.abstain)} of "
            f"{withheld.n_scorable} queries"
        )
    curated = pooled.get("curated")
    if curated is not None and curated.headroom.value is not None:
        parts.append(
            f"on curated questions, half of which no edit governs, {curated.headroom.value:+.4f} "
            f"({_interval(curated) or 'undefined'})"
        )
    return "; ".join(parts) + "." if parts else "No population has scorable outcomes."


def _headroom_table(report: Report, title: str) -> Table:
    table = _table(title)
    table.add_column("cell", no_wrap=True)
    table.add_column("population", no_wrap=True)
    for name in ("n", *ACTIONS, "static", "oracle", "headroom", "95% interval", "only\nabstain"):
        table.add_column(name, justify="right", no_wrap=True)
    dataset = None
    for cell in report.cells:
        if cell.dataset != dataset:
            table.add_section()
            table.add_row(cell.dataset, style="bold")
            dataset = cell.dataset
        _add_cell(table, f" {cell.condition}", cell)
    table.add_section()
    table.add_row("all cells", style="bold")
    for cell in report.pooled:
        _add_cell(table, " pooled", cell, style="bold")
        for part in report.strata:
            if part.population == cell.population:
                _add_cell(table, f" {STRATA[part.stratum]}", part)
    return table


def _table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )


def _add_cell(table: Table, name: str, cell: Cell, style: str | None = None) -> None:
    accuracy = cell.accuracy
    table.add_row(
        name,
        cell.population,
        str(cell.n_scorable),
        *(_share(value) for value in (accuracy.recite, accuracy.reason, accuracy.abstain)),
        _share(cell.static_fixed),
        _share(cell.oracle),
        NOTHING if cell.headroom.value is None else f"{cell.headroom.value:+.4f}",
        _interval(cell) or NOTHING,
        _count(cell.unique_wins.abstain),
        style=style,
    )


def _router_table(rows: Sequence[RouterRow]) -> Table:
    table = _table("The editor's own decisions")
    table.add_column("population")
    for name in ("n", "accuracy", "false fire", "miss", "wrong edit", "AUROC"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        values = (row.accuracy, row.false_fire, row.miss, row.wrong_edit, row.auroc)
        table.add_row(row.population, str(row.n), *map(_share, values))
    return table


def _worst_first(rows: Sequence[KindRow]) -> list[KindRow]:
    """Return the rows of populations with several kinds, in each the worst false fire first.

    Kinds without out-of-scope queries come after, the one missed most first.
    """
    several = Counter(row.population for row in rows)

    def place(row: KindRow) -> tuple[int, bool, float, float, str]:
        return (
            POPULATIONS.index(row.population),
            row.false_fire is None,
            -(row.false_fire or 0.0),
            -(row.miss or 0.0),
            row.kind,
        )

    return sorted((row for row in rows if several[row.population] > 1), key=place)


def _kinds_table(rows: Sequence[KindRow]) -> Table:
    table = _table("The same by kind of query, the worst false fire first")
    table.add_column("population", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    for name in ("n", "in scope", "accuracy", "false fire", "miss", "wrong edit", "AUROC"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        values = (row.accuracy, row.false_fire, row.miss, row.wrong_edit, row.auroc)
        counts = (str(row.n), str(row.in_scope))
        table.add_row(row.population, row.kind, *counts, *map(_share, values))
    return table


def _interval(cell: Cell) -> str:
    low, high = cell.headroom.low, cell.headroom.high
    return "" if low is None or high is None else f"{low:+.4f} to {high:+.4f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def _count(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return NOTHING if value is None else str(value)
