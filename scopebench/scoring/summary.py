"""Every number of a run, from its two tables and one matcher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from scopebench.records import (
    ACTIONS,
    CONDITIONS,
    POPULATIONS,
    ActionCounts,
    ActionValues,
    Cell,
    Estimate,
    Matcher,
    Population,
    Report,
)
from scopebench.scoring.decisions import decision_table, kind_rows, router_row
from scopebench.scoring.headroom import Headroom, headroom
from scopebench.scoring.matrix import Flags, OutcomeMatrix, decision_rows, outcome_matrix
from scopebench.scoring.stats import N_RESAMPLES, cluster_interval
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)

BOOTSTRAP_SEED: Final = 0

ALL: Final = "all"
"""The data set and condition of a pooled row, and the stratum of all rows."""


@dataclass(frozen=True)
class _Part:
    """A set of rows and the labels of the cell computed from it."""

    rows: Flags
    population: str
    dataset: str = ALL
    condition: str = ALL
    stratum: str = ALL


def read_reports(
    folder: Path, *, seed: int = BOOTSTRAP_SEED, n_resamples: int = N_RESAMPLES
) -> tuple[Report, Report]:
    """Read the two tables of a run folder and return its report under strict and under paper.

    Raises:
        DataError: If a table is missing, damaged or does not fit the other.
    """
    outcomes = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA)
    decisions = read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA)
    strict = summarise(outcomes, decisions, matcher="strict", seed=seed, n_resamples=n_resamples)
    paper = summarise(outcomes, decisions, matcher="paper", seed=seed, n_resamples=n_resamples)
    return strict, paper


def summarise(
    outcomes: pa.Table,
    decisions: pa.Table,
    *,
    matcher: Matcher,
    seed: int = BOOTSTRAP_SEED,
    n_resamples: int = N_RESAMPLES,
) -> Report:
    """Compute the report of a run under one matcher.

    An action's accuracy is over the scorable queries on which it is legal: in a pooled row,
    `accuracy.recite` leaves out the conditions under which reciting is not legal, while
    `static_fixed`, `oracle` and headroom are over all scorable queries.

    Args:
        outcomes: The outcomes table, as in `OUTCOMES_SCHEMA`, in any order.
        decisions: The decisions table, as in `DECISIONS_SCHEMA`, in any order.
        matcher: The matcher; outcomes are matched again from their texts.
        seed: Seeds the bootstrap of every cell alike.
        n_resamples: Bootstrap resamples.

    Returns:
        Cells in the order of data set, condition and population; pooled rows, strata, router rows
        and rows by kind in the order of populations.

    Raises:
        DataError: If the tables do not fit together or their verdicts are not the matcher's.
    """
    rows = decision_rows(decisions)
    matrix = outcome_matrix(outcomes, rows, matcher=matcher)
    table = decision_table(rows)
    populations = {name: matrix.populations == name for name in POPULATIONS}
    populations = {name: mask for name, mask in populations.items() if mask.any()}

    def cells(parts: Iterable[_Part]) -> tuple[Cell, ...]:
        return tuple(_cell(matrix, part, seed, n_resamples) for part in parts)

    return Report(
        cells=cells(_cell_parts(matrix, populations)),
        pooled=cells(_Part(mask, name) for name, mask in populations.items()),
        strata=cells(_stratum_parts(matrix, populations)),
        router=tuple(
            router_row(name, matrix.select(mask), table.select(mask))
            for name, mask in populations.items()
        ),
        kinds=tuple(
            row
            for name, mask in populations.items()
            for row in kind_rows(name, matrix.select(mask), table.select(mask))
        ),
    )


def _cell_parts(matrix: OutcomeMatrix, populations: dict[Population, Flags]) -> Iterator[_Part]:
    """Yield data set x condition x population, where there are rows."""
    for dataset in sorted(set(matrix.datasets)):
        for condition in CONDITIONS:
            cell = (matrix.datasets == dataset) & (matrix.conditions == condition)
            for population, mask in populations.items():
                if (cell & mask).any():
                    yield _Part(cell & mask, population, dataset, condition)


def _stratum_parts(matrix: OutcomeMatrix, populations: dict[Population, Flags]) -> Iterator[_Part]:
    """Yield the known rows of each population, and the two halves of `withheld`."""
    for population, mask in populations.items():
        yield _Part(mask & matrix.known, population, stratum="known")
        if population == "withheld":
            yield _Part(mask & ~matrix.hidden, population, stratum="kept")
            yield _Part(mask & matrix.hidden, population, stratum="hidden")


def _cell(matrix: OutcomeMatrix, part: _Part, seed: int, n_resamples: int) -> Cell:
    counts = headroom(matrix.select(part.rows))
    undefined: dict[str, str] = {}
    accuracy, unique_wins = _by_action(counts, undefined)
    static, best = _policies(counts, undefined)
    return Cell(
        dataset=part.dataset,
        condition=part.condition,
        population=part.population,
        stratum=part.stratum,
        n=counts.n,
        n_scorable=counts.n_scorable,
        n_clusters=len(set(counts.clusters)),
        accuracy=accuracy,
        static_fixed=static,
        oracle=best,
        headroom=_estimate(counts, undefined, seed, n_resamples),
        unique_wins=unique_wins,
        undefined=undefined,
    )


def _by_action(counts: Headroom, undefined: dict[str, str]) -> tuple[ActionValues, ActionCounts]:
    """Return accuracy and unique wins by action, null where the action is nowhere legal."""
    accuracy: dict[str, float | None] = dict.fromkeys(ACTIONS)
    unique_wins: dict[str, int | None] = dict.fromkeys(ACTIONS)
    for action, legal, wins, alone in zip(
        ACTIONS, counts.legal, counts.wins, counts.unique_wins, strict=True
    ):
        if legal:
            accuracy[action], unique_wins[action] = wins / legal, alone
            continue
        reason = _emptiness(counts) or f"{action} is legal for no scorable query"
        undefined[f"accuracy.{action}"] = undefined[f"unique_wins.{action}"] = reason
    return ActionValues(**accuracy), ActionCounts(**unique_wins)


def _policies(counts: Headroom, undefined: dict[str, str]) -> tuple[float | None, float | None]:
    """Return the accuracy of the static policy and of the oracle."""
    n = counts.n_scorable
    if n == 0:
        undefined["static_fixed"] = undefined["oracle"] = _emptiness(counts)
        return None, None
    if counts.static_legal < n:
        undefined["static_fixed"] = (
            f"neither recite nor reason is legal for {n - counts.static_legal} of {n} "
            "scorable queries"
        )
        return None, counts.oracle_wins / n
    return counts.static_wins / n, counts.oracle_wins / n


def _emptiness(counts: Headroom) -> str:
    """Return why nothing can be counted, or nothing if something can."""
    if counts.n == 0:
        return "no queries"
    return "no query has outcome gold" if counts.n_scorable == 0 else ""


def _estimate(counts: Headroom, undefined: dict[str, str], seed: int, n_resamples: int) -> Estimate:
    """Return oracle minus static policy, a count of rows over rows, with its interval."""
    if "static_fixed" in undefined:
        for key in ("value", "low", "high", "method"):
            undefined[f"headroom.{key}"] = undefined["static_fixed"]
        return Estimate(value=None, low=None, high=None, method=None)
    interval = cluster_interval(counts.gains, counts.clusters, seed=seed, n_resamples=n_resamples)
    if interval.reason is not None:
        for key in ("low", "high", "method"):
            undefined[f"headroom.{key}"] = interval.reason
    return Estimate(
        value=(counts.oracle_wins - counts.static_wins) / counts.n_scorable,
        low=interval.low,
        high=interval.high,
        method=interval.method,
    )
