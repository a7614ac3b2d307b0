"""Static policies, oracle and headroom of an outcome matrix (paper section 6.2).

Four static policies, each named, none of which looks at a query:

- `static_fixed` is declared before any outcome: the first legal action of a list. The paper's is
  recite where legal, else reason.
- `static_const` is the best single action over all rows; where it is not legal it is wrong.
- `static_cell` is the best action of each cell. Like `static_const` it is chosen on the rows it is
  judged on: hindsight, which makes headroom smaller than it is.
- `static_cv` is the best action of each cell on the clusters of the other folds: the honest
  reference (field survey, section 4.1).

All are functions of sums by fold and cell, so one function gives their values on the data and,
chosen anew, on every resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scopebench.scoring.matrix import Codes, Flags, Floats, OutcomeMatrix
from scopebench.scoring.stats.bootstrap import Bootstrap, cluster_sums

STATIC_ACTIONS: Final = ("recite", "reason")
"""The paper's static policy (section 6.2): recite where legal, else reason."""

CV_FOLDS: Final = 5
"""Folds of `static_cv`: each choice rests on four fifths of the clusters."""

STATICS: Final = ("static_fixed", "static_const", "static_cell", "static_cv")


@dataclass(frozen=True)
class Rule:
    """A static policy declared before any outcome: the first legal of these actions.

    Attributes:
        actions: Names of actions, the preferred first.
    """

    actions: tuple[str, ...] = STATIC_ACTIONS

    @property
    def words(self) -> str:
        """The rule as a sentence."""
        if not self.actions:
            return "none declared"
        first, *others = self.actions
        if not others:
            return f"always {first}"
        return f"{first} where legal, else {', else '.join(others)}"

    def choose(self, matrix: OutcomeMatrix) -> Codes:
        """Return the position of each row's action, shape (n,); -1 where none is legal."""
        columns = [matrix.actions.index(a) for a in self.actions if a in matrix.actions]
        chosen = np.full(len(matrix), -1, np.int64)
        for column in reversed(columns):
            chosen[matrix.legal[:, column]] = column
        return chosen


@dataclass(frozen=True)
class Values:
    """What each policy gets right, on the data (shape ()) or on R resamples (shape (R,)).

    Sums are kept, not shares, so that a difference of 0 is exactly 0.

    Attributes:
        rows: The rows, weighted.
        static_fixed: The declared rule.
        static_const: The best single action.
        static_cell: The best action of each cell.
        static_cv: The best action of each cell on the other folds.
        oracle: The best legal action of each row.
    """

    rows: Floats
    static_fixed: Floats
    static_const: Floats
    static_cell: Floats
    static_cv: Floats
    oracle: Floats

    def share(self, policy: str) -> Floats:
        """Return the share right of the policy of that name, NaN without rows."""
        return self._over_rows(getattr(self, policy))

    def headroom(self, static: str) -> Floats:
        """Return oracle minus the static policy of that name, as a share."""
        return self._over_rows(self.oracle - getattr(self, static))

    def _over_rows(self, total: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            share: Floats = total / self.rows
        return share


@dataclass(frozen=True)
class Headroom:
    """Headroom of a set of rows.

    Attributes:
        n: Rows, scorable or not.
        n_scorable: Rows with outcome gold, over which all else is computed.
        n_clusters: Clusters among the scorable rows.
        legal: For each action, the rows on which it is legal.
        wins: For each action, the sum of its outcomes.
        unique_wins: For each action, the rows on which only it is right; None where outcomes are
            graded and not just right or wrong.
        oracle_without: For each action, the sum of the best outcomes of all the others.
        covered: Rows on which some legal action succeeds, wholly or in part.
        static_legal: Rows on which `static_fixed` has a legal action.
        values: What each policy gets right on the data.
        replicates: The same on the resamples.
        const_action: The position of `static_const`'s action.
        cell_actions: The position of `static_cell`'s action, by cell number.
        one_fold: Whether all clusters are in one fold, which leaves `static_cv` nothing to
            choose on.
    """

    n: int
    n_scorable: int
    n_clusters: int
    legal: tuple[int, ...]
    wins: tuple[float, ...]
    unique_wins: tuple[int, ...] | None
    oracle_without: tuple[float, ...]
    covered: int
    static_legal: int
    values: Values
    replicates: Values
    const_action: int
    cell_actions: dict[int, int]
    one_fold: bool


def headroom(
    matrix: OutcomeMatrix,
    *,
    rule: Rule,
    cells: Codes,
    folds: Codes,
    bootstrap: Bootstrap,
    weights: Floats | None = None,
) -> Headroom:
    """Compute the headroom of a matrix against every static policy.

    Args:
        matrix: The rows.
        rule: The declared static policy.
        cells: The cell of each row, shape (n,).
        folds: The fold of each cluster of the whole table, see `cv_folds`.
        bootstrap: Resamples of the clusters of the whole table.
        weights: The weight of each row, shape (n,); None: all alike. Counts stay unweighted.
    """
    keep = matrix.scorable
    rows, won = matrix.select(keep), matrix.won[keep]
    chosen = rule.choose(rows)
    fixed = _outcome_of(won, chosen)
    codes, positions = np.unique(cells[keep], return_inverse=True)
    sums, numbers = policy_sums(
        won,
        fixed,
        positions,
        max(1, len(codes)),
        rows.clusters,
        None if weights is None else weights[keep],
    )
    mine = folds[numbers]
    legal = _legal_by_cell(rows.legal, positions, max(1, len(codes)))
    shape = (CV_FOLDS, max(1, len(codes)), won.shape[1] + 3)
    observed = np.zeros((CV_FOLDS, sums.shape[1]))
    np.add.at(observed, mine, sums)
    drawn = bootstrap.totals(sums, numbers, mine, CV_FOLDS)
    best = best_actions(observed.reshape(shape), legal)
    return Headroom(
        n=len(matrix),
        n_scorable=len(rows),
        n_clusters=len(numbers),
        legal=tuple(int(count) for count in rows.legal.sum(axis=0)),
        wins=tuple(float(total) for total in won.sum(axis=0)),
        unique_wins=_unique_wins(won),
        oracle_without=tuple(
            float(oracle(np.delete(won, action, axis=1)).sum()) for action in range(won.shape[1])
        ),
        covered=int((oracle(won) > 0).sum()),
        static_legal=int((chosen >= 0).sum()),
        values=policy_values(observed.reshape(shape), legal),
        replicates=policy_values(drawn.reshape(-1, *shape), legal),
        const_action=best[0],
        cell_actions=dict(zip(codes.tolist(), best[1], strict=False)),
        one_fold=len(np.unique(mine)) < 2,
    )


def cv_folds(n_clusters: int, seed: int) -> Codes:
    """Return the fold of each cluster, evenly many clusters to a fold, shape (n_clusters,)."""
    return np.random.default_rng(seed).permutation(n_clusters).astype(np.int64) % CV_FOLDS


def oracle(won: Floats) -> Floats:
    """Return the best outcome of each row, shape (n,); without actions, 0.

    Args:
        won: Outcomes, 0 where an action is not legal, shape (n, A).
    """
    best: Floats = won.max(axis=1, initial=0.0)
    return best


def unique(won: Floats) -> Flags:
    """Return whether each action is the only one of its row that is right, shape (n, A).

    The unique wins of an action equal the oracle's wins minus those of an oracle without it.
    """
    right = won > 0
    return np.asarray(right & (right.sum(axis=1, keepdims=True) == 1), dtype=bool)


def policy_sums(
    won: Floats,
    fixed: Floats,
    cells: Codes,
    n_cells: int,
    clusters: Codes,
    weights: Floats | None = None,
) -> tuple[Floats, Codes]:
    """Return the sums that every policy is a function of, by cluster and cell.

    Args:
        won: Outcomes, 0 where an action is not legal, shape (n, A).
        fixed: The declared policy's outcome, shape (n,).
        cells: The cell of each row, below n_cells, shape (n,).
        n_cells: Number of cells, C.
        clusters: The cluster of each row, shape (n,).
        weights: The weight of each row, shape (n,); None: 1.

    Returns:
        Sums of shape (c, C * (A + 3)), each cell's A outcomes, rows, declared policy and oracle
        together; and the clusters' numbers, shape (c,).
    """
    columns = np.column_stack([won, np.ones(len(won)), fixed, oracle(won)])
    if weights is not None:
        columns = columns * weights[:, None]
    spread = clusters * n_cells + cells
    sums, places = cluster_sums(columns, spread)
    numbers, owners = np.unique(places // n_cells, return_inverse=True)
    by_cell = np.zeros((len(numbers), n_cells, columns.shape[1]))
    by_cell[owners, places % n_cells] = sums
    return by_cell.reshape(len(numbers), n_cells * columns.shape[1]), numbers.astype(np.int64)


def policy_values(totals: Floats, legal: Flags) -> Values:
    """Return what every policy gets right.

    Args:
        totals: Sums by fold and cell, shape (..., K, C, A + 3), see `policy_sums`.
        legal: Whether an action is legal anywhere in a cell, shape (C, A).

    Returns:
        Arrays of the leading shape; `static_cv` is NaN where all rows are in one fold.
    """
    wins, rows = totals[..., :-3], totals[..., -3]
    everywhere = _legal_only(wins.sum(axis=(-3, -2)), _anywhere(legal))
    by_cell = _legal_only(wins.sum(axis=-3), legal)
    return Values(
        rows=rows.sum(axis=(-2, -1)),
        static_fixed=totals[..., -2].sum(axis=(-2, -1)),
        static_const=everywhere.max(axis=-1),
        static_cell=by_cell.max(axis=-1).sum(axis=-1),
        static_cv=_chosen_on_other_folds(wins, rows, legal),
        oracle=totals[..., -1].sum(axis=(-2, -1)),
    )


def best_actions(totals: Floats, legal: Flags) -> tuple[int, list[int]]:
    """Return the action of `static_const` and the actions of `static_cell`, the first if tied."""
    wins = totals[..., :-3]
    everywhere = _legal_only(wins.sum(axis=(-3, -2)), _anywhere(legal))
    by_cell = _legal_only(wins.sum(axis=-3), legal)
    return int(everywhere.argmax()), [int(action) for action in by_cell.argmax(axis=-1)]


def _chosen_on_other_folds(wins: Floats, rows: Floats, legal: Flags) -> Floats:
    """Return the sum right of the action best on the other folds, NaN with one fold only.

    A cell without rows in the other folds takes the action best over all of their cells.
    """
    other_wins = wins.sum(axis=-3, keepdims=True) - wins
    other_rows = rows.sum(axis=-2, keepdims=True) - rows
    by_cell = _legal_only(other_wins, legal).argmax(axis=-1)
    over_all = _legal_only(other_wins.sum(axis=-2, keepdims=True), _anywhere(legal)).argmax(axis=-1)
    action = np.where(other_rows > 0, by_cell, over_all)
    taken = np.take_along_axis(wins, action[..., None], axis=-1)[..., 0]
    taken = np.where((other_rows.sum(axis=-1, keepdims=True) > 0) | (rows == 0), taken, np.nan)
    total: Floats = taken.sum(axis=(-2, -1))
    return total


def _legal_only(wins: Floats, legal: Flags) -> Floats:
    """Put an action that is nowhere legal below all others, where one is legal."""
    kept: Floats = np.where(legal | ~legal.any(axis=-1, keepdims=True), wins, -1.0)
    return kept


def _anywhere(legal: Flags) -> Flags:
    return np.asarray(legal.any(axis=0), dtype=bool)


def _legal_by_cell(legal: Flags, cells: Codes, n_cells: int) -> Flags:
    found = np.zeros((n_cells, legal.shape[1]), bool)
    np.logical_or.at(found, cells, legal)
    return found


def _outcome_of(won: Floats, chosen: Codes) -> Floats:
    """Return the outcome of each row's chosen action, 0 where there is none."""
    taken = won[np.arange(len(won)), chosen]
    return np.where(chosen >= 0, taken, 0.0)


def _unique_wins(won: Floats) -> tuple[int, ...] | None:
    if not np.isin(won, (0.0, 1.0)).all():
        return None
    return tuple(int(count) for count in unique(won).sum(axis=0))
