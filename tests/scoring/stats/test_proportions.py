"""Intervals of a rate, against published figures and the binomial distribution itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from scopebench.scoring.stats.proportions import clopper_pearson, wilson


def test_wilson_of_123_of_147():
    assert wilson(123, 147) == pytest.approx((0.7686, 0.8878), abs=5e-5)


def test_wilson_by_its_formula():
    # z^2 = 3.8415: centre (p + z^2 / 2n) / (1 + z^2 / n) for 1 of 2, half-width likewise.
    low, high = wilson(1, 2)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert (high - low) / 2 == pytest.approx(0.405471, abs=1e-5)


def test_a_zero_count_is_bounded_away_from_certainty():
    assert wilson(0, 563)[1] == pytest.approx(0.0068, abs=5e-5)
    assert clopper_pearson(0, 563)[1] == pytest.approx(0.0065, abs=5e-5)
    assert clopper_pearson(0, 563)[1] == pytest.approx(1 - 0.025 ** (1 / 563), rel=1e-9)
    assert wilson(0, 563)[0] == clopper_pearson(0, 563)[0] == 0.0


def test_a_full_count_mirrors_a_zero_count():
    assert clopper_pearson(563, 563) == pytest.approx((0.025 ** (1 / 563), 1.0), rel=1e-9)
    assert wilson(563, 563) == pytest.approx(tuple(1 - end for end in wilson(0, 563)[::-1]))


@settings(deadline=None)
@given(st.data())
def test_clopper_pearson_ends_leave_half_the_error_on_each_side(data):
    n = data.draw(st.integers(2, 400))
    successes = data.draw(st.integers(1, n - 1))
    confidence = data.draw(st.sampled_from([0.8, 0.95, 0.99]))
    low, high = clopper_pearson(successes, n, confidence)
    tail = (1 - confidence) / 2
    assert binom.sf(successes - 1, n, low) == pytest.approx(tail, rel=1e-6)
    assert binom.cdf(successes, n, high) == pytest.approx(tail, rel=1e-6)


@settings(deadline=None)
@given(st.data())
def test_the_rate_lies_inside_and_more_confidence_is_wider(data):
    n = data.draw(st.integers(1, 1000))
    successes = data.draw(st.integers(0, n))
    for interval in (wilson, clopper_pearson):
        low, high = interval(successes, n)
        wider_low, wider_high = interval(successes, n, confidence=0.99)
        assert 0 <= wider_low <= low <= successes / n + 1e-12
        assert successes / n - 1e-12 <= high <= wider_high <= 1


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@pytest.mark.parametrize(
    ("successes", "n", "confidence"), [(0, 0, 0.95), (3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0)]
)
def test_counts_out_of_range_are_refused(interval, successes, n, confidence):
    with pytest.raises(ValueError, match=r"."):
        interval(successes, n, confidence)
