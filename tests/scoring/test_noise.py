"""Decoding noise: by hand, and in simulation with identical actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scopebench.scoring.matrix import OutcomeMatrix
from scopebench.scoring.noise import noise_gains, noise_row
from scopebench.scoring.stats.bootstrap import Bootstrap

LABELS = {"population": "original"}


def matrix_of(draws: npt.NDArray[np.float64]) -> OutcomeMatrix:
    """Rows of two actions, reason and abstain; shape (n, 2, D)."""
    n = len(draws)
    labels = np.full(n, "x", dtype=object)
    return OutcomeMatrix(
        actions=("reason", "abstain"),
        query_ids=np.array([str(i) for i in range(n)], dtype=object),
        datasets=labels,
        conditions=labels,
        populations=labels,
        kinds=labels,
        folds=None,
        clusters=np.arange(n),
        outcomes=draws.mean(axis=2),
        legal=np.ones((n, 2), bool),
        scorable=np.ones(n, bool),
        known=None,
        hidden=None,
        refusal=None,
        draws=draws if draws.shape[2] > 1 else None,
    )


def row_of(draws: npt.NDArray[np.float64]) -> object:
    matrix = matrix_of(draws)
    return noise_row(LABELS, matrix, np.zeros(len(matrix), np.int64), Bootstrap(len(matrix)))


def test_three_rows_by_hand() -> None:
    draws = np.array(
        [
            [[1, 0, 0], [0, 0, 0]],  # lucky draw of the static action: mean 1/3, best 1
            [[0, 0, 0], [1, 1, 0]],  # abstaining is better in truth, too
            [[1, 1, 1], [1, 0, 1]],  # nothing to gain
        ],
        float,
    )
    legal = np.ones((3, 2), bool)
    naive, null, corrected, held_out = noise_gains(draws, legal, np.zeros(3, np.int64))
    np.testing.assert_allclose(naive, [2 / 3, 1, 0])
    np.testing.assert_allclose(null, [2 / 3, 0, 0])
    np.testing.assert_allclose(corrected, [0, 1, 0])
    # row 0: static kept each time. Row 1: abstain is chosen on the other two draws each time, and
    # judged on draws that are 1, 1 and 0. Row 2: static is never beaten.
    np.testing.assert_allclose(held_out, [0, 2 / 3, 0])


def test_an_illegal_action_is_never_chosen() -> None:
    draws = np.array([[[0, 0], [0, 0]]], float)
    legal = np.array([[True, False]])
    assert noise_gains(draws, legal, np.zeros(1, np.int64))[3] == 0


def test_one_draw_has_no_noise_row() -> None:
    assert row_of(np.ones((4, 2, 1))) is None


def test_draws_of_one_identical_action_are_no_headroom() -> None:
    """Two actions that are one and the same: naive headroom is large, held out it is none.

    Success probabilities p are Beta(0.2, 0.1): nearly deterministic rows (field survey, 4.3). The
    best of two draws gains E[p(1 - p)] = 0.02 / (0.3 x 1.3) over one of them; the best of three
    E[1 - (1 - p)^3 - p] = E[p(1 - p)] + E[p(1 - p)^2],
    whose second part is 0.02 x 1.1 / (0.3 x 1.3 x 2.3).
    """
    rng = np.random.default_rng(5)
    chance = rng.beta(0.2, 0.1, size=6000)[:, None, None]
    found = row_of((rng.random((6000, 2, 2)) < chance).astype(float))
    assert found.null.value == pytest.approx(0.02 / 0.39, abs=0.006)
    assert found.naive.low > 0.05
    # the best of both actions' draws beats the best of one action's, so subtracting is not enough
    assert found.corrected.low > 0
    assert found.held_out.low < 0 < found.held_out.high
    three = row_of((rng.random((6000, 1, 3)) < chance).astype(float).repeat(2, axis=1))
    assert three.null.value == pytest.approx(0.02 / 0.39 + 0.022 / 0.897, abs=0.008)
    assert three.corrected.value == 0


def test_true_headroom_survives() -> None:
    rng = np.random.default_rng(6)
    chance = np.zeros((400, 2, 1))
    chance[:300, 0], chance[300:, 1] = 0.9, 0.8
    found = row_of((rng.random((400, 2, 3)) < chance).astype(float))
    assert found.held_out.value == pytest.approx(0.25 * 0.8, abs=0.04)
    assert found.held_out.low > 0.1
    assert found.held_out.value <= found.corrected.value + 1e-12


def test_null_without_a_static_policy() -> None:
    matrix = matrix_of(np.ones((3, 2, 2)))
    found = noise_row(LABELS, matrix, np.full(3, -1), Bootstrap(3))
    assert found.naive.value is None
    assert set(found.undefined.values()) == {"static_fixed is undefined"}


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 3), st.integers(2, 4)),
        elements=st.sampled_from([0, 1]),
    )
)
def test_naive_is_null_plus_corrected_and_no_gain_of_noise_is_negative(
    draws: npt.NDArray[np.float64],
) -> None:
    chosen = np.zeros(len(draws), np.int64)
    naive, null, corrected, held_out = noise_gains(draws, np.ones(draws.shape[:2], bool), chosen)
    np.testing.assert_allclose(naive, null + corrected)
    assert (null >= 0).all()
    assert (corrected >= 0).all()
    assert (held_out <= naive + 1e-12).all()
    if draws.shape[1] == 1:
        assert (corrected == 0).all()
        assert (held_out == 0).all()
