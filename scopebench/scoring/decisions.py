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
from scopebench.records import ACTIONS, KindRow, RouterRow
from scopebench.scoring.matrix import Flags, Floats, OutcomeMatrix, Row, Strings
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
        kinds: The query's kind, shape (n,).
    """

    actions: npt.NDArray[np.intp]
    in_scope: Flags
    right_edit: Flags
    scores: Floats
    kinds: Strings

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
        kinds=np.array([row["kind"] for row in rows], dtype=object),
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
    rates, undefined = _rates(matrix, decisions)
    found = _auroc(decisions, undefined)
    return RouterRow(
        population=population,
        n=len(matrix),
        n_scorable=int(matrix.scorable.sum()),
        **rates,
        auroc=found,
        undefined=undefined,
    )


def kind_rows(population: str, matrix: OutcomeMatrix, decisions: DecisionTable) -> list[KindRow]:
    """Return the router's numbers on each kind in the rows of one population, by kind.

    The rates are those of `router_row` over the rows of the kind. `auroc` is that of the scope
    score against the decision label; where all rows of the kind have one label, over these rows and
    the rows of the other label in the whole population.

    Raises:
        DataError: If an editor chose an action that is not legal.
    """
    return [_kind_row(population, kind, matrix, decisions) for kind in sorted(set(decisions.kinds))]


def _kind_row(
    population: str, kind: str, matrix: OutcomeMatrix, decisions: DecisionTable
) -> KindRow:
    mine = np.asarray(decisions.kinds == kind, dtype=bool)
    rows, own = matrix.select(mine), decisions.select(mine)
    rates, undefined = _rates(rows, own)
    mixed = own.in_scope.any() and not own.in_scope.all()
    against = mine if mixed else mine | (decisions.in_scope != own.in_scope[0])
    found = _auroc(decisions.select(against), undefined)
    return KindRow(
        population=population,
        kind=kind,
        n=len(rows),
        in_scope=int(own.in_scope.sum()),
        n_scorable=int(rows.scorable.sum()),
        **rates,
        auroc=found,
        undefined=undefined,
    )


def _rates(
    matrix: OutcomeMatrix, decisions: DecisionTable
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return the four rates by name, and the reason for each null among them."""
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
    return values, undefined


def _auroc(decisions: DecisionTable, undefined: dict[str, str]) -> float | None:
    """Return the AUROC of the scope score over the rows, or null, adding the reason."""
    inside, missing = decisions.in_scope, int(np.isnan(decisions.scores).sum())
    if missing:
        undefined["auroc"] = f"{missing} of {len(inside)} decisions have no scope score"
        return None
    if inside.all() or not inside.any():
        undefined["auroc"] = f"all queries are {'in' if inside.all() else 'out of'} scope"
        return None
    return auroc(decisions.scores, inside)


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
