"""The metrics that exports show, and how a share is written in percent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scopebench.hub.exports.runs import Pooled
from scopebench.records import Estimate


@dataclass(frozen=True)
class Metric:
    """One metric as an export shows it.

    Attributes:
        name: Its field in `records.Cell` or `records.RouterRow`.
        title: What a reader is told.
        unit: In which it is shown; stored numbers are shares.
        better: Which values are better; None: it does not rank editors.
    """

    name: str
    title: str
    unit: Literal["%", "points"] = "%"
    better: Literal["higher", "lower"] | None = "higher"

    @property
    def direction(self) -> str:
        """Which values are better, in words."""
        return "ranks no editor" if self.better is None else f"{self.better} is better"


# Headroom belongs to the questions and the actions, so a large one is no merit of the editor.
HEADROOM: Final = Metric("headroom", "headroom", "points", None)
ACCURACY: Final = Metric("accuracy", "accuracy of the editor's own actions")
GAIN: Final = Metric("gain", "gain over the static policy", "points")
CAPTURE: Final = Metric("capture", "headroom captured")
SCOPE_ACCURACY: Final = Metric("scope_accuracy", "scope accuracy")
FALSE_FIRE: Final = Metric("false_fire", "false fire", better="lower")
MISS: Final = Metric("miss", "miss", better="lower")
AUROC: Final = Metric("auroc", "AUROC of the scope score")

OF_AN_EDITOR: Final = (SCOPE_ACCURACY, FALSE_FIRE, MISS, AUROC, ACCURACY, GAIN, CAPTURE)
"""The metrics that rank editors."""


@dataclass(frozen=True)
class Reading:
    """A metric's value on some rows.

    Attributes:
        estimate: The value and interval, as shares.
        reason: Why there is no value, or no interval; None: both are there.
    """

    estimate: Estimate
    reason: str | None


def read_metric(metric: Metric, numbers: Pooled) -> Reading:
    """Return a metric's value on the rows of a population."""
    row = numbers.cell if metric == HEADROOM else numbers.router
    estimate: Estimate = getattr(row, metric.name)
    name = metric.name if estimate.value is None else f"{metric.name}.interval"
    return Reading(estimate, row.undefined.get(name))


def percent(share: float, digits: int = 2) -> float:
    """Return a share in percent, rounded; never a negative zero."""
    return round(100 * share, digits) + 0.0


def interval_words(estimate: Estimate) -> str | None:
    """Return an interval in percent, with its method; None where there is none."""
    if estimate.low is None or estimate.high is None:
        return None
    return f"{percent(estimate.low):.2f} to {percent(estimate.high):.2f} ({estimate.method})"


def separate_best(metric: Metric, estimates: Sequence[Estimate]) -> int | None:
    """Return which row is best beyond doubt: its interval overlaps that of no other row.

    Returns:
        Its position; None if the metric does not rank, a row lacks an interval, there is only one
        row, or the best one's interval touches another's.
    """
    if metric.better is None or len(estimates) < 2:
        return None
    sign = 1.0 if metric.better == "higher" else -1.0
    spans = []
    for estimate in estimates:
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return None
        low, high = sorted((sign * estimate.low, sign * estimate.high))
        spans.append((low, high))
    best = max(range(len(spans)), key=lambda place: spans[place][0])
    others = (high for place, (_, high) in enumerate(spans) if place != best)
    return best if spans[best][0] > max(others) else None
