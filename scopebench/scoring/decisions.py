"""How well an editor decided: false fires, misses, wrong edits, accuracy and AUROC.

Rates come from decisions, not outcomes, because an outcome can be right for the wrong reason
(field survey, section 4.1). An editor fires when its action is not `abstain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import numpy.typing as npt

from scopebench.errors import DataError
from scopebench.records import ACTIONS, RouterRow
from scopebench.scoring.matrix import Flags, Floats, OutcomeMatrix, Row
from scopebench.scoring.stats import auroc

_ABSTAIN: Final = ACTIONS.index("abstain")


@dataclass(frozen=True)
class DecisionTable:
    """What an editor decided on n rows, aligned with the rows of an outcome matrix.

    Attributes:
        actions: Position of the action in `ACTIONS`, shape (n,).
        in_scope: Whether some edit of the effective index governs the query, shape (n,).
        right_edit: Whether the nearest card is one that governs it, shape (n,).
        scores: Scope scores, NaN where there is none, shape (n,).
    """

    actions: npt.NDArray[np.intp]
    in_scope: Flags
    right_edit: Flags
    scores: Floats

    @property
    def fired(self) -> Flags:
        """Whether the editor fired, shape (n,)."""
        return np.asarray(self.actions != _ABSTAIN, dtype=bool)

    def select(self, rows: Flags) -> DecisionTable:
        """Return the rows where the mask, of shape (n,), is true."""
        return DecisionTable(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


def decision_table(rows: Sequence[Row]) -> DecisionTable:
    """Arrange the rows of `matrix.decision_rows`."""
    scores = [np.nan if row["scope_score"] is None else row["scope_score"] for row in rows]
    return DecisionTable(
        actions=np.array([ACTIONS.index(row["action"]) for row in rows], dtype=np.intp),
        in_scope=np.array([bool(row["governing_edit_ids"]) for row in rows], dtype=bool),
        right_edit=np.array(
            [row["edit_id"] in row["governing_edit_ids"] for row in rows], dtype=bool
        ),
        scores=np.array(scores, dtype=np.float64),
    )


def router_row(population: str, matrix: OutcomeMatrix, decisions: DecisionTable) -> RouterRow:
    """Return the router's numbers on the rows of one population.

    `false_fire` is the share of out-of-scope queries fired on; `miss` the share of in-scope queries
    not fired on; `wrong_edit` the share of in-scope queries fired on with a card that does not
    govern them; `accuracy` the share of scorable queries whose chosen action was right; `auroc`
    that of the scope score against the decision label, over all rows.

    Raises:
        DataError: If an editor chose an action that is not legal.
    """
    taken = _taken(matrix, decisions)
    fired, inside = decisions.fired, decisions.in_scope
    undefined: dict[str, str] = {}
    values = {
        name: _share(int((part & base).sum()), int(base.sum()), name, reason, undefined)
        for name, part, base, reason in (
            ("accuracy", taken == 1, matrix.scorable, "no query has outcome gold"),
            ("false_fire", fired, ~inside, "no query is out of scope"),
            ("miss", ~fired, inside, "no query is in scope"),
            ("wrong_edit", fired & ~decisions.right_edit, inside, "no query is in scope"),
        )
    }
    missing = int(np.isnan(decisions.scores).sum())
    if missing:
        undefined["auroc"] = f"{missing} of {len(matrix)} decisions have no scope score"
    elif inside.all() or not inside.any():
        undefined["auroc"] = f"all queries are {'in' if inside.all() else 'out of'} scope"
    return RouterRow(
        population=population,
        n=len(matrix),
        n_scorable=int(matrix.scorable.sum()),
        auroc=None if "auroc" in undefined else auroc(decisions.scores, inside),
        **values,
        undefined=undefined,
    )


def _taken(matrix: OutcomeMatrix, decisions: DecisionTable) -> Floats:
    """Return the outcome of each row's chosen action, NaN where it is not scorable."""
    rows = np.arange(len(matrix))
    illegal = np.flatnonzero(~matrix.legal[rows, decisions.actions])
    if len(illegal):
        at = int(illegal[0])
        raise DataError(
            f"the editor chose {ACTIONS[decisions.actions[at]]!r}, which is not legal there",
            record=f"{matrix.query_ids[at]} {matrix.conditions[at]}",
            field="action",
        )
    return matrix.outcomes[rows, decisions.actions]


def _share(
    part: int, whole: int, name: str, reason: str, undefined: dict[str, str]
) -> float | None:
    if whole == 0:
        undefined[name] = reason
        return None
    return part / whole
