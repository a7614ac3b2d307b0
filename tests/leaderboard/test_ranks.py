"""Rank bands: by hand, and what holds of any intervals."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scopebench_leaderboard.ranks import band_text, rank_bands


def bands(intervals: list[tuple[float, float]], *, higher: bool = True) -> list[tuple[int, int]]:
    low, high = (np.array(ends, dtype=float) for ends in zip(*intervals, strict=True))
    first, last = rank_bands(low, high, higher_is_better=higher)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def test_entries_apart_have_one_rank_each() -> None:
    assert bands([(0.1, 0.2), (0.7, 0.8), (0.4, 0.5)]) == [(3, 3), (1, 1), (2, 2)]


def test_a_lower_metric_is_ranked_from_its_low_end() -> None:
    assert bands([(0.1, 0.2), (0.7, 0.8), (0.4, 0.5)], higher=False) == [(1, 1), (3, 3), (2, 2)]


def test_overlapping_intervals_share_ranks() -> None:
    # a: wholly above c only. b overlaps both. c: wholly below a only.
    assert bands([(0.6, 0.8), (0.4, 0.65), (0.3, 0.5)]) == [(1, 2), (1, 3), (2, 3)]


def test_intervals_that_touch_overlap() -> None:
    assert bands([(0.5, 0.6), (0.4, 0.5)]) == [(1, 2), (1, 2)]


def test_points_that_are_equal_tie() -> None:
    assert bands([(0.5, 0.5), (0.5, 0.5), (0.4, 0.4)]) == [(1, 2), (1, 2), (3, 3)]


def test_nothing_has_no_ranks() -> None:
    first, last = rank_bands(np.empty(0), np.empty(0), higher_is_better=True)
    assert (len(first), len(last)) == (0, 0)


def test_a_band_is_shown_as_a_range_or_a_rank() -> None:
    assert (band_text(2, 2), band_text(1, 3)) == ("2", "1–3")


POINTS = st.floats(-1, 1, allow_nan=False).map(lambda value: round(value, 2))
INTERVALS = st.lists(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), min_size=1)


@given(INTERVALS, st.booleans())
def test_bands_are_the_counts_of_their_definition(
    intervals: list[tuple[float, float]], higher: bool
) -> None:
    sign = 1 if higher else -1
    turned = [tuple(sorted((sign * low, sign * high))) for low, high in intervals]
    expected = [
        (
            1 + sum(other[0] > own[1] for other in turned),
            len(turned) - sum(other[1] < own[0] for other in turned),
        )
        for own in turned
    ]
    assert bands(intervals, higher=higher) == expected


@given(INTERVALS)
def test_two_bands_meet_just_where_their_intervals_do(intervals: list[tuple[float, float]]) -> None:
    found = bands(intervals)
    for (low, high), (first, last) in zip(intervals, found, strict=True):
        assert 1 <= first <= last <= len(intervals)
        for (other_low, other_high), (other_first, other_last) in zip(
            intervals, found, strict=True
        ):
            if low <= other_high and other_low <= high:
                assert first <= other_last and other_first <= last
            elif low > other_high:
                assert first < other_first or last < other_last


@given(INTERVALS)
def test_turning_the_metric_turns_the_ranks(intervals: list[tuple[float, float]]) -> None:
    n = len(intervals)
    turned = [(-high, -low) for low, high in intervals]
    assert bands(turned) == [(n + 1 - last, n + 1 - first) for first, last in bands(intervals)]
    assert bands(turned, higher=False) == bands(intervals)
