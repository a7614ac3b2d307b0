"""Whether runs were really generated: a sample of their answers, generated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scopebench.api.arguments import path_of, silent
from scopebench.api.benchmarks import BenchmarkLike, benchmark_path, load
from scopebench.api.checking import verify
from scopebench.errors import InvalidSubmission, UsageError
from scopebench.hub.verify import Verification
from scopebench.reproduce.outcome import Reproduction

if TYPE_CHECKING:
    from scopebench.api.runs import RunLike
    from scopebench.reproduce.schedule import Tried

__all__ = [
    "FEWEST",
    "RERUN",
    "Reproduced",
    "Reproduction",
    "Rerun",
    "Verification",
    "reproduce",
    "rerun",
]

Tell = Callable[[str], None]

RERUN: Final = 50
"""Answers of a run that are generated again."""

FEWEST: Final = 20
"""Fewer answers than this mark nothing: chance would decide."""

FAULTY: Final = "it does not verify"


@dataclass(frozen=True)
class Rerun:
    """A run that was verified and, where nothing is wrong with it, generated again in part.

    Attributes:
        verification: What verifying it found.
        reproduction: What generating a sample again found.
    """

    verification: Verification
    reproduction: Reproduction

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong: a run that was not tried is not held to be."""
        return self.verification.ok and self.reproduction.state != "not reproduced"


def rerun(
    run: RunLike,
    *,
    benchmark: BenchmarkLike | None = None,
    n: int = RERUN,
    seed: int = 0,
    device: str = "auto",
    batch_size: int = 64,
    model_folders: Sequence[str | PathLike[str]] = (),
) -> Rerun:
    """Verify a run, and generate a seeded sample of its answers again with the model it names.

    Nothing is downloaded: a model that is not here is told, and nothing is tried.

    Args:
        run: The run, its folder, or a zip of its three files.
        benchmark: The benchmark it was made on; None: the starter, where it was made on that.
        n: At most so many answers.
        seed: Draws the sample.
        device: Where to compute.
        batch_size: Prompts generated together.
        model_folders: Folders of models, for a run whose model was a folder.

    Raises:
        InvalidSubmission: If the path is no submission at all, or changes while it is read.
        DataError: If the benchmark that is given cannot be read.
        UsageError: If `n` or `seed` is out of range.
    """
    from scopebench.construct.embedded import starter_benchmark
    from scopebench.construct.reader import read_benchmark
    from scopebench.hub.submission import open_submission
    from scopebench.reproduce.local import LocalWeights
    from scopebench.reproduce.outcome import not_tried
    from scopebench.reproduce.run import reproduce_run

    _check_counts(n, seed, fewest=1)
    weights = LocalWeights(device, batch_size, [path_of(folder) for folder in model_folders])
    folder = benchmark_path(benchmark)
    found = verify(run, benchmark=folder)
    if not found.ok or found.result is None or found.submission_id is None:
        return Rerun(found, not_tried(FAULTY, seed=seed, asked=n))
    with open_submission(path_of(run)) as submission:
        if submission.submission_id != found.submission_id:
            raise InvalidSubmission(f"{path_of(run)}: changed while it was read; run it again")
        reproduction = reproduce_run(
            submission.folder,
            found.result,
            read_benchmark(starter_benchmark() if folder is None else folder),
            weights,
            n=n,
            seed=seed,
            salt=found.submission_id,
        )
    return Rerun(found, reproduction)


@dataclass(frozen=True)
class Reproduced:
    """What a session of reproducing submissions did.

    Attributes:
        tried: What came of each submission.
        sent: The page of the marks that were sent to the Hub; None: none were.
    """

    tried: tuple[Tried, ...]
    sent: str | None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row a submission, as JSON values."""
        return [_row(each) for each in self.tried]


def reproduce(
    results: str | PathLike[str],
    *,
    benchmarks: Sequence[BenchmarkLike] = (),
    n: int = RERUN,
    limit: int | None = None,
    by: str = "scopebench reproduce",
    seed: int | None = None,
    again: bool = False,
    device: str = "auto",
    batch_size: int = 64,
    model_folders: Sequence[str | PathLike[str]] = (),
    tell: Tell = silent,
) -> Reproduced:
    """Reproduce the submissions that nobody has tried yet, and write a mark beside each.

    A session that was stopped goes on with the same call. Marks of a repository are sent in one
    commit at the end; those that could not be sent go with the next session's.

    Args:
        results: A folder of results, or a results repository, ORG/NAME, that this login may write.
        benchmarks: The benchmarks that submissions were made on; the starter need not be given.
        n: Answers of each submission, `FEWEST` or more.
        limit: At most so many submissions; those that cannot be tried here do not count.
        by: Who reproduces, as the marks say.
        seed: Draws every sample; None: seeds that no submitter could know, kept in the marks.
        again: Whether submissions that a session has marked before are tried again.
        device: Where to compute.
        batch_size: Prompts generated together.
        model_folders: Folders of models, for runs whose model was a folder.
        tell: Told what is being done.

    Raises:
        DataError: If a benchmark cannot be read or a mark cannot be written.
        HubError: If the Hub refuses or cannot be reached, or `results` is neither of the two.
        UsageError: If `n`, `seed` or `limit` is out of range, or `by` is empty.
    """
    from scopebench.cache_dir import cache_dir
    from scopebench.hub.marks import VERIFIED
    from scopebench.hub.remote import Remote
    from scopebench.hub.results import resolve_source, sync_results
    from scopebench.hub.submit import SUBMISSIONS
    from scopebench.reproduce.local import LocalWeights
    from scopebench.reproduce.schedule import Settings, reproduce_results

    _check_counts(n, seed or 0, fewest=FEWEST)
    if limit is not None and limit < 1:
        raise UsageError(f"limit must be 1 or above, not {limit}")
    if not by.strip():
        raise UsageError("by must name who reproduces")
    source = resolve_source(results if isinstance(results, str) else path_of(results))
    remote = Remote(tell=tell)
    work = cache_dir() / "reproduce" / _name_of(source.repo or str(source.folder))
    if source.folder is not None:
        folder = marks = source.folder
    else:
        folder, _ = sync_results(str(source.repo), remote=remote, folders=(SUBMISSIONS, VERIFIED))
        marks = work
    tried = reproduce_results(
        folder,
        marks,
        benchmarks=[load(benchmark).path for benchmark in benchmarks],
        weights=LocalWeights(device, batch_size, [path_of(each) for each in model_folders]),
        settings=Settings(by, n, seed, limit, again),
        work=work / "unfinished",
        tell=tell,
    )
    done = tuple(tried)
    return Reproduced(done, None if source.repo is None else _send(source.repo, marks, remote))


def _send(repo: str, marks: Path, remote: Any) -> str | None:
    """Send the marks that lie ready, of this session or one that could not, and let go of them."""
    from scopebench.hub.marks import VERIFIED, send_marks

    ready = {path.stem: path for path in sorted((marks / VERIFIED).glob("*.json"))}
    if not ready:
        return None
    sent = send_marks(repo, ready, remote=remote)
    for path in ready.values():
        path.unlink()
    return sent


def _name_of(source: str) -> str:
    import hashlib

    return hashlib.sha256(source.encode()).hexdigest()[:16]


def _check_counts(n: int, seed: int, *, fewest: int) -> None:
    if n < fewest:
        raise UsageError(f"at least {fewest} answers must be generated again, not {n}")
    if seed < 0:
        raise UsageError(f"seed must be 0 or above, not {seed}")


def _row(each: Tried) -> dict[str, Any]:
    found, stored = each.found, each.stored
    return {
        "submission_id": stored.submission_id,
        "editor": stored.editor,
        "model": stored.model,
        "state": found.state,
        "equal": found.total_equal if found.tried else None,
        "n": found.total if found.tried else None,
        "low": found.low,
        "seed": found.seed if found.tried else None,
        "reason": found.reason or "; ".join(f"{k}: {v}" for k, v in found.left_out.items()),
    }
