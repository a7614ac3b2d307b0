"""The append-only journal of a run: what is finished survives Ctrl-C and kill -9.

The first line names the run; each later line holds the answers of one finished unit of work. A line
torn by a kill is cut off when the journal is opened again, so its unit is done once more and the
others are not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from filelock import FileLock, Timeout

from scopebench.errors import DataError
from scopebench.records import Answer
from scopebench.run.provenance import first_difference

JOURNAL_FILE: Final = "journal.jsonl"
_LOCK_FILE: Final = "journal.lock"


@dataclass(frozen=True)
class FinishedUnit:
    """One finished unit.

    Attributes:
        answers: The answers, in the unit's query order.
        seconds: How long it took.
    """

    answers: tuple[Answer, ...]
    seconds: float


@dataclass
class Journal:
    """An open journal; use `open_journal`.

    Attributes:
        units: Finished units by id.
        resumed: How many of them an earlier session finished.
        phases: Seconds of other phases, summed over sessions.
        edits_written: Edits written in the phase `write`, summed over sessions.
    """

    units: dict[str, FinishedUnit]
    resumed: int
    phases: dict[str, float] = field(default_factory=dict)
    edits_written: int = 0
    _file: BinaryIO | None = None

    def append(self, unit_id: str, answers: Sequence[Answer], seconds: float) -> None:
        """Record a finished unit; it is on disk when this returns."""
        self._write(
            {
                "unit": unit_id,
                "answers": [[answer.text, answer.edit_id] for answer in answers],
                "seconds": round(seconds, 3),
            }
        )
        self.units[unit_id] = FinishedUnit(tuple(answers), seconds)

    def add_phase(self, name: str, seconds: float) -> None:
        """Add seconds to a phase."""
        self._write({"phase": name, "seconds": round(seconds, 3)})
        self.phases[name] = self.phases.get(name, 0.0) + seconds

    def add_edits(self, count: int) -> None:
        """Add edits written."""
        self._write({"edits": count})
        self.edits_written += count

    def _write(self, entry: dict[str, Any]) -> None:
        if self._file is None:
            raise RuntimeError("the journal is closed")
        self._file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(folder: Path, header: dict[str, Any]) -> Iterator[Journal]:
    """Open a run folder's journal, or begin one.

    Args:
        folder: The run folder; created if missing.
        header: All that determines the run's tables.

    Raises:
        DataError: If the folder holds another run, or another process is writing it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / JOURNAL_FILE
    lock = FileLock(folder / _LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DataError(
            "another process is writing this run", file=folder, fix="wait for it or use another out"
        ) from error
    try:
        journal, valid_bytes = _read(path, header)
        with path.open("ab") as file:
            file.truncate(valid_bytes)
            journal._file = file
            if valid_bytes == 0:
                journal._write({"header": header})
            yield journal
            journal._file = None
    finally:
        lock.release()


def _read(path: Path, header: dict[str, Any]) -> tuple[Journal, int]:
    """Return what a journal holds and how many of its bytes are whole lines."""
    units: dict[str, FinishedUnit] = {}
    phases: dict[str, float] = {}
    edits_written = 0
    valid_bytes = 0
    if path.is_file():
        with path.open("rb") as file:
            for number, line in enumerate(file):
                entry = _whole_line(line)
                if entry is None:
                    break
                if number == 0:
                    _require_same_run(entry, header, path)
                elif "phase" in entry:
                    name = entry["phase"]
                    phases[name] = phases.get(name, 0.0) + entry["seconds"]
                elif "edits" in entry:
                    edits_written += entry["edits"]
                else:
                    answers = tuple(
                        Answer(text=text, edit_id=edit_id) for text, edit_id in entry["answers"]
                    )
                    units[entry["unit"]] = FinishedUnit(answers, entry["seconds"])
                valid_bytes += len(line)
    return Journal(units, len(units), phases, edits_written), valid_bytes


def _whole_line(line: bytes) -> dict[str, Any] | None:
    """Parse one line, or return None where a kill tore it."""
    if not line.endswith(b"\n"):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _require_same_run(entry: dict[str, Any], header: dict[str, Any], path: Path) -> None:
    found = entry.get("header")
    if found == header:
        return
    if not isinstance(found, dict):
        raise DataError("not a journal of scopebench", file=path, fix="use another --out")
    raise DataError(
        f"the folder holds another run ({_difference(found, header)})",
        file=path.parent,
        fix="use another --out, or delete the folder",
    )


def _difference(found: dict[str, Any], header: dict[str, Any]) -> str:
    """Say in what a stored header differs: the schema version, else all keys and the first file."""
    old, new = found.get("schema_version"), header.get("schema_version")
    if old != new:
        return f"of schema version {old}; this scopebench writes version {new}"
    differing = sorted(
        key for key in {*found, *header} if found.get(key) != header.get(key) and key != "run_id"
    )
    told = f"it differs in {', '.join(differing)}"
    if "benchmark" not in differing:
        return told
    before, now = found.get("benchmark") or {}, header.get("benchmark") or {}
    if {**before, "limit": None} == {**now, "limit": None}:
        told = told.replace("benchmark", "limit")
    file = first_difference(before.get("files") or {}, now.get("files") or {})
    if file is not None:
        return f"{told}: {file}"
    inside = [
        f"{key} {before.get(key)} there, {now.get(key)} now"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    ]
    return f"{told}: {', '.join(inside)}"
