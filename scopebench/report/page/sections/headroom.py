"""How much a per-query decision can be worth: oracle, actions, headroom."""

from __future__ import annotations

from collections.abc import Iterable

from scopebench.records.report import Cell, Report
from scopebench.report.page.charts.svg import mark, ring, sign
from scopebench.report.page.charts.tracks import ActionRow, OracleRow, action_panel, oracle_panel
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Column,
    Figure,
    Group,
    Legend,
    Row,
    Section,
    Table,
    Value,
)
from scopebench.report.page.numbers import (
    count,
    estimate,
    missing,
    number,
    percent,
    points,
    reason_for,
    words,
)
from scopebench.report.page.sections.common import (
    baseline,
    cell_rows,
    pooled_cell,
    populations,
    whole,
)
from scopebench.report.page.words import (
    ALL,
    COVERAGE,
    HEADROOM,
    ORACLE,
    POPULATION_WORDS,
    STATIC_FIXED,
    STATIC_WORDS,
    STRATUM_WORDS,
    UNIQUE_WINS,
    cell_words,
    population_name,
)

_N = Column("n", "Scorable rows; a row is one query under one condition.")
_CLUSTERS = Column("clusters", "Subjects: the independent units.")


def oracle_section(view: RunView) -> Section:
    """Oracle against static in every cell, as the paper's figure 4."""
    report = view.report
    panels = []
    for population in populations(report):
        cells = cell_rows(report.cells, population)
        shown = cells or [cell for cell in report.pooled if cell.population == population]
        rows = [OracleRow(cell_words(c), baseline(c).value, c.oracle) for c in shown]
        panels.append(oracle_panel(population_name(population), rows))
    legend = (
        Legend(sign(mark(0, 11, 8, 3.6)), f"static policy ({_baseline_name(report)})"),
        Legend(sign(ring(11, 8)), "oracle"),
    )
    told = "Share right, with headroom in points at the right. A ring round its dot: no headroom."
    return Section(
        key="oracle",
        title="Oracle against one fixed rule",
        lead=f"{_rule_words(report)} The oracle takes the best legal action of each query, an "
        "upper bound that no real editor can exceed.",
        blocks=(
            Figure(told, tuple(panels), legend),
            _cells_table(report, "Every cell", ALL),
            *_known_cells(report),
        ),
    )


def _rule_words(report: Report) -> str:
    if any(cell.static_fixed is not None for cell in report.pooled):
        return f"The fixed rule: {report.static_rule}."
    return "No rule was declared: the dot is the action that did best on the other folds."


def _baseline_name(report: Report) -> str:
    return " or ".join(sorted({baseline(cell).name for cell in report.pooled} or {"static_fixed"}))


def _known_cells(report: Report) -> tuple[Table, ...]:
    table = _cells_table(report, "Every cell, known rows only", "known")
    return (table,) if table.groups else ()


def _cells_table(report: Report, caption: str, stratum: str) -> Table:
    groups = []
    for population in populations(report):
        rows = [_cell_row(cell) for cell in cell_rows(report.cells, population, stratum)]
        pooled = pooled_cell(report, population, stratum)
        if pooled is not None:
            rows.append(_cell_row(pooled, marked=True))
        if rows:
            groups.append(Group(population_name(population), tuple(rows)))
    known = "Known: the unedited model answers with a pre-edit answer."
    return Table(
        caption=caption,
        head="cell",
        columns=(
            Column("static", STATIC_FIXED),
            Column("oracle", ORACLE),
            Column("headroom", f"In points. {HEADROOM}"),
            Column("covered", COVERAGE),
            _N,
            Column("no gold", "Decision-only rows, left out here."),
            _CLUSTERS,
        ),
        groups=tuple(groups),
        notes=(known,) if stratum == "known" else (),
        folded=True,
    )


def _cell_row(cell: Cell, *, marked: bool = False) -> Row:
    why = cell.undefined
    return Row(
        head=cell_words(cell),
        values=(
            number(cell.static_fixed, percent, key="static_fixed", undefined=why),
            number(cell.oracle, percent, key="oracle", undefined=why),
            estimate(cell.headroom, points, key="headroom", undefined=why),
            number(cell.coverage, percent, key="coverage", undefined=why),
            whole(cell.n_scorable),
            whole(cell.n - cell.n_scorable),
            whole(cell.n_clusters),
        ),
        marked=marked,
    )


def actions_section(view: RunView) -> Section:
    """What each action achieves alone, as the paper's figure 5, and what only it can win."""
    report = view.report
    panels = []
    for population in populations(report):
        cells = cell_rows(report.cells, population)
        shown = cells or [cell for cell in report.pooled if cell.population == population]
        rows = [
            ActionRow(cell_words(c), tuple(c.accuracy.get(a) for a in report.actions))
            for c in shown
        ]
        panels.append(action_panel(population_name(population), report.actions, rows))
    legend = tuple(
        Legend(sign(mark(index, 11, 8)), action) for index, action in enumerate(report.actions)
    )
    return Section(
        key="actions",
        title="What each action achieves",
        lead="An action adds headroom only where it is right and every other one is wrong.",
        blocks=(
            Figure("Share right where the action is legal.", tuple(panels), legend),
            _actions_table("All cells", [c for c in report.pooled if c.stratum == ALL], report),
            _actions_table("Actions in every cell", _single_cells(report), report, folded=True),
        ),
    )


def _single_cells(report: Report) -> list[Cell]:
    return [c for name in populations(report) for c in cell_rows(report.cells, name)]


def _actions_table(
    caption: str, cells: Iterable[Cell], report: Report, *, folded: bool = False
) -> Table:
    groups = tuple(
        Group(
            f"{population_name(cell.population)}: {cell_words(cell)}, "
            f"{count(cell.n_scorable)} scorable rows",
            tuple(_action_row(cell, action) for action in report.actions),
        )
        for cell in cells
    )
    return Table(
        caption=caption,
        head="action",
        columns=(
            Column("share right", "Over the scorable rows on which the action is legal."),
            Column("unique wins", UNIQUE_WINS),
            Column("share", "Unique wins as a share of scorable rows: what it adds to the oracle."),
            Column("oracle without it", "The oracle of all other actions."),
        ),
        groups=groups,
        folded=folded,
    )


def _action_row(cell: Cell, action: str) -> Row:
    why = cell.undefined
    wins = cell.unique_wins.get(action)
    wins_key, without_key = f"unique_wins.{action}", f"oracle_without.{action}"
    if wins is None or not cell.n_scorable:
        share = missing(reason_for(wins_key, why))
    else:
        share = number(wins / cell.n_scorable, percent)
    return Row(
        head=action,
        values=(
            number(cell.accuracy.get(action), percent, key=f"accuracy.{action}", undefined=why),
            number(wins, count, key=wins_key, undefined=why),
            share,
            number(cell.oracle_without.get(action), percent, key=without_key, undefined=why),
        ),
    )


def headroom_section(view: RunView) -> Section:
    """Headroom over each named static policy, on all rows and on parts."""
    report = view.report
    return Section(
        key="headroom",
        title="Headroom",
        lead=f"{HEADROOM} Which rule it is taken over decides what it means, so each is named; "
        "those in hindsight were chosen on the very rows they are judged on.",
        blocks=(_headroom_table(report), _statics_table(report)),
    )


def _parts(report: Report, population: str) -> list[Cell]:
    found = [pooled_cell(report, population, stratum) for stratum in STRATUM_WORDS]
    return [cell for cell in found if cell is not None]


def _headroom_table(report: Report) -> Table:
    others = [name for name in STATIC_WORDS if name != "static_fixed"]
    return Table(
        caption="Headroom in points over each static policy, with its interval",
        head="rows",
        columns=(
            Column("over static_fixed", f"{STATIC_WORDS['static_fixed']}: {report.static_rule}"),
            *(Column(f"over {name}", STATIC_WORDS[name]) for name in others),
            Column("oracle", ORACLE),
            _N,
            _CLUSTERS,
        ),
        groups=tuple(
            Group(
                _population_words(population),
                tuple(_headroom_row(cell, others) for cell in _parts(report, population)),
            )
            for population in populations(report)
        ),
        notes=(
            "Known: rows whose unedited model answers with a pre-edit answer. Kept and hidden: the "
            "halves of withheld: queries whose own edit is in the index, and whose is not.",
        ),
    )


def _headroom_row(cell: Cell, others: Iterable[str]) -> Row:
    why = cell.undefined
    return Row(
        head=STRATUM_WORDS.get(cell.stratum, cell.stratum),
        values=(
            estimate(cell.headroom, points, key="headroom", undefined=why),
            *(_static_headroom(cell, name) for name in others),
            number(cell.oracle, percent, key="oracle", undefined=why),
            whole(cell.n_scorable),
            whole(cell.n_clusters),
        ),
        marked=cell.stratum == ALL,
    )


def _static_headroom(cell: Cell, name: str) -> Value:
    static = cell.statics.get(name)
    if static is None:
        return missing(reason_for(f"statics.{name}", cell.undefined))
    key = f"statics.{name}.headroom"
    return estimate(static.headroom, points, key=key, undefined=cell.undefined)


def _statics_table(report: Report) -> Table:
    return Table(
        caption="The static policies themselves",
        head="policy",
        columns=(
            Column("share right", "When its action is taken."),
            Column("takes", "The action it takes.", words=True),
            Column("in hindsight", "Chosen on the rows it is judged on.", words=True),
        ),
        groups=tuple(
            Group(_stratum_words(population, cell.stratum), _static_rows(cell, report))
            for population in populations(report)
            for cell in _parts(report, population)
        ),
        folded=True,
    )


def _static_rows(cell: Cell, report: Report) -> tuple[Row, ...]:
    why = cell.undefined
    fixed = number(cell.static_fixed, percent, key="static_fixed", undefined=why)
    rows = [Row("static_fixed", (fixed, words(report.static_rule), words("no")))]
    for name, static in cell.statics.items():
        key = f"statics.{name}"
        choice = (
            missing(reason_for(f"{key}.choice", why))
            if static.choice is None
            else words(static.choice)
        )
        value = number(static.value, percent, key=f"{key}.value", undefined=why)
        rows.append(Row(name, (value, choice, words("yes" if static.hindsight else "no"))))
    return tuple(rows)


def _stratum_words(population: str, stratum: str) -> str:
    return ", ".join(dict.fromkeys((population_name(population), STRATUM_WORDS[stratum])))


def _population_words(population: str) -> str:
    meaning = POPULATION_WORDS.get(population)
    return f"{population}: {meaning}" if meaning else population_name(population)
