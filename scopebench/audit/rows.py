"""The rows of a benchmark as a person judges them, and a seeded sample of them.

A query stands under several conditions; it is one row to judge where it reads the same under them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scopebench.audit.records import Audited, Stratum
from scopebench.construct.reader import Benchmark
from scopebench.records import Condition, Query

Group = tuple[str, str]
"""Population and kind: rates are given for each, as each claims something else of its rows."""


@dataclass(frozen=True)
class Row:
    """One row to judge.

    Attributes:
        query: The query.
        conditions: The conditions under which it stands exactly so.
    """

    query: Query
    conditions: tuple[Condition, ...]

    @property
    def key(self) -> str:
        """Its name: the query's id and the first of its conditions."""
        return f"{self.query.query_id}@{self.conditions[0]}"

    @property
    def group(self) -> Group:
        """Its population and kind."""
        return self.query.population, self.query.kind


def rows_of(benchmark: Benchmark) -> tuple[Row, ...]:
    """Return the distinct rows of a benchmark, in stored order."""
    found: dict[str, list[tuple[Query, list[Condition]]]] = defaultdict(list)
    for splits in benchmark.datasets.values():
        for (condition, _), queries in splits.queries.items():
            for query in queries:
                for same, conditions in found[query.query_id]:
                    if same == query:
                        conditions.append(condition)
                        break
                else:
                    found[query.query_id].append((query, [condition]))
    return tuple(
        Row(query, tuple(conditions)) for rows in found.values() for query, conditions in rows
    )


def strata_of(rows: Iterable[Row]) -> tuple[Stratum, ...]:
    """Count rows by data set, population and kind, in this order."""
    counts = Counter((row.query.dataset, *row.group) for row in rows)
    return tuple(
        Stratum(dataset=dataset, population=population, kind=kind, rows=count)
        for (dataset, population, kind), count in sorted(counts.items())
    )


def audited(benchmark: Benchmark) -> Audited:
    """Return what binds an audit to a benchmark: the hashes of its files."""
    return Audited(
        name=benchmark.name, version=benchmark.version, files=dict(sorted(benchmark.files.items()))
    )


def digest_of(files: Mapping[str, str]) -> str:
    """Return 12 hex digits that name the content of a benchmark."""
    text = json.dumps(dict(sorted(files.items())), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def draw_sample(rows: Sequence[Row], size: int, seed: int) -> tuple[Row, ...]:
    """Draw rows without replacement, as many of each kind as can be.

    Kinds of a population get equal shares, since a rate is wanted for each; a kind with fewer rows
    gives all of them. Inside a kind data sets get shares in proportion to their rows, so that each
    row drawn of a kind stands for equally many. The order mixes the kinds, so that the rows judged
    before a person stops are a sample of each kind too.

    Args:
        rows: The rows to draw from.
        size: Rows to draw; all are taken where there are fewer.
        seed: Seeds the choice. Rows are ranked by SHA-256 of seed and name, so that the choice is
            the same everywhere.
    """
    groups: dict[Group, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        groups[row.group][row.query.dataset].append(row)
    shares = _fill({g: sum(map(len, sets.values())) for g, sets in sorted(groups.items())}, size)
    drawn = []
    for group, share in shares.items():
        sets = groups[group]
        parts = _proportional({name: len(found) for name, found in sorted(sets.items())}, share)
        for name, part in parts.items():
            drawn.extend(sorted(sets[name], key=lambda row: _rank(seed, "draw", row))[:part])
    return tuple(sorted(drawn, key=lambda row: _rank(seed, "order", row)))


def _rank(seed: int, purpose: str, row: Row) -> bytes:
    return hashlib.sha256(f"{seed}/{purpose}/{row.key}".encode()).digest()


def _fill(sizes: Mapping[Group, int], total: int) -> dict[Group, int]:
    """Share a total equally, nobody getting more than its size; the first get what is left over."""
    shares = dict.fromkeys(sizes, 0)
    left = min(total, sum(sizes.values()))
    while left:
        wanting = [name for name in sizes if shares[name] < sizes[name]]
        each = max(1, left // len(wanting))
        for name in wanting:
            more = min(each, sizes[name] - shares[name], left)
            shares[name] += more
            left -= more
    return shares


def _proportional(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Share a total in proportion to sizes, by largest remainders; ties go to the first."""
    whole = sum(sizes.values())
    shares = {name: size * total // whole for name, size in sizes.items()}
    order = sorted(sizes, key=lambda name: -(sizes[name] * total % whole))
    for name in order[: total - sum(shares.values())]:
        shares[name] += 1
    return shares
