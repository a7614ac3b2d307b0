"""Intervals of a rate over independent trials, by scipy."""

from __future__ import annotations

from typing import Literal


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided score interval of a rate (Wilson, 1927; no continuity correction).

    Args:
        successes: Number of successes, 0 to n.
        n: Number of independent trials, at least 1.
        confidence: Coverage aimed at, inside (0, 1).

    Raises:
        ValueError: If the counts or the confidence are out of range.
    """
    return _interval(successes, n, confidence, "wilson")


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided exact interval of a rate (Clopper and Pearson, 1934).

    It covers at least as often as it claims, so it is the one to use where no trial, or every
    trial, was a success.

    Args:
        successes: Number of successes, 0 to n.
        n: Number of independent trials, at least 1.
        confidence: Least coverage, inside (0, 1).

    Raises:
        ValueError: If the counts or the confidence are out of range.
    """
    return _interval(successes, n, confidence, "exact")


def _interval(
    successes: int, n: int, confidence: float, method: Literal["wilson", "exact"]
) -> tuple[float, float]:
    from scipy.stats import binomtest

    if n < 1:
        raise ValueError(f"a rate needs at least one trial, got n={n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie inside (0, 1), got {confidence}")
    interval = binomtest(successes, n).proportion_ci(confidence_level=confidence, method=method)
    return float(interval.low), float(interval.high)
