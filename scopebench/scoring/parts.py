"""Which rows a number is over: cells, populations, kinds and strata, each said once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from scopebench.records import CONDITIONS, POPULATIONS
from scopebench.scoring.matrix import Flags, OutcomeMatrix, Strings

ALL: Final = "all"
"""The data set, condition or kind of a row over all of them, and the stratum of all rows."""


@dataclass(frozen=True)
class Part:
    """A set of rows and its name.

    Attributes:
        rows: Which rows, shape (n,).
        population: Their population.
        dataset: Their data set, or all.
        condition: Their condition, or all.
        kind: Their kind, or all.
        stratum: All of them, or `known`, `kept` or `hidden`.
    """

    rows: Flags
    population: str
    dataset: str = ALL
    condition: str = ALL
    kind: str = ALL
    stratum: str = ALL

    @property
    def cell_labels(self) -> dict[str, str]:
        """The data set, condition and population."""
        return {name: getattr(self, name) for name in ("dataset", "condition", "population")}

    @property
    def labels(self) -> dict[str, str]:
        """The fields of `records.Rows` but the counts."""
        names = ("dataset", "condition", "population", "kind", "stratum")
        return {name: getattr(self, name) for name in names}


def population_parts(matrix: OutcomeMatrix) -> list[Part]:
    """Return the rows of each population."""
    return [
        Part(rows, population)
        for population, rows in groups(matrix.populations, POPULATIONS).items()
    ]


def cell_parts(matrix: OutcomeMatrix) -> list[Part]:
    """Return data set x condition x population, where there are rows."""
    datasets = groups(matrix.datasets, ())
    conditions = groups(matrix.conditions, CONDITIONS)
    populations = population_parts(matrix)
    found = (
        Part(part.rows & in_dataset & in_condition, part.population, dataset, condition)
        for dataset, in_dataset in datasets.items()
        for condition, in_condition in conditions.items()
        for part in populations
    )
    return [part for part in found if part.rows.any()]


def kind_parts(matrix: OutcomeMatrix) -> list[Part]:
    """Return population x kind, where there are rows; none for kinds that are not told."""
    kinds = groups(matrix.kinds, ())
    found = (
        Part(part.rows & of_kind, part.population, kind=kind)
        for part in population_parts(matrix)
        for kind, of_kind in kinds.items()
        if kind != ALL
    )
    return [part for part in found if part.rows.any()]


def stratum_parts(matrix: OutcomeMatrix) -> list[Part]:
    """Return the known rows of each population, and the two halves of `withheld`."""
    found = []
    for part in population_parts(matrix):
        found.extend(known_parts([part], matrix))
        if part.population == "withheld" and matrix.hidden is not None:
            found.append(replace(part, rows=part.rows & ~matrix.hidden, stratum="kept"))
            found.append(replace(part, rows=part.rows & matrix.hidden, stratum="hidden"))
    return found


def known_parts(parts: Sequence[Part], matrix: OutcomeMatrix) -> list[Part]:
    """Return the known rows of each part; none where it cannot be told what is known."""
    if matrix.known is None:
        return []
    return [replace(part, rows=part.rows & matrix.known, stratum="known") for part in parts]


def groups(labels: Strings, order: Sequence[Any]) -> dict[str, Flags]:
    """Return the rows of each label: labels in the order given first, then by name."""
    codes, names = pd.factorize(labels, sort=True)
    places = {name: at for at, name in enumerate(names)}
    ranked = sorted(
        names, key=lambda name: (order.index(name) if name in order else len(order), name)
    )
    return {str(name): codes == places[name] for name in ranked}
