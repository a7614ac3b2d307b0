"""Intervals and AUROC against values known from elsewhere."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from scopebench.scoring.stats import (
    CLOPPER_PEARSON,
    Interval,
    auroc,
    clopper_pearson,
    cluster_interval,
    wilson,
)

BOOTSTRAP = "cluster bootstrap, percentile, 2000 resamples"


def test_wilson_reproduces_the_papers_figure_2() -> None:
    low, high = wilson(123, 147)
    assert (round(low, 4), round(high, 4)) == (0.7686, 0.8878)


def test_no_success_in_563_clusters_is_bounded_exactly() -> None:
    low, high = clopper_pearson(0, 563)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 563), rel=1e-9)
    assert round(high, 4) == 0.0065


def test_a_difference_that_is_nowhere_gets_the_exact_bound_on_clusters() -> None:
    clusters = np.repeat(np.arange(563), 3)
    found = cluster_interval(np.zeros(1689), clusters, seed=0)
    assert found == Interval(*clopper_pearson(0, 563), CLOPPER_PEARSON)
    mirrored = cluster_interval(np.ones(1689), clusters, seed=0)
    assert mirrored == Interval(*clopper_pearson(563, 563), CLOPPER_PEARSON)
    assert mirrored.high == 1
    assert mirrored.low == pytest.approx(1 - found.high)


def test_there_is_no_interval_without_two_clusters_or_without_spread() -> None:
    assert cluster_interval(np.array([1, 0]), ["a", "a"], seed=0).reason == "one cluster only"
    assert cluster_interval(np.array([0, 0]), ["a", "a"], seed=0).reason == "one cluster only"
    assert cluster_interval(np.array([]), [], seed=0).reason == "no rows"
    even = cluster_interval(np.array([1, 0, 0, 1]), ["a", "a", "b", "b"], seed=0)
    assert (even.low, even.high, even.method) == (None, None, None)
    assert even.reason is not None
    assert "same mean" in even.reason


def test_only_zeros_and_ones_are_taken() -> None:
    with pytest.raises(ValueError, match="values 0 and 1"):
        cluster_interval(np.array([0, 2]), ["a", "b"], seed=0)


def test_it_agrees_with_scipys_bootstrap_over_equal_clusters() -> None:
    rng = np.random.default_rng(1)
    flags = (rng.random((200, 3)) < rng.beta(0.3, 0.9, size=(200, 1))).astype(int)
    ours = cluster_interval(flags.ravel(), np.repeat(np.arange(200), 3), seed=0, n_resamples=20000)
    theirs = bootstrap(
        (flags.mean(axis=1),), np.mean, method="percentile", n_resamples=20000, rng=rng
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)


def test_it_is_the_bootstrap_of_whole_clusters_of_unequal_size() -> None:
    """Two clusters, (1 of 1) and (0 of 3): means 1, 1/4 and 0 with chances 1/4, 1/2 and 1/4."""
    found = cluster_interval(np.array([1, 0, 0, 0]), ["a", "b", "b", "b"], seed=0)
    assert found == Interval(0.0, 1.0, BOOTSTRAP)


def test_clustered_rows_are_less_certain_than_independent_ones() -> None:
    flags = np.repeat(np.arange(300) % 4 == 0, 3)
    clustered = cluster_interval(flags, np.repeat(np.arange(300), 3), seed=0)
    independent = cluster_interval(flags, np.arange(900), seed=0)
    ratio = (clustered.high - clustered.low) / (independent.high - independent.low)
    assert ratio == pytest.approx(math.sqrt(3), rel=0.1)


rows = st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abcdefgh")), min_size=1, max_size=40)


@given(rows, st.integers(2, 4))
def test_rows_repeated_inside_their_cluster_add_no_certainty(
    data: list[tuple[int, str]], times: int
) -> None:
    flags, clusters = np.array([f for f, _ in data]), [c for _, c in data]
    once = cluster_interval(flags, clusters, seed=3, n_resamples=200)
    often = cluster_interval(np.tile(flags, times), clusters * times, seed=3, n_resamples=200)
    assert often == once


@given(data=rows, shuffled=st.data())
def test_neither_order_nor_names_of_clusters_matter(
    data: list[tuple[int, str]], shuffled: st.DataObject
) -> None:
    other = [(flag, f"{ord('z') - ord(name)}") for flag, name in data]
    other = shuffled.draw(st.permutations(other))
    first = cluster_interval(np.array([f for f, _ in data]), [c for _, c in data], seed=3)
    second = cluster_interval(np.array([f for f, _ in other]), [c for _, c in other], seed=3)
    assert first == second


@given(rows)
def test_the_interval_holds_the_value_or_touches_it_and_is_never_a_point(
    data: list[tuple[int, str]],
) -> None:
    flags = np.array([f for f, _ in data])
    found = cluster_interval(flags, [c for _, c in data], seed=0)
    if found.reason is None:
        assert 0 <= found.low < found.high <= 1
        assert found.low <= flags.mean() <= found.high


def test_equal_seeds_give_equal_intervals_and_others_do_not() -> None:
    flags, clusters = np.arange(60) % 7 == 0, np.arange(60) // 2
    assert cluster_interval(flags, clusters, seed=1) == cluster_interval(flags, clusters, seed=1)
    other = [cluster_interval(flags, clusters, seed=s, n_resamples=50) for s in range(8)]
    assert len(set(other)) > 1


@pytest.mark.parametrize(
    ("scores", "labels", "expected"),
    [
        ([3.0, 2.0, 1.0], [1, 0, 0], 1.0),
        ([1.0, 2.0, 3.0], [1, 0, 0], 0.0),
        ([1.0, 1.0], [1, 0], 0.5),
        # pairs: (2, 1) right, (2, 2) tied, (1, 1) tied, (1, 2) wrong: (1 + .5 + .5 + 0) / 4
        ([2.0, 1.0, 1.0, 2.0], [1, 1, 0, 0], 0.5),
        # pairs: (3, 2) (3, 1) (2, 1) right, (2, 2) tied: 3.5 / 4
        ([3.0, 2.0, 2.0, 1.0], [1, 1, 0, 0], 0.875),
        ([np.inf, 0.0, -np.inf], [1, 1, 0], 1.0),
    ],
)
def test_auroc_by_hand(scores: list[float], labels: list[int], expected: float) -> None:
    assert auroc(np.array(scores), np.array(labels, bool)) == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=25))
def test_auroc_is_the_share_of_pairs_in_order(data: list[tuple[int, bool]]) -> None:
    above = [score for score, label in data if label]
    below = [score for score, label in data if not label]
    if above and below:
        pairs = [(a > b) + (a == b) / 2 for a, b in product(above, below)]
        found = auroc(np.array([float(s) for s, _ in data]), np.array([label for _, label in data]))
        assert found == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
