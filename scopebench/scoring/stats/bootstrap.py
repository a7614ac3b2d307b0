"""The cluster bootstrap: clusters, not rows, are the independent units.

Source: field survey, sections 4.2 and 4.3. A resample draws clusters with replacement and keeps all
rows of a cluster together, so the conditions of a query, its kinds and both sides of a difference
are never separated, and a row repeated inside its cluster adds no certainty. Statistics are
functions of sums, so a resample is the sums over the clusters drawn; whatever is chosen in
hindsight is chosen anew from these sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from scopebench.scoring.stats.proportions import clopper_pearson, wilson

CONFIDENCE: Final = 0.95
N_RESAMPLES: Final = 2000
SEED: Final = 0

CLOPPER_PEARSON: Final = "clopper-pearson on clusters"
WILSON: Final = "wilson"

SHARED_DRAWS: Final = 10_000
"""Up to so many clusters the draws are made once and shared by every number of a report; above,
clusters of equal sums are drawn together, anew for every set of rows, which needs less memory."""

_CHUNK: Final = 50_000_000

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


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


@dataclass(frozen=True)
class Bootstrap:
    """Resamples of the clusters of one table.

    Attributes:
        n_clusters: Clusters in the table, numbered from 0.
        seed: Seeds the draws.
        n_resamples: Number of resamples, R.
    """

    n_clusters: int
    seed: int = SEED
    n_resamples: int = N_RESAMPLES

    @property
    def method(self) -> str:
        """The method in words."""
        return f"cluster bootstrap, percentile, {self.n_resamples} resamples"

    def totals(
        self, sums: Floats, clusters: Codes, folds: Codes | None = None, n_folds: int = 1
    ) -> Floats:
        """Return the sums over the clusters of each resample, by fold.

        Args:
            sums: The sums of c clusters, shape (c, F).
            clusters: Their numbers, all different, shape (c,).
            folds: The fold of each, shape (c,); None: one fold.
            n_folds: Number of folds, K.

        Returns:
            Shape (R, K, F). Where the clusters are a part of the table, shared draws may hold more
            or fewer of them, or none; draws made anew hold as many.
        """
        folds = np.zeros(len(clusters), np.int64) if folds is None else folds
        if len(clusters) == 0:
            return np.zeros((self.n_resamples, n_folds, sums.shape[1]))
        if self.n_clusters <= SHARED_DRAWS:
            return self._shared(sums, clusters, folds, n_folds)
        return self._grouped(sums, folds, n_folds)

    @cached_property
    def _draws(self) -> npt.NDArray[np.uint16]:
        """How often each cluster is in each resample, shape (n_clusters, R)."""
        rng = np.random.default_rng(self.seed)
        drawn = np.empty((self.n_clusters, self.n_resamples), np.uint16)
        for resample in range(self.n_resamples):
            chosen = rng.integers(0, self.n_clusters, self.n_clusters)
            drawn[:, resample] = np.bincount(chosen, minlength=self.n_clusters)
        return drawn

    def _shared(self, sums: Floats, clusters: Codes, folds: Codes, n_folds: int) -> Floats:
        totals = np.zeros((self.n_resamples, n_folds, sums.shape[1]))
        for fold in range(n_folds):
            mine = folds == fold
            totals[:, fold] = (sums[mine].T @ self._draws[clusters[mine]].astype(np.float64)).T
        return totals

    def _grouped(self, sums: Floats, folds: Codes, n_folds: int) -> Floats:
        """Draw how many clusters of each distinct fold and sums a resample holds.

        Clusters of equal sums are exchangeable, so this is the same bootstrap of these clusters.
        """
        kinds, numbers = np.unique(np.column_stack([folds, sums]), axis=0, return_counts=True)
        rng = np.random.default_rng(self.seed)
        totals = np.zeros((self.n_resamples, n_folds, sums.shape[1]))
        step = max(1, _CHUNK // len(kinds))
        for start in range(0, self.n_resamples, step):
            part = slice(start, min(start + step, self.n_resamples))
            size = part.stop - part.start
            drawn = rng.multinomial(len(sums), numbers / len(sums), size=size).astype(np.float64)
            for fold in range(n_folds):
                mine = kinds[:, 0] == fold
                totals[part, fold] = drawn[:, mine] @ kinds[mine, 1:]
        return totals


def cluster_sums(columns: Floats, clusters: Codes) -> tuple[Floats, Codes]:
    """Return the sums of columns, shape (n, F), by cluster, and the clusters' numbers in order."""
    numbers, codes = np.unique(clusters, return_inverse=True)
    sums = np.empty((len(numbers), columns.shape[1]))
    for at, column in enumerate(columns.T):
        sums[:, at] = np.bincount(codes, weights=column, minlength=len(numbers))
    return sums, numbers.astype(np.int64)


def percentile_interval(
    value: float,
    replicates: Floats,
    *,
    n_clusters: int,
    method: str,
    signed: bool = False,
) -> Interval:
    """Return the 95% interval of a statistic from its values on the resamples.

    Where the percentiles coincide the interval would claim certainty. If the
    value is 0, or 1 for what cannot exceed it, the interval is then the exact Clopper-Pearson
    interval of none (or all) successes in as many trials as there are clusters.

    Args:
        value: The statistic on the data.
        replicates: It on the resamples, shape (R,); NaN where a resample leaves it undefined.
        n_clusters: Clusters that the statistic rests on.
        method: The name of the bootstrap.
        signed: Whether the statistic may be negative; the bound at 0 then goes both ways.
    """
    if n_clusters == 0:
        return _none("no rows")
    if n_clusters == 1:
        return _none("one cluster only")
    known = replicates[~np.isnan(replicates)]
    if len(known) == 0:
        return _at_the_boundary(value, n_clusters, signed)
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(known, [tail, 1 - tail]))
    if high - low < 1e-12:
        return _at_the_boundary(value, n_clusters, signed)
    return Interval(low, high, method)


def rate_interval(
    hits: int, rows: int, replicates: Floats, *, n_clusters: int, method: str
) -> Interval:
    """Return the 95% interval of a rate of rows.

    Wilson's where every row is a cluster of its own, so that rows are independent; else the
    percentile interval of the cluster bootstrap; exact on clusters at 0 and 1.

    Args:
        hits: Rows that count.
        rows: Rows that could.
        replicates: The rate on the resamples, shape (R,).
        n_clusters: Clusters among the rows.
        method: The name of the bootstrap.
    """
    if rows == n_clusters > 1 and 0 < hits < rows:
        return Interval(*wilson(hits, rows), WILSON)
    return percentile_interval(
        hits / rows if rows else 0.0, replicates, n_clusters=n_clusters, method=method
    )


def cluster_interval(
    flags: npt.NDArray[Any],
    clusters: Sequence[Any] | npt.NDArray[Any],
    *,
    seed: int = SEED,
    n_resamples: int = N_RESAMPLES,
) -> Interval:
    """Return a 95% interval of the mean of values from 0 to 1 that come in clusters.

    Args:
        flags: The values, shape (n,).
        clusters: The cluster of each, shape (n,).
        seed: Seeds the resampling.
        n_resamples: Number of resamples.
    """
    values = np.asarray(flags, dtype=np.float64)
    _, codes = np.unique(np.asarray(clusters), return_inverse=True)
    sums, numbers = cluster_sums(np.column_stack([values, np.ones(len(values))]), codes)
    if len(numbers) == 0:
        return _none("no rows")
    drawn = Bootstrap(len(numbers), seed, n_resamples)
    replicates = drawn.totals(sums, numbers)[:, 0]
    return percentile_interval(
        float(values.mean()),
        replicates[:, 0] / replicates[:, 1],
        n_clusters=len(numbers),
        method=drawn.method,
    )


def _at_the_boundary(value: float, n_clusters: int, signed: bool) -> Interval:
    upper = _most_of_none(n_clusters)
    if abs(value) < 1e-12:
        return Interval(-upper if signed else 0.0, upper, CLOPPER_PEARSON)
    if abs(value - 1) < 1e-12:
        return Interval(1 - upper, 1.0, CLOPPER_PEARSON)
    if signed and abs(value + 1) < 1e-12:
        return Interval(-1.0, upper - 1, CLOPPER_PEARSON)
    return _none("resampling the clusters shows no spread")


@lru_cache
def _most_of_none(n: int) -> float:
    """Return the exact upper bound of no success in n trials."""
    return clopper_pearson(0, n)[1]


def _none(reason: str) -> Interval:
    return Interval(None, None, None, reason)
