"""Read runs and tables of outcomes for one page, and refuse what cannot stand side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from scopebench.errors import DataError
from scopebench.records import Comparison, RunResult
from scopebench.report.page.content import RiskCurve, RunView, thinned
from scopebench.report.page.views import view_of_tables
from scopebench.run.folder import RESULT_FILE, read_result, refuse_changed_tables
from scopebench.run.provenance import first_difference
from scopebench.run.rejudged import judged_now
from scopebench.scoring.across import Scored, compare_editors
from scopebench.scoring.headroom import Rule
from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix
from scopebench.scoring.reading.plain import read_plain
from scopebench.scoring.reading.run_tables import run_rows
from scopebench.scoring.reading.stored_verdicts import JudgedAnew
from scopebench.scoring.stats.ranking import risk_coverage
from scopebench.scoring.summary import Settings, summarise
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)

APART: Final = "numbers of different protocols cannot stand side by side; report them apart"


@dataclass(frozen=True)
class Gathered:
    """What a page is made from.

    Attributes:
        views: One view for each path, in the order given.
        comparisons: Paired tests between them; none for one.
    """

    views: tuple[RunView, ...]
    comparisons: tuple[Comparison, ...]


def gather(
    paths: Sequence[Path],
    settings: Settings,
    *,
    rule: Rule | None = None,
    told: Callable[[str], None] = lambda text: None,
) -> Gathered:
    """Read run folders, or tables of outcomes, and compute everything a page shows.

    Args:
        paths: Run folders, or CSV or parquet files; not both.
        settings: How numbers are computed; its rule is not used.
        rule: The declared static policy; None: the paper's.
        told: Called with what is being done.

    Raises:
        DataError: If a path cannot be read, a table is not the one its `run.json` was made with, or
            the runs have different protocols, benchmarks or rows.
    """
    _refuse_repeated(paths)
    results = [read_run_result(path) for path in paths]
    stored = [None if result is None else result.protocol.matcher for result in results]
    results = [None if result is None else judged_now(result) for result in results]
    _check_comparable(paths, results)
    names = _names(paths, results)
    views: list[RunView] = []
    scored: dict[str, Scored] = {}
    for path, result, name, matcher in zip(paths, results, names, stored, strict=True):
        told(f"reading {path}")
        if result is None or matcher is None:
            view, rows = _read_outcomes(path, name, settings, rule)
        else:
            view, rows, anew = _read_run(path, name, result, matcher, settings, rule)
            if anew is not None:
                told(f"{path}: {anew.words}")
        views.append(view)
        scored[name] = rows
    told("comparing")
    comparisons = compare_editors(scored, seed=settings.seed, n_resamples=settings.n_resamples)
    return Gathered(tuple(views), comparisons)


def _refuse_repeated(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise DataError("given twice", file=path, fix="give each run once")
        seen.add(path.resolve())


def read_run_result(path: Path) -> RunResult | None:
    """Return a run folder's result, checked against its tables; None for a file of outcomes.

    Raises:
        DataError: If the folder has no whole result, or a table was changed since.
    """
    if path.is_file() and path.name != RESULT_FILE:
        return None
    result = read_result(path)
    refuse_changed_tables(path, result)
    return result


def _check_comparable(paths: Sequence[Path], results: Sequence[RunResult | None]) -> None:
    first_path, first = paths[0], results[0]
    for path, other in zip(paths[1:], results[1:], strict=True):
        if (first is None) != (other is None):
            raise DataError(
                f"a run and a table of outcomes: {first_path} and {path} share no protocol id",
                file=path,
                fix=APART,
            )
        if first is None or other is None:
            continue
        ours, theirs = first.protocol, other.protocol
        if ours.protocol_id != theirs.protocol_id:
            field = next(
                name
                for name in (
                    "matcher",
                    "prompts",
                    "decoding",
                    "actions",
                    "static_rule",
                    "protocol_id",
                )
                if getattr(ours, name) != getattr(theirs, name)
            )
            raise DataError(
                f"protocol {theirs.protocol_id}, where {first_path} has {ours.protocol_id}: "
                f"{field} is {getattr(theirs, field)!r}, not {getattr(ours, field)!r}",
                file=path,
                fix=APART,
            )
        differing = first_difference(first.benchmark.files, other.benchmark.files)
        if differing is not None:
            raise DataError(
                f"made on another benchmark than {first_path}: {differing}",
                file=path,
                fix="compare runs of one benchmark",
            )


def _names(paths: Sequence[Path], results: Sequence[RunResult | None]) -> list[str]:
    """Return a name for each: the editor's, with the folder's where two would be alike."""
    names = [
        path.name if result is None else result.editor.name
        for path, result in zip(paths, results, strict=True)
    ]
    for folders in ([path.resolve().name for path in paths], [str(path) for path in paths]):
        counts = Counter(names)
        names = [
            f"{name} ({folder})" if counts[name] > 1 else name
            for name, folder in zip(names, folders, strict=True)
        ]
    return names


def _read_outcomes(
    path: Path, name: str, settings: Settings, rule: Rule | None
) -> tuple[RunView, Scored]:
    table = read_plain(path, static=None if rule is None else rule.actions)
    declared = replace(settings, rule=Rule(table.static or ()))
    report = summarise(table.matrix, table.decisions, declared, missing=table.missing)
    view = RunView(name=name, folder=path, result=None, report=report)
    return _with_rows(view, table.matrix, table.decisions), (table.matrix, table.decisions)


def _read_run(
    path: Path, name: str, result: RunResult, stored: str, settings: Settings, rule: Rule | None
) -> tuple[RunView, Scored, JudgedAnew | None]:
    settings = settings if rule is None else replace(settings, rule=rule)
    outcomes = read_table(path / OUTCOMES_FILE, OUTCOMES_SCHEMA)
    decisions = read_table(path / DECISIONS_FILE, DECISIONS_SCHEMA)
    rows = run_rows(outcomes, decisions, stored=stored)
    strict, paper = rows.matrices["strict"], rows.matrices["paper"]
    view = view_of_tables(
        name,
        path,
        decisions,
        outcomes,
        report=summarise(strict, rows.decisions, settings),
        paper=summarise(paper, rows.decisions, settings),
        result=result,
        risk_curves=_risk_curves(strict, rows.decisions),
    )
    return view, (strict, rows.decisions), rows.judged_anew


def _with_rows(view: RunView, matrix: OutcomeMatrix, decisions: DecisionTable) -> RunView:
    """Add what is drawn row by row, as far as a plain table tells it."""
    if decisions.scores is None or decisions.in_scope is None:
        return view
    return replace(
        view,
        scores=decisions.scores,
        in_scope=decisions.in_scope,
        populations=tuple(matrix.populations),
        kinds=tuple(matrix.kinds),
        risk_curves=_risk_curves(matrix, decisions),
    )


def _risk_curves(matrix: OutcomeMatrix, decisions: DecisionTable) -> Mapping[str, RiskCurve]:
    """Return the risk-coverage curve of each population whose rows all have a score."""
    found: dict[str, RiskCurve] = {}
    scores, inside = decisions.scores, decisions.in_scope
    if scores is None or inside is None:
        return found
    wrong = ~inside if decisions.right_edit is None else ~decisions.right_edit
    for population in dict.fromkeys(matrix.populations):
        rows = matrix.populations == population
        if not np.isnan(scores[rows]).any():
            found[str(population)] = thinned(risk_coverage(scores[rows], wrong[rows]))
    return found
