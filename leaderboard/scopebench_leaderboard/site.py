"""What every page is made from: the board, what is chosen of it, and the link that chose it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from scopebench.errors import DataError, ScopeBenchError
from scopebench_leaderboard.apart import Apart
from scopebench_leaderboard.board import Board
from scopebench_leaderboard.kept import Kept
from scopebench_leaderboard.limits import RateLimit
from scopebench_leaderboard.links import Link
from scopebench_leaderboard.live import LiveBoard, Shown
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.views import Choice, choices

KEY_LENGTH: Final = 10
_KEPT: Final = 256

Found = TypeVar("Found")

LOADING: Final = "The board is being built from the submissions. It will be here in a moment."
NO_RESULTS: Final = (
    "No results are set. Give a results folder or a repo of the Hub: scopebench leaderboard "
    "--results DIR."
)
NO_SUBMISSION: Final = "No submission yet. The tab Submit says how to send the first."


class NotToShow(ScopeBenchError):
    """There is nothing to show, and the message tells the reader why."""


@dataclass(frozen=True, eq=False)
class Site:
    """One leaderboard.

    Attributes:
        settings: How it is set up.
        live: Its board.
        digests: Folders of the benchmarks it knows, by the digest of their files.
        limit: How often one reader may have a submission verified.
        verifying: Where uploads are verified and sent on.
        comparing: Where submissions are compared: nobody waits there behind an upload.
        kept: What was made for the boards shown of late.
    """

    settings: Settings
    live: LiveBoard
    digests: Mapping[str, Path] = field(default_factory=dict)
    limit: RateLimit = field(default_factory=lambda: RateLimit(Settings().submissions_per_hour))
    verifying: Apart = field(default_factory=Apart)
    comparing: Apart = field(default_factory=Apart)
    kept: Kept = field(default_factory=lambda: Kept(_KEPT))

    def stop(self) -> None:
        """End what goes on in the background."""
        self.live.stop()
        for each in (self.verifying, self.comparing):
            each.stop()

    def page(self, link: Link) -> Page:
        """Return what a link shows.

        Raises:
            NotToShow: If there is no board, or nothing on it.
        """
        shown = self.live.shown
        if shown.board is None or shown.results is None:
            raise NotToShow(_why_nothing(shown))
        found = choices(shown.board)
        if not found:
            raise NotToShow(NO_SUBMISSION)
        chosen = [choice for choice in found if choice_key(choice) == link.board]
        return Page(
            site=self,
            link=link,
            board=shown.board,
            results=shown.results,
            choice=(chosen or found)[0],
            choices=tuple(found),
        )


@dataclass(frozen=True, eq=False)
class Page:
    """A board with one protocol and benchmark chosen: numbers of others never enter.

    Attributes:
        site: The leaderboard.
        link: What the reader asked for.
        board: The board as it was when the page was asked for.
        results: The folder it was built from.
        choice: Protocol and benchmark in force.
        choices: All there are.
    """

    site: Site
    link: Link
    board: Board
    results: Path
    choice: Choice
    choices: tuple[Choice, ...]

    def one_of(self, asked: str, known: Sequence[str], default: str = "") -> str:
        """Return what was asked for if it is known, else the default if known, else the first."""
        if asked in known:
            return asked
        return default if default in known or not known else known[0]

    def cached(self, name: str, make: Callable[[], Found], *key: str) -> Found:
        """Return what was made for this board and key before, or make it.

        Args:
            name: What is made.
            make: Makes it from the board and the key alone.
            key: What it depends on beside the board.
        """
        return self.site.kept.get((self.board.revision, name, *key), make)

    def row(self, submission_id: str) -> dict[str, object]:
        """Return a submission of the chosen protocol and benchmark.

        Raises:
            DataError: If there is none of that id.
        """
        frame = self.board.submissions
        found = frame[frame["submission_id"] == submission_id]
        if found.empty:
            raise DataError("the board has no such submission", record=submission_id)
        return {str(name): value for name, value in found.iloc[0].items()}


def choice_key(choice: Choice) -> str:
    """Return a short name of a choice, for links."""
    return f"{choice.protocol_id[:KEY_LENGTH]}-{choice.benchmark_digest[:KEY_LENGTH]}"


def _why_nothing(shown: Shown) -> str:
    if shown.loading:
        return LOADING
    return shown.fault or NO_RESULTS
