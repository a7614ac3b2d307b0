"""One submission as rows of the board, verified and computed anew from its two tables."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from scopebench.errors import DataError, InvalidSubmission, ScopeBenchError
from scopebench_leaderboard.benchmarks import benchmark_digest
from scopebench_leaderboard.columns import MIX_SCHEMA, part_schema
from scopebench_leaderboard.flatten import lacking_actions, mix_table, score_table, submission_row

SUBMISSION_FILES: Final = ("decisions.parquet", "outcomes.parquet", "run.json")

_ROW: Final = b"submission"
_REASON_LENGTH: Final = 300
_REASONS: Final = 20


@dataclass(frozen=True, eq=False)
class Entry:
    """An accepted submission.

    Attributes:
        submission: Its row, as in `SUBMISSION_SCHEMA`.
        scores: Its parts, as in `part_schema`.
        mixes: Its points of H(pi), as in `MIX_SCHEMA`.
    """

    submission: Mapping[str, Any]
    scores: pa.Table
    mixes: pa.Table


@dataclass(frozen=True)
class Rejection:
    """A submission that is not on the board.

    Attributes:
        path: Its path, relative to the results folder.
        reasons: One line each.
    """

    path: str
    reasons: tuple[str, ...]


def read_entry(results: Path, path: str, benchmarks: Mapping[str, Path]) -> Entry | Rejection:
    """Verify a submission and compute its rows; whatever is wrong with it is told, never raised.

    Args:
        results: The results folder.
        path: `submissions/<editor>/<model>/<submission id>`, relative to it.
        benchmarks: Folders of built benchmarks, by the digest of their files.
    """
    try:
        return _read_entry(results, path, benchmarks)
    except ScopeBenchError as error:
        return rejection(path, [str(error)])
    except Exception as error:  # a stranger's files must not take the board down
        return rejection(path, [f"could not be read: {type(error).__name__}: {error}"])


def rejection(path: str, reasons: Sequence[str]) -> Rejection:
    """Return a rejection whose reasons are single lines of bounded number and length."""
    told = [" ".join(reason.split())[:_REASON_LENGTH] for reason in reasons[:_REASONS]]
    if len(reasons) > _REASONS:
        told.append(f"and {len(reasons) - _REASONS} more")
    return Rejection(path, tuple(told))


def size_of(folder: Path) -> int:
    """Return the bytes of a submission's files; those that are not there have none."""
    total = 0
    for name in SUBMISSION_FILES:
        try:
            total += (folder / name).lstat().st_size
        except OSError:
            continue
    return total


def benchmark_of(folder: Path) -> str | None:
    """Return the digest of the benchmark a run says it was made on; None: it cannot be read."""
    from scopebench.hub.submission import LIMITS
    from scopebench.run.folder import RESULT_FILE, read_result

    try:
        told = (folder / RESULT_FILE).lstat()
        if not stat.S_ISREG(told.st_mode) or told.st_size > LIMITS.result_bytes:
            return None
        return benchmark_digest(read_result(folder).benchmark.files)
    except (DataError, OSError, RecursionError):
        return None  # verification says what is wrong


def _read_entry(results: Path, path: str, benchmarks: Mapping[str, Path]) -> Entry | Rejection:
    from scopebench.hub.names import slug
    from scopebench.hub.verify import verify_submission

    folder = results / path
    _, editor, model, name = path.split("/")
    size = size_of(folder)
    benchmark = benchmarks.get(benchmark_of(folder) or "")
    found = verify_submission(folder, benchmark=benchmark)
    if not found.ok:
        return rejection(path, [str(fault) for fault in found.faults])
    result, report, paper = found.result, found.report, found.paper
    if result is None or report is None or paper is None:
        raise InvalidSubmission("verified without a report")
    told = (result.editor.name, slug(result.model.id), found.submission_id)
    wrong = _misplaced((editor, model, name), told)
    if wrong is not None:
        return rejection(path, [wrong])
    n = sum(row.n for row in report.pooled)
    return Entry(
        submission={
            **submission_row(result, n),
            "lacking": lacking_actions(report),
            "submission_id": found.submission_id,
            "path": path,
            "bytes": size,
        },
        scores=score_table(report, paper),
        mixes=mix_table(report),
    )


def _misplaced(found: Sequence[str], told: Sequence[str | None]) -> str | None:
    """Return why a submission does not lie where its own content puts it."""
    for part, here, there in zip(("editor", "model", "submission id"), found, told, strict=True):
        if here != there:
            return f"lies in the folder of {part} {here!r}, and its content says {there!r}"
    return None


def write_entry(entry: Entry, path: Path) -> None:
    """Write an entry to one file, atomically."""
    partial = path.with_name(path.name + ".partial")
    metadata = {_ROW: json.dumps(dict(entry.submission)).encode()}
    with pa.OSFile(str(partial), "wb") as sink:
        for table in (entry.scores.replace_schema_metadata(metadata), entry.mixes):
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
    partial.replace(path)


def read_written_entry(path: Path) -> Entry | None:
    """Return an entry that `write_entry` wrote; None: it is cut short, or of other columns."""
    try:
        with pa.OSFile(str(path), "rb") as source:
            scores = pa.ipc.open_stream(source).read_all()
            mixes = pa.ipc.open_stream(source).read_all()
        row = json.loads((scores.schema.metadata or {})[_ROW])
    except (pa.ArrowInvalid, OSError, KeyError, ValueError):
        return None
    scores = scores.replace_schema_metadata(None)
    if scores.schema != part_schema() or mixes.schema != MIX_SCHEMA:
        return None
    return Entry(row, scores, mixes)
