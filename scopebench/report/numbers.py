"""A report on a terminal: its tables, and the one sentence that says what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from scopebench.records import (
    Cell,
    Estimate,
    Report,
    RunResult,
)
from scopebench.report.console import NOTHING, console, plain_table, printable
from scopebench.report.tables import (
    add_row,
    count_text,
    decision_tables,
    interval_text,
    reference_tables,
    share_text,
    signed,
)

STRATA: Final = {"known": "known to it", "kept": "kept half", "hidden": "hidden half"}
NO_RULE: Final = "none declared"
MANY_ACTIONS: Final = 5
"""With more actions than this their columns would not fit: the best one is named instead."""


def print_run(result: RunResult, folder: Path) -> None:
    """Print a run: the cells, the pooled rows, what they mean, where it is and what is next."""
    print_report(result, title=run_title(result), brief=True)
    _tell(
        f"Written: {folder} (run {result.run_id}, protocol {result.protocol.protocol_id})\n"
        f"Next: scopebench report {folder} --out report.html"
    )


def run_title(result: RunResult) -> str:
    """Return what a run is of, in a few words."""
    limit = result.benchmark.limit
    scope = "all queries" if limit is None else f"at most {limit} queries a cell and population"
    return f"{result.editor.name} beside {result.model.id}, {scope}"


def print_report(report: Report, *, title: str, brief: bool = False) -> None:
    """Print a report's tables and its sentence.

    Args:
        report: The report.
        title: What it is of.
        brief: Leave out other static policies, degenerate policies, traffic mixes and tests.
    """
    screen = console()
    screen.print(headroom_table(report, title))
    cells = [cell for cell in report.cells if cell.stratum == "all"]
    decision_only = sum(cell.n - cell.n_scorable for cell in cells)
    if decision_only:
        screen.print(
            f"n leaves out {decision_only} decision-only rows, which have no outcome gold.\n"
        )
    if report.static_rule != NO_RULE:
        _tell(
            f"static: {report.static_rule}, declared before any outcome. An action's share is over "
            "the rows on which it is legal.\n"
        )
    if len(report.actions) > MANY_ACTIONS:
        _tell(f"actions: {', '.join(report.actions)}\n")
    if report.noise:
        _tell(
            "Outcomes are means over draws: headroom above holds the luck of drawing. The gain "
            "judged on draws left out does not.\n"
        )
    for shown in (*decision_tables(report), *(() if brief else reference_tables(report))):
        screen.print(shown, soft_wrap=isinstance(shown, Text))
    for column, cost in report.missing.items():
        _tell(f"{column}: {cost}")
    for cell in report.pooled:
        if "headroom" in cell.undefined:
            _tell(f"{cell.population}: no headroom over static_fixed, {cell.undefined['headroom']}")
    _tell(meaning(report))


def meaning(report: Report) -> str:
    """Say in one sentence what the pooled rows show."""
    held_out = {row.population: row.held_out for row in report.noise if row.dataset == "all"}
    told = [
        _part(cell, gain, several=len(report.pooled) > 1)
        for cell in report.pooled
        if (gain := held_out.get(cell.population, cell.headroom)).value is not None
    ]
    if not told:
        return "No population has a headroom over a declared policy: see the reasons above."
    said = "; ".join([told[0][0].upper() + told[0][1:], *told[1:]])
    return f"{said}, judged on draws left out." if held_out else f"{said}."


def _part(cell: Cell, headroom: Estimate, *, several: bool) -> str:
    population = cell.population
    gain, interval = signed(headroom), f"95% interval {interval_text(headroom) or 'undefined'}"
    if population == "original":
        return (
            "where every question is about an edited fact, the best per-query decision gains "
            f"{gain} over one fixed rule ({interval})"
        )
    if population == "withheld":
        abstain = cell.unique_wins.get("abstain")
        alone = (
            f", and abstaining is the only right action on {abstain} of {cell.n_scorable} queries"
            if abstain is not None
            else ""
        )
        return f"once edits are withheld it can gain {gain} ({interval}){alone}"
    if population == "curated":
        return f"on curated questions, half of which no edit governs, {gain} ({interval})"
    where = f" on {population}" if several or population != "all" else ""
    return f"the best per-query decision gains {gain} over the declared rule{where} ({interval})"


def headroom_table(report: Report, title: str) -> Table:
    """Return the table of headroom: every cell, then all cells and parts of them."""
    table = plain_table(title)
    table.add_column("cell", overflow="fold")
    table.add_column("population", overflow="fold")
    actions = report.actions if len(report.actions) <= MANY_ACTIONS else ()
    named = actions or ("best action",)
    last = "only\nabstain" if "abstain" in report.actions else "static\ncv"
    for name in ("n", *named, "static", "oracle", "headroom", "95% interval", last):
        header = Text(printable(name))
        table.add_column(header, justify="right", no_wrap=name != "best action")
    dataset = None
    for cell in report.cells:
        if cell.stratum != "all":
            continue
        if cell.dataset != dataset:
            table.add_section()
            add_row(table, cell.dataset, style="bold")
            dataset = cell.dataset
        _add_cell(table, f" {cell.condition}", cell, actions)
    table.add_section()
    add_row(table, "all cells", style="bold")
    for cell in report.pooled:
        _add_cell(table, " pooled", cell, actions, style="bold")
        for part in report.strata:
            if part.population == cell.population:
                _add_cell(table, f" {STRATA[part.stratum]}", part, actions)
    return table


def _add_cell(
    table: Table, name: str, cell: Cell, actions: Sequence[str], style: str | None = None
) -> None:
    shares = [share_text(cell.accuracy[action]) for action in actions]
    if not actions:
        best = max(cell.accuracy, key=lambda action: cell.accuracy[action] or 0.0)
        shares = [f"{best} {share_text(cell.accuracy[best])}"]
    headroom = cell.headroom.value
    add_row(
        table,
        name,
        cell.population,
        str(cell.n_scorable),
        *shares,
        share_text(cell.static_fixed),
        share_text(cell.oracle),
        NOTHING if headroom is None else f"{headroom:+.4f}",
        interval_text(cell.headroom) or NOTHING,
        count_text(cell.unique_wins["abstain"])
        if "abstain" in cell.unique_wins
        else share_text(cell.statics["static_cv"].value),
        style=style,
    )


def _tell(text: str) -> None:
    console().print(printable(text), soft_wrap=True, markup=False)
