"""From sums over rows to a value with its interval, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scopebench.records import Estimate
from scopebench.scoring.matrix import Codes, Floats
from scopebench.scoring.stats.bootstrap import (
    Bootstrap,
    Interval,
    cluster_sums,
    percentile_interval,
    rate_interval,
)

UNDEFINED: Estimate = Estimate(value=None, low=None, high=None, method=None)


@dataclass(frozen=True)
class Ratio:
    """A number that is a sum over rows divided by another.

    Attributes:
        part: The numerator of each row, shape (n,).
        whole: The denominator of each row, shape (n,).
        empty: Why the number is undefined where the denominators sum to 0.
        signed: Whether it may be negative.
    """

    part: Floats
    whole: Floats
    empty: str
    signed: bool = False

    @property
    def is_rate(self) -> bool:
        """Whether it counts rows: numerators of 0 or 1 that never exceed the denominator."""
        zero_one = np.isin(self.part, (0.0, 1.0)).all() and np.isin(self.whole, (0.0, 1.0)).all()
        return bool(not self.signed and zero_one and (self.part <= self.whole).all())


@dataclass
class Reasons:
    """Why numbers are null, by name; `name.interval` where only the interval is.

    Attributes:
        told: The reasons so far.
    """

    told: dict[str, str] = field(default_factory=dict)

    def undefined(self, name: str, reason: str) -> Estimate:
        """Note why a number is null and return the null estimate."""
        self.told[name] = reason
        return UNDEFINED

    def estimate(self, name: str, value: float, interval: Interval) -> Estimate:
        """Return a value with its interval, noting why there is none."""
        if interval.reason is not None:
            self.told[f"{name}.interval"] = interval.reason
        return Estimate(value=value, low=interval.low, high=interval.high, method=interval.method)


def ratio_estimates(
    ratios: Mapping[str, Ratio], clusters: Codes, bootstrap: Bootstrap, reasons: Reasons
) -> dict[str, Estimate]:
    """Return each ratio with its 95% interval, all from the same resamples.

    Args:
        ratios: The ratios by name, over the same n rows.
        clusters: The cluster of each row, shape (n,).
        bootstrap: Resamples of the clusters of the whole table.
        reasons: Told why a number or its interval is null.
    """
    if not ratios:
        return {}
    columns = np.column_stack([c for ratio in ratios.values() for c in (ratio.part, ratio.whole)])
    sums, numbers = cluster_sums(columns, clusters)
    drawn = bootstrap.totals(sums, numbers)[:, 0]
    found = {}
    for at, (name, ratio) in enumerate(ratios.items()):
        part, whole = 2 * at, 2 * at + 1
        if sums[:, whole].sum() == 0:
            found[name] = reasons.undefined(name, ratio.empty)
            continue
        value = float(sums[:, part].sum() / sums[:, whole].sum())
        interval = _interval(
            ratio, value, sums[:, part : whole + 1], drawn[:, part : whole + 1], bootstrap
        )
        found[name] = reasons.estimate(name, value, interval)
    return found


def _interval(
    ratio: Ratio, value: float, sums: Floats, drawn: Floats, bootstrap: Bootstrap
) -> Interval:
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = drawn[:, 0] / drawn[:, 1]
    n_clusters = int((sums[:, 1] > 0).sum())
    if ratio.is_rate:
        hits, rows = (round(float(total)) for total in sums.sum(axis=0))
        return rate_interval(hits, rows, replicates, n_clusters=n_clusters, method=bootstrap.method)
    return percentile_interval(
        value,
        replicates,
        n_clusters=n_clusters,
        method=bootstrap.method,
        signed=ratio.signed,
    )
