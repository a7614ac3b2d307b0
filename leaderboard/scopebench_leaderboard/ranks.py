"""Rank bands: what a rank can be, given the intervals, so that a tie is shown as a tie."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]


def rank_bands(low: Floats, high: Floats, *, higher_is_better: bool) -> tuple[Ranks, Ranks]:
    """Return the first and the last rank each entry can have.

    Of n entries, the first is 1 + the number whose interval lies wholly on the better side of
    the entry's own, the last is n - the number whose interval lies wholly on the worse side.
    Intervals that touch overlap; entries whose intervals overlap can change places.

    Args:
        low: Lower ends, shape (n,).
        high: Upper ends, shape (n,), each at least its lower end.
        higher_is_better: The direction of the metric.
    """
    wholly_above = len(low) - np.searchsorted(np.sort(low), high, side="right")
    wholly_below = np.searchsorted(np.sort(high), low, side="left")
    better, worse = (
        (wholly_above, wholly_below) if higher_is_better else (wholly_below, wholly_above)
    )
    return (1 + better).astype(np.int64), (len(low) - worse).astype(np.int64)


def band_text(first: int, last: int) -> str:
    """Return a band as it is shown: `2`, or `1–3`."""
    return str(first) if first == last else f"{first}–{last}"
