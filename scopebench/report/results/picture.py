"""The README's picture: headroom on each population, as one SVG file for each colour scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.records.report import Report
from scopebench.report.page.charts.svg import Scale, fixed, line, rectangle, safe, text, ticks
from scopebench.report.page.numbers import interval_text, percent, points
from scopebench.report.page.words import population_order

SCHEMES: Final[Mapping[str, Mapping[str, str]]] = {
    "light": {
        "ink": "#15181d",
        "quiet": "#565d68",
        "grid": "#e1e4e8",
        "bar": "#b9d3ee",
        "edge": "#0b57a4",
    },
    "dark": {
        "ink": "#e9ebee",
        "quiet": "#a6adb8",
        "grid": "#30363d",
        "bar": "#2c4d70",
        "edge": "#82bbff",
    },
}
"""Colours of GitHub's light and dark pages' text and of the report page's bars."""

SAID: Final = {
    "original": "every question is about an edited fact",
    "withheld": "half of the edits are hidden",
    "curated": "half of the rows governed by no edit",
}

_WIDTH: Final = 760
_LEFT: Final = 262.0
_RIGHT: Final = 590.0
_TOP: Final = 56.0
_STEP: Final = 54.0
_FONT: Final = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif"


@dataclass(frozen=True)
class Bar:
    """One population: its headroom with its interval, and what it lies between, as shares."""

    population: str
    headroom: float
    low: float
    high: float
    static: float
    oracle: float


def bars(report: Report) -> list[Bar]:
    """Return the populations that have a headroom with an interval, over all cells."""
    found = {}
    for cell in report.pooled:
        gain = cell.headroom
        numbers = (gain.value, gain.low, gain.high, cell.static_fixed, cell.oracle)
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers):
            found[cell.population] = Bar(cell.population, *known)
    return [found[name] for name in population_order(set(found))]


def told(drawn: Sequence[Bar]) -> str:
    """Return in words what the picture shows, for who does not see it."""
    parts = [
        f"{bar.population} {points(bar.headroom)} ({interval_text(bar.low, bar.high, points)})"
        for bar in drawn
    ]
    return f"Headroom in points, with 95% intervals: {', '.join(parts)}"


def picture(drawn: Sequence[Bar], title: str, scheme: str) -> str:
    """Return the drawing; equal numbers give equal bytes.

    Args:
        drawn: One bar for each population.
        title: What it is of, above it.
        scheme: A key of `SCHEMES`.
    """
    scale = Scale(
        min(0.0, *(bar.low for bar in drawn)),
        max(0.01, *(bar.high for bar in drawn)),
        _LEFT,
        _RIGHT,
    )
    height = _TOP + _STEP * len(drawn) + 10
    body = [text(0, 16, title, "title"), *_axis(scale, height)]
    for place, bar in enumerate(drawn):
        body += _row(bar, scale, _TOP + _STEP * place)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{fixed(height)}" '
        f'viewBox="0 0 {_WIDTH} {fixed(height)}" role="img" aria-label="{safe(told(drawn))}">'
        f"<style>{_style(SCHEMES[scheme])}</style>{''.join(body)}</svg>\n"
    )


def _axis(scale: Scale, height: float) -> list[str]:
    drawn = []
    for value in ticks(scale.low, scale.high, 4):
        x = scale(value)
        drawn.append(line(x, _TOP - 8, x, height - 6, "zero" if value == 0 else "grid"))
        drawn.append(text(x, _TOP - 15, f"{value * 100:g}", "tick", "middle"))
    drawn.append(text(0, _TOP - 15, "questions", "tick"))
    drawn.append(text(_WIDTH, _TOP - 15, "points; rule → best decision", "tick", "end"))
    return drawn


def _row(bar: Bar, scale: Scale, top: float) -> list[str]:
    middle = top + _STEP / 2 - 2
    low, high, zero = scale(bar.low), scale(bar.high), scale(0.0)
    start, end = sorted((zero, scale(bar.headroom)))
    said = SAID.get(bar.population, "")
    return [
        text(0, middle - 3, bar.population, "name"),
        text(0, middle + 14, said, "tick"),
        rectangle(start, middle - 10, max(end - start, 2.0), 20, "bar"),
        line(low, middle, high, middle, "whisker"),
        line(low, middle - 5, low, middle + 5, "whisker"),
        line(high, middle - 5, high, middle + 5, "whisker"),
        text(_WIDTH, middle - 3, points(bar.headroom), "figure", "end"),
        text(_WIDTH, middle + 14, f"{percent(bar.static)} → {percent(bar.oracle)}", "tick", "end"),
    ]


def _style(colours: Mapping[str, str]) -> str:
    ink, quiet, edge = colours["ink"], colours["quiet"], colours["edge"]
    rules = (
        f"text{{font:13px {_FONT};fill:{ink};font-variant-numeric:tabular-nums}}",
        f".tick{{font-size:12px;fill:{quiet}}}",
        ".title,.name{font-weight:600}",
        ".title{font-size:14px}.figure{font-size:17px;font-weight:650}",
        f".grid{{stroke:{colours['grid']}}}.zero{{stroke:{quiet}}}",
        f".bar{{fill:{colours['bar']};stroke:{edge}}}",
        f".whisker{{stroke:{ink};stroke-width:1.4}}",
    )
    return "".join(rules)
