"""What several sections need: choosing rows of a report, and entries many tables share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from scopebench.records.report import Cell, Comparison, Estimate, PolicyRow, Report, RouterRow, Rows
from scopebench.report.page.model import Value
from scopebench.report.page.numbers import count, number
from scopebench.report.page.words import ALL, UNDERSTANDING, population_order
from scopebench.scoring.families import SCOPE

RowT = TypeVar("RowT", bound=Rows)


def populations(report: Report) -> list[str]:
    """Return the populations a report tells of, in their own order."""
    return population_order({row.population for row in (*report.pooled, *report.router)})


def pooled_cell(report: Report, population: str, stratum: str = ALL) -> Cell | None:
    """Return the cell over all cells of a population, or of a stratum of it."""
    found = only(
        (*report.pooled, *report.strata), population=population, stratum=stratum, dataset=ALL
    )
    return found[0] if found else None


@dataclass(frozen=True)
class Baseline:
    """The static policy a headline is told against.

    Attributes:
        name: Its name.
        words: What it is, after "over".
        value: Share right under it.
        headroom: Oracle minus it.
    """

    name: str
    words: str
    value: float | None
    headroom: Estimate


def baseline(cell: Cell) -> Baseline:
    """Return the declared static policy, or the one chosen on other folds where none is."""
    other = cell.statics.get("static_cv")
    if cell.static_fixed is None and other is not None:
        words = "the best static action of the other folds"
        return Baseline("static_cv", words, other.value, other.headroom)
    return Baseline("static_fixed", "one fixed rule", cell.static_fixed, cell.headroom)


def told_against(report: Report, cell: Cell) -> Baseline:
    """Return what a headline is told against, without the luck of stochastic draws.

    Where actions were drawn several times, the headroom of their means holds that luck, so the gain
    judged on draws left out is told instead.
    """
    for row in report.noise:
        pooled = row.dataset == row.condition == row.kind == row.stratum == ALL
        if pooled and row.population == cell.population:
            words = "one fixed rule, judged on draws left out"
            return Baseline(
                "static_fixed on draws left out", words, cell.static_fixed, row.held_out
            )
    return baseline(cell)


def pooled_router(report: Report, population: str, stratum: str = ALL) -> RouterRow | None:
    """Return how the editor decided on a population, or on a stratum of it."""
    found = only(report.router, population=population, stratum=stratum, dataset=ALL, kind=ALL)
    found = [row for row in found if row.condition == ALL]
    return found[0] if found else None


def judged_policies(report: Report, population: str) -> list[PolicyRow]:
    """Return a population's policies on the rows they are tested on: the test fold, else all."""
    rows = only(report.policies, population=population)
    folds = {row.fold for row in rows}
    return [row for row in rows if row.fold == ("test" if "test" in folds else "all")]


def best_rival(report: Report, population: str) -> PolicyRow | None:
    """Return the policy that decides most rows rightly and understands nothing."""
    rivals = [
        (row.scope_accuracy, row.policy, row)
        for row in judged_policies(report, population)
        if row.policy not in UNDERSTANDING and row.scope_accuracy is not None
    ]
    return max(rivals, key=lambda rival: rival[:2])[2] if rivals else None


def decision_test(report: Report, population: str, policy: str) -> Comparison | None:
    """Return the paired test of the editor's decisions against those of a policy."""
    for row in report.comparisons:
        if (row.family, row.population, row.second) == (SCOPE, population, policy):
            return row
    return None


def only(
    rows: Iterable[RowT],
    *,
    population: str,
    stratum: str = ALL,
    dataset: str | None = None,
    kind: str | None = None,
) -> list[RowT]:
    """Return the rows of one population and stratum, and of one data set or kind if named."""
    return [
        row
        for row in rows
        if (row.population, row.stratum) == (population, stratum)
        and (dataset is None or row.dataset == dataset)
        and (kind is None or row.kind == kind)
    ]


def cell_rows(rows: Iterable[RowT], population: str, stratum: str = ALL) -> list[RowT]:
    """Return the rows of single cells: one data set under one condition, all kinds."""
    found = only(rows, population=population, stratum=stratum, kind=ALL)
    return [row for row in found if (row.dataset, row.condition) != (ALL, ALL)]


def whole(value: int | None, reason: str = "") -> Value:
    """Return a count as an entry of a table."""
    return number(value, count, undefined={"": reason} if reason else None)
