"""Vectors whose dot products are exact, so that a score depends on its two vectors alone.

A matrix product in floating point may differ in its last bits with the shape of the matrices, the
number of threads and the kernel the library picks: a query scored in a batch, or against an index
with one card more, would then score differently from the same query alone. Here every coordinate is
a multiple of `GRID` = 2**-25. The products of two unit vectors' coordinates are then multiples of
2**-50, and no partial sum of them exceeds 1 by more than rounding (Cauchy-Schwarz), so all of them
fit in the 53 bits of a float64 and no order of summation rounds anything. Batch equals single, and
masking equals deleting, bit for bit. The grid moves a score by less than 1e-6.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float64]

GRID: Final = 2.0**-25


def on_grid(values: npt.ArrayLike) -> Vectors:
    """Return the values rounded to multiples of `GRID`, in float64."""
    scaled = np.asarray(values, dtype=np.float64) / GRID
    rounded: Vectors = np.rint(scaled) * GRID
    return rounded


def dots(left: Vectors, right: Vectors) -> Vectors:
    """Return the dot product of each row of one matrix with the same row of the other."""
    products: Vectors = np.einsum("ij,ij->i", left, right)
    return products


def unit(rows: npt.ArrayLike) -> Vectors:
    """Return the rows scaled to unit length, on the grid; a row of zeros stays as it is."""
    rounded = on_grid(rows)
    lengths = np.sqrt(dots(rounded, rounded))
    return on_grid(rounded / np.where(lengths > 0, lengths, 1.0)[:, None])


def random_projection(inputs: int, outputs: int, seed: int) -> Vectors:
    """Return a Gaussian random projection (Johnson and Lindenstrauss, 1984; paper section 3.2).

    The paper prefers it to a learned projection because it never changes, so that stored keys never
    go stale. Entries are drawn from N(0, 1 / inputs): columns then have about unit length, which
    keeps `compress` on the exact side of `GRID`; the scale itself is undone there.

    Args:
        inputs: Length of an embedding.
        outputs: Length of a key.
        seed: Seeds the draw.

    Returns:
        The matrix, shape (inputs, outputs), on the grid.
    """
    generator = np.random.default_rng(seed)
    return on_grid(generator.standard_normal((inputs, outputs)) / np.sqrt(inputs))


def compress(rows: npt.ArrayLike, projection: Vectors) -> Vectors:
    """Return unit-length projections of unit-length rows, on the grid."""
    return unit(unit(rows) @ projection)


def residual_similarity(queries: Vectors, keys: Vectors, subjects: Vectors) -> Vectors:
    """Return the cosine of each query with its key once the subject is removed from both.

    With s the subject's direction, q' = q - (q.s)s and k' = k - (k.s)s; the result is the cosine of
    q' and k' (paper section 3.3, "a relation-residual check asking whether the query concerns the
    stored relation rather than merely the stored subject"). It is worked out from dot products
    alone, which are exact.

    Args:
        queries: One query per row, unit length.
        keys: The card's key in the same row, unit length.
        subjects: The card's subject in the same row, unit length.

    Returns:
        One cosine per row; 0 where a query or a key is nothing but its subject.
    """
    query_subject, key_subject = dots(queries, subjects), dots(keys, subjects)
    length = dots(subjects, subjects)
    length = np.where(length > 0, length, 1.0)
    shared = dots(queries, keys) - query_subject * key_subject / length
    query_rest = dots(queries, queries) - query_subject**2 / length
    key_rest = dots(keys, keys) - key_subject**2 / length
    # What is left of a vector that equals its subject is rounding: two GRID steps per coordinate.
    nothing = (2 * GRID) ** 2 * queries.shape[1] + 2 * GRID
    defined = (query_rest > nothing) & (key_rest > nothing)
    scale = np.sqrt(np.where(defined, query_rest * key_rest, 1.0))
    cosines: Vectors = np.where(defined, shared / scale, 0.0)
    return cosines
