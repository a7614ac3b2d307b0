"""Tests of two policies on the same queries: row by row, by cluster, and many at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from scopebench.scoring.stats._sign_flip import SMALLEST_P, enumerated, sampled, tail_on_lattice

MAX_ENUMERATED: Final = 12
"""Non-zero clusters up to which all sign vectors (4,096 at most) are walked through."""


@dataclass(frozen=True)
class McNemar:
    """An exact McNemar test.

    Attributes:
        p: The two-sided p value.
        smallest_p: The p value had all discordant pairs gone one way: the least that so many
            discordant pairs can attain, whatever the truth.
    """

    p: float
    smallest_p: float


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Return the exact two-sided McNemar test of two policies on independent rows.

    Given the number n of discordant pairs, either count is Binomial(n, 1/2) under the null
    (McNemar, 1947, in the exact form), and `smallest_p` is 2 / 2^n, at most 1. Without a discordant
    pair both are 1: the only possible outcome was seen, an event of probability 1, so it is a
    number and not undefined, and it says that no data of this kind could have rejected.

    Args:
        first_only: Rows that only the first policy gets right.
        second_only: Rows that only the second gets right.

    Raises:
        ValueError: If a count is negative.
    """
    from scipy.stats import binomtest

    if first_only < 0 or second_only < 0:
        raise ValueError(f"discordant counts cannot be negative: {first_only}, {second_only}")
    discordant = int(first_only) + int(second_only)
    if discordant == 0:
        return McNemar(p=1.0, smallest_p=1.0)
    p = float(binomtest(int(first_only), discordant, 0.5).pvalue)
    return McNemar(
        p=max(p, SMALLEST_P), smallest_p=max(min(1.0, 2.0 ** (1 - discordant)), SMALLEST_P)
    )


def sign_flip(cluster_differences: npt.NDArray[Any], *, seed: int = 0) -> float:
    """Return the two-sided p value of the cluster sign-flip test.

    Under the null the two policies are exchangeable within a cluster, so the cluster's sum d_c of
    (first - second) is as likely with either sign, independently of the others (Fisher, 1935,
    randomisation test; clusters as the units: Miller, 2024, arXiv 2411.00640). The p value is
    P(|sum_c s_c d_c| >= |sum_c d_c|) over independent fair signs s_c. Where every cluster is one
    row of difference +-1 or 0 it is the exact McNemar test.

    It is exact for whole sums, which is what 0/1 outcomes give, and for up to 12 non-zero clusters.
    Otherwise (graded outcomes) it is a seeded Monte Carlo test of 10,000 sign vectors, p = (1 +
    number at least as extreme) / 10,001 (Davison and Hinkley, 1997, chapter 4). Whatever is below
    2.2e-308, the smallest normal float, is given as that, never as 0.

    Args:
        cluster_differences: Sum of (first - second) over the rows of each cluster, shape (c,).
        seed: Seeds the Monte Carlo test; without effect where the p value is exact.

    Raises:
        ValueError: If a sum is not finite or the array has not one dimension.
    """
    sums = _checked(cluster_differences)
    magnitudes = np.abs(sums[sums != 0])
    observed = abs(float(sums.sum()))
    if len(magnitudes) <= MAX_ENUMERATED:
        return enumerated(magnitudes, observed)
    values, counts = np.unique(magnitudes, return_counts=True)
    if np.array_equal(values, np.rint(values)):
        return tail_on_lattice(values.astype(np.int64), counts, round(observed))
    return sampled(values, counts, observed, seed)


def holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return p-values after Holm's correction within their family (Holm, 1979).

    The smallest of n is multiplied by n, the next by n - 1, and so on; none may be below the one
    before it, nor above 1. The common package's version collects garbage at every call, which in a
    large process takes longer than a whole report; a test holds this one against it.

    Args:
        p_values: By name; None where a member of the family was not tested, which is not counted.

    Returns:
        The corrected values by name, None for None.

    Raises:
        ValueError: If a p-value lies outside [0, 1].
    """
    for name, p in p_values.items():
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"p value of {name!r} is {p}, outside [0, 1]")
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    corrected: dict[str, float | None] = dict.fromkeys(p_values)
    largest = 0.0
    for at, (p, name) in enumerate(tested):
        largest = max(largest, min(1.0, p * (len(tested) - at)))
        corrected[name] = largest
    return corrected


def detectable_difference(
    cluster_differences: npt.NDArray[Any],
    n_rows: int,
    power: float = 0.8,
    level: float = 0.05,
) -> float | None:
    """Return the smallest mean difference per row that the sign-flip test would likely detect.

    Under the sign-flip null the sum of s_c d_c has mean 0 and variance sum_c d_c^2 (independent
    signs, each term of variance d_c^2), so the mean difference over n rows has the standard error
    sqrt(sum_c d_c^2) / n. A two-sided test of the given level rejects beyond z_(1-level/2) of
    these, and does so with the given power where the true difference lies z_power further out:

        (z_(1-level/2) + z_power) * sqrt(sum_c d_c^2) / n

    It is the normal approximation, takes the standard error of a true difference to be that of the
    null, and neglects the chance of rejecting on the wrong side: fit for planning, not for testing.

    Args:
        cluster_differences: Sum of (first - second) over the rows of each cluster, shape (c,).
        n_rows: Number of rows in all clusters, concordant ones included.
        power: Chance of detecting such a difference, inside (0, 1).
        level: Level of the two-sided test, inside (0, 1).

    Returns:
        The difference on the scale of a row's outcome, or None where every sum is 0: without a
        discordant cluster nothing says how much the difference varies.

    Raises:
        ValueError: If an argument is out of range or a sum is not finite.
    """
    from scipy.stats import norm

    if n_rows < 1 or not 0 < power < 1 or not 0 < level < 1:
        raise ValueError(f"out of range: n_rows={n_rows}, power={power}, level={level}")
    sums = _checked(cluster_differences)
    if not sums.any():
        return None
    quantiles = float(norm.ppf(1 - level / 2) + norm.ppf(power))
    return quantiles * math.sqrt(float(np.square(sums).sum())) / n_rows


def _checked(cluster_differences: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    sums = np.asarray(cluster_differences, dtype=np.float64)
    if sums.ndim != 1 or not np.isfinite(sums).all():
        raise ValueError("cluster differences must be finite and of shape (clusters,)")
    return sums
