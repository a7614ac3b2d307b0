"""The runs that results are rendered from, read from `<folder>/<source>/<name>`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from scopebench.errors import DataError
from scopebench.records import Report, RunResult
from scopebench.report.gather import read_run_result
from scopebench.report.results.plan import SAMPLED, SOURCES, Wanted
from scopebench.run.folder import RESULT_FILE
from scopebench.run.rejudged import judged_now
from scopebench.scoring.summary import Settings, read_run_rows, summarise

Runs = Mapping[str, Mapping[str, RunResult]]
"""Results by source and by the name of their folder."""

AGAIN: Final = "move the old folder away and run `make results` again"


def read_runs(
    folder: Path, wanted: Iterable[Wanted], settings: Settings | None = None
) -> dict[str, dict[str, RunResult]]:
    """Return the wanted runs, their numbers computed anew from their tables.

    Args:
        folder: Holds one folder per source, with one folder per run in it.
        wanted: The runs to read.
        settings: How numbers are computed.

    Returns:
        Results under the strict matcher of today, sources in the order of the plan, runs in the
        order given.

    Raises:
        DataError: If a run is missing, stands half-way, was changed since or is not the one wanted,
            or two runs that stand in one table have different protocols or models.
    """
    found: dict[str, dict[str, RunResult]] = {key: {} for key in SOURCES}
    for one in wanted:
        path = folder / one.source / one.name
        if not (path / RESULT_FILE).is_file():
            raise DataError("the run is not there", file=path, fix="make it with `make results`")
        result = read_run_result(path)
        if result is not None:
            _check_is(path, result, one)
            found[one.source][one.name] = _computed_now(path, result, settings)
    runs = {source: named for source, named in found.items() if named}
    _check_one_protocol(folder, runs)
    return runs


def _check_is(path: Path, result: RunResult, wanted: Wanted) -> None:
    """Refuse a run of another editor, limit or data set than the one wanted."""
    dataset = SOURCES[wanted.source].dataset
    there = {cell.dataset for cell in result.cells}
    for what, ours, theirs in (
        ("editor", wanted.editor, result.editor.name),
        ("limit", wanted.limit, result.benchmark.limit),
        ("data set", dataset, dataset if dataset in {"", *there} else ", ".join(sorted(there))),
    ):
        if ours != theirs:
            raise DataError(f"its {what} is {theirs}, and {ours} is wanted", file=path, fix=AGAIN)


def _computed_now(path: Path, result: RunResult, settings: Settings | None) -> RunResult:
    """Return a result with the numbers that this version computes from the run's tables."""
    rows = read_run_rows(path, stored=result.protocol.matcher)
    report = summarise(rows.matrices["strict"], rows.decisions, settings)
    numbers = {name: getattr(report, name) for name in Report.model_fields}
    return judged_now(result).model_copy(update=numbers)


def _check_one_protocol(folder: Path, runs: Runs) -> None:
    """Refuse greedy runs of several protocols or models, for they stand in one table."""
    greedy = [
        (folder / source / name, result)
        for source, named in runs.items()
        for name, result in named.items()
        if name != SAMPLED
    ]
    for path, result in greedy[1:]:
        first_path, first = greedy[0]
        ours = (first.protocol.protocol_id, first.model.id, first.model.revision)
        theirs = (result.protocol.protocol_id, result.model.id, result.model.revision)
        if ours != theirs:
            raise DataError(
                f"its protocol and model are {' '.join(theirs)}, those of {first_path} are "
                f"{' '.join(ours)}",
                file=path,
                fix=AGAIN,
            )
