"""Policies that need no understanding, the editor and the oracle, on the same rows.

A scope decision is worth something where it beats these (field survey, section 4.1). Two of them
have a threshold: it is fitted to the decision labels of the `dev` rows and applied to the `test`
rows. No outcome of either fold and no label of a `test` row takes part in the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from scopebench.scoring.matrix import Codes, DecisionTable, Flags, Floats, OutcomeMatrix

STATIC: Final = ("recite", "reason")
ABSTAIN: Final = "abstain"
NO_RULE: Final = "no static policy is declared, so there is no action to fire with"


@dataclass(frozen=True)
class Policy:
    """What a policy gains and how often it fires, row by row, over n judged rows.

    Attributes:
        name: `always_fire`, ..., `editor`, `oracle` or `perfect_scope`.
        right: Expected outcome, shape (n,), NaN where not scorable; None where undefined.
        fire: Probability of firing, shape (n,); None where undefined.
        threshold: Fires at or above it; -inf fires on every score, +inf on none. None where the
            policy has none or it cannot be fitted.
        reason: Why `right`, `fire` or both are None.
    """

    name: str
    right: Floats | None
    fire: Floats | None
    threshold: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Policies:
    """Policies and the rows they are judged on.

    Attributes:
        fold: `test` where the rows given hold both folds, else `all`.
        rows: Which of the rows given are judged, shape (rows given,).
        policies: The policies, in the order of a report.
    """

    fold: Literal["all", "test"]
    rows: Flags
    policies: tuple[Policy, ...]


def degenerate_policies(
    matrix: OutcomeMatrix, decisions: DecisionTable, *, static: Sequence[str] = STATIC
) -> Policies:
    """Judge every policy on the `test` rows of one population, or on all rows without folds.

    To fire is to take the first legal action of `static` (paper section 6.2), not to fire is to
    take `abstain`. The policies: `always_fire`, `always_abstain`, `always_refuse`, `random` (at the
    editor's own rate, in expectation), `similarity_threshold`, `margin_threshold` (score minus
    runner-up, +inf without a runner-up), `subject_match`, `template_match`, `editor` (the action
    it chose), `oracle` (the best legal action) and `perfect_scope` (fires just where in scope).
    The oracle is at least as good as all others but `always_refuse`: a refusal is no action.

    Args:
        matrix: Outcomes of one population, both folds.
        decisions: The editor's decisions on the same rows.
        static: The declared static rule: its actions, the first legal one is taken.

    Returns:
        The policies, with arrays over the judged rows. One that cannot be told is there with its
        reason: a column not given, no `dev` rows, an action not legal where it is needed.
    """
    fold, judged, fitted_on = _folds(matrix)
    here, told = _Worth(matrix.select(judged), tuple(static)), decisions.select(judged)
    dev = None if fitted_on is None else decisions.select(fitted_on)
    n = len(here.matrix)
    policies = (
        here.policy("always_fire", np.ones(n)),
        here.policy("always_abstain", np.zeros(n)),
        _always_refuse(here.matrix),
        here.policy("random", _at_rate(told.fired), "whether the editor fired is not given"),
        _fitted(here, "similarity_threshold", _scores, told, dev),
        _fitted(here, "margin_threshold", _margins, told, dev),
        here.policy("subject_match", told.subject_match, "subject matches are not given"),
        here.policy("template_match", told.template_match, "template matches are not given"),
        _editor(here.matrix, told),
        _oracle(here.matrix),
        here.policy("perfect_scope", told.in_scope, "decision labels are not given"),
    )
    return Policies(fold, judged, policies)


def fit_threshold(scores: Floats, in_scope: Flags) -> float:
    """Return the threshold at which the most rows are fired on just where in scope.

    Tried are -inf, a threshold between each two adjacent scores, and +inf; of equally good ones the
    largest is taken, which fires least. Takes O(n log n).

    Args:
        scores: Scores, shape (n,); a row without one (NaN) is never fired on.
        in_scope: Decision labels, shape (n,).
    """
    scored = ~np.isnan(scores)
    levels, level = np.unique(scores[scored], return_inverse=True)
    if not len(levels):
        return np.inf
    inside = np.bincount(level, weights=in_scope[scored], minlength=len(levels))
    outside = np.bincount(level, weights=~in_scope[scored], minlength=len(levels))
    won = np.concatenate([[0.0], np.cumsum(outside - inside)])  # by not firing on the lower levels
    best = len(levels) - int(np.argmax(won[::-1]))
    return float(np.concatenate([[-np.inf], _between(levels[:-1], levels[1:]), [np.inf]])[best])


def fires(scores: Floats, threshold: float) -> Flags:
    """Return where a policy with a threshold fires, shape (n,): never where it is +inf."""
    return np.asarray((scores >= threshold) & (threshold < np.inf), dtype=bool)


@dataclass(frozen=True)
class _Worth:
    """What firing or not is worth on the judged rows, under a static rule."""

    matrix: OutcomeMatrix
    static: tuple[str, ...]

    def policy(
        self,
        name: str,
        fire: Floats | Flags | None,
        missing: str | None = None,
        threshold: float | None = None,
    ) -> Policy:
        """Judge a policy by its probability of firing; None is undefined, as `missing` says."""
        if fire is None:
            return Policy(name, None, None, threshold, missing)
        fire = np.asarray(fire, dtype=np.float64)
        right, reason = self._right(fire)
        return Policy(name, right, fire, threshold, reason)

    def _right(self, fire: Floats) -> tuple[Floats | None, str | None]:
        parts = (
            (fire, [name for name in self.static if name in self.matrix.actions], self.static),
            (1 - fire, [name for name in (ABSTAIN,) if name in self.matrix.actions], (ABSTAIN,)),
        )
        right = np.zeros(len(fire))
        for share, actions, asked in parts:
            if share.any() and not actions:
                named = " or ".join(f"`{name}`" for name in asked)
                return None, f"the action set has no {named}" if asked else NO_RULE
            if actions:
                right += np.where(share > 0, share * self._first_legal(actions), 0.0)
        return _if_legal(self.matrix, right)

    def _first_legal(self, actions: Sequence[str]) -> Floats:
        """Return the outcome of the first legal action, NaN where none is, shape (n,)."""
        columns = np.array([self.matrix.actions.index(name) for name in actions])
        first = columns[np.argmax(self.matrix.legal[:, columns], axis=1)]
        return _outcomes(self.matrix, first)


def _folds(matrix: OutcomeMatrix) -> tuple[Literal["all", "test"], Flags, Flags | None]:
    """Return which rows are judged, as a word and a mask, and the mask of the rows to fit on."""
    if matrix.folds is not None:
        dev, test = (np.asarray(matrix.folds == name, dtype=bool) for name in ("dev", "test"))
        if dev.any() and test.any():
            return "test", test, dev
    return "all", np.ones(len(matrix), dtype=bool), None


def _outcomes(matrix: OutcomeMatrix, actions: Codes) -> Floats:
    return np.asarray(matrix.outcomes[np.arange(len(matrix)), actions], dtype=np.float64)


def _if_legal(matrix: OutcomeMatrix, right: Floats) -> tuple[Floats | None, str | None]:
    illegal = int((np.isnan(right) & matrix.scorable).sum())
    if illegal:
        return None, f"the action it takes is not legal on {illegal} scorable row(s)"
    return right, None


def _always_refuse(matrix: OutcomeMatrix) -> Policy:
    reason = "no texts to match a refusal with" if matrix.refusal is None else None
    return Policy("always_refuse", matrix.refusal, np.zeros(len(matrix)), reason=reason)


def _at_rate(fired: Flags | None) -> Floats | None:
    return None if fired is None else np.full(len(fired), fired.mean() if len(fired) else 0.0)


def _editor(matrix: OutcomeMatrix, told: DecisionTable) -> Policy:
    right, fire, reasons = None, None, []
    if told.chosen is None:
        reasons.append("the action it chose is not given")
    else:
        right, illegal = _if_legal(matrix, _outcomes(matrix, told.chosen))
        reasons += [illegal] if illegal else []
    if told.fired is None:
        reasons.append("whether it fired is not given")
    else:
        fire = told.fired.astype(np.float64)
    return Policy("editor", right, fire, reason="; ".join(reasons) or None)


def _oracle(matrix: OutcomeMatrix) -> Policy:
    best = np.where(matrix.scorable, matrix.won.max(axis=1), np.nan)
    return Policy("oracle", best, None, reason="it chooses by outcome and decides no scope")


def _scores(told: DecisionTable) -> Floats | None:
    return told.similarity


def _margins(told: DecisionTable) -> Floats | None:
    """Return score minus runner-up: +inf without a runner-up, NaN without a score."""
    nearest = told.similarity
    if nearest is None or told.runner_up is None:
        return None
    alone = np.where(np.isnan(nearest), np.nan, np.inf)
    return np.where(np.isnan(told.runner_up), alone, nearest - told.runner_up)


def _fitted(
    here: _Worth,
    name: str,
    column: Callable[[DecisionTable], Floats | None],
    told: DecisionTable,
    dev: DecisionTable | None,
) -> Policy:
    if dev is None:
        return here.policy(
            name, None, "there are no `dev` rows beside the `test` rows to fit it on"
        )
    fit_on, scores = column(dev), column(told)
    if fit_on is None or scores is None:
        return here.policy(name, None, "the scores it needs are not given")
    if dev.in_scope is None:
        return here.policy(name, None, "there are no decision labels to fit it to")
    threshold = fit_threshold(fit_on, dev.in_scope)
    return here.policy(name, fires(scores, threshold), threshold=threshold)


def _between(low: Floats, high: Floats) -> Floats:
    """Return thresholds above `low` and at most `high`: the midpoint where floats allow it.

    An infinite score has no midpoint; the threshold is then the float next to the finite one.
    """
    near = np.nextafter(low, high)
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    finite = np.isfinite(middle) & (middle > low)
    return np.where(finite, middle, near)
