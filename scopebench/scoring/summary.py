"""Every number of a report, from outcomes and decisions as arrays.

Which rows a number is over is said once, in `parts`; each part then gives a headroom cell and a
router row. All share one bootstrap, so numbers of one report are resampled together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from scopebench.errors import DataError
from scopebench.records import (
    Cell,
    Comparison,
    Inference,
    MixRow,
    NoiseRow,
    Report,
    RouterRow,
)
from scopebench.scoring.cells import cell_row
from scopebench.scoring.comparisons import Pair, compare_family
from scopebench.scoring.decisions import Ranked, router_row, taken_outcomes
from scopebench.scoring.families import POLICIES, SCOPE, STATIC_BY_CELL, STATIC_POOLED
from scopebench.scoring.headroom import CV_FOLDS, Rule, cv_folds
from scopebench.scoring.matrix import Codes, DecisionTable, Flags, Floats, OutcomeMatrix, Strings
from scopebench.scoring.mixes import Mix, mix_rows
from scopebench.scoring.noise import noise_row
from scopebench.scoring.parts import (
    ALL,
    Part,
    cell_parts,
    kind_parts,
    known_parts,
    population_parts,
    stratum_parts,
)
from scopebench.scoring.policy_rows import Judged, judge_policies
from scopebench.scoring.reading.plain import read_plain
from scopebench.scoring.reading.run_tables import RunRows, run_rows
from scopebench.scoring.reading.stored_verdicts import CURRENT
from scopebench.scoring.stats.bootstrap import CONFIDENCE, N_RESAMPLES, SEED, Bootstrap
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)

COMPUTATION: Final = 1
"""Raised when a number of a report would come out otherwise for the same tables."""


@dataclass(frozen=True)
class Settings:
    """How a report is computed.

    Attributes:
        rule: The declared static policy.
        mixes: Deployment mixes beside H(pi).
        seed: Seeds the bootstrap and the folds of `static_cv`.
        n_resamples: Bootstrap resamples.
    """

    rule: Rule = field(default_factory=Rule)
    mixes: tuple[Mix, ...] = ()
    seed: int = SEED
    n_resamples: int = N_RESAMPLES


def read_reports(folder: Path, settings: Settings | None = None) -> tuple[Report, Report]:
    """Read the two tables of a run folder and return its report under strict and under paper.

    Their verdicts must be those of today's matcher; see `read_run_rows` for others.

    Raises:
        DataError: If a table is missing, damaged or does not fit the other.
    """
    return reports_of(read_run_rows(folder), settings)


def reports_of(rows: RunRows, settings: Settings | None = None) -> tuple[Report, Report]:
    """Return the report of a run's rows under strict and under paper."""
    strict, paper = (
        summarise(rows.matrices[matcher], rows.decisions, settings)
        for matcher in ("strict", "paper")
    )
    return strict, paper


def read_plain_report(
    path: Path, settings: Settings | None = None, *, rule: Rule | None = None
) -> Report:
    """Read a table of outcomes that another program wrote, and return its report.

    Args:
        path: A CSV or parquet file, see `plain`.
        settings: How to compute it; its rule is not used.
        rule: The declared static policy; None: that of the paper, where its actions are there.

    Raises:
        DataError: If the file cannot be read as outcomes.
    """
    table = read_plain(path, static=None if rule is None else rule.actions)
    settings = replace(settings or Settings(), rule=Rule(table.static or ()))
    return summarise(table.matrix, table.decisions, settings, missing=table.missing)


def read_run_rows(folder: Path, *, stored: str = CURRENT) -> RunRows:
    """Read the two tables of a run folder as arrays.

    Args:
        folder: The run folder.
        stored: The matcher that its `run.json` says the verdicts are of; those of an earlier
            version are judged anew.

    Raises:
        DataError: If a table is missing, damaged or does not fit the other.
    """
    return run_rows(
        read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA),
        read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA),
        stored=stored,
    )


def summarise(
    matrix: OutcomeMatrix,
    decisions: DecisionTable,
    settings: Settings | None = None,
    *,
    missing: Mapping[str, str] | None = None,
) -> Report:
    """Compute the report of outcomes and decisions.

    An action's accuracy is over the scorable rows on which it is legal: in a pooled row,
    `accuracy.recite` leaves out the conditions under which reciting is not legal, while
    `static_fixed`, `oracle` and headroom are over all scorable rows.

    Args:
        matrix: The outcomes.
        decisions: The decisions on the same rows.
        settings: How to compute it; None: the defaults.
        missing: Columns that were not given, and what cannot be computed then.

    Raises:
        DataError: If a mix names a kind that no row is of.

    Returns:
        Cells in the order of data set, condition and population, the known ones after all; pooled
        rows and the rest in the order of populations.
    """
    _check_mixes(matrix, settings or Settings())
    # One thread sums in one order, so a report has the same bytes on any number of cores; and the
    # products are too small to gain by more.
    with threadpool_limits(limits=1, user_api="blas"):
        return _Summary(matrix, decisions, settings or Settings()).report(missing or {})


@dataclass(frozen=True)
class _Summary:
    """The arrays of a report and what all its parts share."""

    matrix: OutcomeMatrix
    decisions: DecisionTable
    settings: Settings

    def report(self, missing: Mapping[str, str]) -> Report:
        """Return every number."""
        pooled, strata = population_parts(self.matrix), stratum_parts(self.matrix)
        cells, kinds = cell_parts(self.matrix), kind_parts(self.matrix)
        judged = [self._judged(part) for part in pooled]
        comparisons = self._comparisons(pooled, cells, judged)
        noise = self._noise([*pooled, *cells])
        cells += known_parts(cells, self.matrix)
        kinds += known_parts(kinds, self.matrix)
        return Report(
            actions=self.matrix.actions,
            static_rule=self.settings.rule.words,
            inference=Inference(
                version=COMPUTATION,
                confidence=CONFIDENCE,
                seed=self.settings.seed,
                resamples=self.settings.n_resamples,
                folds=CV_FOLDS,
            ),
            cells=self._headroom(cells),
            pooled=self._headroom(pooled),
            strata=self._headroom(strata),
            kinds=self._headroom(kinds),
            router=self._router(_distinct([*pooled, *strata, *cells, *kinds])),
            policies=tuple(row for each in judged for row in each.rows),
            mixes=self._mixes(pooled),
            comparisons=comparisons,
            noise=noise,
            missing=dict(missing),
        )

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        return Bootstrap(self._n_clusters, self.settings.seed, self.settings.n_resamples)

    @cached_property
    def _n_clusters(self) -> int:
        return int(self.matrix.clusters.max(initial=-1)) + 1

    @cached_property
    def _folds(self) -> Codes:
        return cv_folds(self._n_clusters, self.settings.seed)

    @cached_property
    def _cell_codes(self) -> Codes:
        """The cell of each row, by data set and condition."""
        datasets = _codes(self.matrix.datasets)
        conditions = _codes(self.matrix.conditions)
        codes: Codes = datasets * (int(conditions.max(initial=0)) + 1) + conditions
        return codes

    @cached_property
    def _cell_names(self) -> dict[int, str]:
        """The name of each cell, by its code."""
        codes, first = np.unique(self._cell_codes, return_index=True)
        return {
            int(code): f"{self.matrix.datasets[at]} {self.matrix.conditions[at]}"
            for code, at in zip(codes, first, strict=True)
        }

    @cached_property
    def _chosen(self) -> Codes:
        """The action of `static_fixed` on each row, -1 where it has none."""
        return self.settings.rule.choose(self.matrix)

    @cached_property
    def _fixed(self) -> Floats:
        """The outcome of `static_fixed` on each row, 0 where it has none."""
        taken = self.matrix.won[np.arange(len(self.matrix)), self._chosen]
        return np.where(self._chosen >= 0, taken, 0.0)

    def _fixed_on(self, rows: Flags) -> Floats | None:
        """Return the outcome of `static_fixed` on some rows, or None where it is undefined."""
        defined = (self._chosen[rows & self.matrix.scorable] >= 0).all()
        return self._fixed[rows] if defined else None

    def _headroom(self, parts: Iterable[Part]) -> tuple[Cell, ...]:
        return tuple(
            cell_row(
                part.labels,
                self.matrix.select(part.rows),
                rule=self.settings.rule,
                cells=self._cell_codes[part.rows],
                cell_names=self._cell_names,
                folds=self._folds,
                bootstrap=self._bootstrap,
            )
            for part in parts
        )

    def _router(self, parts: Iterable[Part]) -> tuple[RouterRow, ...]:
        """Return the editor's numbers, if the table tells anything of an editor."""
        told = (self.decisions.fired, self.decisions.chosen, self.decisions.scores)
        if all(column is None for column in told):
            return ()
        return tuple(
            router_row(
                part.labels,
                self.matrix.select(part.rows),
                self.decisions.select(part.rows),
                fixed=self._fixed_on(part.rows),
                bootstrap=self._bootstrap,
                ranked=self._ranked(part),
            )
            for part in parts
        )

    def _ranked(self, part: Part) -> Ranked | None:
        """Return the rows a kind of one label is told from; None: it is ranked within itself."""
        inside = self.decisions.in_scope
        if part.kind == ALL or inside is None or not part.rows.any():
            return None
        own = inside[part.rows]
        if own.any() and not own.all():
            return None
        others = (self.matrix.populations == part.population) & (inside != own[0])
        rows = part.rows | others
        return Ranked(self.decisions.select(rows), self.matrix.clusters[rows])

    def _judged(self, part: Part) -> Judged:
        return judge_policies(
            part.population,
            self.matrix.select(part.rows),
            self.decisions.select(part.rows),
            rule=self.settings.rule,
            bootstrap=self._bootstrap,
        )

    def _mixes(self, pooled: Sequence[Part]) -> tuple[MixRow, ...]:
        return tuple(
            row
            for part in pooled
            for row in mix_rows(
                part.population,
                self.matrix.select(part.rows),
                self.decisions.select(part.rows),
                fixed=self._fixed_on(part.rows),
                mixes=self.settings.mixes,
                bootstrap=self._bootstrap,
            )
        )

    def _comparisons(
        self, pooled: Sequence[Part], cells: Sequence[Part], judged: Sequence[Judged]
    ) -> tuple[Comparison, ...]:
        """Test the editor against `static_fixed`, and against policies that understand nothing."""
        taken = taken_outcomes(self.matrix, self.decisions)
        families: dict[str, list[Pair]] = {}
        if taken is not None:
            families[STATIC_POOLED] = [self._pair(part, taken) for part in pooled]
            families[STATIC_BY_CELL] = [self._pair(part, taken) for part in cells]
        if taken is not None or self.decisions.fired is not None:
            families[POLICIES] = [pair for each in judged for pair in each.accuracy]
            families[SCOPE] = [pair for each in judged for pair in each.scope]
        return tuple(
            row
            for family, pairs in families.items()
            for row in compare_family(family, pairs, self._bootstrap)
        )

    def _pair(self, part: Part, taken: Floats) -> Pair:
        rows = part.rows & self.matrix.scorable
        return Pair(
            labels=part.cell_labels | {"first": "editor", "second": "static_fixed"},
            first=taken[rows],
            second=self._fixed[rows],
            clusters=self.matrix.clusters[rows],
            skipped=None if self._fixed_on(part.rows) is not None else "static_fixed is undefined",
        )

    def _noise(self, parts: Iterable[Part]) -> tuple[NoiseRow, ...]:
        rows = (
            noise_row(
                part.labels,
                self.matrix.select(part.rows),
                self._chosen[part.rows],
                self._bootstrap,
            )
            for part in parts
        )
        return tuple(row for row in rows if row is not None)


def _check_mixes(matrix: OutcomeMatrix, settings: Settings) -> None:
    """Refuse a mix of a kind that no row is of."""
    kinds = set(matrix.kinds)
    for mix in settings.mixes:
        strange = [] if mix.by_label else sorted(set(mix.shares) - kinds)
        if strange:
            raise DataError(
                f"no row is of kind {strange[0]!r}; kinds: {', '.join(sorted(map(str, kinds)))}",
                record=f"mix {mix.name}",
            )


def _distinct(parts: Iterable[Part]) -> list[Part]:
    """Leave out a part of the same name as one before: a data set and condition called `all`."""
    return list({tuple(part.labels.values()): part for part in reversed(list(parts))}.values())[
        ::-1
    ]


def _codes(labels: Strings) -> Codes:
    """Return the number of each label in the order of labels, shape (n,)."""
    return pd.factorize(labels, sort=True)[0].astype(np.int64)
