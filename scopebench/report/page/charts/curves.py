"""Lines over two axes: headroom by the share of out-of-scope traffic, risk by coverage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.report.page.charts.svg import (
    LETTER,
    WIDTH,
    Scale,
    line,
    mark,
    panel,
    path,
    shortened,
    text,
    ticks,
    tip,
)
from scopebench.report.page.model import Panel
from scopebench.report.page.numbers import MINUS, percent, points

TOP: Final = 14.0
BOTTOM: Final = 196.0
LEFT: Final = 46.0
RIGHT: Final = WIDTH - 16.0
HEIGHT: Final = 236.0


@dataclass(frozen=True)
class MixPoint:
    """A traffic mix: its share of out-of-scope queries, and what headroom is there.

    Attributes:
        name: `observed` or a deployment's name; empty for a point of the curve.
        share: Share of out-of-scope traffic.
        headroom: Oracle minus static_fixed.
        low: Lower end of its interval, if it has one.
        high: Upper end.
        gain: The editor's accuracy minus static_fixed, if known.
    """

    name: str
    share: float
    headroom: float
    low: float | None = None
    high: float | None = None
    gain: float | None = None


def mix_panel(title: str, curve: Sequence[MixPoint], named: Sequence[MixPoint]) -> Panel:
    """Draw H(pi) with its interval as a band, the editor's gain, and the named mixes on it."""
    everything = [*curve, *named]
    values = [0.0] + [
        value
        for point in everything
        for value in (point.headroom, point.low, point.high)
        if value is not None
    ]
    values += [point.gain for point in curve if point.gain is not None]
    across, up = _scales((0.0, 1.0), _padded(min(values), max(values)))
    body = [_axes(across, up, "share of out-of-scope traffic", lambda x: f"{x:.0%}", _whole_points)]
    band = [(point, point.low, point.high) for point in curve]
    edge = [
        (across(p.share), up(high)) for p, low, high in band if low is not None and high is not None
    ]
    back = [
        (across(p.share), up(low)) for p, low, high in band if low is not None and high is not None
    ]
    body.append(path([*edge, *reversed(back)], "band", closed=True) if len(edge) > 1 else "")
    body.append(line(LEFT, up(0.0), RIGHT, up(0.0), "zero"))
    gained = [(across(p.share), up(p.gain)) for p in curve if p.gain is not None]
    body.append(path(gained, "line dashed"))
    body.append(path([(across(p.share), up(p.headroom)) for p in curve], "line"))
    for point in named:
        body.append(_named(across(point.share), up(point.headroom), point))
    told = "; ".join(
        f"{p.name + ': ' if p.name else ''}at {percent(p.share)} out of scope {points(p.headroom)}"
        for p in everything
    )
    return panel(title, told, HEIGHT, body)


def risk_panel(
    title: str, coverage: Sequence[float], risk: Sequence[float], generalised: Sequence[float]
) -> Panel:
    """Draw risk and generalised risk by coverage."""
    across, up = _scales((0.0, 1.0), (0.0, _top(max([*risk, *generalised, 0.0]))))
    body = [
        _axes(
            across, up, "coverage: share of rows kept", lambda x: f"{x:.0%}", lambda y: f"{y:.0%}"
        )
    ]
    body.append(
        path(
            [(across(x), up(y)) for x, y in zip(coverage, generalised, strict=True)], "line dashed"
        )
    )
    body.append(path([(across(x), up(y)) for x, y in zip(coverage, risk, strict=True)], "line"))
    told = ""
    if coverage:
        first, last = (f"{percent(risk[i])} at {percent(coverage[i])} coverage" for i in (0, -1))
        told = f"Risk {first} and {last}"
    return panel(title, told, HEIGHT, body)


def _named(x: float, y: float, point: MixPoint) -> str:
    """Return a mark on the curve with its name to the left above it, where a rise leaves room."""
    words = f"{point.name}: {percent(point.share)} out of scope, headroom {points(point.headroom)}"
    drawn = mark(6 + 3 * (point.name != "observed"), x, y, 5)
    left, right = x - 9 - LEFT, RIGHT - x - 9
    name = shortened(point.name, max(left, right))
    fits = LETTER * len(name) <= left
    label = text(x - 9 if fits else x + 9, y - 9, name, "label halo", "end" if fits else "start")
    return tip(drawn + label, words)


def _scales(across: tuple[float, float], up: tuple[float, float]) -> tuple[Scale, Scale]:
    return Scale(*across, LEFT, RIGHT), Scale(*up, BOTTOM, TOP)


def _axes(
    across: Scale,
    up: Scale,
    name: str,
    across_form: Callable[[float], str],
    up_form: Callable[[float], str],
) -> str:
    drawn = []
    for value in ticks(up.low, up.high, 4):
        drawn.append(line(LEFT, up(value), RIGHT, up(value), "grid"))
        drawn.append(text(LEFT - 6, up(value) + 4, up_form(value), "tick", "end"))
    for value in ticks(across.low, across.high, 4):
        drawn.append(line(across(value), BOTTOM, across(value), BOTTOM + 4, "axis"))
        drawn.append(text(across(value), BOTTOM + 17, across_form(value), "tick", "middle"))
    drawn.append(line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"))
    drawn.append(text((LEFT + RIGHT) / 2, HEIGHT - 4, name, "axis-name", "middle"))
    return "".join(drawn)


def _padded(low: float, high: float) -> tuple[float, float]:
    """Return a range a little wider than its values, and never empty."""
    room = max((high - low) * 0.12, 0.005)
    return (low - room if low < 0 else 0.0), high + room


def _top(value: float) -> float:
    return min(1.0, value * 1.12) if value > 0 else 0.05


def _whole_points(value: float) -> str:
    return f"{value * 100 + 0.0:+.4g}".replace("-", MINUS) if round(value, 6) else "0"
