"""From degenerate policies as arrays to their records, and the editor's tests against them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scopebench.records import PolicyRow
from scopebench.scoring.comparisons import Pair
from scopebench.scoring.degenerate import Policies, Policy, degenerate_policies
from scopebench.scoring.estimates import Ratio, Reasons, ratio_estimates
from scopebench.scoring.headroom import Rule
from scopebench.scoring.matrix import DecisionTable, Floats, OutcomeMatrix
from scopebench.scoring.stats.bootstrap import Bootstrap

UNDERSTANDING: Final = ("editor", "oracle", "perfect_scope")
"""Policies that the editor is not tested against: itself, and what looks at the right answer."""


@dataclass(frozen=True)
class Judged:
    """The policies of one population, judged on the same rows.

    Attributes:
        rows: Their records, the editor's and the oracle's among them.
        accuracy: The editor against each policy that understands nothing, by right answers.
        scope: The same by right decisions to fire.
    """

    rows: list[PolicyRow]
    accuracy: list[Pair]
    scope: list[Pair]


def judge_policies(
    population: str,
    matrix: OutcomeMatrix,
    decisions: DecisionTable,
    *,
    rule: Rule,
    bootstrap: Bootstrap,
) -> Judged:
    """Judge every degenerate policy, the editor and the oracle on the rows of one population."""
    judged = degenerate_policies(matrix, decisions, static=rule.actions)
    rows, told = matrix.select(judged.rows), decisions.select(judged.rows)
    editor = next(policy for policy in judged.policies if policy.name == "editor")
    rivals = [policy for policy in judged.policies if policy.name not in UNDERSTANDING]
    pairs = [
        [_pair(population, editor, rival, rows, values) for rival in rivals]
        for values in (lambda policy: policy.right, lambda policy: _decided(policy, told))
    ]
    return Judged(
        rows=[
            _policy_row(population, policy, judged, rows, told, bootstrap)
            for policy in judged.policies
        ],
        accuracy=pairs[0],
        scope=pairs[1],
    )


def _decided(policy: Policy, decisions: DecisionTable) -> Floats | None:
    """Return how probably a policy fires just where a row is in scope, shape (n,)."""
    if policy.fire is None or decisions.in_scope is None:
        return None
    return np.where(decisions.in_scope, policy.fire, 1 - policy.fire)


def _pair(
    population: str,
    editor: Policy,
    rival: Policy,
    matrix: OutcomeMatrix,
    values: Callable[[Policy], Floats | None],
) -> Pair:
    labels = {"population": population, "first": editor.name, "second": rival.name}
    one, two = values(editor), values(rival)
    if one is None or two is None:
        silent = editor if one is None else rival
        reason = silent.reason or "the table holds no decision labels"
        return Pair(labels, np.empty(0), np.empty(0), np.empty(0, np.int64), reason)
    kept = ~(np.isnan(one) | np.isnan(two))
    return Pair(labels, one[kept], two[kept], matrix.clusters[kept])


def _policy_row(
    population: str,
    policy: Policy,
    judged: Policies,
    matrix: OutcomeMatrix,
    decisions: DecisionTable,
    bootstrap: Bootstrap,
) -> PolicyRow:
    reasons = Reasons()
    if policy.right is None:
        accuracy = reasons.undefined("accuracy", policy.reason or "")
    else:
        scorable = matrix.scorable.astype(np.float64)
        right = Ratio(np.nan_to_num(policy.right), scorable, "no query has outcome gold")
        accuracy = ratio_estimates({"accuracy": right}, matrix.clusters, bootstrap, reasons)[
            "accuracy"
        ]
    threshold = policy.threshold
    if threshold is None or not np.isfinite(threshold):
        reasons.undefined("threshold", _why_no_threshold(policy))
        threshold = None
    return PolicyRow(
        population=population,
        policy=policy.name,
        fold=judged.fold,
        n=len(matrix),
        n_scorable=int(matrix.scorable.sum()),
        threshold=threshold,
        accuracy=accuracy,
        **_rates(policy, decisions, reasons),
        undefined=reasons.told,
    )


def _why_no_threshold(policy: Policy) -> str:
    if policy.threshold is None:
        return policy.reason or "the policy has no threshold"
    return "every score fires" if policy.threshold < 0 else "no score fires"


def _rates(policy: Policy, decisions: DecisionTable, reasons: Reasons) -> dict[str, Any]:
    """Return the rates of its decisions, expected where it is random."""
    names = ("scope_accuracy", "false_fire", "miss")
    inside = decisions.in_scope
    if policy.fire is None or inside is None:
        for name in names:
            reasons.undefined(name, policy.reason or "the table holds no decision labels")
        return dict.fromkeys(names)
    fire = policy.fire
    wholes = (np.ones(len(fire), bool), ~inside, inside)
    parts = (np.where(inside, fire, 1 - fire), fire, 1 - fire)
    empty = ("no queries", "no query is out of scope", "no query is in scope")
    found: dict[str, Any] = {}
    for name, part, whole, reason in zip(names, parts, wholes, empty, strict=True):
        found[name] = float(part[whole].mean()) if whole.any() else None
        if not whole.any():
            reasons.undefined(name, reason)
    return found
