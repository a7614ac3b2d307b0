"""The board that is shown now, looked after in the background.

A results folder or repo is looked at every few seconds; where it holds something new the board is
rebuilt beside the one that is shown, which stays until the new one is complete. A failure leaves
the last good board in place and is told to the reader.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scopebench.errors import DataError, ScopeBenchError
from scopebench.hub.marks import VERIFIED
from scopebench.hub.remote import Remote
from scopebench.hub.retry import RetryPolicy
from scopebench_leaderboard.board import BOARD_FILE, Board, load_board
from scopebench_leaderboard.mirror import fetch_results, revision_of
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.store import check_results, rebuild
from scopebench_leaderboard.workers import WORKERS

LOG: Final = logging.getLogger(__name__)
SUBMISSIONS: Final = "submissions"
COMMIT_FILE: Final = "commit"
"""Beside a board of a repo: the commit of the results it was built from."""

LOOKING: Final = RetryPolicy(
    attempts=3, first_wait=1.0, longest_wait=5.0, total_seconds=30.0, longest_silence=30.0
)
"""How one look at a repo is tried again: briefly, since the next look does the same, and readers
are to be told soon that the Hub cannot be reached."""

_NAME_LENGTH: Final = 16


@dataclass(frozen=True)
class Shown:
    """What readers see.

    Attributes:
        board: The board; None: none could be built yet.
        results: The folder the board was built from.
        loading: Whether the first board is being built.
        fault: Why the results could not be read anew; None: they could.
    """

    board: Board | None = None
    results: Path | None = None
    loading: bool = True
    fault: str | None = None


class LiveBoard:
    """Keeps one board up to date; safe to read from many threads.

    Args:
        settings: Where the results are and how often they are looked at.
        benchmarks: Folders of the benchmarks that submissions are checked against.
        remote: The Hub that a repo of results is on [default: the client's own, tried again as
            `LOOKING` says].
        workers: Processes that compute submissions; 0: computed in this one.
    """

    def __init__(
        self,
        settings: Settings,
        benchmarks: Sequence[Path] = (),
        *,
        remote: Remote | None = None,
        workers: int = WORKERS,
    ) -> None:
        self._settings = settings
        self._benchmarks = tuple(benchmarks)
        self._remote = Remote(policy=LOOKING) if remote is None else remote
        self._workers = workers
        self._board = board_folder(settings)
        self._shown = Shown()
        self._seen: str | None = None
        self._stop = threading.Event()
        self._refreshing = threading.Lock()

    @property
    def shown(self) -> Shown:
        """What readers see now."""
        return self._shown

    def start(self) -> None:
        """Look at the results now and then every `refresh_seconds`, in the background.

        Until the first look is over, the board that an earlier process built is shown.
        """
        self.show_last()
        threading.Thread(target=self._watch, name="leaderboard-refresh", daemon=True).start()

    def stop(self) -> None:
        """End the background thread after what it is doing."""
        self._stop.set()

    def refresh(self) -> bool:
        """Look at the results and rebuild the board if they changed; return whether they did."""
        with self._refreshing:
            try:
                return self._refresh()
            except ScopeBenchError as error:
                self._failed(str(error))
            except Exception:
                LOG.exception("the board could not be rebuilt")
                self._failed("the results could not be read; the log says why")
            return False

    def _refresh(self) -> bool:
        source = self._source()
        if source is None:
            self._shown = Shown(loading=False)
            return False
        state, folder_of = source
        if state == self._seen and self._shown.fault is None:
            return False
        folder = folder_of()
        board = rebuild(folder, self._board, benchmarks=self._benchmarks, workers=self._workers)
        if self._settings.results_repo is not None:
            self._keep_commit(state)
        changed = self._shown.board is None or self._shown.board.revision != board.revision
        self._shown = Shown(board, folder, loading=False)
        self._seen = state
        return changed

    def show_last(self) -> None:
        """Show the board that an earlier process built, if there is one, asking the Hub nothing."""
        if not (self._board / BOARD_FILE).is_file():
            return
        try:
            results = self._last_results()
            self._shown = Shown(load_board(self._board), results, loading=True)
        except ScopeBenchError as error:
            LOG.info("the last board is not shown: %s", error)

    def _last_results(self) -> Path | None:
        """Return the results that the board there is was built from."""
        repo, kept = self._settings.results_repo, self._board / COMMIT_FILE
        if repo is None:
            return self._settings.results_folder
        if not kept.is_file():
            raise DataError("it is not known which results the board is of", file=kept)
        commit = kept.read_text("utf-8")
        cache = self._settings.cache
        return fetch_results(repo, cache, self._remote, revision=commit, offline=True)

    def _keep_commit(self, commit: str) -> None:
        partial = self._board / f"{COMMIT_FILE}.partial"
        partial.write_text(commit, encoding="utf-8")
        partial.replace(self._board / COMMIT_FILE)

    def _source(self) -> tuple[str, Callable[[], Path]] | None:
        """Return a state that changes with the results, and how to have them as a folder."""
        if self._settings.results_repo is not None:
            return self._repo_source(self._settings.results_repo)
        folder = self._settings.results_folder
        if folder is None:
            return None
        check_results(folder)
        return folder_state(folder), lambda: folder

    def _repo_source(self, repo: str) -> tuple[str, Callable[[], Path]]:
        remote, cache = self._remote, self._settings.cache
        revision = revision_of(repo, remote)
        return revision, lambda: fetch_results(repo, cache, remote, revision=revision)

    def _failed(self, fault: str) -> None:
        LOG.warning("%s", fault)
        self._shown = Shown(self._shown.board, self._shown.results, loading=False, fault=fault)

    def _watch(self) -> None:
        while not self._stop.is_set():
            self.refresh()
            self._stop.wait(self._settings.refresh_seconds)


def board_folder(settings: Settings) -> Path:
    """Return where the board of these results is kept; those of other results lie beside it."""
    name = hashlib.sha256(str(settings.results).encode()).hexdigest()[:_NAME_LENGTH]
    return settings.cache / "boards" / name


def folder_state(results: Path) -> str:
    """Return a text that changes with every submission and every file of a maintainer."""
    places = [*results.glob(f"{SUBMISSIONS}/*/*/*"), *results.glob(f"{VERIFIED}/*")]
    return "\n".join(sorted(f"{place}\t{place.stat().st_mtime_ns}" for place in places))
