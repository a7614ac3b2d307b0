"""The tables of `docs/results.md`, each a pure function from runs to plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scopebench.records import Report, RunResult
from scopebench.records.report import Cell, NoiseRow, PolicyRow, RouterRow
from scopebench.report.page.model import Column, Group, Row, Table, Value
from scopebench.report.page.numbers import (
    count,
    decimal,
    estimate,
    interval_text,
    missing,
    number,
    percent,
    points,
    probability,
    words,
)
from scopebench.report.page.sections.common import (
    best_rival,
    decision_test,
    judged_policies,
    only,
    pooled_cell,
    pooled_router,
    populations,
    whole,
)
from scopebench.report.page.sections.decisions import router_value
from scopebench.report.page.words import (
    ALL,
    HEADROOM,
    ORACLE,
    ROUTER_WORDS,
    STATIC_FIXED,
    STRATUM_WORDS,
    cell_words,
    policy_words,
)
from scopebench.report.results.plan import SOURCES

_N: Final = Column("n", "Scorable rows: one query under one condition each.")
_NEGATIVES: Final = ("withheld", "curated")
"""Populations that hold queries which no edit governs."""


def headroom_table(report: Report, editor: str) -> Table:
    """Headroom in every cell and over all cells, with the cards of an editor."""
    cells = [cell for cell in report.cells if cell.stratum == ALL]
    places = list(dict.fromkeys(cell_words(cell) for cell in cells))
    groups = [
        (place, [(cell.population, cell) for cell in cells if cell_words(cell) == place])
        for place in (places if len(places) > 1 else [])
    ]
    for stratum in (ALL, "known"):
        found = [pooled_cell(report, name, stratum) for name in populations(report)]
        title = f"all cells, {STRATUM_WORDS[stratum]}"
        groups.append((title, [(cell.population, cell) for cell in found if cell is not None]))
    return Table(
        caption=f"Headroom on each population, with the cards of {editor}",
        head="population",
        columns=(
            Column("static", STATIC_FIXED),
            Column("oracle", ORACLE),
            Column("headroom", f"{HEADROOM} In points, with its interval."),
            Column("only abstain", "Rows on which abstaining is the only right action."),
            _N,
        ),
        groups=tuple(
            Group(title, tuple(_headroom_row(name, cell) for name, cell in rows))
            for title, rows in groups
        ),
        notes=("Known rows: the unedited model answers with an answer from before the edit.",),
    )


def _headroom_row(head: str, cell: Cell) -> Row:
    why = cell.undefined
    key = "unique_wins.abstain"
    return Row(
        head,
        (
            number(cell.static_fixed, percent, key="static_fixed", undefined=why),
            number(cell.oracle, percent, key="oracle", undefined=why),
            estimate(cell.headroom, points, key="headroom", undefined=why),
            number(cell.unique_wins.get("abstain"), count, key=key, undefined=why),
            whole(cell.n_scorable),
        ),
    )


def sources_table(runs: Mapping[str, RunResult]) -> Table:
    """The pooled headroom of every source, one editor's cards."""
    return Table(
        caption="Headroom by source, over all cells",
        head="population",
        columns=(
            Column("static", STATIC_FIXED),
            Column("oracle", ORACLE),
            Column("headroom", "Oracle minus static, in points, with its interval."),
            Column("only abstain", "Rows on which abstaining is the only right action."),
            _N,
        ),
        groups=tuple(
            Group(
                SOURCES[source].words,
                tuple(_headroom_row(cell.population, cell) for cell in run.pooled),
            )
            for source, run in runs.items()
        ),
    )


def editors_table(runs: Mapping[str, RunResult], shown: Report) -> Table:
    """What several editors make of the same rows, and the oracle over the cards of one of them."""
    keys = ("accuracy", "gain", "scope_accuracy", "false_fire", "miss")
    return Table(
        caption="Editors on the same rows, over all cells",
        head="editor",
        columns=(*(Column(*ROUTER_WORDS[key]) for key in keys), _N),
        groups=tuple(
            Group(
                population,
                (
                    *(_editor_row(name, run, population, keys) for name, run in runs.items()),
                    _oracle_row(shown, population, len(keys)),
                ),
            )
            for population in populations(shown)
        ),
    )


def _oracle_row(report: Report, population: str, columns: int) -> Row:
    cell = pooled_cell(report, population)
    absent = missing("the oracle chooses by outcome and decides no scope")
    if cell is None:
        return Row("oracle", (absent,) * (columns + 1))
    best = number(cell.oracle, percent, key="oracle", undefined=cell.undefined)
    return Row("oracle", (best, *(absent,) * (columns - 1), whole(cell.n_scorable)))


def _editor_row(name: str, run: RunResult, population: str, keys: Sequence[str]) -> Row:
    router = pooled_router(run, population)
    if router is None:
        absent = missing(f"{name} has no decisions on {population}")
        return Row(name, (absent,) * (len(keys) + 1))
    values = tuple(router_value(router, key) for key in keys)
    return Row(name, (*values, whole(router.n_scorable)))


def policies_table(report: Report, editor: str) -> Table:
    """An editor's decisions against those of policies that understand nothing."""
    return Table(
        caption=f"{editor} against policies that understand nothing",
        head="policy",
        columns=(
            Column("right decisions", "Share of rows fired on just where an edit governs."),
            Column("false fire", ROUTER_WORDS["false_fire"][1]),
            Column("miss", ROUTER_WORDS["miss"][1]),
            Column(f"only {editor} : only it", "Rows that only one of the two decides rightly."),
            Column(
                "p",
                f"Against {editor}: cluster sign-flip test on the same rows, two-sided, after "
                "Holm's correction.",
            ),
            Column("n", "Rows of the test fold; thresholds are fitted on the other fold."),
        ),
        groups=tuple(
            Group(
                population,
                tuple(
                    _policy_row(report, row, editor)
                    for row in judged_policies(report, population)
                    if row.policy != "oracle"
                ),
            )
            for population in populations(report)
            if population in _NEGATIVES
        ),
    )


def _policy_row(report: Report, row: PolicyRow, editor: str) -> Row:
    why = row.undefined
    return Row(
        policy_words(row.policy, editor),
        (
            number(row.scope_accuracy, percent, key="scope_accuracy", undefined=why),
            number(row.false_fire, percent, key="false_fire", undefined=why),
            number(row.miss, percent, key="miss", undefined=why),
            *_tested(report, row.population, row.policy),
            whole(row.n),
        ),
    )


def _tested(report: Report, population: str, policy: str) -> tuple[Value, Value]:
    test = decision_test(report, population, policy)
    if test is None:
        why = "the editor itself, or no rival: it reads the labels"
        return missing(why), missing(why)
    if test.first_only is None or test.second_only is None:
        discordant = missing(test.undefined.get("first_only", "it decides by chance"))
    else:
        discordant = words(f"{count(test.first_only)} : {count(test.second_only)}")
    why_not = {"p_holm": test.skipped} if test.skipped else test.undefined
    return discordant, number(test.p_holm, probability, key="p_holm", undefined=why_not)


def rivals_table(runs: Mapping[str, RunResult]) -> Table:
    """One editor against the best policy that understands nothing, on every source."""
    groups = []
    for source, run in runs.items():
        found = [(name, best_rival(run, name)) for name in populations(run) if name in _NEGATIVES]
        rows = tuple(_rival_row(run, name, rival) for name, rival in found if rival is not None)
        groups.append(Group(SOURCES[source].words, rows))
    return Table(
        caption="The best policy that understands nothing, on every source",
        head="population",
        columns=(
            Column("editor", "Share of rows that the editor decides rightly, test fold."),
            Column("best policy", "The same of the policy named."),
            Column("which", words=True),
            Column("only editor : only it", "Rows that only one of the two decides rightly."),
            Column("p", "Cluster sign-flip test, two-sided, after Holm's correction."),
            Column("n", "Rows."),
        ),
        groups=tuple(groups),
    )


def _rival_row(run: RunResult, population: str, rival: PolicyRow) -> Row:
    own = next(row for row in judged_policies(run, population) if row.policy == "editor")
    return Row(
        population,
        (
            number(own.scope_accuracy, percent, key="scope_accuracy", undefined=own.undefined),
            number(rival.scope_accuracy, percent),
            words(policy_words(rival.policy, run.editor.name)),
            *_tested(run, population, rival.policy),
            whole(rival.n),
        ),
    )


def kinds_table(runs: Mapping[str, RunResult], editor: str) -> Table:
    """Where a gate fires when it should not: out-of-scope kinds of `curated`, by source."""
    by_source = {source: _misfires(run) for source, run in runs.items()}
    worst: dict[str, float] = {}
    for rows in by_source.values():
        for kind, row in rows.items():
            worst[kind] = max(worst.get(kind, 0.0), row.false_fire.value or 0.0)
    kinds = sorted(worst, key=lambda kind: (-worst[kind], kind))
    return Table(
        caption=f"False fires of {editor} by kind of out-of-scope query in curated",
        head="kind",
        columns=tuple(Column(SOURCES[source].words) for source in by_source),
        groups=(
            Group(
                "",
                tuple(
                    Row(kind, tuple(_misfire(rows.get(kind)) for rows in by_source.values()))
                    for kind in kinds
                ),
            ),
        ),
        notes=(
            "Share of the kind's out-of-scope rows that are fired on; in parentheses its interval, "
            "those rows, and the AUROC of the scope score between them and the in-scope rows.",
        ),
    )


def _misfires(report: Report) -> dict[str, RouterRow]:
    rows = only(report.router, population="curated", dataset=ALL)
    return {
        row.kind: row
        for row in rows
        if row.kind != ALL and row.condition == ALL and row.false_fire.value is not None
    }


def _misfire(row: RouterRow | None) -> Value:
    share = None if row is None else row.false_fire.value
    if row is None or share is None:
        return missing("the source has no such rows")
    rate, area = row.false_fire, row.auroc.value
    told = []
    if rate.low is not None and rate.high is not None:
        told.append(interval_text(rate.low, rate.high, percent))
    told.append(f"n {count(row.n - (row.in_scope or 0))}")
    if area is not None:
        told.append(f"AUROC {decimal(area)}")
    return Value(percent(share), ", ".join(told), rate.method, exact=share)


def noise_table(rows: Iterable[NoiseRow]) -> Table:
    """What sampling adds to an oracle, over all cells."""
    keys = {
        "naive": "Best of all draws of all actions, minus static: not headroom.",
        "null": "Best of the draws of static's own action, minus it: noise alone.",
        "corrected": "Naive minus null.",
        "held_out": "Gain of the action best on the other draws, judged on the draw left out.",
    }
    pooled = [row for row in rows if row.dataset == row.condition == row.kind == row.stratum == ALL]
    return Table(
        caption="What repeated draws add to an oracle, in points, over all cells",
        head="population",
        columns=(
            *(Column(key.replace("_", " "), meaning) for key, meaning in keys.items()),
            Column("draws", "Draws of each action."),
            _N,
        ),
        groups=(
            Group(
                "",
                tuple(
                    Row(
                        row.population,
                        (
                            *(
                                estimate(getattr(row, k), points, key=k, undefined=row.undefined)
                                for k in keys
                            ),
                            whole(row.draws),
                            whole(row.n_scorable),
                        ),
                    )
                    for row in pooled
                ),
            ),
        ),
    )
