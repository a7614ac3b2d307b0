"""Exact dot products, the projection, and the relation residual."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench_editors.vectors import (
    GRID,
    compress,
    dots,
    on_grid,
    random_projection,
    residual_similarity,
    unit,
)


def _units(seed: int, rows: int, length: int = 384) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((rows, length)).astype(np.float32))


def test_unit_rows_lie_on_the_grid_and_have_length_one():
    rows = unit([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    assert np.allclose(rows, [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]], atol=GRID)
    assert np.array_equal(rows / GRID, np.rint(rows / GRID))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 70), st.integers(1, 70))
def test_a_dot_product_is_exact_whatever_matrix_it_is_computed_in(seed, queries, cards):
    left, right = _units(seed, queries), _units(seed + 1, cards)
    product = left @ right.T
    for row, column in ((0, 0), (queries - 1, cards - 1)):
        exact = math.fsum(a * b for a, b in zip(left[row], right[column], strict=True))
        assert product[row, column] == exact
        assert (left[row : row + 1] @ right[column : column + 1].T)[0, 0] == exact
        assert (left[row, ::-1] @ right[column, ::-1]) == exact
        assert dots(left[row : row + 1], right[column : column + 1])[0] == exact


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 384))
def test_a_compressed_key_does_not_depend_on_its_batch(seed, rows, dimension):
    raw = np.random.default_rng(seed).standard_normal((rows, 384)).astype(np.float32)
    projection = random_projection(384, dimension, seed % 1000)
    batch = compress(raw, projection)
    for row in (0, rows - 1):
        assert np.array_equal(batch[row], compress(raw[row : row + 1], projection)[0])


def test_the_grid_moves_a_cosine_by_less_than_a_millionth():
    raw = np.random.default_rng(3).standard_normal((200, 384))
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    snapped = unit(raw)
    assert np.abs(snapped @ snapped.T - raw @ raw.T).max() < 1e-6


def test_the_projection_is_the_same_everywhere():
    matrix = random_projection(8, 4, seed=0)
    whole = (matrix / GRID).astype("<i8")
    assert hashlib.sha256(whole.tobytes()).hexdigest()[:16] == "167cf1701c781a78"
    assert not np.array_equal(matrix, random_projection(8, 4, seed=1))


def test_the_projection_keeps_cosines_to_the_distortion_theory_gives():
    rows = _units(7, 400)
    small = compress(rows, random_projection(384, 192, 0))
    error = (small @ small.T - rows @ rows.T)[np.triu_indices(400, 1)]
    # Near-orthogonal pairs: the standard deviation of a projected cosine is 1 / sqrt(192) = 0.072.
    assert 0.06 < error.std() < 0.085
    assert abs(error.mean()) < 0.01


@pytest.mark.parametrize(
    ("query", "key", "subject", "expected"),
    [
        # Alike only in the subject: q' = (0, .8, 0), k' = (0, 0, .8).
        ((0.6, 0.8, 0.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0), 0.0),
        # Alike in all but the subject: q' = (0, .8, 0), k' = (0, .6, 0).
        ((0.6, 0.8, 0.0), (0.8, 0.6, 0.0), (1.0, 0.0, 0.0), 1.0),
        # Opposite once the subject is gone.
        ((0.6, 0.8, 0.0), (0.6, -0.8, 0.0), (1.0, 0.0, 0.0), -1.0),
        # The subject says nothing: the plain cosine.
        ((0.6, 0.8, 0.0), (0.8, 0.6, 0.0), (0.0, 0.0, 1.0), 0.96),
        # The query is nothing but the subject.
        ((1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (1.0, 0.0, 0.0), 0.0),
    ],
)
def test_residual_similarity_by_hand(query, key, subject, expected):
    found = residual_similarity(unit([query]), unit([key]), unit([subject]))
    assert found[0] == pytest.approx(expected, abs=1e-6)


def test_residual_similarity_is_the_cosine_of_the_explicit_residuals():
    query, key, subject = _units(1, 50), _units(2, 50), _units(3, 50)
    query, key = unit(query + subject), unit(key + subject)
    rest = [v - dots(v, subject)[:, None] * subject for v in (query, key)]
    expected = dots(*rest) / np.sqrt(dots(rest[0], rest[0]) * dots(rest[1], rest[1]))
    assert np.allclose(residual_similarity(query, key, subject), expected, atol=1e-6)


def test_on_grid_rounds_to_the_nearest_multiple():
    assert on_grid([1.4 * GRID, 1.6 * GRID, -0.4 * GRID]).tolist() == [GRID, 2 * GRID, 0.0]
