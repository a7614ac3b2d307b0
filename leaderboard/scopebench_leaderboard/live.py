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
from scopebench_leaderboard.board import BOARD_FILE, Board, load_board
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.store import rebuild

LOG: Final = logging.getLogger(__name__)
SUBMISSIONS: Final = "submissions"
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
    """

    def __init__(self, settings: Settings, benchmarks: Sequence[Path] = ()) -> None:
        self._settings = settings
        self._benchmarks = tuple(benchmarks)
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
        self._show_last()
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
        board = rebuild(folder, board_folder(self._settings), benchmarks=self._benchmarks)
        changed = self._shown.board is None or self._shown.board.revision != board.revision
        self._shown = Shown(board, folder, loading=False)
        self._seen = state
        return changed

    def _show_last(self) -> None:
        if not (board_folder(self._settings) / BOARD_FILE).is_file():
            return
        try:
            results = self._last_results()
            self._shown = Shown(load_board(board_folder(self._settings)), results, loading=True)
        except ScopeBenchError as error:
            LOG.info("the last board is not shown: %s", error)

    def _last_results(self) -> Path | None:
        """Return the results as an earlier process left them, asking the Hub nothing."""
        repo = self._settings.results_repo
        if repo is None:
            return self._settings.results_folder
        from scopebench.hub.remote import Remote
        from scopebench_leaderboard.mirror import fetch_results

        return fetch_results(repo, self._settings.cache, Remote(), offline=True)

    def _source(self) -> tuple[str, Callable[[], Path]] | None:
        """Return a state that changes with the results, and how to have them as a folder."""
        if self._settings.results_repo is not None:
            return self._repo_source(self._settings.results_repo)
        folder = self._settings.results_folder
        if folder is None:
            return None
        if not folder.is_dir():
            raise DataError(
                "no such results folder",
                file=folder,
                fix=f"make it, with `{SUBMISSIONS}/` inside, or name another",
            )
        return folder_state(folder), lambda: folder

    def _repo_source(self, repo: str) -> tuple[str, Callable[[], Path]]:
        from scopebench.hub.remote import Remote
        from scopebench_leaderboard.mirror import fetch_results, revision_of

        remote, cache = Remote(), self._settings.cache
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
    places = [*results.glob(f"{SUBMISSIONS}/*/*/*"), *results.glob("verified/*")]
    return "\n".join(sorted(f"{place}\t{place.stat().st_mtime_ns}" for place in places))
