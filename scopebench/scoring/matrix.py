"""From the two tables of a run to the outcome matrix every number is computed from.

A row of the matrix is one query under one condition, a column is one action, in the order of
`ACTIONS`. Outcomes are matched again from their texts, so the stored verdicts are only a
cross-check. Rows stand in one fixed order, whatever the order of the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from scopebench.errors import DataError
from scopebench.records import ACTIONS, CONDITIONS, POPULATIONS, Matcher
from scopebench.scoring.match import MATCHER_VERSIONS, Match, match, refuses
from scopebench.scoring.tables import DECISIONS_SCHEMA, OUTCOMES_SCHEMA

Strings = npt.NDArray[np.object_]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]

_ABSTAIN: Final = ACTIONS.index("abstain")
_STORED: Final[dict[Matcher, str]] = {"strict": "correct", "paper": "correct_paper"}


@dataclass(frozen=True)
class OutcomeMatrix:
    """Outcomes of n rows (query x condition) under the actions of `ACTIONS`.

    Attributes:
        query_ids: The row's query, shape (n,).
        datasets: Its data set, shape (n,).
        conditions: Its condition, shape (n,).
        populations: Its population, shape (n,).
        clusters: Its subject component, shape (n,).
        outcomes: Y, shape (n, 3): 1 right, 0 wrong, NaN where not legal or not scorable.
        legal: L, shape (n, 3): whether the action exists for the row.
        scorable: Whether the row has outcome gold, shape (n,).
        known: Whether the unedited model answered with a pre-edit answer, shape (n,); false where
            those are unknown or abstaining is not legal.
        hidden: Whether edits were hidden from the index for the row, shape (n,).
    """

    query_ids: Strings
    datasets: Strings
    conditions: Strings
    populations: Strings
    clusters: Strings
    outcomes: Floats
    legal: Flags
    scorable: Flags
    known: Flags
    hidden: Flags

    def __len__(self) -> int:
        return len(self.query_ids)

    def select(self, rows: Flags) -> OutcomeMatrix:
        """Return the rows where the mask, of shape (n,), is true."""
        return OutcomeMatrix(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


def decision_rows(decisions: pa.Table) -> list[Row]:
    """Return the rows of a decisions table in their fixed order, checked.

    The order is data set, condition, population, query id: the same for every order of the table.

    Raises:
        DataError: If a column is missing, a row repeats a query and condition, or a condition,
            population, action or cluster is not one.
    """
    names = [name for name in DECISIONS_SCHEMA.names if name != "candidates"]
    rows = _select(decisions, names, table="decisions").to_pylist()
    seen: set[tuple[str, str]] = set()
    for row in rows:
        key = (row["query_id"], row["condition"])
        if key in seen:
            raise DataError("decided twice", record=" ".join(key), fix="the tables are damaged")
        seen.add(key)
        _check_word(row, "condition", CONDITIONS)
        _check_word(row, "population", POPULATIONS)
        _check_word(row, "action", ACTIONS)
        for field in ("dataset", "kind", "question", "cluster", "governing_edit_ids"):
            if row[field] is None:
                raise DataError("null is not allowed", record=" ".join(key), field=field)
    return sorted(rows, key=_place)


def outcome_matrix(outcomes: pa.Table, rows: Sequence[Row], *, matcher: Matcher) -> OutcomeMatrix:
    """Match every outcome again and arrange the results.

    Args:
        outcomes: One row per query x condition x action, as in `OUTCOMES_SCHEMA`.
        rows: The rows of `decision_rows`; the matrix has the same, in the same order.
        matcher: The matcher to apply.

    Raises:
        DataError: If an outcome is missing, repeated or belongs to no decision, if it has a text
            and is not legal or the reverse, or if a stored verdict is not the matcher's.
    """
    shape = (len(rows), len(ACTIONS))
    right, legal, known = np.full(shape, np.nan), np.zeros(shape, bool), np.zeros(len(rows), bool)
    seen = np.zeros(shape, bool)
    position = {(row["query_id"], row["condition"]): i for i, row in enumerate(rows)}
    names = [name for name in OUTCOMES_SCHEMA.names if name != "edit_id"]
    for outcome in _select(outcomes, names, table="outcomes").to_pylist():
        at = position.get((outcome["query_id"], outcome["condition"]))
        _check_word(outcome, "action", ACTIONS)
        action = ACTIONS.index(outcome["action"])
        if at is None:
            raise DataError("an outcome without a decision", record=_name(outcome))
        if seen[at, action]:
            raise DataError("an outcome stands twice", record=_name(outcome))
        seen[at, action] = True
        legal[at, action] = _legal(outcome)
        if not legal[at, action]:
            continue
        verdict = _rematch(outcome, rows[at], matcher)
        if verdict is not None:
            right[at, action] = verdict
        if action == _ABSTAIN:
            known[at] = _is_known(outcome["text"], rows[at], matcher)
    _check_complete(rows, seen, legal)
    return OutcomeMatrix(
        **{
            attribute: np.array([row[field] for row in rows], dtype=object)
            for attribute, field in (
                ("query_ids", "query_id"),
                ("datasets", "dataset"),
                ("conditions", "condition"),
                ("populations", "population"),
                ("clusters", "cluster"),
            )
        },
        outcomes=right,
        legal=legal,
        scorable=np.array([row["answers"] is not None for row in rows], dtype=bool),
        known=known,
        hidden=np.array([bool(row["hidden_edit_ids"]) for row in rows], dtype=bool),
    )


def _rematch(outcome: Row, row: Row, matcher: Matcher) -> bool | None:
    """Return whether the outcome is right, null without gold, checked against what is stored."""
    text, answers, question = outcome["text"], row["answers"], row["question"]
    if answers is None:
        found = Match(False, refuses(text, (), question=question))
        expected: dict[str, bool | None] = {_STORED[matcher]: None, "refused": found.refused}
    else:
        found = match(text, answers, question=question, matcher=matcher)
        expected = {_STORED[matcher]: found.correct, "refused": found.refused}
    for field, value in expected.items():
        if outcome[field] is not value:
            raise DataError(
                f"stored as {outcome[field]}, but {MATCHER_VERSIONS[matcher]} gives {value}",
                record=_name(outcome),
                field=field,
                fix="the tables were changed or written under another matcher; score again",
            )
    return None if answers is None else found.correct


def _is_known(text: str, row: Row, matcher: Matcher) -> bool:
    before = row["pre_edit_answers"]
    if before is None:
        return False
    return match(text, before, question=row["question"], matcher=matcher).correct


def _legal(outcome: Row) -> bool:
    """Return whether the outcome's action is legal, checked against its text and verdicts."""
    legal = outcome["legal"]
    if legal is None or legal is (outcome["text"] is None):
        raise DataError(
            "a text is expected just where the action is legal",
            record=_name(outcome),
            field="legal",
        )
    stored = [outcome[field] for field in ("correct", "correct_paper", "refused")]
    if not legal and stored != [None, None, None]:
        raise DataError("verdicts on an action that is not legal", record=_name(outcome))
    return bool(legal)


def _check_complete(rows: Sequence[Row], seen: Flags, legal: Flags) -> None:
    if not seen.all():
        at, action = (int(i) for i in np.argwhere(~seen)[0])
        raise DataError(
            f"no outcome of {ACTIONS[action]!r}",
            record=f"{rows[at]['query_id']} {rows[at]['condition']}",
            fix="the outcomes table must hold every action of every decision, legal or not",
        )
    stuck = np.flatnonzero(~legal.any(axis=1))
    if len(stuck):
        row = rows[int(stuck[0])]
        raise DataError("no action is legal", record=f"{row['query_id']} {row['condition']}")


def _select(given: pa.Table, names: list[str], *, table: str) -> pa.Table:
    for name in names:
        if name not in given.column_names:
            raise DataError("the column is missing", record=f"{table} table", field=name)
    return given.select(names)


def _check_word(row: Row, field: str, words: Sequence[str]) -> None:
    if row[field] not in words:
        raise DataError(
            f"{row[field]!r} is not one of {', '.join(words)}",
            record=f"{row['query_id']} {row['condition']}",
            field=field,
        )


def _place(row: Row) -> tuple[str, int, int, str]:
    return (
        row["dataset"],
        CONDITIONS.index(row["condition"]),
        POPULATIONS.index(row["population"]),
        row["query_id"],
    )


def _name(outcome: Row) -> str:
    return f"{outcome['query_id']} {outcome['condition']} {outcome['action']}"
