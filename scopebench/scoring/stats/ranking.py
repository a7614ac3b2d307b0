"""Ranking measures of a score: how well it orders positives, and what selecting by it risks.

Everywhere only the order of the scores counts, larger scores come first, and tied scores are taken
together, so no measure depends on the order of the rows. Scores may be infinite but not NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CONFIDENCE: Final = 0.95

_Scores = npt.NDArray[np.float64]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Error against coverage as rows enter by decreasing score, one point for each distinct score.

    Attributes:
        coverage: Share of all rows that have entered, increasing to 1, shape (k,).
        risk: Share of wrong rows among those entered (selective risk), shape (k,).
        generalised_risk: Wrong rows entered over all rows, shape (k,).
        aurc: Mean over the rows of the risk where the row enters.
        augrc: Area under the generalised risk over coverage.
    """

    coverage: npt.NDArray[np.float64]
    risk: npt.NDArray[np.float64]
    generalised_risk: npt.NDArray[np.float64]
    aurc: float
    augrc: float


def auroc(scores: _Scores, labels: _Flags) -> float:
    """Return the share of (positive, negative) pairs the scores order rightly; ties count half.

    The Mann-Whitney statistic over its maximum, by mid-ranks.

    Args:
        scores: Scores without NaN, larger for positives, shape (n,).
        labels: True for positives, shape (n,); the caller sees to it that both classes are there.

    Raises:
        ValueError: If the shapes differ, a score is NaN or a class is missing.
    """
    from scipy.stats import rankdata

    scores, labels = _both_classes(scores, labels)
    positives = int(labels.sum())
    negatives = len(labels) - positives
    # Twice the mid-ranks are whole numbers, which keeps the pairs an exact count.
    twice = int(np.rint(2 * rankdata(scores)[labels]).astype(np.int64).sum())
    return (twice - positives * (positives + 1)) / (2 * positives * negatives)


def auroc_interval(
    scores: _Scores, labels: _Flags, clusters: Sequence[Any] | npt.NDArray[Any]
) -> tuple[float, float] | None:
    """Return the 95% interval of an AUROC whose rows come in clusters.

    The variance is the nonparametric one of Obuchowski (1997, Biometrics 53:567-578),
    which sums the structural components of DeLong, DeLong and Clarke-Pearson (1988) within
    clusters; with one row a cluster it is DeLong's. The interval is normal on the logit scale, with
    the delta method (Pepe, 2003, chapter 5), so its ends lie inside (0, 1).

    Args:
        scores: Scores without NaN, larger for positives, shape (n,).
        labels: True for positives, shape (n,); the caller sees to it that both classes are there.
        clusters: The cluster of each row, of any sortable type, shape (n,).

    Returns:
        The two ends, or None where the variance says nothing: the AUROC is 0 or 1, the positives or
        the negatives lie in fewer than two clusters, or no cluster departs from the mean (such as
        where all scores are equal).

    Raises:
        ValueError: If the shapes differ, a score is NaN or a class is missing.
    """
    from scipy.special import expit, logit
    from scipy.stats import norm

    scores, labels = _both_classes(scores, labels)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1].reshape(-1)
    if len(codes) != len(labels):
        raise ValueError(f"{len(codes)} clusters for {len(labels)} rows")
    area = auroc(scores, labels)
    variance = _clustered_variance(scores, labels, codes, area)
    if area in (0.0, 1.0) or variance is None or variance <= np.finfo(np.float64).eps ** 2:
        return None
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance) / (area * (1 - area))
    centre = float(logit(area))
    return float(expit(centre - half)), float(expit(centre + half))


def average_precision(scores: _Scores, labels: _Flags) -> float:
    """Return the average precision: precision at each distinct score, weighted by recall gained.

    The step-wise area under the precision-recall curve, without interpolation, by scikit-learn. A
    random order has the prevalence of positives as its expectation, so state that beside it.

    Args:
        scores: Scores without NaN, larger for positives, shape (n,).
        labels: True for positives, shape (n,); the caller sees to it that both classes are there.

    Raises:
        ValueError: If the shapes differ, a score is NaN or a class is missing.
    """
    from sklearn.metrics import average_precision_score

    scores, labels = _both_classes(scores, labels)
    return float(average_precision_score(labels, _levels(scores)))


def fpr_at_tpr(scores: _Scores, labels: _Flags, tpr: float = 0.95) -> float:
    """Return the smallest false-positive rate among the thresholds that reach a true-positive rate.

    Thresholds are the scores themselves (a row fires at or above one), without interpolation.

    Args:
        scores: Scores without NaN, larger for positives, shape (n,).
        labels: True for positives, shape (n,); the caller sees to it that both classes are there.
        tpr: True-positive rate to reach, inside (0, 1].

    Raises:
        ValueError: If the shapes differ, a score is NaN, a class is missing or `tpr` is out of
            range.
    """
    from sklearn.metrics import roc_curve

    if not 0 < tpr <= 1:
        raise ValueError(f"tpr must lie in (0, 1], got {tpr}")
    scores, labels = _both_classes(scores, labels)
    # Points on a straight stretch of the curve are thresholds too: dropping them would miss some.
    false_rates, true_rates, _ = roc_curve(labels, _levels(scores), drop_intermediate=False)
    return float(false_rates[true_rates >= tpr].min())


def risk_coverage(scores: _Scores, errors: _Flags) -> RiskCoverage:
    """Return the risk-coverage curve of a score, and the two areas under it.

    Rows enter by decreasing score, tied scores together. With n rows, after the k-th of the
    distinct scores N_k rows have entered, E_k of them wrong. Then

    - coverage_k = N_k / n and risk_k = E_k / N_k (Geifman and El-Yaniv, 2017, arXiv 1705.08500,
      section 2);
    - generalised_risk_k = E_k / n (Traub et al., 2024, arXiv 2407.01032);
    - aurc = sum_k (N_k - N_(k-1)) / n * risk_k: the mean over the rows of the risk where the row
      enters, each row of a tie at the end of its tie (Geifman, Uziel and El-Yaniv, 2019, arXiv
      1805.08206, where without ties it is the mean risk at coverage 1/n, 2/n, ..., 1);
    - augrc = the area of the trapezoids under the points (coverage_k, generalised_risk_k) from
      (0, 0). With an error rate e and the AUROC a of the score for being right it equals
      (1 - a) e (1 - e) + e^2 / 2, so that a random order expects e / 2.

    Args:
        scores: Scores without NaN, larger for rows to be trusted sooner, shape (n,), n at least 1.
        errors: True where the row is wrong, shape (n,).

    Raises:
        ValueError: If there is no row, the shapes differ or a score is NaN.
    """
    scores, errors = _checked(scores, errors)
    n = len(scores)
    if n == 0:
        raise ValueError("a risk-coverage curve needs at least one row")
    values, codes = np.unique(-scores, return_inverse=True)
    sizes = np.bincount(codes, minlength=len(values))
    entered = np.cumsum(sizes)
    entering_wrong = np.bincount(codes[errors], minlength=len(values))
    wrong = np.cumsum(entering_wrong)
    risk = wrong / entered
    return RiskCoverage(
        coverage=entered / n,
        risk=risk,
        generalised_risk=wrong / n,
        aurc=float(sizes @ risk) / n,
        augrc=float(sizes @ (wrong - entering_wrong / 2)) / n**2,
    )


def thinned(curve: RiskCoverage, points: int) -> RiskCoverage:
    """Return a curve of at most so many of its points, about even in coverage, both ends kept.

    For drawing: the two areas stay those of the full curve.

    Args:
        curve: A risk-coverage curve.
        points: Most points to keep, at least 2.

    Raises:
        ValueError: If fewer than two points are asked for.
    """
    if points < 2:
        raise ValueError(f"a thinned curve keeps at least its two ends, got points={points}")
    if len(curve.coverage) <= points:
        return curve
    aims = np.linspace(curve.coverage[0], curve.coverage[-1], points)
    kept = np.unique(np.searchsorted(curve.coverage, aims))
    return RiskCoverage(
        coverage=curve.coverage[kept],
        risk=curve.risk[kept],
        generalised_risk=curve.generalised_risk[kept],
        aurc=curve.aurc,
        augrc=curve.augrc,
    )


def _clustered_variance(
    scores: _Scores, labels: _Flags, codes: npt.NDArray[np.intp], area: float
) -> float | None:
    """Return Obuchowski's variance; None where a class lies in fewer than two clusters.

    A positive's component is the share of negatives it beats, a negative's the share of positives
    that beat it. With a_i and b_i the sums of (component - AUROC) over the M positives and the N
    negatives of cluster i, and I_10, I_01 and I the numbers of clusters with a positive, with a
    negative, and in all:

        I_10 / (I_10 - 1) sum a_i^2 / M^2 + I_01 / (I_01 - 1) sum b_i^2 / N^2
            + 2 I / (I - 1) sum a_i b_i / (M N)
    """
    with_positive = len(np.unique(codes[labels]))
    with_negative = len(np.unique(codes[~labels]))
    if with_positive < 2 or with_negative < 2:
        return None
    together = int(codes.max()) + 1
    components = _structural_components(scores, labels) - area
    of_positives, of_negatives = (
        np.bincount(codes[side], weights=components[side], minlength=together) / side.sum()
        for side in (labels, ~labels)
    )
    return float(
        _corrected(with_positive) * (of_positives @ of_positives)
        + _corrected(with_negative) * (of_negatives @ of_negatives)
        + 2 * _corrected(together) * (of_positives @ of_negatives)
    )


def _corrected(clusters: int) -> float:
    return clusters / (clusters - 1)


def _structural_components(scores: _Scores, labels: _Flags) -> npt.NDArray[np.float64]:
    """Return each row's share of the other class that it is ordered rightly with, ties half."""
    from scipy.stats import rankdata

    # A mid-rank among all rows less that within the own class counts the other class below.
    below = rankdata(scores)
    for side in (labels, ~labels):
        below[side] -= rankdata(scores[side])
    positives = int(labels.sum())
    negatives = len(labels) - positives
    return np.where(labels, below / negatives, 1 - below / positives)


def _levels(scores: _Scores) -> npt.NDArray[np.int64]:
    """Return the scores as dense ranks: the same order, and finite, as scikit-learn demands."""
    return np.unique(scores, return_inverse=True)[1].astype(np.int64)


def _both_classes(scores: _Scores, labels: _Flags) -> tuple[_Scores, _Flags]:
    scores, labels = _checked(scores, labels)
    if labels.all() or not labels.any():
        raise ValueError("a ranking measure needs rows of both classes")
    return scores, labels


def _checked(scores: _Scores, flags: _Flags) -> tuple[_Scores, _Flags]:
    scores, flags = np.asarray(scores, dtype=np.float64), np.asarray(flags)
    if scores.ndim != 1 or scores.shape != flags.shape:
        raise ValueError(f"scores of shape {scores.shape} for flags of shape {flags.shape}")
    if np.isnan(scores).any():
        raise ValueError("a score is NaN")
    if not np.isin(flags, (0, 1)).all():
        raise ValueError("flags must be true or false")
    return scores, flags.astype(np.bool_)
