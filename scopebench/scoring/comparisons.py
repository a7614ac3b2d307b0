"""Paired tests of two policies, or of two editors, on the same rows.

The cluster sign-flip test is primary; McNemar's exact test over rows is given beside it with its
discordant counts and the smallest p it could have given. Holm's correction is over a declared
family, and what could not be tested is listed with its reason (field survey, section 4.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scopebench.records import Comparison
from scopebench.scoring.estimates import UNDEFINED, Reasons
from scopebench.scoring.matrix import Codes, Floats
from scopebench.scoring.stats.bootstrap import Bootstrap, cluster_sums, percentile_interval
from scopebench.scoring.stats.paired import detectable_difference, holm, mcnemar, sign_flip

GRADED: Final = "outcomes are graded, and not just right or wrong"


@dataclass(frozen=True)
class Pair:
    """Two policies on the same scorable rows.

    Attributes:
        labels: The fields of `Comparison` that name what is compared.
        first: Outcomes of the first, shape (n,).
        second: Outcomes of the second, shape (n,).
        clusters: The cluster of each row, shape (n,).
        skipped: Why there is nothing to test; None: there is.
    """

    labels: Mapping[str, Any]
    first: Floats
    second: Floats
    clusters: Codes
    skipped: str | None = None


def compare_family(family: str, pairs: Sequence[Pair], bootstrap: Bootstrap) -> list[Comparison]:
    """Test every pair of a family and correct the primary p-values for their number.

    Args:
        family: The family in words.
        pairs: Its pairs; those without rows are listed as skipped.
        bootstrap: Resamples of the clusters of the table the pairs are from.
    """
    found = [_compare(family, pair, bootstrap) for pair in pairs]
    corrected = holm({str(at): row.p_sign_flip for at, row in enumerate(found)})
    return [row.model_copy(update={"p_holm": corrected[str(at)]}) for at, row in enumerate(found)]


def _compare(family: str, pair: Pair, bootstrap: Bootstrap) -> Comparison:
    skipped = pair.skipped or (None if len(pair.first) else "no query has outcome gold")
    if skipped is not None:
        return _skipped(family, pair, skipped)
    reasons = Reasons()
    gaps = pair.first - pair.second
    sums, numbers = cluster_sums(np.column_stack([gaps, np.ones(len(gaps))]), pair.clusters)
    drawn = bootstrap.totals(sums, numbers)[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = drawn[:, 0] / drawn[:, 1]
    value = float(gaps.mean())
    interval = percentile_interval(
        value, replicates, n_clusters=len(numbers), method=bootstrap.method, signed=True
    )
    detectable = detectable_difference(sums[:, 0], len(gaps))
    if detectable is None:
        reasons.undefined("detectable", "no cluster differs, which leaves no variance to plan with")
    elif detectable > 1:
        reasons.undefined("detectable", "so few rows would not show any difference of shares")
        detectable = None
    return Comparison(
        family=family,
        **pair.labels,
        n=len(gaps),
        n_clusters=len(numbers),
        difference=reasons.estimate("difference", value, interval),
        p_sign_flip=sign_flip(sums[:, 0]),
        p_holm=None,
        detectable=detectable,
        **_discordance(pair, reasons),
        undefined=reasons.told,
    )


def _discordance(pair: Pair, reasons: Reasons) -> dict[str, Any]:
    """Return McNemar's test over rows, which needs outcomes that are right or wrong."""
    binary = np.isin(pair.first, (0.0, 1.0)).all() and np.isin(pair.second, (0.0, 1.0)).all()
    if not binary:
        names = ("first_only", "second_only", "p_mcnemar", "smallest_p")
        for name in names:
            reasons.undefined(name, GRADED)
        return dict.fromkeys(names)
    first_only = int((pair.first > pair.second).sum())
    second_only = int((pair.first < pair.second).sum())
    test = mcnemar(first_only, second_only)
    return {
        "first_only": first_only,
        "second_only": second_only,
        "p_mcnemar": test.p,
        "smallest_p": test.smallest_p,
    }


def _skipped(family: str, pair: Pair, reason: str) -> Comparison:
    names = (
        "first_only",
        "second_only",
        "difference",
        "p_sign_flip",
        "p_mcnemar",
        "smallest_p",
        "p_holm",
        "detectable",
    )
    return Comparison(
        family=family,
        **pair.labels,
        n=len(pair.first),
        n_clusters=len(np.unique(pair.clusters)),
        first_only=None,
        second_only=None,
        difference=UNDEFINED,
        p_sign_flip=None,
        p_mcnemar=None,
        smallest_p=None,
        p_holm=None,
        detectable=None,
        skipped=reason,
        undefined=dict.fromkeys(names, reason),
    )
