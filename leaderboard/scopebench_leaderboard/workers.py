"""Computes submissions in worker processes, so that a bad one can take down no more than itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from scopebench_leaderboard.apart import process_pool
from scopebench_leaderboard.entries import Entry, Rejection, read_entry, rejection
from scopebench_leaderboard.scan import Found

WORKERS: Final = 2


def compute(
    results: Path, found: Sequence[Found], benchmarks: Mapping[str, Path], workers: int = WORKERS
) -> Iterator[tuple[Found, Entry | Rejection]]:
    """Yield what each submission gave, as it is finished.

    Args:
        results: The results folder.
        found: The submissions.
        benchmarks: Folders of built benchmarks, by the digest of their files.
        workers: Processes; 0: computed in this one.
    """
    if not workers or not found:
        for each in found:
            yield each, read_entry(results, each.path, benchmarks)
        return
    lost: list[Found] = []
    for each, computed in _in_pool(results, found, benchmarks, min(workers, len(found))):
        if computed is None:
            lost.append(each)
        else:
            yield each, computed
    # A worker that was killed took all that waited with it: which of them killed it shows when
    # each has a process of its own.
    for each in lost:
        ((_, computed),) = _in_pool(results, [each], benchmarks, 1)
        yield each, computed or rejection(each.path, ["reading it ended the process that read it"])


def _in_pool(
    results: Path, found: Sequence[Found], benchmarks: Mapping[str, Path], workers: int
) -> Iterator[tuple[Found, Entry | Rejection | None]]:
    with process_pool(workers) as pool:
        futures: dict[Future[Entry | Rejection], Found] = {}
        for each in found:
            try:
                futures[pool.submit(read_entry, results, each.path, dict(benchmarks))] = each
            except BrokenProcessPool:
                yield each, None
        for future in as_completed(futures):
            try:
                computed = future.result()
            except BrokenProcessPool:
                yield futures[future], None
            else:
                yield futures[future], computed
