"""The results store: from a folder of submissions to one board, each computed only once."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError
from scopebench_leaderboard.alike import ANSWERS, likeness_of
from scopebench_leaderboard.benchmarks import benchmarks_by_digest
from scopebench_leaderboard.board import BOARD_FILE, SUMMARY_FILE, Board, load_board
from scopebench_leaderboard.board_file import DamagedBoard, write_board_file
from scopebench_leaderboard.entries import Entry, Rejection, read_written_entry, write_entry
from scopebench_leaderboard.merge import Merged, known_entries, merge
from scopebench_leaderboard.scan import SUBMISSIONS, Found, read_marks, scan
from scopebench_leaderboard.workers import WORKERS, compute

PENDING: Final = "pending"
LOCK: Final = "rebuild.lock"
Progress = Callable[[int, int, str], None]

_COUNTING: Final = ("records", "run", "scoring", "validate", "hub")
_COUNTING_HERE: Final = ("benchmarks", "columns", "entries", "flatten", "metrics")
"""What verifies a submission and makes its numbers."""

_OWN: Final = frozenset({BOARD_FILE, SUMMARY_FILE, PENDING, LOCK, ANSWERS})


def rebuild(
    results: Path,
    out: Path,
    *,
    benchmarks: Sequence[Path] = (),
    progress: Progress | None = None,
    workers: int = WORKERS,
) -> Board:
    """Read every submission, compute every number from its tables, and write the board.

    A submission is immutable: one computed under this code is taken from the board that is there,
    or from what an interrupted rebuild left. What was refused is looked at again when its files,
    the code or the benchmarks have changed.

    Args:
        results: Holds `submissions/<editor>/<model>/<submission id>/` and, written by maintainers,
            `verified/<submission id>.json`.
        out: The folder to write the board into; made if absent. A second rebuild waits.
        benchmarks: Folders of built benchmarks, to verify submissions against; the embedded
            starter need not be given.
        progress: Called with (done, total, path) after each submission that is computed.
        workers: Processes; 0: computed in this one.

    Raises:
        DataError: If the results folder is missing, a benchmark cannot be read or the board
            cannot be written. A submission that cannot be read is listed in `Board.rejected`.
    """
    check_results(results)
    at_hand = benchmarks_by_digest(benchmarks)
    with clear_disk_errors(out, DataError):
        (out / PENDING).mkdir(parents=True, exist_ok=True)
        held = FileLock(out / LOCK).acquire()
    with held:
        try:
            return _rebuild(results, out, at_hand, progress, workers)
        except DamagedBoard:  # told by what was to be taken from the last board
            (out / BOARD_FILE).unlink()
            return _rebuild(results, out, at_hand, progress, workers)


def check_results(results: Path) -> None:
    """Raise `DataError` if a results folder is not there."""
    if not results.is_dir():
        raise DataError(
            "no such results folder",
            file=results,
            fix=f"make it, with `{SUBMISSIONS}/` inside, or name another",
        )


def check_folders(results: Path, out: Path) -> None:
    """Refuse folders that a person named by mistake; nothing is written.

    A results repository holds no `submissions/` before its first one, so `rebuild` itself makes
    an empty board of a folder without it.

    Raises:
        DataError: If `results` is missing or holds no `submissions/`, or if `out` holds something
            and no board.
    """
    check_results(results)
    if not (results / SUBMISSIONS).is_dir():
        raise DataError(
            f"no folder of results: it holds no {SUBMISSIONS}/",
            file=results,
            fix=f"give the folder that holds {SUBMISSIONS}/<editor>/<model>/<submission id>/; an "
            f"empty {SUBMISSIONS}/ makes an empty board",
        )
    with clear_disk_errors(out, DataError):
        there = {path.name for path in out.iterdir()} if out.exists() else set()
    if there and there.isdisjoint(_OWN):
        raise DataError(
            "the folder is not empty, and holds no board",
            file=out,
            fix="give a new folder, or that of an earlier board",
        )


def _rebuild(
    results: Path, out: Path, at_hand: Mapping[str, Path], progress: Progress | None, workers: int
) -> Board:
    code = code_version()
    known = known_entries(out / BOARD_FILE, code)
    found, strays = scan(results)
    left = [each for each in found if not known.holds(each)]
    entries, refused = _remembered(out, code, at_hand, left)
    taken = {entry.submission["path"] for entry in entries.values()}
    left = [each for each in left if each.path not in refused and each.path not in taken]
    for done, (each, computed) in enumerate(compute(results, left, at_hand, workers), start=1):
        if isinstance(computed, Rejection):
            refused[each.path] = computed
        else:
            with clear_disk_errors(out, DataError):
                write_entry(computed, _pending_path(out, code, each.submission_id))
            entries[each.submission_id] = computed
        if progress is not None:
            progress(done, len(left), each.path)
    # Content tells the id and the place: of several folders of one id all but one are refused.
    paths = {each.submission_id: each.path for each in found if each.path not in refused}
    marks, unreadable = read_marks(results, set(paths))
    likeness = partial(likeness_of, results, out / ANSWERS)
    apart = [*strays, *refused.values(), *unreadable]
    with clear_disk_errors(out, DataError):
        merged = merge(known, entries, paths, marks, apart, likeness)
    head = {"code_version": code, "benchmarks": sorted(at_hand)}
    with clear_disk_errors(out, DataError):
        _write(out, merged, head, [each for each in found if each.path in refused])
    _clear_pending(out)
    return load_board(out)


@functools.cache
def code_version() -> str:
    """Return a hash over the version and the source of all code that makes a number of the board.

    Numbers computed under another code version are computed again.
    """
    import scopebench
    import scopebench_leaderboard

    core, board = Path(scopebench.__file__).parent, Path(scopebench_leaderboard.__file__).parent
    files = [
        *(path for part in _COUNTING for path in (core / part).rglob("*.py")),
        *(board / f"{name}.py" for name in _COUNTING_HERE),
    ]
    digest = hashlib.sha256(scopebench.__version__.encode())
    for path in sorted(files):
        digest.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _pending_path(out: Path, code: str, submission_id: str) -> Path:
    return out / PENDING / f"{submission_id}.{code}.arrow"


def _remembered(
    out: Path, code: str, at_hand: Mapping[str, Path], found: Sequence[Found]
) -> tuple[dict[str, Entry], dict[str, Rejection]]:
    """Return what an interrupted rebuild computed, by id, and what the last refused, by path."""
    reasons = _known_refusals(out / SUMMARY_FILE, code, at_hand)
    entries: dict[str, Entry] = {}
    refused: dict[str, Rejection] = {}
    for each in found:
        path = _pending_path(out, code, each.submission_id)
        entry = read_written_entry(path) if path.is_file() else None
        if entry is not None and each.is_row(entry.submission):
            entries[each.submission_id] = entry
        elif (told := reasons.get((each.path, each.state))) is not None:
            refused[each.path] = Rejection(each.path, told)
    return entries, refused


def _clear_pending(out: Path) -> None:
    for path in (out / PENDING).iterdir():
        if path.suffix in {".arrow", ".partial"}:
            path.unlink()


def _known_refusals(
    summary: Path, code: str, at_hand: Mapping[str, Path]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return why submissions were refused, by path and the state of their files."""
    try:
        told = json.loads(summary.read_bytes())
        if told["code_version"] != code or told["benchmarks"] != sorted(at_hand):
            return {}
        return {(each["path"], each["state"]): tuple(each["reasons"]) for each in told["refused"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # only a cache: what it lacks is computed again


def _write(out: Path, merged: Merged, head: Mapping[str, Any], refused: Sequence[Found]) -> None:
    """Write the board, then its summary; a summary that lags only makes work be done again."""
    told = {**head, "revision": merged.revision(head["code_version"])}
    write_board_file(out / BOARD_FILE, told, merged.tables())
    reasons = {each.path: each.reasons for each in merged.rejected}
    summary = {
        **told,
        "submissions": merged.n,
        "rejected": len(merged.rejected),
        "parts": len(merged.parts),
        "by_editor": dict(sorted(Counter(merged.submissions["editor"].to_pylist()).items())),
        "refused": [
            {"path": each.path, "state": each.state, "reasons": reasons[each.path]}
            for each in refused
        ],
    }
    partial = out / f"{SUMMARY_FILE}.partial"
    partial.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(out / SUMMARY_FILE)
