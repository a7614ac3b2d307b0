"""How well an editor decided, and what its decisions were worth.

Rates come from decisions, not outcomes, because an outcome can be right for the wrong reason
(field survey, section 4.1). An editor fires when its action is not `abstain`. Decisions and
outcomes meet in few numbers only: gain, regret and capture compare the editor's outcome with the
static policy's and the oracle's; conditional credit asks for both a right answer and a right
decision; masked false fires were right in spite of a wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scopebench.records import Estimate, RouterRow
from scopebench.scoring.estimates import UNDEFINED, Ratio, Reasons, ratio_estimates
from scopebench.scoring.headroom import oracle
from scopebench.scoring.matrix import Codes, DecisionTable, Flags, Floats, OutcomeMatrix
from scopebench.scoring.stats.bootstrap import (
    Bootstrap,
    Interval,
    cluster_sums,
    percentile_interval,
)
from scopebench.scoring.stats.ranking import (
    auroc,
    auroc_interval,
    average_precision,
    fpr_at_tpr,
    risk_coverage,
)

OBUCHOWSKI: Final = "obuchowski on clusters, logit scale"

NO_GOLD: Final = "no query has outcome gold"
NO_OUTSIDE: Final = "no query is out of scope"
NO_INSIDE: Final = "no query is in scope"
NO_LABELS: Final = "the table holds no decision labels"
NO_FIRES: Final = "the table does not tell which edit fired"
NO_CHOICE: Final = "the table does not tell which action the editor took"
NO_SCORES: Final = "the table holds no scope scores"
NO_RUNNER_UP: Final = "no decision has a runner-up score"
NO_STATIC: Final = "static_fixed is undefined"

_FROM_CHOICE: Final = ("accuracy", "regret", "gain", "capture", "credit")
_FROM_FIRES: Final = ("scope_accuracy", "false_fire", "miss", "wrong_edit", "masked")
_RANKINGS: Final = ("auprc", "prevalence", "fpr_at_95_tpr", "aurc", "augrc")
_MARGINS: Final = ("margin_auroc", "margin_in", "margin_out")


@dataclass(frozen=True)
class Ranked:
    """The rows over which scores are ranked: those of a kind and what they are told from.

    Attributes:
        decisions: The decisions on them.
        clusters: Their clusters, shape (m,).
    """

    decisions: DecisionTable
    clusters: Codes


def router_row(
    labels: Mapping[str, Any],
    matrix: OutcomeMatrix,
    decisions: DecisionTable,
    *,
    fixed: Floats | None,
    bootstrap: Bootstrap,
    ranked: Ranked | None = None,
) -> RouterRow:
    """Return the editor's numbers on some rows.

    Args:
        labels: Which rows they are: the fields of `Rows` but the counts.
        matrix: The rows.
        decisions: The decisions on them.
        fixed: The outcome of `static_fixed` on each row, shape (n,); None: it is undefined.
        bootstrap: Resamples of the clusters of the whole table.
        ranked: The rows over which scores are ranked; None: these.
    """
    reasons = Reasons()
    ratios = _outcome_ratios(matrix, decisions, fixed, reasons)
    ratios |= _decision_ratios(matrix, decisions, reasons)
    names = dict.fromkeys((*_FROM_CHOICE, *_FROM_FIRES), UNDEFINED)
    values: dict[str, Any] = names | ratio_estimates(ratios, matrix.clusters, bootstrap, reasons)
    taken = taken_outcomes(matrix, decisions)
    if taken is not None and fixed is not None:
        values["capture"] = _capture(matrix, taken, fixed, bootstrap, reasons)
    inside = decisions.in_scope
    if inside is None:
        reasons.undefined("in_scope", NO_LABELS)
    return RouterRow(
        **labels,
        n=len(matrix),
        n_scorable=int(matrix.scorable.sum()),
        n_clusters=len(np.unique(matrix.clusters)),
        in_scope=None if inside is None else int(inside.sum()),
        **values,
        **_rankings(ranked or Ranked(decisions, matrix.clusters), reasons),
        undefined=reasons.told,
    )


def taken_outcomes(matrix: OutcomeMatrix, decisions: DecisionTable) -> Floats | None:
    """Return the outcome of each row's chosen action, 0 where not scorable; None: not told."""
    if decisions.chosen is None:
        return None
    taken: Floats = matrix.won[np.arange(len(matrix)), decisions.chosen]
    return taken


def rightly_decided(decisions: DecisionTable) -> Flags | None:
    """Return whether a governing edit fired, or none where none governs; None: not told."""
    if decisions.in_scope is None or decisions.fired is None or decisions.right_edit is None:
        return None
    inside, fired = decisions.in_scope, decisions.fired
    return np.asarray(np.where(inside, fired & decisions.right_edit, ~fired), dtype=bool)


def _outcome_ratios(
    matrix: OutcomeMatrix, decisions: DecisionTable, fixed: Floats | None, reasons: Reasons
) -> dict[str, Ratio]:
    """Return the numbers that outcomes give."""
    taken = taken_outcomes(matrix, decisions)
    if taken is None:
        for name in _FROM_CHOICE:
            reasons.undefined(name, NO_CHOICE)
        return {}
    scorable = matrix.scorable.astype(np.float64)
    found = {
        "accuracy": Ratio(taken, scorable, NO_GOLD),
        "regret": Ratio(oracle(matrix.won) - taken, scorable, NO_GOLD),
    }
    if fixed is None:
        reasons.undefined("gain", NO_STATIC)
        reasons.undefined("capture", NO_STATIC)
    else:
        found["gain"] = Ratio(taken - fixed, scorable, NO_GOLD, signed=True)
    right = rightly_decided(decisions)
    if right is None:
        reasons.undefined("credit", NO_LABELS if decisions.in_scope is None else NO_FIRES)
    else:
        found["credit"] = Ratio(taken * right, scorable, NO_GOLD)
    return found


def _decision_ratios(
    matrix: OutcomeMatrix, decisions: DecisionTable, reasons: Reasons
) -> dict[str, Ratio]:
    """Return the numbers that decisions give, and what false fires were worth."""
    inside, fired, right_edit = decisions.in_scope, decisions.fired, decisions.right_edit
    right = rightly_decided(decisions)
    if inside is None or fired is None or right_edit is None or right is None:
        for name in _FROM_FIRES:
            reasons.undefined(name, NO_LABELS if inside is None else NO_FIRES)
        return {}
    found = {
        "scope_accuracy": _share(right, np.ones(len(right), bool), "no queries"),
        "false_fire": _share(fired & ~inside, ~inside, NO_OUTSIDE),
        "miss": _share(inside & ~fired, inside, NO_INSIDE),
        "wrong_edit": _share(inside & fired & ~right_edit, inside, NO_INSIDE),
    }
    taken = taken_outcomes(matrix, decisions)
    if taken is None:
        reasons.undefined("masked", NO_CHOICE)
    else:
        false_fires = (fired & ~inside & matrix.scorable).astype(np.float64)
        empty = "no scorable query was fired on out of scope"
        found["masked"] = Ratio(taken * false_fires, false_fires, empty)
    return found


def _share(part: Flags, whole: Flags, empty: str) -> Ratio:
    return Ratio(part.astype(np.float64), whole.astype(np.float64), empty)


def _capture(
    matrix: OutcomeMatrix, taken: Floats, fixed: Floats, bootstrap: Bootstrap, reasons: Reasons
) -> Estimate:
    """Return gain over headroom, where the interval of headroom is clear of 0."""
    gap = oracle(matrix.won) - fixed
    columns = np.column_stack([taken - fixed, gap, matrix.scorable])
    sums, numbers = cluster_sums(columns, matrix.clusters)
    gain, headroom, rows = sums.sum(axis=0)
    if rows == 0:
        return reasons.undefined("capture", NO_GOLD)
    drawn = bootstrap.totals(sums, numbers)[:, 0]
    n_clusters = int((sums[:, 2] > 0).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        of_headroom = percentile_interval(
            float(headroom / rows),
            drawn[:, 1] / drawn[:, 2],
            n_clusters=n_clusters,
            method=bootstrap.method,
        )
        ratios = drawn[:, 0] / drawn[:, 1]
    if of_headroom.low is None or of_headroom.low <= 0:
        reason = of_headroom.reason or "the interval of headroom touches 0"
        return reasons.undefined("capture", f"no headroom to capture: {reason}")
    value = float(gain / headroom)
    ratios[~np.isfinite(ratios)] = np.nan
    interval = percentile_interval(
        value, ratios, n_clusters=n_clusters, method=bootstrap.method, signed=True
    )
    return reasons.estimate("capture", value, interval)


def _rankings(ranked: Ranked, reasons: Reasons) -> dict[str, Any]:
    """Return what the scope score ranks rightly."""
    found: dict[str, Any] = dict.fromkeys((*_RANKINGS, *_MARGINS))
    found["auroc"] = UNDEFINED
    decisions = ranked.decisions
    reason = _no_ranking(decisions)
    if reason is not None or decisions.scores is None or decisions.in_scope is None:
        for name in found:
            reasons.undefined(name, reason or NO_SCORES)
        if decisions.in_scope is not None and len(decisions.in_scope):
            found["prevalence"] = float(decisions.in_scope.mean())
            del reasons.told["prevalence"]
        return found
    scores, inside = decisions.scores, decisions.in_scope
    area = auroc(scores, inside)
    found["auroc"] = reasons.estimate(
        "auroc", area, _auroc_interval(scores, inside, ranked.clusters, area)
    )
    found["auprc"] = average_precision(scores, inside)
    found["prevalence"] = float(inside.mean())
    found["fpr_at_95_tpr"] = fpr_at_tpr(scores, inside)
    wrong = ~inside if decisions.right_edit is None else ~decisions.right_edit
    curve = risk_coverage(scores, wrong)
    found["aurc"], found["augrc"] = curve.aurc, curve.augrc
    return found | _margins(decisions, inside, reasons)


def _margins(decisions: DecisionTable, inside: Flags, reasons: Reasons) -> dict[str, float | None]:
    """Return what the gap from the nearest card to the second tells, infinite without a second."""
    nearest, runner_up = decisions.similarity, decisions.runner_up
    if nearest is None or runner_up is None or np.isnan(runner_up).all():
        for name in _MARGINS:
            reasons.undefined(name, NO_RUNNER_UP)
        return dict.fromkeys(_MARGINS)
    margins = np.where(np.isnan(runner_up), np.inf, nearest - runner_up)
    found: dict[str, float | None] = {"margin_auroc": auroc(margins, inside)}
    for name, rows in (("margin_in", inside), ("margin_out", ~inside)):
        median = float(np.median(margins[rows]))
        found[name] = median if np.isfinite(median) else None
        if not np.isfinite(median):
            reasons.undefined(name, "most rows have no runner-up")
    return found


def _no_ranking(decisions: DecisionTable) -> str | None:
    """Return why scores cannot be ranked, or None."""
    if decisions.in_scope is None:
        return NO_LABELS
    inside = decisions.in_scope
    if decisions.scores is None:
        return NO_SCORES
    missing = int(np.isnan(decisions.scores).sum())
    if missing:
        return f"{missing} of {len(inside)} decisions have no scope score"
    if inside.all() or not inside.any():
        return f"all queries are {'in' if inside.all() else 'out of'} scope"
    return None


def _auroc_interval(scores: Floats, inside: Flags, clusters: Codes, area: float) -> Interval:
    found = auroc_interval(scores, inside, clusters)
    if found is not None:
        return Interval(*found, OBUCHOWSKI)
    return Interval(None, None, None, _why_no_interval(inside, clusters, area))


def _why_no_interval(inside: Flags, clusters: Codes, area: float) -> str:
    for rows, name in ((inside, "in"), (~inside, "out of")):
        if len(np.unique(clusters[rows])) < 2:
            return f"the queries {name} scope are one cluster only"
    if area in (0.0, 1.0):
        return "every pair is ordered alike, which leaves no variance to estimate"
    return "the scores do not vary, which leaves no variance to estimate"
