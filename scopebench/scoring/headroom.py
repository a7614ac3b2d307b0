"""Static policy, oracle, headroom and unique wins of an outcome matrix (paper section 6.2).

Everything is a count over the scorable rows; shares are taken once, at the end, from the counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from scopebench.records import ACTIONS
from scopebench.scoring.matrix import Flags, OutcomeMatrix, Strings

_RECITE: Final = ACTIONS.index("recite")
_REASON: Final = ACTIONS.index("reason")


@dataclass(frozen=True)
class Headroom:
    """Headroom of a set of rows, in counts.

    Attributes:
        n: Rows, scorable or not.
        n_scorable: Rows with outcome gold, over which all else is counted.
        legal: For each action, the rows on which it is legal.
        wins: For each action, the rows on which it is right.
        unique_wins: For each action, the rows on which only it is right.
        static_legal: The rows on which the static policy has a legal action.
        static_wins: The rows on which that action is right.
        oracle_wins: The rows on which some legal action is right.
        gains: Whether the oracle is right and the static policy wrong, shape (n_scorable,).
        clusters: The cluster of each scorable row, shape (n_scorable,).
    """

    n: int
    n_scorable: int
    legal: tuple[int, ...]
    wins: tuple[int, ...]
    unique_wins: tuple[int, ...]
    static_legal: int
    static_wins: int
    oracle_wins: int
    gains: Flags
    clusters: Strings


def headroom(matrix: OutcomeMatrix) -> Headroom:
    """Count wins of each action, of the static policy and of the oracle."""
    rows = matrix.select(matrix.scorable)
    won = rows.outcomes == 1
    best = oracle(won)
    static_action = static_fixed(rows.legal)
    static = won[np.arange(len(rows)), static_action]
    return Headroom(
        n=len(matrix),
        n_scorable=len(rows),
        legal=_counts(rows.legal),
        wins=_counts(won),
        unique_wins=_counts(unique(won)),
        static_legal=int(rows.legal[np.arange(len(rows)), static_action].sum()),
        static_wins=int(static.sum()),
        oracle_wins=int(best.sum()),
        gains=best & ~static,
        clusters=rows.clusters,
    )


def static_fixed(legal: Flags) -> npt.NDArray[np.intp]:
    """Return the static policy's action of each row: recite where legal, else reason.

    Source: paper section 6.2. Nothing is fitted. Where neither is legal the action returned is
    `reason`, and the caller must treat the policy as undefined.

    Args:
        legal: Legality, shape (n, 3).

    Returns:
        Positions in `ACTIONS`, shape (n,).
    """
    return np.where(legal[:, _RECITE], _RECITE, _REASON).astype(np.intp)


def oracle(won: Flags) -> Flags:
    """Return whether the best legal action of each row is right; all wrong counts as wrong.

    Args:
        won: Whether each action is legal and right, shape (n, 3) or with columns left out.
    """
    return np.asarray(won.any(axis=1), dtype=bool)


def unique(won: Flags) -> Flags:
    """Return whether each action is the only right one of its row, shape (n, 3).

    The unique wins of an action equal the oracle's wins minus those of an oracle without it.
    """
    return np.asarray(won & (won.sum(axis=1, keepdims=True) == 1), dtype=bool)


def _counts(flags: Flags) -> tuple[int, ...]:
    return tuple(int(count) for count in flags.sum(axis=0))
