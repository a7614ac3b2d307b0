"""A run folder: `run.json`, the two tables, and the journal it was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from scopebench.construct.manifest import FILE as MANIFEST_FILE
from scopebench.construct.reader import benchmark_files
from scopebench.errors import DataError
from scopebench.records import SCHEMA_VERSION, RunResult
from scopebench.run.provenance import file_digest, first_difference
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)

RESULT_FILE: Final = "run.json"
RUN_AGAIN: Final = "run `scopebench score` again with another --out"


def refuse_benchmark_folder(folder: Path) -> None:
    """Refuse to write a run into a built benchmark, or into a folder inside one.

    Raises:
        DataError: If the folder or the one around it holds a manifest.
    """
    for place in (folder, folder.absolute().parent):
        if (place / MANIFEST_FILE).is_file():
            raise DataError(
                "is a built benchmark, or inside one", file=folder, fix="give another --out"
            )


def write_tables(
    folder: Path, outcomes: Sequence[Mapping[str, Any]], decisions: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Write both tables and return their SHA-256 by file name."""
    write_table(list(map(dict, outcomes)), OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)
    write_table(list(map(dict, decisions)), DECISIONS_SCHEMA, folder / DECISIONS_FILE)
    return {name: file_digest(folder / name) for name in (OUTCOMES_FILE, DECISIONS_FILE)}


def write_result(folder: Path, result: RunResult) -> Path:
    """Write `run.json` atomically and return its path."""
    path = folder / RESULT_FILE
    partial = path.with_name(path.name + ".partial")
    partial.write_text(dump(result) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def dump(result: RunResult) -> str:
    """Return a result as readable JSON."""
    return json.dumps(result.model_dump(mode="json"), indent=1, ensure_ascii=False)


def read_result(folder: Path) -> RunResult:
    """Read a run folder's result.

    Raises:
        DataError: If it is missing or not of this version.
    """
    refuse_other_version(folder)
    path = folder / RESULT_FILE
    if not path.is_file():
        raise DataError("no such result", file=path, fix="run `scopebench score` to the end")
    try:
        return RunResult.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        raise DataError(
            f"not a result of this version: {first['msg']}",
            file=path,
            field=".".join(map(str, first["loc"])) or None,
        ) from error


def refuse_other_version(folder: Path) -> None:
    """Refuse a run folder written under another schema version, as far as its `run.json` tells.

    Raises:
        DataError: If its result names another version.
    """
    path = folder / RESULT_FILE
    try:
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return  # missing or damaged: no version to compare
    found = stored.get("schema_version") if isinstance(stored, dict) else None
    if found is not None and found != SCHEMA_VERSION:
        raise DataError(
            f"a result of schema version {found}; this scopebench reads version {SCHEMA_VERSION}",
            file=path,
            field="schema_version",
            fix=RUN_AGAIN,
        )


def refuse_other_benchmark(folder: Path, benchmark: Path) -> None:
    """Refuse a run that was not made on a benchmark, by the SHA-256 of every file.

    Args:
        folder: The run folder.
        benchmark: The folder of the built benchmark, whose files are verified.

    Raises:
        DataError: If a file differs, naming the first; if the run has no result; or if the
            benchmark's files are not those of its manifest.
    """
    differing = first_difference(read_result(folder).benchmark.files, benchmark_files(benchmark))
    if differing is not None:
        raise DataError(
            f"the run was made on another benchmark than {benchmark}: {differing}",
            file=folder,
            fix="give the benchmark the run was made on, or score again with this one: scopebench "
            f"score --benchmark {benchmark} and another --out",
        )


def refuse_changed_tables(folder: Path, result: RunResult) -> None:
    """Refuse a run folder whose tables are not those its result was made with.

    Raises:
        DataError: If a table is missing or has another SHA-256.
    """
    for name, sha256 in result.tables.items():
        path = folder / name
        if not path.is_file():
            raise DataError("no such table", file=path, fix=RUN_AGAIN)
        if file_digest(path) != sha256:
            raise DataError(
                f"the table is not the one that {RESULT_FILE} was made with",
                file=path,
                fix=f"`scopebench validate {folder}` says what differs; or {RUN_AGAIN}",
            )


def finished_result(folder: Path, run_id: str) -> RunResult | None:
    """Return the folder's result if it is this run's and it and its tables are whole, else None.

    A damaged result is no loss: it is computed again from the journal.

    Raises:
        DataError: If the result is whole and of another schema version.
    """
    refuse_other_version(folder)
    try:
        result = read_result(folder)
    except DataError:
        return None
    if result.run_id != run_id:
        return None
    for name, sha256 in result.tables.items():
        if not (folder / name).is_file() or file_digest(folder / name) != sha256:
            return None
    return result
