"""What one table may hold: submissions of one protocol and benchmark, and the parts they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scopebench.errors import DataError
from scopebench.records import CONDITIONS
from scopebench.report.page.words import population_order
from scopebench_leaderboard.board import ALL, Board, Part

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Choice:
    """What the numbers of one table share; numbers of two choices never stand in one table.

    Attributes:
        protocol_id: The protocol.
        benchmark_digest: Hash over the benchmark's files.
        label: As a reader sees it.
        n: Submissions.
    """

    protocol_id: str
    benchmark_digest: str
    label: str = field(default="", compare=False)
    n: int = field(default=0, compare=False)


def choices(board: Board) -> list[Choice]:
    """Return every pair of protocol and benchmark, most submissions first."""
    shown = board.submissions
    by = ["protocol_id", "benchmark_digest"]
    found = []
    for (protocol, digest), rows in shown.groupby(by, observed=True, sort=True):
        first = rows.iloc[0]
        label = (
            f"{first['benchmark']} {first['benchmark_version']} ({str(digest)[:8]}), "
            f"{first['matcher']}, prompts {str(first['prompts']).rpartition('/')[0]}, "
            f"{first['decoding']} (protocol {str(protocol)[:8]})"
        )
        found.append(Choice(str(protocol), str(digest), label, len(rows)))
    return sorted(found, key=lambda choice: -choice.n)


def populations_of(board: Board, choice: Choice) -> list[str]:
    """Return the populations some submission of a choice has, in their own order."""
    wholes = [part for part in board.parts if part == Part(part.population)]
    return population_order({part.population for part in _present(board, choice, wholes)})


def datasets_of(board: Board, choice: Choice) -> list[str]:
    """Return the data sets, `all` first."""
    named = {part.dataset for part in _present(board, choice, _cells(board))}
    return [ALL, *sorted(named - {ALL})]


def conditions_of(board: Board, choice: Choice) -> list[str]:
    """Return the conditions, `all` first, in their own order."""
    named = {part.condition for part in _present(board, choice, _cells(board))}
    return [ALL, *(name for name in CONDITIONS if name in named)]


def models_of(board: Board, choice: Choice) -> list[str]:
    """Return the models, by name."""
    return sorted(set(board.submissions["model"].astype(object)[chosen(board, choice)]))


def kinds_of(board: Board, choice: Choice, population: str = "curated") -> list[str]:
    """Return the kinds of a population, by name."""
    parts = [part for part in board.parts if part == Part(population, kind=part.kind)]
    return sorted({part.kind for part in _present(board, choice, parts)} - {ALL})


def chosen(board: Board, choice: Choice) -> Flags:
    """Return which submissions a choice is of, shape (n,).

    Raises:
        DataError: If there are none.
    """
    shown = board.submissions
    flags = (shown["protocol_id"] == choice.protocol_id) & (
        shown["benchmark_digest"] == choice.benchmark_digest
    )
    if not flags.any():
        raise DataError(
            f"no submission has protocol {choice.protocol_id!r} and benchmark "
            f"{choice.benchmark_digest!r}",
            fix="choose one of those listed",
        )
    return flags.to_numpy(dtype=bool)


def _cells(board: Board) -> list[Part]:
    return [p for p in board.parts if p == Part(p.population, p.dataset, p.condition)]


def _present(board: Board, choice: Choice, parts: Sequence[Part]) -> list[Part]:
    """Return the parts that some submission of a choice has."""
    kept = chosen(board, choice)
    return [part for part in parts if kept[board.part(part, ("n",)).index].any()]
