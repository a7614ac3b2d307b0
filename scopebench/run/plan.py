"""The work of a run, decided before anything is executed: which queries, in which units."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.build.reader import Benchmark
from scopebench.errors import DataError
from scopebench.records import CONDITIONS, POPULATIONS, Action, Condition, Population, Query

UNIT_SIZE: Final = 256
"""Queries in a unit: what a killed run can lose at most, and independent of the batch size, so that
a run may be resumed with another one."""


@dataclass(frozen=True)
class Block:
    """The queries of one cell and population.

    Attributes:
        dataset: The data set.
        condition: How edits are presented.
        population: The population.
        queries: The queries, in the benchmark's order.
    """

    dataset: str
    condition: Condition
    population: Population
    queries: tuple[Query, ...]


@dataclass(frozen=True)
class Unit:
    """One action on a slice of a block: the unit of resumption.

    Attributes:
        unit_id: Unique in the run.
        action: The action to execute.
        start: First query's position in the block.
        stop: One past the last query's position.
    """

    unit_id: str
    action: Action
    start: int
    stop: int


def select_blocks(benchmark: Benchmark, *, limit: int | None, seed: int = 0) -> list[Block]:
    """Return the blocks of a run.

    Args:
        benchmark: The benchmark.
        limit: At most so many queries in each cell and population; the same edits are asked about
            in every condition and population, half of them hidden in `withheld` where possible.
        seed: Seeds the choice.

    Raises:
        DataError: If nothing is left to ask.
    """
    blocks = []
    for name, dataset in benchmark.datasets.items():
        asked = [query for queries in dataset.queries.values() for query in queries]
        kept = None if limit is None else _stratified(asked, limit, seed)
        for (condition, population), queries in sorted(dataset.queries.items(), key=_block_order):
            chosen = tuple(
                query for query in queries if kept is None or _fact_of(query.query_id) in kept
            )
            if chosen:
                blocks.append(Block(name, condition, population, chosen))
    if not blocks:
        raise DataError("the benchmark holds no queries", file=benchmark.name)
    return blocks


def split_units(block: Block, actions: Sequence[Action]) -> Iterator[Unit]:
    """Yield the units of a block, action by action."""
    for action in actions:
        for start in range(0, len(block.queries), UNIT_SIZE):
            yield Unit(
                f"{block.dataset}/{block.condition}/{block.population}/{action}/{start}",
                action,
                start,
                min(start + UNIT_SIZE, len(block.queries)),
            )


def _block_order(item: tuple[tuple[Condition, Population], object]) -> tuple[int, int]:
    """Order by population first: where populations have an index each, it is written once."""
    condition, population = item[0]
    return POPULATIONS.index(population), CONDITIONS.index(condition)


def _fact_of(query_id: str) -> str:
    """Return the query's id without its population: what its twins share."""
    return query_id.rpartition("/")[0]


def _stratified(queries: Sequence[Query], limit: int, seed: int) -> frozenset[str]:
    """Choose at most `limit` facts, as many hidden ones as kept ones where both suffice."""
    facts = {_fact_of(query.query_id) for query in queries}
    hidden = {_fact_of(query.query_id) for query in queries if query.hidden_edit_ids}

    def ranked(stratum: set[str]) -> list[str]:
        return sorted(
            stratum, key=lambda fact: hashlib.sha256(f"{seed}/{fact}".encode()).hexdigest()
        )

    hidden_ranked, kept_ranked = ranked(hidden), ranked(facts - hidden)
    from_hidden = max(min(limit // 2, len(hidden_ranked)), limit - len(kept_ranked))
    return frozenset(hidden_ranked[:from_hidden] + kept_ranked[: limit - from_hidden])
