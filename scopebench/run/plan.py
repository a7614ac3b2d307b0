"""The work of a run, decided before anything is executed: which queries, in which units."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.reader import Benchmark, DatasetSplits
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
    """One draw of one action on a slice of a block: the unit of resumption.

    Attributes:
        unit_id: Unique in the run.
        action: The action to execute.
        draw: Which draw of stochastic decoding; 0 under greedy.
        start: First query's position in the block.
        stop: One past the last query's position.
    """

    unit_id: str
    action: Action
    draw: int
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def select_blocks(benchmark: Benchmark, *, limit: int | None, seed: int = 0) -> list[Block]:
    """Return the blocks of a run.

    Args:
        benchmark: The benchmark.
        limit: At most so many queries in each cell and population. In `original` and `withheld`
            the same edits are asked about in every condition, half of them hidden in `withheld`
            where possible; in `curated` the same queries are asked in every condition that has
            them, as many in scope as out of it and every kind in turn, where possible.
        seed: Seeds the choice.

    Raises:
        DataError: If nothing is left to ask, or a query is asked twice under one condition: its
            decisions could not be told apart, which would show only after everything was executed.
    """
    blocks = []
    for name, dataset in benchmark.datasets.items():
        kept = None if limit is None else _kept(dataset, limit, seed)
        for (condition, population), queries in sorted(dataset.queries.items(), key=_block_order):
            chosen = tuple(query for query in queries if kept is None or query.query_id in kept)
            if chosen:
                blocks.append(Block(name, condition, population, chosen))
    if not blocks:
        raise DataError("the benchmark holds no queries", file=benchmark.name)
    asked = Counter(
        (query.query_id, block.condition) for block in blocks for query in block.queries
    )
    (query_id, condition), times = asked.most_common(1)[0]
    if times > 1:
        raise DataError(
            f"{times} {condition} queries have this id",
            file=benchmark.name,
            record=query_id,
            field="query_id",
            fix="build the benchmark again with unique ids",
        )
    return blocks


def split_units(block: Block, actions: Sequence[Action], draws: int = 1) -> Iterator[Unit]:
    """Yield the units of a block, action by action and draw by draw."""
    cell = f"{block.dataset}/{block.condition}/{block.population}"
    for action in actions:
        for draw in range(draws):
            for start in range(0, len(block.queries), UNIT_SIZE):
                yield Unit(
                    f"{cell}/{action}/{draw}/{start}",
                    action,
                    draw,
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


def _kept(dataset: DatasetSplits, limit: int, seed: int) -> frozenset[str]:
    """Choose the queries of a data set that are asked under a limit, by id."""
    direct = [
        query
        for (_, population), queries in dataset.queries.items()
        if population != "curated"
        for query in queries
    ]
    curated = {
        condition: queries
        for (condition, population), queries in dataset.queries.items()
        if population == "curated"
    }
    facts = _stratified(direct, limit, seed)
    asked = {query.query_id for query in direct if _fact_of(query.query_id) in facts}
    return _balanced(curated, limit, seed) | asked


def _stratified(queries: Sequence[Query], limit: int, seed: int) -> frozenset[str]:
    """Choose at most `limit` facts, as many hidden ones as kept ones where both suffice."""
    facts = {_fact_of(query.query_id) for query in queries}
    hidden = {_fact_of(query.query_id) for query in queries if query.hidden_edit_ids}

    hidden_ranked, kept_ranked = _ranked(hidden, seed), _ranked(facts - hidden, seed)
    from_hidden = max(min(limit // 2, len(hidden_ranked)), limit - len(kept_ranked))
    return frozenset(hidden_ranked[:from_hidden] + kept_ranked[: limit - from_hidden])


def _balanced(
    queries: Mapping[Condition, Sequence[Query]], limit: int, seed: int
) -> frozenset[str]:
    """Choose queries so that no condition has more than `limit`, nor too many of one label.

    Kinds take turns in a seeded order. First each label gets half of the room in every condition;
    what a short label leaves free goes to the other one.
    """
    labels: dict[str, dict[Condition, bool]] = {}
    kinds: dict[str, str] = {}
    for condition, asked in queries.items():
        for query in asked:
            labels.setdefault(query.query_id, {})[condition] = query.in_scope
            kinds[query.query_id] = query.kind
    halves = {True: limit - limit // 2, False: limit // 2}
    counts: Counter[tuple[Condition, bool]] = Counter()
    chosen: set[str] = set()

    def fits(query_id: str, *, balanced: bool) -> bool:
        for condition, label in labels[query_id].items():
            if balanced and counts[condition, label] >= halves[label]:
                return False
            if counts[condition, True] + counts[condition, False] >= limit:
                return False
        return True

    turns = _in_turns(labels, kinds, seed)
    for balanced in (True, False):
        for query_id in turns:
            if query_id not in chosen and fits(query_id, balanced=balanced):
                chosen.add(query_id)
                counts.update(labels[query_id].items())
    return frozenset(chosen)


def _in_turns(
    labels: Mapping[str, Mapping[Condition, bool]], kinds: Mapping[str, str], seed: int
) -> list[str]:
    """Return ids ranked in their kind and labels, the first of each before all the second."""
    strata: dict[tuple[str, frozenset[bool]], set[str]] = {}
    for query_id, of_query in labels.items():
        stratum = (kinds[query_id], frozenset(of_query.values()))
        strata.setdefault(stratum, set()).add(query_id)
    places = {
        query_id: place
        for members in strata.values()
        for place, query_id in enumerate(_ranked(members, seed))
    }
    return sorted(_ranked(places, seed), key=places.__getitem__)


def _ranked(ids: Iterable[str], seed: int) -> list[str]:
    """Return ids in an order that depends on the seed and on each id alone."""
    return sorted(ids, key=lambda one: hashlib.sha256(f"{seed}/{one}".encode()).hexdigest())
