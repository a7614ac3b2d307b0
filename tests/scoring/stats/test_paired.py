"""Paired tests: by hand, against statsmodels, and against exact rational arithmetic."""

from __future__ import annotations

import math
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as reference

from scopebench.scoring.stats.paired import (
    McNemar,
    detectable_difference,
    holm,
    mcnemar,
    sign_flip,
)


def exact_sign_flip(sums: list[int]) -> Fraction:
    """Count the sign vectors of every sum in whole numbers, which rounds nothing."""
    counts = Counter({0: 1})
    for value in sums:
        grown: Counter[int] = Counter()
        for total, ways in counts.items():
            grown[total + value] += ways
            grown[total - value] += ways
        counts = grown
    observed = abs(sum(sums))
    return Fraction(sum(w for t, w in counts.items() if abs(t) >= observed), 2 ** len(sums))


# McNemar


def test_mcnemar_by_hand():
    assert mcnemar(4, 0) == McNemar(p=0.125, smallest_p=0.125)
    assert mcnemar(0, 5) == McNemar(p=0.0625, smallest_p=0.0625)
    assert mcnemar(6, 0) == McNemar(p=0.03125, smallest_p=0.03125)
    # 2 (1 + 6) / 64: none or one of six on the rarer side.
    assert mcnemar(1, 5).p == pytest.approx(0.21875)
    assert mcnemar(1, 5).smallest_p == 0.03125


def test_mcnemar_without_evidence():
    assert mcnemar(0, 0) == McNemar(p=1.0, smallest_p=1.0)
    assert mcnemar(1, 0) == McNemar(p=1.0, smallest_p=1.0)
    assert mcnemar(7, 7).p == 1.0


def test_mcnemar_never_reports_zero():
    assert mcnemar(5000, 0).p > 0
    assert mcnemar(5000, 0).smallest_p > 0


def test_mcnemar_refuses_negative_counts():
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_agrees_with_statsmodels(first_only, second_only):
    result = mcnemar(first_only, second_only)
    if first_only + second_only:
        table = [[11, first_only], [second_only, 7]]
        assert result.p == pytest.approx(reference(table, exact=True).pvalue, rel=1e-9)
    assert result.smallest_p <= result.p * (1 + 1e-9)


# Cluster sign-flip


@pytest.mark.parametrize(
    ("sums", "p"),
    [
        ([], 1.0),
        ([0, 0, 0], 1.0),
        ([3], 1.0),
        ([1, 1, 1, 1], 2 / 16),
        ([2, 1], 2 / 4),  # of 3, 1, -1, -3 two reach 3
        ([2, -1], 1.0),  # the same four sums, all of which reach 1
        ([3, 1, -1], 6 / 8),  # 5, 3, 3, 1 and their negatives: all but 1 and -1 reach 3
        ([0.5, 0.25], 2 / 4),
        ([0.1, -0.6, -0.3], 4 / 8),  # 1, .8, .4 and .2: two of four reach .8 despite rounding
    ],
)
def test_sign_flip_by_hand(sums, p):
    assert sign_flip(np.array(sums)) == pytest.approx(p)


def test_sign_flip_beyond_enumeration_by_hand():
    assert sign_flip(np.full(13, 2)) == 2.0**-12
    # Of 100 signs at most one differs: 2 (1 + 100) / 2^100.
    assert sign_flip(np.array([1] * 99 + [-1])) == pytest.approx(202 / 2**100, rel=1e-9)
    assert sign_flip(np.array([1] * 20 + [-1] * 20)) == 1.0


@given(st.lists(st.integers(-9, 9), min_size=13, max_size=70))
@settings(deadline=None)
def test_sign_flip_is_exact_for_whole_sums(sums):
    assert sign_flip(np.array(sums)) == pytest.approx(float(exact_sign_flip(sums)), rel=1e-9)


@given(
    st.lists(st.sampled_from([1, 2, 3, 60]), min_size=40, max_size=90),
    st.sets(st.integers(0, 39), max_size=4),
)
@settings(deadline=None)
def test_sign_flip_is_exact_far_into_the_tail_and_for_uneven_clusters(sums, losses):
    signed = [-value if place in losses else value for place, value in enumerate(sums)]
    p = sign_flip(np.array(signed))
    assert p == pytest.approx(float(exact_sign_flip(signed)), rel=1e-9, abs=0)


@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=300))
@settings(deadline=None)
def test_sign_flip_of_single_rows_is_mcnemar(differences):
    sums = np.array(differences, dtype=float)
    expected = mcnemar(differences.count(1), differences.count(-1)).p
    assert sign_flip(sums) == pytest.approx(expected, rel=1e-9, abs=0)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_sign_flip_ignores_order_scale_sides_and_concordant_clusters(sums, random):
    p = sign_flip(np.array(sums))
    shuffled = random.sample(sums, len(sums))
    assert sign_flip(np.array(shuffled)) == p
    assert sign_flip(-np.array(sums)) == p
    assert sign_flip(np.array([*sums, 0, 0])) == p
    # Every row repeated inside its cluster: no certainty is gained.
    assert sign_flip(3 * np.array(sums)) == pytest.approx(p, rel=1e-9)


def test_graded_sums_are_sampled_within_monte_carlo_error():
    rng = np.random.default_rng(5)
    for centre in (0.0, 0.4, 0.8):
        doubled = np.rint(rng.normal(centre, 3, size=60)).astype(int)
        exact = float(exact_sign_flip(doubled.tolist()))
        drawn = sign_flip(doubled / 2, seed=11)
        assert drawn == sign_flip(doubled / 2, seed=11)
        assert abs(drawn - exact) < 4 * math.sqrt(exact * (1 - exact) / 10_000) + 1e-4


def test_a_sampled_p_value_is_never_zero():
    assert sign_flip(np.full(60, 0.5)) == 1 / 10_001


def test_sign_flip_handles_many_clusters_quickly():
    sums = np.random.default_rng(2).integers(-6, 7, size=400_000)
    sums[:2000] = np.abs(sums[:2000])
    sign_flip(sums[:20])  # pays for the imports
    start = time.perf_counter()
    p = sign_flip(sums)
    assert time.perf_counter() - start < 1
    z = abs(int(sums.sum())) / math.sqrt(int(np.square(sums).sum()))
    assert p == pytest.approx(math.erfc(z / math.sqrt(2)), rel=0.01)


@pytest.mark.parametrize("sums", [[1.0, math.nan], [math.inf], [[1.0, 2.0]]])
def test_sign_flip_refuses_what_is_no_sum(sums):
    with pytest.raises(ValueError, match="finite"):
        sign_flip(np.array(sums))


# Holm


def test_holm_by_hand():
    # 3 x .01, 2 x .03, then .04 lifted to the .06 before it.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert list(adjusted) == ["a", "b", "c"]


# multipletests collects garbage on every call: most of a second in a process that has run much.
@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    ours = holm({str(at): p for at, p in enumerate(p_values)})
    theirs = multipletests(p_values, method="holm")[1]
    assert list(ours.values()) == pytest.approx(list(theirs))


def test_holm_leaves_out_what_was_not_tested():
    adjusted = holm({"a": 0.01, "skipped": None, "b": 0.04, "c": 0.03})
    assert adjusted.pop("skipped") is None
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": None}) == {"a": None}
    assert holm({}) == {}


@given(st.dictionaries(st.sampled_from("abcdefghijkl"), st.floats(0, 1), min_size=1))
def test_holm_is_monotone_and_never_below_the_raw_value(p_values):
    adjusted = holm(p_values)
    in_order = sorted(p_values, key=p_values.__getitem__)
    assert [adjusted[name] for name in in_order] == sorted(adjusted.values())
    assert all(p_values[name] <= adjusted[name] <= 1 for name in p_values)
    smallest = in_order[0]
    assert adjusted[smallest] == pytest.approx(min(1, len(p_values) * p_values[smallest]))


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_holm_names_a_p_value_out_of_range(p):
    with pytest.raises(ValueError, match="'b'"):
        holm({"a": 0.5, "b": p})


# Minimum detectable difference


def test_detectable_difference_by_hand():
    # (1.959964 + 0.841621) sqrt(100) / 1000
    assert detectable_difference(np.array([1] * 60 + [-1] * 40), 1000) == pytest.approx(
        0.02801585, abs=1e-8
    )
    # Squares 9 + 16: the same hundred rows in two clusters tell much less.
    assert detectable_difference(np.array([3, -4, 0]), 100) == pytest.approx(0.14007926, abs=1e-8)
    assert detectable_difference(np.array([3, -4]), 100, power=0.5, level=0.1) == pytest.approx(
        1.6448536 * 5 / 100
    )


def test_detectable_difference_needs_a_discordant_cluster():
    assert detectable_difference(np.zeros(5), 100) is None


@pytest.mark.parametrize("arguments", [(0, 0.8, 0.05), (10, 1.0, 0.05), (10, 0.8, 0.0)])
def test_detectable_difference_refuses_values_out_of_range(arguments):
    with pytest.raises(ValueError, match="out of range"):
        detectable_difference(np.ones(3), *arguments)


def test_the_detectable_difference_is_detected_four_times_in_five():
    # 800 clusters of two rows, 4 in 10 of them discordant by 1 or 2.
    rng = np.random.default_rng(17)
    clusters, trials = 800, 1200
    sizes = np.where(np.arange(clusters) < 320, 1 + np.arange(clusters) % 2, 0)
    difference = detectable_difference(sizes, 2 * clusters)
    # Each discordant cluster favours the first with the chance that makes this the mean.
    favoured = (1 + difference * 2 * clusters / sizes.sum()) / 2
    rejected = 0
    for _ in range(trials):
        signs = np.where(rng.random(clusters) < favoured, 1, -1)
        rejected += sign_flip(signs * sizes) < 0.05
    assert rejected / trials == pytest.approx(0.8, abs=0.035)
