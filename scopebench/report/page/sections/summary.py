"""Several runs on one screen: one table, one figure, and what besides the editors differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scopebench.records.report import Report
from scopebench.report.page.charts.svg import line, mark, ring, sign
from scopebench.report.page.charts.tracks import ReachRow, reach_panel
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Block,
    Column,
    Figure,
    Group,
    Legend,
    Note,
    Row,
    Table,
    Value,
)
from scopebench.report.page.numbers import count, missing, probability
from scopebench.report.page.sections.common import (
    best_rival,
    decision_test,
    pooled_cell,
    pooled_router,
    populations,
)
from scopebench.report.page.sections.decisions import router_value
from scopebench.report.page.words import (
    ROUTER_WORDS,
    policy_words,
    population_name,
    population_order,
)

_TOLD: Final = ("curated", "withheld", "original")
"""Populations in the order in which gain and rates are told of: of the first that is there."""

_RATES: Final = ("gain", "false_fire", "miss")


def summary_blocks(views: Sequence[RunView]) -> tuple[Block, ...]:
    """Return what the first screen shows of several runs."""
    names = population_order({name for view in views for name in populations(view.report)})
    if not names:
        return differences(views)
    return (*differences(views), _table(views, names), _figure(views, names))


def differences(views: Sequence[RunView]) -> tuple[Note, ...]:
    """Say what besides the editor is not the same in all runs."""
    results = [view.result for view in views if view.result is not None]
    told: dict[str, set[Any]] = {
        "benchmark files": {tuple(sorted(r.benchmark.files.items())) for r in results},
        "the limit on queries": {r.benchmark.limit for r in results},
        "language model": {(r.model.id, r.model.revision, r.model.dtype) for r in results},
        "encoder": {(r.encoder.id, r.encoder.revision) for r in results if r.encoder is not None},
    }
    unequal = [what for what, values in told.items() if len(values) > 1]
    if not unequal:
        return ()
    return (Note(f"Not only the editors differ between these runs: {', '.join(unequal)}.", "bad"),)


def _table(views: Sequence[RunView], names: Sequence[str]) -> Table:
    main = next((name for name in _TOLD if name in names), names[0])
    where = population_name(main)
    return Table(
        caption="Every run, over all cells",
        head="run",
        columns=(
            *(
                Column(
                    f"right decisions, {population_name(name)}", ROUTER_WORDS["scope_accuracy"][1]
                )
                for name in names
            ),
            *(Column(f"{ROUTER_WORDS[key][0]}, {where}", ROUTER_WORDS[key][1]) for key in _RATES),
            Column(
                f"won : lost against the best policy that understands nothing, {where}",
                "Rows of the test fold that only the run decides rightly, and that only the policy "
                "does which understands nothing and decides best; p: cluster sign-flip test on the "
                "same rows, after Holm's correction.",
            ),
        ),
        groups=(Group("", tuple(_row(view, names, main) for view in views)),),
    )


def _row(view: RunView, names: Sequence[str], main: str) -> Row:
    decided = tuple(_router_value(view, name, "scope_accuracy") for name in names)
    rates = tuple(_router_value(view, main, key) for key in _RATES)
    return Row(view.name, (*decided, *rates, _won(view.report, main, view.editor)))


def _router_value(view: RunView, population: str, key: str) -> Value:
    router = pooled_router(view.report, population)
    if router is None:
        return missing(f"the table of {view.name} holds no decisions on it")
    return router_value(router, key)


def _won(report: Report, population: str, editor: str) -> Value:
    rival = best_rival(report, population)
    test = None if rival is None else decision_test(report, population, rival.policy)
    if rival is None or test is None:
        return missing("no policy that understands nothing could be judged on these rows")
    name = policy_words(rival.policy, editor)
    if test.first_only is None or test.second_only is None:
        return missing(test.skipped or test.undefined.get("first_only", f"{name} is not tested"))
    p = "no test" if test.p_holm is None else f"p {probability(test.p_holm)}"
    return Value(f"{count(test.first_only)} : {count(test.second_only)}", f"{name}, {p}")


def _figure(views: Sequence[RunView], names: Sequence[str]) -> Figure:
    panels = [
        reach_panel(population_name(name), [_reach(view, name) for view in views]) for name in names
    ]
    return Figure(
        caption="Share right: by one fixed rule, by the run's own decisions, and by the best "
        "decision of each query.",
        panels=tuple(panels),
        legend=(
            Legend(sign(mark(0, 11, 8, 3.6)), "fixed rule"),
            Legend(sign(line(1, 8, 21, 8, "whisker") + mark(3, 11, 8, 4.5)), "the run, interval"),
            Legend(sign(ring(11, 8)), "oracle"),
        ),
    )


def _reach(view: RunView, population: str) -> ReachRow:
    cell, router = pooled_cell(view.report, population), pooled_router(view.report, population)
    own = None if router is None else router.accuracy
    return ReachRow(
        view.name,
        static=None if cell is None else cell.static_fixed,
        own=None if own is None else own.value,
        low=None if own is None else own.low,
        high=None if own is None else own.high,
        oracle=None if cell is None else cell.oracle,
    )
