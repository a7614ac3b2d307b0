"""Paired tests between editors that were scored on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from scopebench.errors import DataError
from scopebench.records import Comparison
from scopebench.scoring.comparisons import Pair, compare_family
from scopebench.scoring.decisions import rightly_decided, taken_outcomes
from scopebench.scoring.families import EDITORS_BY_CELL, EDITORS_POOLED, EDITORS_SCOPE
from scopebench.scoring.matrix import DecisionTable, Flags, Floats, OutcomeMatrix
from scopebench.scoring.parts import cell_parts, population_parts
from scopebench.scoring.stats.bootstrap import N_RESAMPLES, SEED, Bootstrap

Scored = tuple[OutcomeMatrix, DecisionTable]
_Measure = Callable[[OutcomeMatrix, DecisionTable], tuple[Floats, Flags] | None]


def compare_editors(
    editors: Mapping[str, Scored], *, seed: int = SEED, n_resamples: int = N_RESAMPLES
) -> tuple[Comparison, ...]:
    """Test every pair of editors in three families: accuracy pooled and by cell, scope accuracy.

    Args:
        editors: Outcomes and decisions by the editor's name, all on the same rows.
        seed: Seeds the bootstrap.
        n_resamples: Bootstrap resamples.

    Raises:
        DataError: If two editors were not scored on the same rows.
    """
    _check_rows({name: matrix for name, (matrix, _) in editors.items()})
    found: list[Comparison] = []
    if len(editors) < 2:
        return ()
    matrix = next(iter(editors.values()))[0]
    bootstrap = Bootstrap(int(matrix.clusters.max(initial=-1)) + 1, seed, n_resamples)
    pooled, by_cell = population_parts(matrix), cell_parts(matrix)
    for family, parts, measure in (
        (EDITORS_POOLED, pooled, _accuracy),
        (EDITORS_SCOPE, pooled, _scope_accuracy),
        (EDITORS_BY_CELL, by_cell, _accuracy),
    ):
        pairs = [
            _pair(part.rows, part.cell_labels, first, second, editors, measure)
            for part in parts
            for first, second in combinations(editors, 2)
        ]
        found.extend(compare_family(family, pairs, bootstrap))
    return tuple(found)


def _pair(
    rows: Flags,
    labels: Mapping[str, str],
    first: str,
    second: str,
    editors: Mapping[str, Scored],
    measure: _Measure,
) -> Pair:
    one, two = measure(*editors[first]), measure(*editors[second])
    matrix = editors[first][0]
    nothing = np.empty(0)
    names = {**labels, "first": first, "second": second}
    if one is None or two is None:
        silent = first if one is None else second
        return Pair(
            names, nothing, nothing, np.empty(0, np.int64), f"{silent} does not tell its decisions"
        )
    kept = rows & one[1] & two[1]
    return Pair(names, one[0][kept], two[0][kept], matrix.clusters[kept])


def _accuracy(matrix: OutcomeMatrix, decisions: DecisionTable) -> tuple[Floats, Flags] | None:
    taken = taken_outcomes(matrix, decisions)
    return None if taken is None else (taken, matrix.scorable)


def _scope_accuracy(matrix: OutcomeMatrix, decisions: DecisionTable) -> tuple[Floats, Flags] | None:
    right = rightly_decided(decisions)
    return None if right is None else (right.astype(np.float64), np.ones(len(right), bool))


def _check_rows(matrices: Mapping[str, OutcomeMatrix]) -> None:
    """Refuse editors that were not asked the same, naming the first row that differs."""
    (first, one), *others = matrices.items()
    for second, two in others:
        shared = min(len(one), len(two))
        differing = np.flatnonzero(
            (one.query_ids[:shared] != two.query_ids[:shared])
            | (one.conditions[:shared] != two.conditions[:shared])
            | (one.populations[:shared] != two.populations[:shared])
        )
        if len(one) == len(two) and not len(differing):
            continue
        at = int(differing[0]) if len(differing) else shared
        longer = one if len(one) > at else two
        raise DataError(
            f"{first} and {second} were not scored on the same rows",
            record=f"{longer.query_ids[at]} {longer.conditions[at]}",
            fix="compare runs of one benchmark and one --limit",
        )
