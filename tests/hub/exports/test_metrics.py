"""Percent, intervals, and which row of a column is best beyond doubt."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.hub.exports.metrics import (
    FALSE_FIRE,
    HEADROOM,
    SCOPE_ACCURACY,
    interval_words,
    percent,
    separate_best,
)
from scopebench.records import Estimate


def made(value: float | None, low: float | None, high: float | None) -> Estimate:
    return Estimate(value=value, low=low, high=high, method="m")


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [(0.12344, 2, 12.34), (0.12346, 2, 12.35), (1.0, 2, 100.0), (0.12349, 1, 12.3), (-0.5, 2, -50)],
)
def test_a_share_in_percent(share: float, digits: int, shown: float) -> None:
    assert percent(share, digits) == shown


def test_percent_has_no_negative_zero() -> None:
    assert math.copysign(1, percent(-0.00001)) == 1


def test_an_interval_in_words() -> None:
    assert interval_words(made(0.5, 0.125, 0.75)) == "12.50 to 75.00 (m)"
    assert interval_words(made(0.5, None, None)) is None


APART = [made(0.5, 0.4, 0.6), made(0.8, 0.7, 0.9), made(0.2, 0.1, 0.3)]


@pytest.mark.parametrize(
    ("metric", "estimates", "best"),
    [
        (SCOPE_ACCURACY, APART, 1),
        (FALSE_FIRE, APART, 2),
        (HEADROOM, APART, None),
        (SCOPE_ACCURACY, APART[:1], None),
        (SCOPE_ACCURACY, [made(0.5, 0.4, 0.7), made(0.8, 0.7, 0.9)], None),
        (SCOPE_ACCURACY, [made(0.5, 0.4, 0.6), made(0.8, None, None)], None),
        (SCOPE_ACCURACY, [made(0.5, 0.4, 0.6), made(None, None, None)], None),
        # Only the two worst overlap: the best is still apart from both.
        (SCOPE_ACCURACY, [made(0.5, 0.4, 0.6), made(0.55, 0.45, 0.65), made(0.8, 0.7, 0.9)], 2),
        # The best point is not apart from a wide interval.
        (SCOPE_ACCURACY, [made(0.8, 0.7, 0.9), made(0.5, 0.0, 0.75)], None),
    ],
)
def test_the_best_is_marked_only_where_no_interval_overlaps(
    metric: object, estimates: list[Estimate], best: int | None
) -> None:
    assert separate_best(metric, estimates) == best  # type: ignore[arg-type]


shares = st.floats(0, 1)
spans = st.tuples(shares, shares, shares).map(sorted)


@given(st.lists(spans, min_size=2, max_size=5), st.sampled_from([SCOPE_ACCURACY, FALSE_FIRE]))
def test_a_marked_row_beats_every_other_at_both_ends(
    ends: list[list[float]], metric: object
) -> None:
    estimates = [made(middle, low, high) for low, middle, high in ends]
    best = separate_best(metric, estimates)  # type: ignore[arg-type]
    rivals = [
        at
        for at, one in enumerate(estimates)
        if all(
            (one.low > other.high if metric is SCOPE_ACCURACY else one.high < other.low)
            for place, other in enumerate(estimates)
            if place != at
        )
    ]
    assert best == (rivals[0] if rivals else None)
