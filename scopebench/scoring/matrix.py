"""The arrays that every number is computed from: outcomes and decisions, row by row.

A row is one query under one condition, a column of the matrix is one action. Whoever reads a table
(`reading`) ends here; everything after is a pure function of these arrays, with
no text and no model. Rows may come in any order: no number depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Strings = npt.NDArray[np.object_]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Columns:
    """Arrays of one length; an attribute that is None was not given."""

    def select(self, rows: Flags | Codes) -> Self:
        """Return the rows of a mask, shape (n,), or at positions."""
        return type(self)(
            **{field.name: _taken(getattr(self, field.name), rows) for field in fields(self)}
        )


@dataclass(frozen=True)
class OutcomeMatrix(_Columns):
    """Outcomes of n rows (query x condition) under A actions.

    Attributes:
        actions: The action set, in the order of the columns.
        query_ids: The row's query, shape (n,).
        datasets: Its data set, shape (n,).
        conditions: Its condition, shape (n,).
        populations: Its population, shape (n,).
        kinds: Its kind, shape (n,).
        folds: `dev` or `test`, shape (n,); None where there are no folds.
        clusters: Its subject component, numbered in the order of names, shape (n,).
        outcomes: Y, shape (n, A): from 0 (wrong) to 1 (right), the mean over draws where there are
            several; NaN where not legal or not scorable.
        legal: L, shape (n, A): whether the action exists for the row.
        scorable: Whether the row has outcome gold, shape (n,).
        known: Whether the unedited model answered with a pre-edit answer, shape (n,); false where
            that cannot be told. None where it can be told of no row.
        hidden: Whether edits were hidden from the index for the row, shape (n,); None where that
            cannot be told.
        refusal: Whether an ordinary refusal would count as right, shape (n,), NaN where not
            scorable; None where there are no texts to match.
        draws: Outcomes by draw, shape (n, A, D), NaN as in `outcomes`; None where D is 1.
    """

    actions: tuple[str, ...]
    query_ids: Strings
    datasets: Strings
    conditions: Strings
    populations: Strings
    kinds: Strings
    folds: Strings | None
    clusters: Codes
    outcomes: Floats
    legal: Flags
    scorable: Flags
    known: Flags | None
    hidden: Flags | None
    refusal: Floats | None
    draws: Floats | None = None

    def __len__(self) -> int:
        return len(self.query_ids)

    @property
    def won(self) -> Floats:
        """Y with 0 in place of NaN, shape (n, A): an action that is not legal wins nothing."""
        return np.nan_to_num(self.outcomes, nan=0.0)


@dataclass(frozen=True)
class DecisionTable(_Columns):
    """What an editor decided on n rows, aligned with the rows of an outcome matrix.

    Every attribute has shape (n,) and is None where the table at hand does not tell it.

    Attributes:
        chosen: Position in `OutcomeMatrix.actions` of the action the editor took.
        fired: Whether the editor fired: took another action than `abstain`.
        in_scope: Whether some edit of the effective index governs the query: the decision label.
        right_edit: Whether the nearest card is one that governs the query.
        scores: Scope scores, NaN where there is none.
        nearest: Scores of the nearest card itself, NaN where there is none. A scope score may be
            made of several gates, and then lies on another scale.
        runner_up: Scores of the second card, on the scale of `nearest`, NaN where there is none.
        subject_match: Whether the question holds the subject of an edit of the index.
        template_match: Whether the question follows the template of an edit of the index.
    """

    chosen: Codes | None = None
    fired: Flags | None = None
    in_scope: Flags | None = None
    right_edit: Flags | None = None
    scores: Floats | None = None
    nearest: Floats | None = None
    runner_up: Floats | None = None
    subject_match: Flags | None = None
    template_match: Flags | None = None

    @property
    def similarity(self) -> Floats | None:
        """Scores of the nearest card; the scope scores where only they are given."""
        return self.scores if self.nearest is None else self.nearest


def _taken(value: Any, rows: Flags | Codes) -> Any:
    return value[rows] if isinstance(value, np.ndarray) else value
