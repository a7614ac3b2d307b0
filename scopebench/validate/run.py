"""Validates a run folder: its two tables, its result, and both against a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scopebench.construct.reader import read_benchmark
from scopebench.errors import DataError
from scopebench.records import RunResult
from scopebench.run.folder import RESULT_FILE, read_result
from scopebench.run.provenance import file_digest
from scopebench.scoring.reading.stored_verdicts import CURRENT, is_earlier
from scopebench.scoring.summary import read_run_rows, reports_of
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)
from scopebench.validate.finding import CheckInfo, Finding, Validation
from scopebench.validate.numbers import differences, same_computation
from scopebench.validate.run_rows import (
    RUN_CHECKS,
    Row,
    check_against,
    check_tables,
    split_nulls,
)

CHECKS: Final[dict[str, CheckInfo]] = {
    "missing_file": CheckInfo("error", f"{RESULT_FILE} or a table is not there"),
    "bad_result": CheckInfo("error", f"{RESULT_FILE} is no result of this version"),
    "bad_table": CheckInfo("error", "a table cannot be read"),
    "hash_mismatch": CheckInfo("error", f"a table is not the one of {RESULT_FILE}"),
    "unscorable_tables": CheckInfo("error", "no number can be computed from the tables"),
    "number_mismatch": CheckInfo("error", f"a number of {RESULT_FILE} is not that of the tables"),
    "other_computation": CheckInfo(
        "note", f"the numbers of {RESULT_FILE} are of another matcher, version, seed or resampling"
    ),
    "benchmark_mismatch": CheckInfo("error", "the run was made on another benchmark"),
    **RUN_CHECKS,
}
"""What is looked for in a run folder."""

_FIXED_POLICIES: Final = {
    "never_fires": frozenset({"base"}),
    "always_fires": frozenset({"static", "rag"}),
}
"""By check, the editors that are measured for deciding always alike."""


def validate_run(folder: Path, benchmark: Path | None = None) -> Validation:
    """Validate a run folder.

    Args:
        folder: The folder.
        benchmark: The benchmark that it should have been made on; None: not compared.

    Raises:
        DataError: If the benchmark to compare with cannot be read.
    """
    found: list[Finding] = []
    result = _result(folder, found)
    stored = _matcher(result, found)
    outcomes = _rows(folder, OUTCOMES_FILE, OUTCOMES_SCHEMA, found)
    decisions = _rows(folder, DECISIONS_FILE, DECISIONS_SCHEMA, found)
    if outcomes is not None and decisions is not None:
        found.extend(check_tables(outcomes, decisions, stored=stored))
        if result is not None:
            found.extend(_check_hashes(folder, result))
        if all(finding.check != "null_value" for finding in found):
            found.extend(_check_numbers(folder, result, stored))
    if benchmark is not None:
        found.extend(_check_benchmark(benchmark, result, decisions))
    checks = CHECKS if result is None else {**CHECKS, **_by_design(result.editor.name)}
    return Validation.of(folder, "run", checks, found)


def _by_design(editor: str) -> dict[str, CheckInfo]:
    """Return, as a note, the check that finds what an editor is made to do."""
    return {
        check: CheckInfo("note", f"{CHECKS[check].meaning}, as {editor!r} is made to")
        for check, editors in _FIXED_POLICIES.items()
        if editor in editors
    }


def _result(folder: Path, found: list[Finding]) -> RunResult | None:
    try:
        return read_result(folder)
    except DataError as error:
        check = "bad_result" if (folder / RESULT_FILE).is_file() else "missing_file"
        found.append(Finding(check, RESULT_FILE, None, error.field, error.what))
        return None


def _matcher(result: RunResult | None, found: list[Finding]) -> str:
    """Return the matcher that the verdicts are of; one that is not known here is told."""
    stored = CURRENT if result is None else result.protocol.matcher
    try:
        is_earlier(stored)
    except DataError as error:
        found.append(Finding("bad_result", RESULT_FILE, None, "protocol.matcher", error.what))
        return CURRENT
    return stored


def _rows(folder: Path, name: str, schema: Any, found: list[Finding]) -> list[Row] | None:
    """Return the rows of a table that hold all they must; None where it cannot be read."""
    if not (folder / name).is_file():
        found.append(Finding("missing_file", name, None, None, "no such table"))
        return None
    try:
        rows = read_table(folder / name, schema).to_pylist()
    except DataError as error:
        found.append(Finding("bad_table", name, error.record, error.field, error.what))
        return None
    whole, faults = split_nulls(name, rows)
    found.extend(faults)
    return whole


def _check_hashes(folder: Path, result: RunResult) -> Iterator[Finding]:
    for name in (OUTCOMES_FILE, DECISIONS_FILE):
        if result.tables.get(name) != file_digest(folder / name):
            reason = f"its SHA-256 is not that in {RESULT_FILE}"
            yield Finding("hash_mismatch", name, None, None, reason)


def _check_numbers(folder: Path, result: RunResult | None, stored: str) -> Iterator[Finding]:
    """Compute every number again and yield those that differ."""
    try:
        strict, paper = reports_of(read_run_rows(folder, stored=stored))
    except DataError as error:
        place = DECISIONS_FILE if "decisions" in (error.file or "") else OUTCOMES_FILE
        yield Finding("unscorable_tables", place, error.record, error.field, error.what)
        return
    if result is None:
        return
    if not same_computation(result, strict):
        yield Finding(
            "other_computation",
            RESULT_FILE,
            None,
            "inference",
            "its numbers were computed in another way than today's and are not compared",
        )
        return
    for path, stored, computed in differences(result, strict, paper):
        reason = f"stored as {stored}, the tables give {computed}"
        yield Finding("number_mismatch", RESULT_FILE, None, path, reason)


def _check_benchmark(
    folder: Path, result: RunResult | None, decisions: list[Row] | None
) -> Iterator[Finding]:
    benchmark = read_benchmark(folder)
    if result is not None:
        stored = result.benchmark.files
        for path in sorted({*stored, *benchmark.files}):
            if stored.get(path) != benchmark.files.get(path):
                reason = f"the benchmark's {path} is not the one the run was made on"
                field = f"benchmark.files.{path}"
                yield Finding("benchmark_mismatch", RESULT_FILE, None, field, reason)
    yield from check_against(decisions or [], benchmark)
