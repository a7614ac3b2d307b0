"""`audit.json` beside a benchmark, and the journal that keeps every answer until it is in there.

An answer is one fsynced line of the journal before the next row is asked. When a session ends, or
the next one begins after a kill, the journal is put into `audit.json`, which is swapped in whole.
The card of the benchmark then shows the counts.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from filelock import FileLock, Timeout
from pydantic import ValidationError

from scopebench.audit.answers import Verdict
from scopebench.audit.card_section import section, with_section
from scopebench.audit.records import Audit, Audited, JudgedRow, Session, Stratum
from scopebench.audit.rows import Row, audited, digest_of, rows_of, strata_of
from scopebench.construct.reader import read_benchmark, read_manifest
from scopebench.construct.writer import CARD
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError

AUDIT_FILE: Final = "audit.json"
JOURNAL_FILE: Final = ".audit.jsonl"
_LOCK_FILE: Final = ".audit.lock"
_MOVE: Final = "move it away, or audit the benchmark it belongs to"

Key = tuple[str, int, int]
"""Auditor, sample and seed of a session."""


def read_audit(folder: Path) -> Audit | None:
    """Return the audit beside a benchmark; None where there is none.

    Raises:
        DataError: If the folder is no built benchmark, or the file is no audit or that of another
            benchmark.
    """
    return load_audit(folder / AUDIT_FILE, read_manifest(folder)["files"])


def load_audit(path: Path, files: Mapping[str, str]) -> Audit | None:
    """Return the audit of a benchmark from wherever it lies; None where there is none.

    Args:
        path: The file.
        files: SHA-256 of every parquet file of the benchmark, by relative path.

    Raises:
        DataError: If the file is no audit or that of another benchmark.
    """
    if not path.is_file():
        return None
    try:
        audit = Audit.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"not an audit ({reason})", file=path, fix=_MOVE) from error
    if audit.benchmark.files != files:
        raise DataError("the audit of another benchmark, or of another build", file=path, fix=_MOVE)
    return audit


@dataclass
class OpenAudit:
    """The audit of a benchmark while a person adds to it; use `open_audit`.

    Attributes:
        folder: The benchmark's folder.
        audit: What was judged before, the journal included.
        key: Auditor, sample and seed.
        drawn: Rows in the sample.
        judged: What this auditor said of the sample's rows, by name.
    """

    folder: Path
    audit: Audit
    key: Key
    drawn: int
    judged: dict[str, JudgedRow] = field(default_factory=dict)
    _journal: BinaryIO | None = None

    def answer(self, row: Row, verdict: Verdict) -> None:
        """Record what was said of a row; it is on disk when this returns."""
        if self._journal is None:
            raise RuntimeError("the audit is closed")
        judged = verdict.on(row)
        _append(self._journal, judged.model_dump(mode="json"))
        self.judged[row.key] = judged


@contextmanager
def open_audit(
    folder: Path,
    benchmark: Audited,
    strata: tuple[Stratum, ...],
    key: Key,
    sample: Mapping[str, Row],
) -> Iterator[OpenAudit]:
    """Open the audit of a benchmark for one auditor, or begin one.

    Whatever ends the block, what was answered in it is in `audit.json` and on the card.

    Args:
        folder: The benchmark's folder.
        benchmark: What binds the audit to it.
        strata: What it is made of.
        key: Auditor, sample and seed.
        sample: The rows of the sample, by name.

    Raises:
        DataError: If another process audits the folder, or what is there belongs to another
            benchmark or cannot be written.
    """
    with clear_disk_errors(folder / AUDIT_FILE, DataError), _locked(folder):
        audit = read_audit(folder) or Audit(benchmark=benchmark, strata=strata, sessions=())
        audit = _with_journal(folder, audit)
        session = next((s for s in audit.sessions if s.key == key), None)
        opened = OpenAudit(folder, audit, key, len(sample))
        opened.judged = {row.row: row for row in (session.rows if session else ())}
        before = dict(opened.judged)
        try:
            with (folder / JOURNAL_FILE).open("wb") as journal:
                header = {"benchmark": digest_of(benchmark.files), "key": list(key)}
                _append(journal, {**header, "drawn": len(sample)})
                opened._journal = journal
                yield opened
        finally:
            opened._journal = None
            if opened.judged != before:
                opened.audit = _put(audit, key, len(sample), opened.judged)
            _finish(folder, opened.audit)


def settle(folder: Path) -> None:
    """Finish what a killed session left: its answers into `audit.json`, the counts on the card.

    Raises:
        DataError: If the folder is no built benchmark, or what is there belongs to another.
    """
    audit = read_audit(folder)
    journal, card = folder / JOURNAL_FILE, folder / CARD
    shown = audit is None or not card.is_file() or section(audit) in card.read_text("utf-8")
    if shown and not journal.is_file():
        return
    with clear_disk_errors(folder / AUDIT_FILE, DataError), _locked(folder):
        audit = read_audit(folder) or _begun(folder, journal)
        if audit is not None:
            _finish(folder, _with_journal(folder, audit))


def _begun(folder: Path, journal: Path) -> Audit | None:
    """Return the empty audit that a journal alone belongs to; None where it holds no answer."""
    if journal.is_file() and journal.read_bytes().count(b"\n") < 2:
        journal.unlink()
    if not journal.is_file():
        return None
    benchmark = read_benchmark(folder)
    return Audit(benchmark=audited(benchmark), strata=strata_of(rows_of(benchmark)), sessions=())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    path = folder / _LOCK_FILE
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DataError(
            "another process is auditing this benchmark", file=folder, fix="wait for it"
        ) from error
    try:
        yield
    finally:
        # A build into a folder that holds other files is refused, so nothing is left there.
        path.unlink(missing_ok=True)
        lock.release()


def _append(file: BinaryIO, entry: Mapping[str, Any]) -> None:
    file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _with_journal(folder: Path, audit: Audit) -> Audit:
    """Return the audit with the answers of a session that was killed."""
    path = folder / JOURNAL_FILE
    if not path.is_file():
        return audit
    lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line feed was torn off
    if not lines:
        return audit
    try:
        header = json.loads(lines[0])
        binding, drawn = header["benchmark"], int(header["drawn"])
        auditor, sample, seed = header["key"]
        found = [JudgedRow.model_validate_json(line) for line in lines[1:]]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("not the journal of an audit", file=path, fix=_MOVE) from error
    if binding != digest_of(audit.benchmark.files):
        raise DataError("answers about another build", file=path, fix=_MOVE)
    if not found:
        return audit
    key = str(auditor), int(sample), int(seed)
    old = next((session.rows for session in audit.sessions if session.key == key), ())
    judged = {row.row: row for row in (*old, *found)}
    merged = _put(audit, key, drawn, judged)
    _write(folder / AUDIT_FILE, _as_text(merged))
    return merged


def _put(audit: Audit, key: Key, drawn: int, judged: Mapping[str, JudgedRow]) -> Audit:
    auditor, sample, seed = key
    session = Session(
        auditor=auditor,
        sample=sample,
        seed=seed,
        drawn=drawn,
        rows=tuple(judged[name] for name in sorted(judged)),
    )
    others = [other for other in audit.sessions if other.key != key]
    sessions = tuple(sorted([*others, session], key=lambda found: found.key))
    return audit.model_copy(update={"sessions": sessions})


def _finish(folder: Path, audit: Audit) -> None:
    """Write the audit and the card, then drop the journal."""
    if audit.sessions:
        _write(folder / AUDIT_FILE, _as_text(audit))
        card = folder / CARD
        if card.is_file():
            text = card.read_text("utf-8")
            shown = with_section(text, section(audit))
            if shown != text:
                _write(card, shown)
    (folder / JOURNAL_FILE).unlink(missing_ok=True)


def _as_text(audit: Audit) -> str:
    return json.dumps(audit.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    """Swap a file in whole."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        beside = Path(file.name)
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
