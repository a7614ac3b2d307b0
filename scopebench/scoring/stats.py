"""Intervals: clusters, not rows, are the independent units (field survey, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CONFIDENCE: Final = 0.95
N_RESAMPLES: Final = 2000
CLOPPER_PEARSON: Final = "clopper-pearson on clusters"


@dataclass(frozen=True)
class Interval:
    """An interval, or the reason why there is none.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        method: How it was computed.
        reason: Why the three are null; null if they are not.
    """

    low: float | None
    high: float | None
    method: str | None
    reason: str | None = None


def cluster_interval(
    flags: npt.NDArray[Any],
    clusters: Sequence[Any] | npt.NDArray[Any],
    *,
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Interval:
    """Return a 95% interval of the mean of 0/1 values that come in clusters.

    The values may be differences that cannot be negative, such as oracle minus static policy. The
    interval is the percentile interval of a bootstrap that draws clusters with replacement and
    keeps the rows of a cluster together, so the conditions of a query are never separated and a
    row repeated inside its cluster adds no certainty. Where all values are 0, or all 1, every
    resample is alike and the percentile interval would claim certainty; then it is the exact
    Clopper-Pearson interval of 0 (or all) successes in as many trials as there are clusters.

    Args:
        flags: Values 0 or 1, shape (n,).
        clusters: The cluster of each, shape (n,).
        seed: Seeds the resampling.
        n_resamples: Number of resamples.
    """
    hits, sizes = _cluster_sums(np.asarray(flags).astype(np.int64), clusters)
    count, total = len(sizes), int(sizes.sum())
    if count == 0:
        return _none("no rows")
    if count == 1:
        return _none("one cluster only")
    if int(hits.sum()) in (0, total):
        low, high = clopper_pearson(0 if hits.sum() == 0 else count, count)
        return Interval(low, high, CLOPPER_PEARSON)
    # Clusters with the same sum and size are exchangeable, so drawing how many of each kind enter
    # a resample is the same bootstrap, and costs nothing however many rows there are.
    kinds, numbers = np.unique(np.stack([hits, sizes], axis=1), axis=0, return_counts=True)
    if len({int(hit) / int(size) for hit, size in kinds}) == 1:
        return _none("every cluster has the same mean, so resampling them shows no spread")
    draws = np.random.default_rng(seed).multinomial(count, numbers / count, size=n_resamples)
    means = (draws @ kinds[:, 0]) / (draws @ kinds[:, 1])
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(means, [tail, 1 - tail]))
    return Interval(low, high, f"cluster bootstrap, percentile, {n_resamples} resamples")


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95% Wilson interval of a rate over independent trials (Wilson, 1927)."""
    return _proportion(successes, n, "wilson")


def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """Return the exact 95% interval of a rate over independent trials (Clopper-Pearson, 1934)."""
    return _proportion(successes, n, "exact")


def auroc(scores: npt.NDArray[np.float64], labels: npt.NDArray[np.bool_]) -> float:
    """Return the share of (positive, negative) pairs the scores order rightly; ties count half.

    The Mann-Whitney statistic over its maximum, by mid-ranks.

    Args:
        scores: Scores without NaN, larger for positives, shape (n,).
        labels: True for positives, shape (n,); both classes must be present.
    """
    from scipy.stats import rankdata

    positives = int(labels.sum())
    negatives = len(labels) - positives
    # Twice the mid-ranks are whole numbers, which keeps the pairs an exact count.
    twice = int(np.rint(2 * rankdata(scores)[labels]).astype(np.int64).sum())
    return (twice - positives * (positives + 1)) / (2 * positives * negatives)


def _proportion(successes: int, n: int, method: Any) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(confidence_level=CONFIDENCE, method=method)
    return float(interval.low), float(interval.high)


def _cluster_sums(
    values: npt.NDArray[np.int64], clusters: Sequence[Any] | npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the sum of values and the number of rows of each cluster, in a fixed order."""
    if not np.isin(values, (0, 1)).all():
        raise ValueError("cluster_interval takes values 0 and 1")
    names, codes = np.unique(np.asarray(clusters, dtype=object), return_inverse=True)
    sums = np.zeros(len(names), np.int64)
    np.add.at(sums, codes, values)
    return sums, np.bincount(codes, minlength=len(names)).astype(np.int64)


def _none(reason: str) -> Interval:
    return Interval(None, None, None, reason)
