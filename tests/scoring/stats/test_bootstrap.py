"""The cluster bootstrap, against its own theory, against scipy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap as scipy_bootstrap

from scopebench.scoring.stats import bootstrap as module
from scopebench.scoring.stats.bootstrap import (
    CLOPPER_PEARSON,
    WILSON,
    Bootstrap,
    Interval,
    cluster_interval,
    cluster_sums,
    percentile_interval,
    rate_interval,
)
from scopebench.scoring.stats.proportions import clopper_pearson, wilson

BOOTSTRAP = "cluster bootstrap, percentile, 2000 resamples"
SMALL = settings(deadline=None, max_examples=60)


def test_sums_by_cluster_by_hand() -> None:
    columns = np.array([[1.0, 1.0], [0.5, 1.0], [0.0, 1.0], [1.0, 1.0]])
    sums, numbers = cluster_sums(columns, np.array([7, 2, 7, 4]))
    assert numbers.tolist() == [2, 4, 7]
    assert sums.tolist() == [[0.5, 1.0], [1.0, 1.0], [1.0, 2.0]]
    empty, none = cluster_sums(np.zeros((0, 2)), np.array([], np.int64))
    assert (empty.shape, len(none)) == ((0, 2), 0)


# The mean of values that come in clusters.


def test_a_difference_that_is_nowhere_gets_the_exact_bound_on_clusters() -> None:
    """0 of 563 clusters: Clopper-Pearson's 0.0065, never [0, 0]."""
    clusters = np.repeat(np.arange(563), 3)
    found = cluster_interval(np.zeros(1689), clusters, seed=0)
    assert found == Interval(*clopper_pearson(0, 563), CLOPPER_PEARSON)
    assert found.high == pytest.approx(0.0065, abs=5e-5)
    mirrored = cluster_interval(np.ones(1689), clusters, seed=0)
    assert (mirrored.high, mirrored.method) == (1.0, CLOPPER_PEARSON)
    assert mirrored.low == pytest.approx(clopper_pearson(563, 563)[0], rel=1e-12)


def test_there_is_no_interval_without_two_clusters_or_without_spread() -> None:
    assert cluster_interval(np.array([1, 0]), ["a", "a"], seed=0).reason == "one cluster only"
    assert cluster_interval(np.array([0, 0]), ["a", "a"], seed=0).reason == "one cluster only"
    assert cluster_interval(np.array([]), [], seed=0).reason == "no rows"
    even = cluster_interval(np.array([1, 0, 0, 1]), ["a", "a", "b", "b"], seed=0)
    assert (even.low, even.high, even.method) == (None, None, None)
    assert even.reason is not None
    assert "no spread" in even.reason


def test_it_agrees_with_scipys_bootstrap_over_equal_clusters() -> None:
    rng = np.random.default_rng(1)
    flags = (rng.random((200, 3)) < rng.beta(0.3, 0.9, size=(200, 1))).astype(int)
    ours = cluster_interval(flags.ravel(), np.repeat(np.arange(200), 3), seed=0, n_resamples=20000)
    theirs = scipy_bootstrap(
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


rows = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from("abcdefgh")),
    min_size=1,
    max_size=40,
)


@SMALL
@given(rows, st.integers(2, 4))
def test_rows_repeated_inside_their_cluster_add_no_certainty(
    data: list[tuple[float, str]], times: int
) -> None:
    values, clusters = np.array([v for v, _ in data]), [c for _, c in data]
    once = cluster_interval(values, clusters, seed=3, n_resamples=200)
    often = cluster_interval(np.tile(values, times), clusters * times, seed=3, n_resamples=200)
    assert often == once


@SMALL
@given(data=rows, shuffled=st.data())
def test_the_order_of_rows_does_not_matter(
    data: list[tuple[float, str]], shuffled: st.DataObject
) -> None:
    """Names do: clusters are drawn in the order of names, and another order is another draw."""
    other = shuffled.draw(st.permutations(data))
    first = cluster_interval(np.array([v for v, _ in data]), [c for _, c in data], seed=3)
    second = cluster_interval(np.array([v for v, _ in other]), [c for _, c in other], seed=3)
    assert first == second


def test_other_names_of_clusters_change_an_interval_within_monte_carlo_error() -> None:
    rng = np.random.default_rng(2)
    values, clusters = rng.random(400) < 0.3, rng.integers(0, 100, 400)
    first = cluster_interval(values, clusters, n_resamples=8000)
    second = cluster_interval(values, 99 - clusters, n_resamples=8000)
    assert first != second
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=0.006)


@SMALL
@given(rows)
def test_the_interval_holds_the_value_and_is_never_a_point(
    data: list[tuple[float, str]],
) -> None:
    values = np.array([v for v, _ in data])
    found = cluster_interval(values, [c for _, c in data], seed=0)
    if found.reason is None:
        assert 0 <= found.low < found.high <= 1
        assert found.low <= values.mean() <= found.high


def test_equal_seeds_give_equal_intervals_and_others_do_not() -> None:
    flags, clusters = np.arange(60) % 7 == 0, np.arange(60) // 2
    assert cluster_interval(flags, clusters, seed=1) == cluster_interval(flags, clusters, seed=1)
    other = [cluster_interval(flags, clusters, seed=s, n_resamples=50) for s in range(8)]
    assert len(set(other)) > 1


@pytest.mark.slow
@pytest.mark.parametrize("shared", [10_000, 10])
def test_the_interval_covers_19_times_in_20(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """80 clusters of 1 to 6 rows that share their luck, true mean 0.3: 600 tables."""
    monkeypatch.setattr(module, "SHARED_DRAWS", shared)
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(600):
        luck = np.repeat(rng.beta(0.6, 1.4, 80), rng.integers(1, 7, 80))
        clusters = np.cumsum(np.r_[True, luck[1:] != luck[:-1]])
        found = cluster_interval(rng.random(len(luck)) < luck, clusters, n_resamples=500)
        covered += found.low <= 0.3 <= found.high
    assert 0.91 <= covered / 600 <= 0.975  # 0.95 less what so few clusters cost, +- 3 s.e.


# Totals over resamples.

N = 300
SUMS = np.column_stack([np.arange(N) % 5, np.ones(N), (np.arange(N) % 3 == 0) * 2.0])
CLUSTERS = np.arange(N)


def drawn(
    shared: bool, monkeypatch: pytest.MonkeyPatch, n_resamples: int = 4000, seed: int = 0
) -> Bootstrap:
    monkeypatch.setattr(module, "SHARED_DRAWS", N if shared else N - 1)
    return Bootstrap(N, seed, n_resamples)


@pytest.mark.parametrize("shared", [True, False])
def test_totals_have_the_moments_of_drawing_n_clusters_of_n(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of N clusters drawn with replacement a sum has the mean of the sum and N times the variance
    of one cluster's part in it."""
    totals = drawn(shared, monkeypatch).totals(SUMS, CLUSTERS)
    assert totals.shape == (4000, 1, 3)
    assert (totals[:, 0, 1] == N).all(), "every resample holds N clusters"
    np.testing.assert_allclose(totals[:, 0].mean(axis=0), SUMS.sum(axis=0), rtol=0.006)
    spread = np.sqrt(N * SUMS.var(axis=0))
    np.testing.assert_allclose(totals[:, 0].std(axis=0), spread, rtol=0.05, atol=1e-12)
    expected = N * np.cov(SUMS[:, 0], SUMS[:, 2], bias=True)[0, 1]
    found = np.cov(totals[:, 0, 0], totals[:, 0, 2], bias=True)[0, 1]
    assert found == pytest.approx(expected, abs=0.1 * spread[0] * spread[2]), "columns are paired"


def test_shared_and_grouped_draws_give_the_same_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        drawn(shared, monkeypatch).totals(SUMS[:120], CLUSTERS[:120])[:, 0]
        for shared in (True, False)
    ]
    ends = [np.quantile(part[:, 0] / part[:, 1], [0.025, 0.5, 0.975]) for part in parts]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0.02)
    assert ends[0][0] < SUMS[:120, 0].mean() < ends[0][2]


@pytest.mark.parametrize("shared", [True, False])
def test_folds_part_the_totals(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    boots = drawn(shared, monkeypatch, n_resamples=2000)
    folds = CLUSTERS % 3
    totals = boots.totals(SUMS, CLUSTERS, folds, n_folds=4)
    assert totals.shape == (2000, 4, 3)
    assert not totals[:, 3].any(), "no cluster is in the last fold"
    assert (totals[:, :, 1].sum(axis=1) == N).all(), "every cluster is in one fold"
    assert not totals[:, 1:3, 2].any(), "the last column's clusters are all in fold 0"
    for fold in range(3):
        expected = SUMS[folds == fold].sum(axis=0)
        np.testing.assert_allclose(totals[:, fold].mean(axis=0), expected, rtol=0.02)


def test_draws_are_shared_by_all_numbers_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a part holds and what the rest holds make up the whole of each resample."""
    boots = drawn(True, monkeypatch)
    whole = boots.totals(SUMS, CLUSTERS)
    first, rest = (boots.totals(SUMS[part], CLUSTERS[part]) for part in np.split(CLUSTERS, [70]))
    np.testing.assert_allclose(first + rest, whole)
    in_first = first[:, 0, 1]
    assert in_first.min() < 70 < in_first.max(), "a part may be drawn more or less often"
    folds = (CLUSTERS >= 70).astype(np.int64)
    np.testing.assert_allclose(boots.totals(SUMS, CLUSTERS, folds, 2)[:, [0]], first)
    order = np.random.default_rng(0).permutation(N)
    np.testing.assert_allclose(boots.totals(SUMS[order], CLUSTERS[order]), whole)


def test_a_part_that_few_clusters_hold_may_be_missing_from_a_resample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    totals = drawn(True, monkeypatch).totals(SUMS[:2], CLUSTERS[:2])[:, 0, 1]
    assert (totals == 0).mean() == pytest.approx((1 - 2 / N) ** N, abs=0.03)  # about e^-2


@pytest.mark.parametrize("shared", [True, False])
def test_equal_seeds_give_equal_totals(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    totals = [
        drawn(shared, monkeypatch, n_resamples=100, seed=seed).totals(SUMS, CLUSTERS)
        for seed in (4, 4, 5)
    ]
    np.testing.assert_array_equal(totals[0], totals[1])
    assert (totals[0] != totals[2]).any()


def test_drawing_in_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    boots = drawn(False, monkeypatch, n_resamples=101)
    folds = CLUSTERS % 2
    whole = boots.totals(SUMS, CLUSTERS, folds, 2)
    kinds = len(np.unique(np.column_stack([folds, SUMS]), axis=0))
    for chunk in (1, 7 * kinds, 100 * kinds):
        monkeypatch.setattr(module, "_CHUNK", chunk)
        np.testing.assert_array_equal(boots.totals(SUMS, CLUSTERS, folds, 2), whole)


def test_the_order_of_clusters_does_not_matter_to_grouped_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boots = drawn(False, monkeypatch, n_resamples=50)
    order = np.random.default_rng(0).permutation(N)
    np.testing.assert_array_equal(
        boots.totals(SUMS[order], CLUSTERS[order]), boots.totals(SUMS, CLUSTERS)
    )


@pytest.mark.parametrize("shared", [True, False])
def test_a_part_without_clusters_has_sums_of_zero(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals = drawn(shared, monkeypatch, n_resamples=10).totals(SUMS[:0], CLUSTERS[:0])
    assert totals.shape == (10, 1, 3)
    assert not totals.any()


# From resamples to an interval.


def test_the_percentile_interval_leaves_a_fortieth_at_each_end() -> None:
    replicates = np.arange(2001) / 2000
    found = percentile_interval(0.5, replicates, n_clusters=9, method="by hand")
    assert found == Interval(pytest.approx(0.025), pytest.approx(0.975), "by hand")
    with_gaps = np.concatenate([replicates, np.full(500, np.nan)])
    assert percentile_interval(0.5, with_gaps, n_clusters=9, method="by hand") == found


ZERO = 1 - 0.025 ** (1 / 40)
"""The exact upper end of no success in 40 trials."""


@pytest.mark.parametrize(
    ("value", "signed", "ends"),
    [
        (0.0, False, (0, ZERO)),
        (0.0, True, (-ZERO, ZERO)),
        (1.0, False, (1 - ZERO, 1)),
        (1.0, True, (1 - ZERO, 1)),
        (-1.0, True, (-1, ZERO - 1)),
    ],
)
def test_at_the_boundary_the_interval_is_exact_on_clusters(
    value: float, signed: bool, ends: tuple[float, float]
) -> None:
    for replicates in (np.full(2000, value), np.full(2000, np.nan)):
        found = percentile_interval(value, replicates, n_clusters=40, method="-", signed=signed)
        assert (found.low, found.high) == pytest.approx(ends, rel=1e-9, abs=1e-12)
        assert found.method == CLOPPER_PEARSON


def test_why_there_is_no_interval() -> None:
    some = np.linspace(0, 1, 100)
    none = percentile_interval(0.0, some, n_clusters=0, method="-")
    assert none == Interval(None, None, None, "no rows")
    one = percentile_interval(0.5, some, n_clusters=1, method="-")
    assert one == Interval(None, None, None, "one cluster only")
    even = percentile_interval(0.5, np.full(100, 0.5), n_clusters=40, method="-")
    assert even.reason == "resampling the clusters shows no spread"
    assert percentile_interval(-1.0, np.full(9, -1.0), n_clusters=4, method="-").low is None


def test_a_rate_of_independent_rows_is_wilsons() -> None:
    replicates = np.linspace(0.7, 0.9, 100)
    found = rate_interval(123, 147, replicates, n_clusters=147, method="-")
    assert found == Interval(*wilson(123, 147), WILSON)
    assert (found.low, found.high) == pytest.approx((0.7686, 0.8878), abs=5e-5)


def test_a_rate_of_rows_in_clusters_is_the_bootstraps() -> None:
    replicates = np.linspace(0.7, 0.9, 2001)
    found = rate_interval(123, 147, replicates, n_clusters=100, method="by hand")
    assert found == Interval(pytest.approx(0.705), pytest.approx(0.895), "by hand")


def test_a_rate_of_none_or_all_is_bounded_on_clusters() -> None:
    for n_clusters in (563, 200):
        none = rate_interval(0, 563, np.zeros(100), n_clusters=n_clusters, method="-")
        assert none == Interval(*clopper_pearson(0, n_clusters), CLOPPER_PEARSON)
        full = rate_interval(563, 563, np.ones(100), n_clusters=n_clusters, method="-")
        assert full.low == pytest.approx(1 - none.high)
    assert rate_interval(0, 0, np.full(9, np.nan), n_clusters=0, method="-").reason == "no rows"
    alone = rate_interval(1, 1, np.ones(9), n_clusters=1, method="-")
    assert alone.reason == "one cluster only"


def test_an_interval_is_no_point_where_nearly_all_resamples_agree() -> None:
    replicates = np.concatenate([np.zeros(1990), np.full(10, 0.1)])
    for signed in (False, True):
        found = percentile_interval(0.0, replicates, n_clusters=40, method="-", signed=signed)
        assert found.low < found.high
        assert found.low <= 0 <= found.high
