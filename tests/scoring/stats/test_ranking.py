"""Ranking measures: by hand, against scikit-learn, and against brute-force formulas."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import logit
from sklearn.metrics import roc_auc_score

from scopebench.scoring.stats.ranking import (
    auroc,
    auroc_interval,
    average_precision,
    fpr_at_tpr,
    risk_coverage,
    thinned,
)

# Few distinct scores, so that ties are common.
rows = st.lists(
    st.tuples(st.integers(-3, 3), st.booleans(), st.integers(0, 8)), min_size=2, max_size=40
)


def columns(drawn):
    scores, labels, clusters = (np.array(column) for column in zip(*drawn, strict=True))
    return scores.astype(float), labels, clusters


def variance_of(interval, area):
    """Undo the logit interval."""
    half = (logit(interval[1]) - logit(interval[0])) / 2
    return (half * area * (1 - area) / 1.959963984540054) ** 2


def pair_values(scores, labels):
    """The matrix of 1, 1/2 and 0 over (positive, negative) pairs, by comparing each."""
    difference = scores[labels][:, None] - scores[~labels][None, :]
    return (np.sign(difference) + 1) / 2


def delong(scores, labels):
    pairs = pair_values(scores, labels)
    m, n = pairs.shape
    return np.var(pairs.mean(axis=1), ddof=1) / m + np.var(pairs.mean(axis=0), ddof=1) / n


def obuchowski(scores, labels, clusters):
    """The 1997 formula, written as in the paper: S10, S01 and S11 by loops over clusters."""
    pairs = pair_values(scores, labels)
    area, (m, n) = pairs.mean(), pairs.shape
    ours, theirs = clusters[labels], clusters[~labels]
    names = sorted(set(clusters.tolist()))
    first = {c: pairs.mean(axis=1)[ours == c].sum() - (ours == c).sum() * area for c in names}
    second = {c: pairs.mean(axis=0)[theirs == c].sum() - (theirs == c).sum() * area for c in names}
    i10, i01, i = len(set(ours.tolist())), len(set(theirs.tolist())), len(names)
    s10 = i10 / ((i10 - 1) * m) * sum(first[c] ** 2 for c in names)
    s01 = i01 / ((i01 - 1) * n) * sum(second[c] ** 2 for c in names)
    s11 = i / (i - 1) * sum(first[c] * second[c] for c in names)
    return s10 / m + s01 / n + 2 * s11 / (m * n)


# AUROC


def test_auroc_by_hand():
    scores = np.array([0.9, 0.5, 0.5, 0.1])
    # Pairs: .9 beats .5 and .1; .5 ties .5 and beats .1: 3.5 of 4.
    assert auroc(scores, np.array([True, True, False, False])) == 0.875
    assert auroc(np.zeros(4), np.array([True, False, False, False])) == 0.5
    assert auroc(np.array([math.inf, -math.inf]), np.array([True, False])) == 1.0


@settings(deadline=None)
@given(rows)
def test_auroc_agrees_with_sklearn_and_counts_pairs(drawn):
    scores, labels, _ = columns(drawn)
    assume(labels.any() and not labels.all())
    area = auroc(scores, labels)
    assert area == pytest.approx(roc_auc_score(labels, scores))
    assert area == pytest.approx(pair_values(scores, labels).mean())
    assert auroc(-scores, labels) == pytest.approx(1 - area)


# Its interval


@settings(deadline=None)
@given(rows)
def test_with_single_rows_the_variance_is_delongs(drawn):
    scores, labels, _ = columns(drawn)
    assume(2 <= labels.sum() <= len(labels) - 2)
    interval = auroc_interval(scores, labels, np.arange(len(scores)))
    area = auroc(scores, labels)
    if interval is None:
        assert area in (0.0, 1.0) or delong(scores, labels) == pytest.approx(0, abs=1e-15)
        return
    assert 0 < interval[0] < area < interval[1] < 1
    assert variance_of(interval, area) == pytest.approx(delong(scores, labels), rel=1e-6)


@settings(deadline=None)
@given(rows)
def test_with_clusters_the_variance_is_obuchowskis(drawn):
    scores, labels, clusters = columns(drawn)
    assume(min(len(set(clusters[labels])), len(set(clusters[~labels]))) >= 2)
    interval = auroc_interval(scores, labels, clusters)
    area, expected = auroc(scores, labels), obuchowski(scores, labels, clusters)
    if interval is None:
        assert area in (0.0, 1.0) or expected == pytest.approx(0, abs=1e-15)
        return
    # The width of a very wide interval is lost in the rounding of ends near 0 and 1.
    assume(interval[0] > 1e-6 and interval[1] < 1 - 1e-6)
    assert variance_of(interval, area) == pytest.approx(expected, rel=1e-6)


@settings(deadline=None)
@given(rows, st.integers(2, 4))
def test_repeating_rows_inside_clusters_adds_no_certainty(drawn, times):
    scores, labels, clusters = columns(drawn)
    assume(labels.any() and not labels.all())
    once = auroc_interval(scores, labels, clusters)
    many = auroc_interval(*(np.repeat(column, times) for column in (scores, labels, clusters)))
    assert (once is None) == (many is None)
    if once is not None:
        assert many == pytest.approx(once, rel=1e-9)


def test_names_of_clusters_do_not_matter():
    rng = np.random.default_rng(3)
    scores, labels = rng.random(50), rng.random(50) < 0.5
    codes = rng.integers(0, 12, 50)
    names = [f"subject {code}" for code in codes]
    assert auroc_interval(scores, labels, names) == auroc_interval(scores, labels, np.array(names))
    assert auroc_interval(scores, labels, names) == pytest.approx(
        auroc_interval(scores, labels, codes)
    )


def test_no_interval_where_the_variance_says_nothing():
    labels = np.array([True, True, False, False])
    apart = np.arange(4)
    assert auroc_interval(np.array([4.0, 3, 2, 1]), labels, apart) is None  # AUROC 1
    assert auroc_interval(np.array([1.0, 2, 3, 4]), labels, apart) is None  # AUROC 0
    assert auroc_interval(np.zeros(4), labels, apart) is None  # all tied
    mixed = np.array([4.0, 2, 3, 1])
    assert auroc_interval(mixed, labels, np.zeros(4)) is None  # one cluster
    assert auroc_interval(mixed, labels, np.array([0, 0, 1, 2])) is None  # one of positives
    assert auroc_interval(mixed, labels, apart) is not None


def test_the_interval_covers_where_rows_as_units_would_not():
    # 60 clusters of five rows of one label; half the variance of a score lies between clusters.
    rng = np.random.default_rng(23)
    clusters = np.repeat(np.arange(60), 5)
    labels = clusters % 3 == 0
    shift, trials = 1.0, 400
    truth = 0.5 * math.erfc(-shift / 2 / math.sqrt(2))  # normal, difference of variance 2 x 2
    covered = {"clusters": 0, "rows": 0}
    for _ in range(trials):
        scores = rng.normal(size=60)[clusters] + rng.normal(size=300) + shift * labels
        for unit, codes in (("clusters", clusters), ("rows", np.arange(300))):
            low, high = auroc_interval(scores, labels, codes)
            covered[unit] += low <= truth <= high
    assert 0.92 <= covered["clusters"] / trials <= 0.98
    assert covered["rows"] / trials < 0.85


# Average precision and false positives at a true-positive rate


def test_average_precision_by_hand():
    alternating = np.array([True, False, True, False])
    # Precision 1 at recall 1/2, 2/3 at recall 1.
    assert average_precision(np.array([4.0, 3, 2, 1]), alternating) == pytest.approx(5 / 6)
    # All tied: one threshold, the prevalence.
    assert average_precision(np.zeros(4), np.array([True, False, False, False])) == 0.25
    # The last positive enters with a negative: 1/2 x 1 + 1/2 x 2/3.
    tied = average_precision(np.array([4.0, 3, 3, 1]), np.array([True, True, False, False]))
    assert tied == pytest.approx(5 / 6)


def test_fpr_at_tpr_by_hand():
    scores = np.array([0.9, 0.8, 0.4, 0.7, 0.4, 0.1])
    labels = np.array([True, True, True, False, False, False])
    # All three positives need the threshold .4, where a tied negative enters too.
    assert fpr_at_tpr(scores, labels) == pytest.approx(2 / 3)
    assert fpr_at_tpr(scores, labels, tpr=2 / 3) == 0.0
    assert fpr_at_tpr(np.zeros(6), labels) == 1.0


def test_fpr_at_tpr_sees_thresholds_on_a_straight_stretch():
    # Four ties of one positive and one negative: the curve is the diagonal.
    scores = np.repeat([4.0, 3.0, 2.0, 1.0], 2)
    assert fpr_at_tpr(scores, np.tile([True, False], 4), tpr=0.5) == 0.5


@settings(deadline=None)
@given(rows, st.sampled_from([0.2, 0.5, 0.75, 0.95, 1.0]))
def test_fpr_at_tpr_is_the_least_over_all_thresholds(drawn, tpr):
    scores, labels, _ = columns(drawn)
    assume(labels.any() and not labels.all())
    rates = [
        (scores[~labels] >= threshold).mean()
        for threshold in scores
        if (scores[labels] >= threshold).mean() >= tpr
    ]
    assert fpr_at_tpr(scores, labels, tpr) == pytest.approx(min(rates))


@settings(deadline=None)
@given(rows)
def test_only_the_order_of_scores_counts(drawn):
    scores, labels, _ = columns(drawn)
    assume(labels.any() and not labels.all())
    stretched = np.where(scores == scores.max(), math.inf, scores**3)
    for measure in (auroc, average_precision, fpr_at_tpr):
        assert measure(stretched, labels) == measure(scores, labels)


# Risk and coverage


def test_risk_coverage_without_ties_by_hand():
    curve = risk_coverage(np.array([4.0, 3, 2, 1]), np.array([False, True, False, True]))
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert curve.generalised_risk.tolist() == [0, 0.25, 0.25, 0.5]
    assert curve.aurc == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert curve.augrc == pytest.approx((0 + 0.125 + 0.25 + 0.375) / 4)


def test_risk_coverage_with_ties_by_hand():
    curve = risk_coverage(np.array([1.0, 2, 1]), np.array([True, False, False]))
    assert curve.coverage == pytest.approx([1 / 3, 1])
    assert curve.risk == pytest.approx([0, 1 / 3])
    assert curve.generalised_risk == pytest.approx([0, 1 / 3])
    assert curve.aurc == pytest.approx((0 + 1 / 3 + 1 / 3) / 3)
    assert curve.augrc == pytest.approx(1 / 2 * 2 / 3 * 1 / 3)


def test_equal_scores_give_one_point_and_half_the_error_rate():
    curve = risk_coverage(np.zeros(4), np.array([True, False, False, False]))
    assert (curve.coverage.tolist(), curve.risk.tolist()) == ([1.0], [0.25])
    assert (curve.aurc, curve.augrc) == (0.25, 0.125)


def test_a_random_order_expects_half_the_error_rate():
    errors = np.array([True, False, False, True, False])
    areas = [
        risk_coverage(np.array(order, float), errors).augrc
        for order in itertools.permutations(range(5))
    ]
    assert np.mean(areas) == pytest.approx(0.4 / 2)


@settings(deadline=None)
@given(rows)
def test_augrc_is_a_function_of_auroc_and_error_rate(drawn):
    scores, errors, _ = columns(drawn)
    assume(errors.any() and not errors.all())
    rate, area = errors.mean(), auroc(scores, ~errors)
    expected = (1 - area) * rate * (1 - rate) + rate**2 / 2
    assert risk_coverage(scores, errors).augrc == pytest.approx(expected)


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(drawn, random):
    scores, labels, clusters = columns(drawn)
    order = np.array(random.sample(range(len(scores)), len(scores)))
    here, there = risk_coverage(scores, labels), risk_coverage(scores[order], labels[order])
    for name in ("coverage", "risk", "generalised_risk", "aurc", "augrc"):
        assert np.array_equal(getattr(here, name), getattr(there, name))
    assume(labels.any() and not labels.all())
    for measure in (auroc, average_precision, fpr_at_tpr):
        assert measure(scores, labels) == measure(scores[order], labels[order])
    interval = auroc_interval(scores, labels, clusters)
    shuffled = auroc_interval(scores[order], labels[order], clusters[order])
    assert (interval is None) == (shuffled is None)
    if interval is not None:
        assert shuffled == pytest.approx(interval, rel=1e-9)


def test_a_thinned_curve_keeps_both_ends_and_the_areas():
    rng = np.random.default_rng(1)
    full = risk_coverage(rng.random(5000), rng.random(5000) < 0.3)
    drawn = thinned(full, 200)
    assert len(drawn.coverage) == len(drawn.risk) == len(drawn.generalised_risk) == 200
    assert drawn.coverage[0] == full.coverage[0]
    assert drawn.coverage[-1] == 1.0
    assert drawn.risk[-1] == full.risk[-1]
    assert np.diff(drawn.coverage).max() <= 1 / 199 + 1 / 5000
    assert (drawn.aurc, drawn.augrc) == (full.aurc, full.augrc)


def test_a_short_curve_is_left_alone():
    curve = risk_coverage(np.array([2.0, 1.0]), np.array([False, True]))
    assert thinned(curve, 200) is curve
    with pytest.raises(ValueError, match="two ends"):
        thinned(curve, 1)


# Misuse


@pytest.mark.parametrize("measure", [auroc, average_precision, fpr_at_tpr])
def test_measures_refuse_misuse(measure):
    with pytest.raises(ValueError, match="both classes"):
        measure(np.array([1.0, 2.0]), np.array([True, True]))
    with pytest.raises(ValueError, match="NaN"):
        measure(np.array([1.0, math.nan]), np.array([True, False]))
    with pytest.raises(ValueError, match="shape"):
        measure(np.array([1.0, 2.0]), np.array([True]))
    with pytest.raises(ValueError, match="true or false"):
        measure(np.array([1.0, 2.0]), np.array([1, 2]))


def test_other_misuse():
    flags = np.array([True, False])
    with pytest.raises(ValueError, match="3 clusters for 2 rows"):
        auroc_interval(np.array([1.0, 2.0]), flags, [1, 2, 3])
    with pytest.raises(ValueError, match="tpr"):
        fpr_at_tpr(np.array([1.0, 2.0]), flags, tpr=0.0)
    with pytest.raises(ValueError, match="at least one row"):
        risk_coverage(np.array([]), np.array([], dtype=bool))
