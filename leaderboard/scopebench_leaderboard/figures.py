"""The board's charts: pure functions from its numbers to drawings of the report's own kind.

They are SVG, coloured by the page's style sheet: one drawing serves light and dark, and nothing is
fetched from anywhere. Every value is told in words too.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from scopebench.report.page.charts.curves import MixPoint, mix_panel
from scopebench.report.page.charts.svg import (
    LETTER,
    WIDTH,
    Scale,
    line,
    mark,
    panel,
    rectangle,
    ring,
    shortened,
    sign,
    text,
    ticks,
    tip,
)
from scopebench.report.page.charts.tracks import BarRow, OracleRow, bar_panel, oracle_panel
from scopebench.report.page.model import Figure, Legend, Panel
from scopebench.report.page.numbers import interval_text
from scopebench.report.page.words import dataset_words
from scopebench_leaderboard.board import ALL
from scopebench_leaderboard.metrics import METRICS, Metric

STEP: Final = 36.0
TOP: Final = 26.0
LEFT: Final = 8.0
RIGHT: Final = WIDTH - 8.0


@dataclass(frozen=True)
class Dot:
    """One entry of a chart of intervals; None where a number is undefined."""

    label: str
    value: float | None
    low: float | None
    high: float | None


def interval_panel(
    title: str, metric: Metric, dots: Sequence[Dot], span: tuple[float, float] | None = None
) -> Panel:
    """Draw values with their intervals, one track each, on an axis that holds 0.

    Args:
        title: The panel's title.
        metric: What is drawn: tells the form of its numbers.
        dots: In the order they are drawn.
        span: Ends of the axis, to share it with other panels; None: those of the dots.
    """
    low, high = span or span_of(dots)
    scale = Scale(low, high if high > low else low + 0.01, LEFT, RIGHT)
    body = [_axis(scale, metric, TOP + STEP * len(dots))]
    body += [_track(dot, metric, scale, TOP + STEP * at) for at, dot in enumerate(dots)]
    told = "; ".join(f"{dot.label} {_told(dot, metric)}" for dot in dots)
    return panel(title, told, TOP + STEP * len(dots) + 4, body)


def span_of(dots: Sequence[Dot]) -> tuple[float, float]:
    """Return the lowest and highest number of some entries, 0 among them."""
    numbers = [0.0] + [
        number for dot in dots for number in (dot.value, dot.low, dot.high) if number is not None
    ]
    return min(numbers), max(numbers)


def headroom_figure(panels: Sequence[tuple[str, Sequence[Dot]]], caption: str) -> Figure:
    """Draw headroom of submissions, one panel a population, on one axis for all."""
    span = span_of([dot for _, dots in panels for dot in dots])
    return Figure(
        caption,
        tuple(interval_panel(title, METRICS["headroom"], dots, span) for title, dots in panels),
        (Legend(_interval_sign(), "headroom with its 95% interval, in points"),),
    )


def kinds_figure(rows: pd.DataFrame, metrics: Sequence[tuple[Metric, str]], caption: str) -> Figure:
    """Draw shares by kind as bars with intervals, one panel a share.

    Args:
        rows: One row a kind: columns kind, those of the metrics and of what they are over.
        metrics: Shares, each with the column that counts the rows it is over.
        caption: What it shows.
    """
    panels = []
    for metric, over in metrics:
        bars = [
            BarRow(
                str(row["kind"]),
                number(row[metric.name]),
                number(row.get(f"{metric.name}_low")),
                number(row.get(f"{metric.name}_high")),
                int(row[over]),
            )
            for row in rows.to_dict("records")
            if number(row[metric.name]) is not None
        ]
        if bars:
            panels.append(bar_panel(metric.label, bars))
    return Figure(caption, tuple(panels))


def cells_figure(cells: pd.DataFrame, caption: str) -> Figure:
    """Draw oracle against static, cell by cell, one panel a population (paper, figure 4).

    Args:
        cells: Columns population, dataset, condition, static_fixed and oracle.
        caption: What it shows.
    """
    panels = []
    for population in dict.fromkeys(cells["population"]):
        part = cells[cells["population"] == population]
        rows = [
            OracleRow(
                cell_name(str(row["dataset"]), str(row["condition"])),
                number(row["static_fixed"]),
                number(row["oracle"]),
            )
            for _, row in part.iterrows()
        ]
        panels.append(oracle_panel(population, rows))
    return Figure(
        caption,
        tuple(panels),
        (
            Legend(sign(mark(0, 11, 8, 3.6)), "static, declared before any outcome"),
            Legend(sign(ring(11, 8)), "oracle: best legal action of each query"),
        ),
    )


def mix_figure(curves: Sequence[tuple[str, pd.DataFrame]], at: float, caption: str) -> Figure:
    """Draw H(pi), one panel a population, with the reader's own traffic marked on it.

    Args:
        curves: A title and the columns of `views.curve`.
        at: The reader's share of out-of-scope traffic.
        caption: What it shows.
    """
    from scopebench_leaderboard.views import at_mix

    panels = []
    for title, frame in curves:
        points = [point for row in frame.to_dict("records") if (point := _mix_point(row))]
        here = {"out_of_scope": at, **at_mix(frame, at)} if points else {}
        named = _mix_point(here, "your traffic") if here else None
        panels.append(mix_panel(title, points, [] if named is None else [named]))
    return Figure(
        caption,
        tuple(panels),
        (
            Legend(
                sign(rectangle(0, 3, 22, 10, "band") + line(0, 8, 22, 8, "line")), "H(π), interval"
            ),
            Legend(sign(line(0, 8, 22, 8, "line dashed")), "the editor's gain"),
            Legend(sign(mark(9, 11, 8, 5)), "your traffic"),
        ),
    )


def cell_name(dataset: str, condition: str) -> str:
    """Return a cell's name as a reader sees it; all of them together are `all cells`."""
    return "all cells" if dataset == ALL else f"{dataset_words(dataset)} {condition}"


def number(value: object) -> float | None:
    """Return a number of a frame, or None for a null of any sort."""
    if value is None or value is pd.NA or not isinstance(value, numbers.Real):
        return None
    return None if math.isnan(value) else float(value)


def _mix_point(row: Mapping[Any, Any], name: str = "") -> MixPoint | None:
    share, headroom = number(row["out_of_scope"]), number(row["headroom"])
    if share is None or headroom is None:
        return None
    editor, static = number(row.get("editor")), number(row.get("static_fixed"))
    return MixPoint(
        name=name,
        share=share,
        headroom=headroom,
        low=number(row.get("headroom_low")),
        high=number(row.get("headroom_high")),
        gain=None if editor is None or static is None else editor - static,
    )


def _track(dot: Dot, metric: Metric, scale: Scale, top: float) -> str:
    y = top + 24
    figure = metric.show(dot.value)
    drawn = line(LEFT, y, RIGHT, y, "axis")
    drawn += line(scale(0.0), y - 8, scale(0.0), y + 8, "zero")
    if dot.value is not None:
        whisker = ""
        if dot.low is not None and dot.high is not None:
            whisker = line(scale(dot.low), y, scale(dot.high), y, "span")
        drawn += tip(whisker + mark(0, scale(dot.value), y), f"{dot.label}: {_told(dot, metric)}")
    label = shortened(dot.label, WIDTH - LETTER * (len(figure) + 2))
    return (
        text(0, top + 12, label, "label") + text(WIDTH, top + 12, figure, "figure", "end") + drawn
    )


def _axis(scale: Scale, metric: Metric, bottom: float) -> str:
    drawn = []
    for value in ticks(scale.low, scale.high, 4):
        x = scale(value)
        anchor = "start" if x < 30 else "end" if x > WIDTH - 30 else "middle"
        drawn.append(line(x, TOP - 8, x, bottom, "grid" if value else "none"))
        drawn.append(text(x, TOP - 13, _tick(value, metric), "tick", anchor))
    return "".join(drawn)


def _tick(value: float, metric: Metric) -> str:
    if metric.form == "points":
        return f"{value * 100:+.3g}".replace("-", "−") if value else "0"
    return f"{value:.0%}" if metric.form == "percent" else f"{value:.2f}"


def _told(dot: Dot, metric: Metric) -> str:
    if dot.value is None:
        return "undefined"
    told = metric.show(dot.value)
    if dot.low is not None and dot.high is not None:
        told += f", interval {interval_text(dot.low, dot.high, metric.show)}"
    return told


def _interval_sign() -> str:
    return sign(line(0, 8, 22, 8, "span") + mark(0, 11, 8, 4))
