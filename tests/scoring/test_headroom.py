"""Static policy, oracle and unique wins: by hand and as properties."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scopebench.scoring.headroom import headroom, oracle, static_fixed, unique
from scopebench.scoring.matrix import OutcomeMatrix

Flags = npt.NDArray[np.bool_]


def matrix_of(outcomes: npt.NDArray[np.float64], scorable: Flags | None = None) -> OutcomeMatrix:
    """A matrix whose NaN are illegal actions, one cluster a row."""
    n = len(outcomes)
    labels = np.full(n, "x", dtype=object)
    ids = np.array([f"q{i}" for i in range(n)], dtype=object)
    scorable = np.ones(n, bool) if scorable is None else scorable
    nothing = np.zeros(n, bool)
    return OutcomeMatrix(
        query_ids=ids,
        datasets=labels,
        conditions=labels,
        populations=labels,
        clusters=ids,
        outcomes=np.where(scorable[:, None], outcomes, np.nan),
        legal=~np.isnan(outcomes),
        scorable=scorable,
        known=nothing,
        hidden=nothing,
    )


def test_five_rows_by_hand() -> None:
    # recite, reason, abstain
    outcomes = np.array(
        [
            [1, 1, 0],  # static right, tied
            [0, 1, 0],  # only reason
            [np.nan, 1, 0],  # static reasons; only reason
            [np.nan, 0, 1],  # only abstain
            [0, 0, 0],  # all wrong: the oracle is wrong too
        ]
    )
    found = headroom(matrix_of(outcomes))
    assert (found.n, found.n_scorable) == (5, 5)
    assert found.legal == (3, 5, 5)
    assert found.wins == (1, 3, 1)
    assert found.unique_wins == (0, 2, 1)
    assert (found.static_legal, found.static_wins, found.oracle_wins) == (5, 2, 4)
    assert list(found.gains) == [False, True, False, True, False]


def test_rows_that_are_not_scorable_are_counted_and_left_out() -> None:
    outcomes = np.array([[1.0, 0, 0], [0, 0, 1], [np.nan, 1, 0]])
    found = headroom(matrix_of(outcomes, np.array([True, False, True])))
    assert (found.n, found.n_scorable) == (3, 2)
    assert found.legal == (1, 2, 2)
    assert found.unique_wins == (1, 1, 0)
    assert list(found.clusters) == ["q0", "q2"]


def test_the_static_policy_recites_where_legal_else_reasons() -> None:
    legal = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]], bool)
    assert list(static_fixed(legal)) == [0, 1, 0, 1]
    found = headroom(matrix_of(np.array([[1.0, 0, 0], [np.nan, np.nan, 1]])))
    assert (found.static_legal, found.static_wins, found.oracle_wins) == (1, 1, 2)


def test_no_rows() -> None:
    found = headroom(matrix_of(np.empty((0, 3))))
    assert (found.n, found.n_scorable, found.oracle_wins, found.wins) == (0, 0, 0, (0, 0, 0))


matrices = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.just(3)), elements=st.sampled_from([0, 1, np.nan])
).map(lambda y: np.where(np.isnan(y).all(axis=1, keepdims=True), 0.0, y))


@given(matrices)
def test_headroom_is_never_negative_and_the_oracle_beats_every_policy(
    outcomes: npt.NDArray[np.float64],
) -> None:
    found = headroom(matrix_of(outcomes))
    assert found.oracle_wins - found.static_wins == found.gains.sum() >= 0
    assert found.oracle_wins >= max(found.wins)
    for choice in np.random.default_rng(0).integers(0, 3, size=(20, len(outcomes))):
        assert found.oracle_wins >= np.nansum(outcomes[np.arange(len(outcomes)), choice])


@given(matrices)
def test_unique_wins_are_what_the_oracle_loses_without_the_action(
    outcomes: npt.NDArray[np.float64],
) -> None:
    won = outcomes == 1
    alone = unique(won).sum(axis=0)
    for action in range(3):
        without = np.delete(won, action, axis=1)
        assert alone[action] == oracle(won).sum() - oracle(without).sum()


@given(matrices, st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(outcomes: npt.NDArray[np.float64], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(outcomes))
    one, two = headroom(matrix_of(outcomes)), headroom(matrix_of(outcomes[order]))
    for name in ("legal", "wins", "unique_wins", "static_wins", "oracle_wins"):
        assert getattr(one, name) == getattr(two, name)
