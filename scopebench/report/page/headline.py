"""The first screen: the claim in one sentence, and the numbers it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scopebench.records.report import Cell, Estimate, Report, RouterRow
from scopebench.report.page.charts.tracks import ruler
from scopebench.report.page.content import RunView
from scopebench.report.page.model import KeyFigure
from scopebench.report.page.numbers import (
    count,
    estimate,
    interval_text,
    number,
    percent,
    points,
)
from scopebench.report.page.sections.common import (
    pooled_cell,
    pooled_router,
    populations,
    told_against,
)
from scopebench.report.page.sections.decisions import router_value
from scopebench.report.page.words import ORACLE, ROUTER_WORDS, population_name

_MOST_TELLING: Final[tuple[str, ...]] = ("withheld", "curated", "original")
"""Populations in the order in which they say what a scope decision is worth."""

_GAIN: Final = "points gained by"

_PLACE: Final = {
    "withheld": "with edits withheld",
    "curated": "on curated questions, half of which no edit governs",
    "original": "on edited facts alone",
}


def claim(views: Sequence[RunView]) -> str:
    """Say in one sentence what the best decision is worth and how much of it each editor gets."""
    report = views[0].report
    name = telling_population(report)
    cell = None if name is None else pooled_cell(report, name)
    if name is None or cell is None:
        return "No population has scorable outcomes, so no headroom can be computed."
    said = f"{_place(name)}, {_worth(report, cell)}"
    if len(views) > 1:
        told = ", ".join(_share(view, name) for view in views)
        said = f"{said} with the cards of {views[0].name}; of its own headroom, {told}"
    else:
        original = pooled_cell(report, "original")
        if name != "original" and original is not None and original.headroom.value is not None:
            said = f"{_place('original')}, {_worth(report, original)}; {said}"
        own = _own(report, name, views[0].editor)
        said = f"{said}, {own}" if own else said
    return f"{said[0].upper()}{said[1:]}."


def telling_population(report: Report) -> str | None:
    """Return the population whose headroom says most, or None where none has any."""
    known = populations(report)
    ordered: list[str] = [name for name in _MOST_TELLING if name in known]
    ordered += [name for name in known if name not in ordered]
    for name in ordered:
        cell = pooled_cell(report, name)
        if cell is not None and told_against(report, cell).headroom.value is not None:
            return name
    return None


def key_figures(views: Sequence[RunView]) -> tuple[KeyFigure, ...]:
    """Return the numbers of the first screen, each with its interval and its definition.

    One run shows its headroom and what its editor makes of it; several show the headroom of the
    first, and what each makes of it.
    """
    report = views[0].report
    main = telling_population(report)
    cell = None if main is None else pooled_cell(report, main)
    if main is None or cell is None:
        return ()
    if len(views) > 1:
        rows = [(view.name, pooled_router(view.report, main)) for view in views]
        gains = [_router_figure(row, "gain", _GAIN, name) for name, row in rows if row is not None]
        return (_headroom_figure(report, cell, views[0].name), *gains)
    original = pooled_cell(report, "original")
    figures = [] if original is None or main == "original" else [_headroom_figure(report, original)]
    figures.append(_headroom_figure(report, cell))
    router = pooled_router(report, main)
    if router is None:
        return (*figures, _oracle_figure(cell))
    editor = views[0].editor
    figures.append(_router_figure(router, "gain", _GAIN, editor))
    judged = [pooled_router(report, name) for name in ("curated", main, "withheld")]
    out = next((r for r in judged if r is not None and r.false_fire.value is not None), router)
    return (*figures, _router_figure(out, "false_fire", "false fires of", editor))


def _place(population: str) -> str:
    return _PLACE.get(population, f"on {population_name(population)}")


def _worth(report: Report, cell: Cell) -> str:
    """Say what a decision is worth on a population."""
    base = told_against(report, cell)
    value, low, high = base.headroom.value, base.headroom.low, base.headroom.high
    if value is None:
        return "headroom is undefined"
    if value == 0:
        bound = "" if high is None else f" ({points(value)} points, at most {points(high)})"
        return f"no per-query decision beats {base.words}{bound}"
    gain = f"{points(value)} points{_between(base.headroom)}"
    if low is not None and low <= 0:
        return f"no per-query decision is shown to beat {base.words}: {gain}"
    return f"the best per-query decision gains {gain} over {base.words}"


def _own(report: Report, population: str, editor: str) -> str:
    router = pooled_router(report, population)
    if router is None or router.gain.value is None:
        return ""
    if router.gain.value < 0:
        lost = f"of which {editor} gets none: it loses {points(-router.gain.value).lstrip('+')}"
        return f"{lost} points{_between(router.gain)} against the rule"
    if router.gain.value == 0:
        return f"of which {editor} gains nothing"
    if router.capture.value is not None:
        return f"of which {editor} captures {percent(router.capture.value)}{_capture_range(router)}"
    return f"and {editor} gains {points(router.gain.value)}{_between(router.gain)}"


def _share(view: RunView, population: str) -> str:
    """Say how much of the headroom one of several runs gets."""
    router = pooled_router(view.report, population)
    if router is None or router.gain.value is None:
        return f"{view.name} has no decisions"
    if router.gain.value < 0:
        return f"{view.name} loses {points(-router.gain.value).lstrip('+')} points to the rule"
    if router.gain.value == 0:
        return f"{view.name} gains nothing"
    if router.capture.value is not None:
        return f"{view.name} captures {percent(router.capture.value)}"
    return f"{view.name} gains {points(router.gain.value)} points"


def _capture_range(router: RouterRow) -> str:
    low, high = router.capture.low, router.capture.high
    if low is None or high is None:
        return ""
    return f" ({interval_text(low, high, percent)})"


def _between(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return ""
    return f" ({interval_text(value.low, value.high, points)})"


def _headroom_figure(report: Report, cell: Cell, run: str = "") -> KeyFigure:
    base = told_against(report, cell)
    value = estimate(base.headroom, points, key="headroom", undefined=cell.undefined)
    return KeyFigure(
        label=f"points of headroom, {population_name(cell.population)}",
        value=value,
        definition=f"Oracle minus {base.name} over {count(cell.n_scorable)} scorable rows of "
        f"{count(cell.n_clusters)} subjects" + (f", with the cards of {run}." if run else "."),
        ruler=_ruler(base.headroom),
    )


def _oracle_figure(cell: Cell) -> KeyFigure:
    value = number(cell.oracle, percent, key="oracle", undefined=cell.undefined)
    return KeyFigure(
        label=f"oracle, {population_name(cell.population)}", value=value, definition=ORACLE
    )


def _router_figure(row: RouterRow, key: str, label: str, editor: str) -> KeyFigure:
    return KeyFigure(
        label=f"{label} {editor}, {population_name(row.population)}",
        value=router_value(row, key),
        definition=ROUTER_WORDS[key][1],
        ruler=_ruler(getattr(row, key)),
    )


def _ruler(value: Estimate) -> str:
    if value.value is None or value.low is None or value.high is None:
        return ""
    return ruler(value.value, value.low, value.high)
