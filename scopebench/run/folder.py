"""A run folder: `run.json`, the two tables, and the journal it was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from scopebench.errors import DataError
from scopebench.records import RunResult
from scopebench.run.provenance import file_digest
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)

RESULT_FILE: Final = "run.json"


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


def finished_result(folder: Path, run_id: str) -> RunResult | None:
    """Return the folder's result if it is this run's and it and its tables are whole, else None.

    A damaged result is no loss: it is computed again from the journal.
    """
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
