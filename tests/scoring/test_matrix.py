"""Rows of the arrays are taken together, and an outcome that is not there wins nothing."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix

NAN = np.nan
MATRIX = OutcomeMatrix(
    actions=("small", "large"),
    query_ids=np.array(["a", "b", "c"], object),
    datasets=np.array(["x", "x", "y"], object),
    conditions=np.array(["all"] * 3, object),
    populations=np.array(["all"] * 3, object),
    kinds=np.array(["k", "l", "k"], object),
    folds=None,
    clusters=np.array([2, 0, 1]),
    outcomes=np.array([[0.25, NAN], [1.0, 0.0], [NAN, NAN]]),
    legal=np.array([[True, False], [True, True], [True, True]]),
    scorable=np.array([True, True, False]),
    known=np.array([True, False, False]),
    hidden=None,
    refusal=np.array([0.0, 1.0, NAN]),
    draws=np.array([[[0.5, 0.0], [NAN, NAN]], [[1, 1], [0, 0]], [[NAN, NAN], [NAN, NAN]]]),
)


def test_an_action_that_is_not_legal_or_not_scorable_wins_nothing() -> None:
    np.testing.assert_array_equal(MATRIX.won, [[0.25, 0], [1, 0], [0, 0]])
    assert np.isnan(MATRIX.outcomes[0, 1]), "the outcomes themselves are left as they are"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (np.array([True, False, True]), [0, 2]),
        (np.array([2, 0]), [2, 0]),
        (np.array([False, False, False]), []),
    ],
    ids=["mask", "positions", "none"],
)
def test_selecting_takes_the_same_rows_of_every_array(
    rows: np.ndarray, expected: list[int]
) -> None:
    part = MATRIX.select(rows)
    assert len(part) == len(expected)
    assert part.actions == MATRIX.actions
    assert (part.folds, part.hidden) == (None, None)
    for field in fields(OutcomeMatrix):
        whole = getattr(MATRIX, field.name)
        if isinstance(whole, np.ndarray):
            np.testing.assert_array_equal(getattr(part, field.name), whole[expected], field.name)


def test_what_a_table_does_not_tell_is_not_told_of_a_part_of_it() -> None:
    table = DecisionTable(fired=np.array([True, False, False]), scores=np.array([0.5, NAN, 0.25]))
    part = table.select(np.array([False, True, True]))
    np.testing.assert_array_equal(part.fired, [False, False])
    np.testing.assert_array_equal(part.scores, [NAN, 0.25])
    others = {field.name for field in fields(DecisionTable)} - {"fired", "scores"}
    assert {name: getattr(part, name) for name in others} == dict.fromkeys(others)
