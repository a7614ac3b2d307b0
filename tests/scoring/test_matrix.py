"""From tables to the matrix: what is matched, ordered and refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from scopebench.errors import DataError
from scopebench.records import Matcher
from scopebench.scoring.matrix import OutcomeMatrix, decision_rows, outcome_matrix

NAN = np.nan


def matrix_of(tables: tuple[pa.Table, pa.Table], matcher: Matcher = "strict") -> OutcomeMatrix:
    outcomes, decisions = tables
    return outcome_matrix(outcomes, decision_rows(decisions), matcher=matcher)


def changed(table: pa.Table, at: int, **values: Any) -> pa.Table:
    rows = table.to_pylist()
    rows[at] |= values
    return pa.Table.from_pylist(rows, schema=table.schema)


def test_five_rows_by_hand(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    matrix = matrix_of(
        tables(
            [
                row("-1k", query_id="b", condition="unstructured"),
                row("10k", query_id="b"),
                row("0r0", query_id="a", hidden=("e1",), population="withheld"),
                row("11k", query_id="c", answers=None),
                row("1-1", query_id="z", dataset="boats", cluster="pier", before=None),
            ]
        )
    )
    assert list(matrix.query_ids) == ["z", "b", "c", "a", "b"]
    assert list(matrix.conditions) == ["structured"] * 4 + ["unstructured"]
    assert list(matrix.populations) == ["original"] * 3 + ["withheld", "original"]
    assert list(matrix.datasets) == ["boats"] + ["trains"] * 4
    assert list(matrix.clusters) == ["pier", "b", "c", "a", "b"]
    expected = [[1, NAN, 1], [1, 0, 0], [NAN, NAN, NAN], [0, 0, 0], [NAN, 1, 0]]
    np.testing.assert_array_equal(matrix.outcomes, expected)
    legal = [[1, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1]]
    np.testing.assert_array_equal(matrix.legal, np.array(legal, bool))
    assert list(matrix.scorable) == [True, True, False, True, True]
    assert list(matrix.known) == [False, True, True, False, True]
    assert list(matrix.hidden) == [False, False, False, True, False]
    assert len(matrix) == 5


def test_the_order_of_the_tables_does_not_matter(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    rows = [row("10k", query_id=f"q{i}", condition=c) for i in range(3) for c in ("structured",)]
    outcomes, decisions = tables(rows)
    turned = (outcomes.take(list(range(len(outcomes)))[::-1]), decisions.take([2, 0, 1]))
    for name in ("query_ids", "outcomes", "legal", "clusters"):
        np.testing.assert_array_equal(
            getattr(matrix_of((outcomes, decisions)), name), getattr(matrix_of(turned), name)
        )


def test_outcomes_are_matched_again_under_the_matcher_asked_for(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    outcomes, decisions = tables([row("100", answers=("Lis",))])
    assert matrix_of((outcomes, decisions), "strict").outcomes[0, 0] == 0
    assert matrix_of((outcomes, decisions), "paper").outcomes[0, 0] == 1


@pytest.mark.parametrize(
    ("at", "values", "message"),
    [
        (
            0,
            {"correct": False},
            "q structured recite, field correct: stored as False, but strict/1",
        ),
        (0, {"correct": None}, "q structured recite, field correct: stored as None, but strict/1"),
        (1, {"refused": True}, "q structured reason, field refused: stored as True, but strict/1"),
        (0, {"text": None}, "q structured recite, field legal: a text is expected just where"),
        (0, {"legal": False}, "q structured recite, field legal: a text is expected just where"),
        (0, {"legal": None}, "q structured recite, field legal: a text is expected just where"),
        (2, {"refused": False}, "q structured abstain: verdicts on an action that is not legal"),
        (0, {"action": "guess"}, "field action: 'guess' is not one of recite, reason, abstain"),
        (0, {"action": "reason"}, "q structured reason: an outcome stands twice"),
        (0, {"query_id": "x"}, "x structured recite: an outcome without a decision"),
    ],
)
def test_a_bad_outcome_is_named(
    tables: Callable[..., Any],
    row: Callable[..., Any],
    at: int,
    values: dict[str, Any],
    message: str,
) -> None:
    outcomes, decisions = tables([row("10-")])
    with pytest.raises(DataError, match=r"^[^\n]*$") as raised:
        matrix_of((changed(outcomes, at, **values), decisions))
    assert message in str(raised.value)


def test_a_stored_paper_verdict_is_checked_under_the_paper_matcher(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    outcomes, decisions = tables([row("10-")])
    damaged = changed(outcomes, 1, correct_paper=True)
    assert matrix_of((damaged, decisions), "strict").outcomes[0, 1] == 0
    with pytest.raises(DataError, match="field correct_paper: stored as True, but paper/1 gives"):
        matrix_of((damaged, decisions), "paper")


def test_a_verdict_on_a_decision_only_row_is_refused(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    outcomes, decisions = tables([row("10-", answers=None)])
    with pytest.raises(DataError, match="field correct: stored as True, but strict/1 gives None"):
        matrix_of((changed(outcomes, 0, correct=True), decisions))


def test_missing_outcomes_and_rows_without_an_action_are_named(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    outcomes, decisions = tables([row("10-")])
    with pytest.raises(DataError, match="record q structured: no outcome of 'reason'"):
        matrix_of((outcomes.take([0, 2]), decisions))
    with pytest.raises(DataError, match="record q structured: no action is legal"):
        matrix_of(tables([row("---")]))
    with pytest.raises(DataError, match="record outcomes table, field text: the column is missing"):
        matrix_of((outcomes.drop_columns(["text"]), decisions))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"condition": "spoken"}, "field condition: 'spoken' is not one of structured, unstruct"),
        ({"population": "urban"}, "field population: 'urban' is not one of original, withheld, c"),
        ({"action": "refuse"}, "field action: 'refuse' is not one of recite, reason, abstain"),
        ({"cluster": None}, "q structured, field cluster: null is not allowed"),
        ({"governing_edit_ids": None}, "field governing_edit_ids: null is not allowed"),
        ({"query_id": "p"}, "record p structured: decided twice"),
    ],
)
def test_a_bad_decision_is_named(
    tables: Callable[..., Any], row: Callable[..., Any], values: dict[str, Any], message: str
) -> None:
    _, decisions = tables([row("100", query_id="p"), row("100")])
    with pytest.raises(DataError) as raised:
        decision_rows(changed(decisions, 1, **values))
    assert message in str(raised.value)
