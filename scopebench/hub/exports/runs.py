"""Reads runs for an export: numbers computed anew, and only from what may stand side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scopebench.errors import DataError
from scopebench.hub.exports.options import ExportOptions
from scopebench.records import Cell, Matcher, Report, RouterRow, RunResult
from scopebench.run.folder import read_result, refuse_changed_tables
from scopebench.run.provenance import digest, first_difference
from scopebench.run.rejudged import judged_now
from scopebench.scoring.summary import Settings, read_run_rows, summarise


@dataclass(frozen=True)
class ScoredRun:
    """A run and the numbers of its tables.

    Attributes:
        name: What a table calls it: the editor, with the folder where two would be alike.
        result: What was run; none of its numbers is used.
        matcher: Whose numbers `report` holds.
        report: The numbers, computed from the two tables.
    """

    name: str
    result: RunResult
    matcher: Matcher
    report: Report

    @property
    def limited(self) -> bool:
        """Whether the run left queries out."""
        return self.result.status == "limited" or self.result.benchmark.limit is not None

    @property
    def benchmark_hash(self) -> str:
        """SHA-256 over the SHA-256 of every file of the benchmark, by path."""
        return digest(self.result.benchmark.files)

    @property
    def benchmark_words(self) -> str:
        """The benchmark's name, version and hash."""
        of = self.result.benchmark
        return f"{of.name} {of.version}, sha256 {self.benchmark_hash[:16]}"


@dataclass(frozen=True)
class Pooled:
    """The numbers of one population, over all its cells.

    Attributes:
        cell: The outcomes' numbers.
        router: The editor's.
    """

    cell: Cell
    router: RouterRow


def read_runs(
    paths: Sequence[Path], options: ExportOptions, told: Callable[[str], None]
) -> list[ScoredRun]:
    """Read run folders and compute their numbers from their tables.

    Raises:
        DataError: If a folder is no whole run, a table is not the one its `run.json` was made
            with, or the runs have different protocols or benchmarks.
    """
    results = []
    for path in paths:
        result = read_result(path)
        refuse_changed_tables(path, result)
        results.append(result)
    stored = [result.protocol.matcher for result in results]
    results = [judged_now(result) for result in results]
    _refuse_mixture(paths, results)
    runs = []
    names = _names(paths, results)
    for path, name, result, matcher in zip(paths, names, results, stored, strict=True):
        told(f"computing the numbers of {path}")
        rows = read_run_rows(path, stored=matcher)
        if rows.judged_anew is not None:
            told(f"{path}: {rows.judged_anew.words}")
        report = summarise(rows.matrices[options.matcher], rows.decisions, Settings())
        runs.append(ScoredRun(name, result, options.matcher, report))
    return runs


def read_whole_run(
    paths: Sequence[Path], options: ExportOptions, told: Callable[[str], None]
) -> ScoredRun:
    """Read the one run of an export that is shown as a result of a model.

    Raises:
        DataError: As `read_runs`; and if the run was limited.
    """
    result = read_result(paths[0])
    if result.status == "limited" or result.benchmark.limit is not None:
        raise DataError(
            f"a limited run (at most {result.benchmark.limit} queries a cell) is no result",
            file=paths[0],
            fix="score without --limit, or export it as csv or latex, which mark it",
        )
    return read_runs(paths, options, told)[0]


def pooled(run: ScoredRun, population: str) -> Pooled:
    """Return the numbers of a population.

    Raises:
        DataError: If the run has no such rows.
    """
    cells = {cell.population: cell for cell in run.report.pooled}
    if population not in cells:
        raise DataError(
            f"the run has no rows of population {population!r}",
            record=run.name,
            fix=f"give --population {' or '.join(cells)}",
        )
    router = next(
        row
        for row in run.report.router
        if row.population == population
        and (row.dataset, row.condition, row.kind, row.stratum) == ("all",) * 4
    )
    return Pooled(cells[population], router)


def _refuse_mixture(paths: Sequence[Path], results: Sequence[RunResult]) -> None:
    first = results[0]
    for path, other in zip(paths[1:], results[1:], strict=True):
        ours, theirs = first.protocol.protocol_id, other.protocol.protocol_id
        if ours != theirs:
            raise DataError(
                f"protocol {theirs}, where {paths[0]} has {ours}",
                file=path,
                field="protocol",
                fix="numbers of different protocols cannot stand side by side; export them apart",
            )
        differing = first_difference(first.benchmark.files, other.benchmark.files)
        if differing is not None:
            raise DataError(
                f"made on another benchmark than {paths[0]}: {differing}",
                file=path,
                fix="export runs of one benchmark together",
            )


def _names(paths: Sequence[Path], results: Sequence[RunResult]) -> list[str]:
    editors = [result.editor.name for result in results]
    counts = Counter(editors)
    return [
        f"{editor} ({path.resolve().name})" if counts[editor] > 1 else editor
        for editor, path in zip(editors, paths, strict=True)
    ]
