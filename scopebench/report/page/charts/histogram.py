"""Two distributions back to back: above the line in scope, below it out of scope."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from scopebench.report.page.charts.svg import (
    WIDTH,
    Scale,
    line,
    panel,
    rectangle,
    text,
    ticks,
    tip,
)
from scopebench.report.page.model import Panel
from scopebench.report.page.numbers import MINUS, decimal, percent

BINS: Final = 30
LEFT: Final = 46.0
RIGHT: Final = WIDTH - 16.0
TOP: Final = 14.0
BOTTOM: Final = 196.0
HEIGHT: Final = 236.0


def score_panel(
    title: str,
    scores: npt.NDArray[np.float64],
    in_scope: npt.NDArray[np.bool_],
    span: tuple[float, float],
) -> Panel:
    """Draw the scope scores of in-scope queries up and of out-of-scope queries down.

    Args:
        title: The panel's title.
        scores: Finite scores, shape (n,).
        in_scope: Decision labels, shape (n,).
        span: Lowest and highest score of the axis, the same in every panel.
    """
    edges = np.linspace(*_opened(span), BINS + 1)
    inside, outside = _shares(scores[in_scope], edges), _shares(scores[~in_scope], edges)
    most = max(float(inside.max()), float(outside.max()), 0.01)
    middle = (TOP + BOTTOM) / 2
    across = Scale(float(edges[0]), float(edges[-1]), LEFT, RIGHT)
    body = [_axes(across, most, middle)]
    reach = (BOTTOM - TOP) / 2 - 2
    for position in range(BINS):
        x, width = across(float(edges[position])), (RIGHT - LEFT) / BINS - 1
        where = f"{decimal(float(edges[position]))} to {decimal(float(edges[position + 1]))}"
        for shares, css, words in ((inside, "in", "in scope"), (outside, "out", "out of scope")):
            share = float(shares[position])
            if share:
                tall = share / most * reach
                top = middle - tall if css == "in" else middle
                drawn = rectangle(x + 0.5, top, width, tall, f"bar-{css}")
                body.append(tip(drawn, f"{percent(share)} of {words} rows score {where}"))
    body.append(line(LEFT, middle, RIGHT, middle, "axis"))
    body.append(text(LEFT + 6, TOP + 11, f"in scope ({int(in_scope.sum()):,})", "label"))
    body.append(text(LEFT + 6, BOTTOM - 5, f"out of scope ({int((~in_scope).sum()):,})", "label"))
    return panel(title, _told(scores, in_scope), HEIGHT, body)


def _shares(
    scores: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    counts, _ = np.histogram(scores, bins=edges)
    return counts / max(len(scores), 1)


def _opened(span: tuple[float, float]) -> tuple[float, float]:
    """Return the span, widened where all scores are equal."""
    low, high = span
    return (low - 0.5, high + 0.5) if low == high else span


def _axes(across: Scale, most: float, middle: float) -> str:
    drawn = []
    reach = (BOTTOM - TOP) / 2 - 2
    for share in ticks(0.0, most, 2):
        for y in sorted({middle - share / most * reach, middle + share / most * reach}):
            drawn.append(line(LEFT, y, RIGHT, y, "grid"))
            drawn.append(text(LEFT - 6, y + 4, f"{share * 100:.3g}%", "tick", "end"))
    for value in ticks(across.low, across.high, 4):
        drawn.append(
            text(across(value), BOTTOM + 17, f"{value:.4g}".replace("-", MINUS), "tick", "middle")
        )
    drawn.append(line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"))
    drawn.append(text((LEFT + RIGHT) / 2, HEIGHT - 4, "scope score", "axis-name", "middle"))
    return "".join(drawn)


def _told(scores: npt.NDArray[np.float64], in_scope: npt.NDArray[np.bool_]) -> str:
    parts = []
    for words, part in (("In scope", scores[in_scope]), ("out of scope", scores[~in_scope])):
        if len(part):
            parts.append(
                f"{words}: {len(part)} rows, median score {decimal(float(np.median(part)))}"
            )
        else:
            parts.append(f"{words}: no rows")
    return "; ".join(parts)
