"""Goes through the submissions of a results folder and marks those that nobody has reproduced.

Each mark is written as soon as it is made, and what a sample has generated so far lies beside the
seed it was drawn with: whatever stops a session, the next one goes on where it was.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from scopebench.construct.embedded import starter_benchmark
from scopebench.construct.reader import benchmark_files, read_benchmark
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, InvalidSubmission
from scopebench.hub.marks import (
    MARK_VERSION,
    Mark,
    mark_path,
    mark_text,
    read_mark,
    write_mark,
)
from scopebench.hub.result_json import read_strict
from scopebench.hub.results import Stored, list_submissions
from scopebench.hub.submission import Submission, open_submission
from scopebench.hub.verify import verify_submission
from scopebench.models.generation_cache import FILE_NAME, GenerationCache
from scopebench.records import RunResult
from scopebench.reproduce.local import Weights
from scopebench.reproduce.outcome import Reproduction, not_tried
from scopebench.reproduce.run import reproduce_run
from scopebench.run.folder import RESULT_FILE

MOST_SHOWN: Final = 10
"""Mismatches that a mark keeps."""

LONGEST_SHOWN: Final = 200
"""Characters of a text that a mark keeps."""

_SEEDS: Final = 2**32

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """How submissions are reproduced.

    Attributes:
        by: Who does it, as the mark says.
        n: Outcomes of each.
        seed: Draws every sample; None: each is drawn with a seed of its own that nobody could know
            when the submission was made.
        limit: At most so many submissions are tried; None: all.
        again: Whether those are tried again that a session reproduced, or failed to, before.
    """

    by: str
    n: int
    seed: int | None = None
    limit: int | None = None
    again: bool = False


@dataclass(frozen=True)
class Tried:
    """What came of one submission.

    Attributes:
        stored: The submission.
        found: What reproducing it found.
        mark: The mark's file; None: it was not tried, and has no mark.
    """

    stored: Stored
    found: Reproduction
    mark: Path | None


def reproduce_results(
    results: Path,
    marks: Path,
    *,
    benchmarks: Sequence[Path],
    weights: Weights,
    settings: Settings,
    work: Path,
    tell: Tell,
) -> Iterator[Tried]:
    """Reproduce the submissions that have no mark, or one of an older version, one after another.

    Args:
        results: Holds `submissions/` and, where there are marks, `verified/`.
        marks: The folder of results to write marks into; `results` itself where it may be written.
        benchmarks: Folders of the benchmarks that submissions were made on; the embedded starter
            need not be given.
        weights: Where models come from.
        settings: How much is generated.
        work: Holds what is not finished yet.
        tell: Told what is being done.

    Raises:
        DataError: If a benchmark cannot be read or a mark cannot be written.
    """
    at_hand = [(benchmark_files(folder), folder) for folder in benchmarks]
    left = settings.limit
    due = list(due_submissions(results, marks, again=settings.again))
    for number, stored in enumerate(due, start=1):
        if left == 0:
            return
        tell(f"{number} of {len(due)}: {stored.editor} on {stored.model} ({stored.submission_id})")
        with _unfinished(work / stored.submission_id, settings.seed) as (seed, cache):
            found = _reproduce(stored, at_hand, weights, settings.n, seed, cache)
            mark = _marked(found, stored, marks, settings.by) if found.tried else None
        if found.tried:
            shutil.rmtree(work / stored.submission_id, ignore_errors=True)
            left = None if left is None else left - 1
        yield Tried(stored, found, mark)


def due_submissions(results: Path, marks: Path, *, again: bool) -> Iterator[Stored]:
    """Yield the submissions to reproduce: those without a mark, then those of an older one.

    A person's word is no mark of a session, and stands.
    """
    older: list[Stored] = []
    for stored in list_submissions(results):
        mark = _mark_of(stored.submission_id, marks, results)
        if not stored.complete:
            continue
        if mark is None:
            yield stored
        elif mark.is_old or (again and mark.version is not None):
            older.append(stored)
    yield from older


def _mark_of(submission_id: str, *folders: Path) -> Mark | None:
    """Return the mark of a submission in the first folder that has one that can be read."""
    for folder in folders:
        path = folder / mark_path(submission_id)
        mark = read_mark(path) if path.is_file() else None
        if isinstance(mark, Mark):
            return mark
    return None


@contextmanager
def _unfinished(folder: Path, seed: int | None) -> Iterator[tuple[int, GenerationCache]]:
    """Yield the seed of a sample and what was generated of it, of an earlier session if stopped."""
    kept = folder / "seed"
    with clear_disk_errors(folder, DataError):
        folder.mkdir(parents=True, exist_ok=True)
        if seed is None:
            told = kept.read_text("ascii") if kept.is_file() else ""
            seed = int(told) if told.isdecimal() else secrets.randbelow(_SEEDS)
            kept.write_text(str(seed), encoding="ascii")
    with GenerationCache(folder / FILE_NAME) as cache:
        yield seed, cache


def _reproduce(
    stored: Stored,
    at_hand: Sequence[tuple[Mapping[str, str], Path]],
    weights: Weights,
    n: int,
    seed: int,
    cache: GenerationCache,
) -> Reproduction:
    try:
        with open_submission(stored.folder) as submission:
            result, benchmark = _verified(submission, stored, at_hand)
            return reproduce_run(
                submission.folder,
                result,
                read_benchmark(benchmark),
                weights,
                n=n,
                seed=seed,
                salt=stored.submission_id,
                cache=cache,
            )
    except InvalidSubmission as error:
        return not_tried(str(error), seed=seed, asked=n)


def _verified(
    submission: Submission, stored: Stored, at_hand: Sequence[tuple[Mapping[str, str], Path]]
) -> tuple[RunResult, Path]:
    """Return a submission's result and the folder of its benchmark.

    Raises:
        InvalidSubmission: If it does not verify, or lies under another id than its content has.
    """
    if submission.submission_id != stored.submission_id:
        raise InvalidSubmission("it lies under another id than its content has")
    result = read_strict(submission.folder / RESULT_FILE)
    given = next((folder for files, folder in at_hand if files == result.benchmark.files), None)
    found = verify_submission(submission.folder, benchmark=given)
    if not found.ok or found.result is None:
        raise InvalidSubmission(f"it does not verify: {found.faults[0]}")
    return found.result, starter_benchmark() if given is None else given


def _marked(found: Reproduction, stored: Stored, marks: Path, by: str) -> Path:
    equal, n = found.total_equal, found.total
    note = f"{equal} of {n} answers generated again to the letter"
    if found.left_out:
        note += f"; {', '.join(found.left_out)} not tried"
    counted = {
        "version": MARK_VERSION,
        "equal": equal,
        "n": n,
        "low": found.low,
        "rows": found.rows,
        "seed": found.seed,
        "actions": {
            action: {"equal": found.equal[action], "n": found.n[action]} for action in found.n
        },
        "left_out": dict(found.left_out),
        "mismatches": [
            {
                "query_id": each.query_id,
                "condition": each.condition,
                "action": each.action,
                "draw": each.draw,
                "stored": each.stored[:LONGEST_SHOWN],
                "generated": each.generated[:LONGEST_SHOWN],
            }
            for each in found.mismatches[:MOST_SHOWN]
        ],
        "machine": dict(found.machine),
    }
    date = datetime.now(UTC).date().isoformat()
    return write_mark(marks, stored.submission_id, mark_text(by, date, note, counted))
