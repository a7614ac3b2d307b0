"""The pieces every chart is drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from scopebench.report.console import printable
from scopebench.report.page.model import Panel

WIDTH: Final = 360
LETTER: Final = 6.9
"""Width of an average letter at the charts' 12-unit type, for shortening."""

MARKS: Final = 6
"""Distinct mark shapes; each comes filled and hollow."""


@dataclass(frozen=True)
class Scale:
    """A linear map from numbers to units of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where a number lies; one outside the scale lies at its end."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def safe(words: str) -> Markup:
    """Return text from data as it may stand in a drawing."""
    return escape(printable(words))


def fixed(value: float) -> str:
    """Return a coordinate with at most one decimal, the same on every machine."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def panel(title: str, description: str, height: float, body: Sequence[str]) -> Panel:
    """Return a complete SVG element with a title and a description that can be read aloud."""
    drawing = (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {fixed(height)}" role="img" '
        f'aria-label="{safe(f"{title}. {description}")}">'
        f"<title>{safe(title)}</title><desc>{safe(description)}</desc>{''.join(body)}</svg>"
    )
    return Panel(title, drawing)


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start") -> str:
    """Return a line of text; `anchor` is start, middle or end."""
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    style = f' class="{css}"' if css else ""
    return f'<text x="{fixed(x)}" y="{fixed(y)}"{style}{where}>{safe(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """Return a straight line."""
    return (
        f'<line class="{css}" x1="{fixed(x1)}" y1="{fixed(y1)}" x2="{fixed(x2)}" y2="{fixed(y2)}"/>'
    )


def rectangle(x: float, y: float, width: float, height: float, css: str) -> str:
    """Return a rectangle; a negative extent is drawn as nothing."""
    return (
        f'<rect class="{css}" x="{fixed(x)}" y="{fixed(y)}" '
        f'width="{fixed(max(width, 0.0))}" height="{fixed(max(height, 0.0))}"/>'
    )


def path(points: Sequence[tuple[float, float]], css: str, *, closed: bool = False) -> str:
    """Return a line through points."""
    steps = "L".join(f"{fixed(x)} {fixed(y)}" for x, y in points)
    return f'<path class="{css}" d="M{steps}{"Z" if closed else ""}"/>' if points else ""


def tip(drawn: str, words: str) -> str:
    """Return a drawing that tells its numbers when pointed at."""
    return f"<g><title>{safe(words)}</title>{drawn}</g>"


def shortened(words: str, width: float) -> str:
    """Return words that fit a width; what is too much is left out of their middle.

    Names of cells begin with the data set and end with the condition, and both tell them apart.
    """
    room = max(int(width / LETTER), 3)
    if len(words) <= room:
        return words
    tail = room // 3
    return f"{words[: room - 1 - tail].rstrip()}…{words[len(words) - tail :].lstrip()}"


def mark(index: int, x: float, y: float, size: float = 4.5) -> str:
    """Return the sign of the index-th series: a shape, filled for the first six, then hollow."""
    css = f"m{index % MARKS}" + (" hollow" if index // MARKS % 2 else "")
    s = size
    shapes = (
        f'<circle class="{css}" cx="{fixed(x)}" cy="{fixed(y)}" r="{fixed(s)}"/>',
        rectangle(x - s, y - s, 2 * s, 2 * s, css),
        path([(x, y - s * 1.2), (x + s * 1.1, y + s), (x - s * 1.1, y + s)], css, closed=True),
        path(
            [(x, y - s * 1.3), (x + s * 1.3, y), (x, y + s * 1.3), (x - s * 1.3, y)],
            css,
            closed=True,
        ),
        path([(x - s * 1.1, y - s), (x + s * 1.1, y - s), (x, y + s * 1.2)], css, closed=True),
        rectangle(x - s * 1.4, y - s * 0.5, 2.8 * s, s, css),
    )
    return shapes[index % MARKS]


def ring(x: float, y: float, size: float = 7.0) -> str:
    """Return the ring that stands for the oracle."""
    return f'<circle class="ring" cx="{fixed(x)}" cy="{fixed(y)}" r="{fixed(size)}"/>'


def sign(drawn: str, width: float = 22) -> str:
    """Return a drawing centred on (11, 8) as an entry of a legend."""
    return f'<svg class="sign" viewBox="0 0 {fixed(width)} 16" aria-hidden="true">{drawn}</svg>'


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers that span a range, ends included or just inside."""
    if high <= low:
        return [low]
    raw = (high - low) / most
    unit = 10.0 ** _floor_log10(raw)
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw * (1 - 1e-9))
    first = -(-low // step) * step
    found = []
    while first <= high + step * 1e-9:
        found.append(round(first, 10) + 0.0)
        first += step
    return found


def _floor_log10(value: float) -> int:
    from math import floor, log10

    return floor(log10(value))
