"""Rows of marks or bars on a common axis: a label above each track, so that any name has room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from scopebench.report.page.charts.svg import (
    LETTER,
    WIDTH,
    Scale,
    fixed,
    line,
    mark,
    panel,
    rectangle,
    ring,
    shortened,
    text,
    ticks,
    tip,
)
from scopebench.report.page.model import Panel
from scopebench.report.page.numbers import percent, points

LEFT: Final = 8.0
RIGHT: Final = WIDTH - 8.0
TOP: Final = 26.0
STEP: Final = 38.0
TRACK: Final = 24.0
"""Units from the top of a row to its track."""


@dataclass(frozen=True)
class OracleRow:
    """One cell of the figure of oracle against static; None where it is undefined."""

    label: str
    static: float | None
    oracle: float | None


@dataclass(frozen=True)
class ActionRow:
    """One cell of the figure of actions; None where an action is not legal."""

    label: str
    shares: tuple[float | None, ...]


@dataclass(frozen=True)
class BarRow:
    """One bar with its interval."""

    label: str
    share: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class ReachRow:
    """One run: the fixed rule, its own share right with its interval, and the oracle."""

    label: str
    static: float | None
    own: float | None
    low: float | None
    high: float | None
    oracle: float | None


_Row = TypeVar("_Row", OracleRow, ActionRow, BarRow, ReachRow)


def oracle_panel(title: str, rows: Sequence[OracleRow]) -> Panel:
    """Draw static policy (dot) and oracle (ring) of each cell (paper, figure 4)."""

    def draw(row: OracleRow, scale: Scale, y: float) -> tuple[str, str]:
        if row.static is None or row.oracle is None:
            return "", "–"
        x, best = scale(row.static), scale(row.oracle)
        words = f"{row.label}: static {percent(row.static)}, oracle {percent(row.oracle)}"
        drawn = line(x, y, best, y, "link") + mark(0, x, y, 3.6) + ring(best, y)
        return tip(drawn, words), points(row.oracle - row.static)

    told = "; ".join(
        f"{row.label} static {_told(row.static)} oracle {_told(row.oracle)}" for row in rows
    )
    return _tracks(title, told, rows, draw)


def action_panel(title: str, actions: Sequence[str], rows: Sequence[ActionRow]) -> Panel:
    """Draw each action's share right in each cell (paper, figure 5)."""

    def draw(row: ActionRow, scale: Scale, y: float) -> tuple[str, str]:
        drawn = [
            tip(mark(index, scale(share), y), f"{row.label}: {action} {percent(share)}")
            for index, (action, share) in enumerate(zip(actions, row.shares, strict=True))
            if share is not None
        ]
        return "".join(reversed(drawn)), ""

    told = "; ".join(
        row.label
        + " "
        + ", ".join(
            f"{action} {_told(share)}" for action, share in zip(actions, row.shares, strict=True)
        )
        for row in rows
    )
    return _tracks(title, told, rows, draw)


def bar_panel(title: str, rows: Sequence[BarRow]) -> Panel:
    """Draw shares as bars with their intervals as whiskers."""

    def draw(row: BarRow, scale: Scale, y: float) -> tuple[str, str]:
        if row.share is None:
            return "", "–"
        x = scale(row.share)
        drawn = rectangle(scale(0), y - 5, max(x - scale(0), 1.5), 10, "bar")
        words = f"{row.label}: {percent(row.share)} of {row.n:,} rows"
        if row.low is not None and row.high is not None:
            low, high = scale(row.low), scale(row.high)
            drawn += line(low, y, high, y, "whisker")
            drawn += line(low, y - 4, low, y + 4, "whisker") + line(
                high, y - 4, high, y + 4, "whisker"
            )
            words += f", interval {percent(row.low)} to {percent(row.high)}"
        return tip(drawn, words), f"{percent(row.share)} of {row.n:,}"

    told = "; ".join(f"{row.label} {_told(row.share)}" for row in rows)
    return _tracks(title, told, rows, draw)


def reach_panel(title: str, rows: Sequence[ReachRow]) -> Panel:
    """Draw how far each run gets: fixed rule (dot), own decisions (diamond), oracle (ring)."""

    def draw(row: ReachRow, scale: Scale, y: float) -> tuple[str, str]:
        drawn = ""
        if row.static is not None and row.oracle is not None:
            drawn += line(scale(row.static), y, scale(row.oracle), y, "link")
        if row.static is not None:
            drawn += mark(0, scale(row.static), y, 3.6)
        if row.oracle is not None:
            drawn += ring(scale(row.oracle), y)
        if row.low is not None and row.high is not None:
            drawn += line(scale(row.low), y, scale(row.high), y, "whisker")
        if row.own is not None:
            drawn += mark(3, scale(row.own), y)
        return tip(drawn, _reach_told(row)), "–" if row.own is None else percent(row.own)

    return _tracks(title, "; ".join(map(_reach_told, rows)), rows, draw)


def _reach_told(row: ReachRow) -> str:
    return (
        f"{row.label}: fixed rule {_told(row.static)}, own decisions {_told(row.own)}, oracle "
        f"{_told(row.oracle)}"
    )


def ruler(value: float, low: float, high: float) -> str:
    """Draw an interval, its value and 0 on a short line, for a key figure."""
    ends = (min(low, value, 0.0), max(high, value, 0.0))
    scale = Scale(*ends, 4, 156)
    x, zero = scale(value), scale(0.0)
    return (
        '<svg class="ruler" viewBox="0 0 160 14" aria-hidden="true">'
        + line(4, 7, 156, 7, "axis")
        + line(zero, 1, zero, 13, "zero")
        + line(scale(low), 7, scale(high), 7, "span")
        + f'<circle class="m0" cx="{fixed(x)}" cy="7" r="4"/></svg>'
    )


def _tracks(
    title: str,
    told: str,
    rows: Sequence[_Row],
    draw: Callable[[_Row, Scale, float], tuple[str, str]],
) -> Panel:
    """Lay out one labelled track per row over a common axis from 0 to 100%."""
    scale = Scale(0.0, 1.0, LEFT, RIGHT)
    bottom = TOP + STEP * len(rows)
    body = [_heading(scale, bottom)]
    for position, row in enumerate(rows):
        top = TOP + STEP * position
        drawn, figure = draw(row, scale, top + TRACK)
        room = WIDTH - LETTER * (len(figure) + 2)
        body.append(
            text(0, top + 12, shortened(row.label, room), "label")
            + text(WIDTH, top + 12, figure, "figure", "end")
            + line(LEFT, top + TRACK, RIGHT, top + TRACK, "axis")
            + drawn
        )
    return panel(title, told, bottom + 4, body)


def _heading(scale: Scale, bottom: float) -> str:
    drawn = []
    for value in ticks(0.0, 1.0, 4):
        x = scale(value)
        anchor = "start" if value == 0 else "end" if value == 1 else "middle"
        at = 0 if value == 0 else WIDTH if value == 1 else x
        drawn.append(line(x, TOP - 8, x, bottom, "grid"))
        drawn.append(text(at, TOP - 13, f"{value:.0%}", "tick", anchor))
    return "".join(drawn)


def _told(share: float | None) -> str:
    return "undefined" if share is None else percent(share)
