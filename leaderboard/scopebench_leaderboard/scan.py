"""What lies in a results folder: submissions, strays, and what maintainers say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scopebench.hub.marks import VERIFIED, Mark, read_mark
from scopebench_leaderboard.entries import SUBMISSION_FILES, Rejection, rejection

SUBMISSIONS: Final = "submissions"
SUBMISSION_ID: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Found:
    """A folder that may hold a submission.

    Attributes:
        path: `submissions/<editor>/<model>/<submission id>`.
        bytes: Size of its files.
        state: Size and time of each file: what a refusal is remembered by.
    """

    path: str
    bytes: int
    state: str

    @property
    def submission_id(self) -> str:
        """The name of its folder."""
        return self.path.rpartition("/")[2]

    def is_row(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row of the board was computed from it, as far as path and size tell."""
        return bool(row["path"] == self.path and row["bytes"] == self.bytes)


def scan(results: Path) -> tuple[list[Found], list[Rejection]]:
    """Return the folders that may hold a submission, and what is none, both by path.

    Several may bear the same id: which of them lies where its content says, only reading them
    tells (`entries.read_entry`), so that a copy never displaces the one it was made of.
    """
    found: list[Found] = []
    strays: list[Rejection] = []
    for path in _folders(results):
        name = path.rpartition("/")[2]
        place = results / path
        if not path.isprintable():  # nor is it, where a name is no UTF-8
            strays.append(rejection(ascii(path), ["a name that cannot be printed"]))
        elif place.is_symlink() or not place.is_dir():
            strays.append(rejection(path, ["not a folder"]))
        elif SUBMISSION_ID.fullmatch(name) is None:
            strays.append(rejection(path, ["not named by a submission id (32 hex digits)"]))
        else:
            found.append(_found(path, place))
    return found, strays


def _folders(results: Path) -> Iterator[str]:
    """Yield `submissions/<editor>/<model>/<name>`, sorted; links to folders are not followed."""
    for editor in _names(results / SUBMISSIONS):
        for model in _names(results / SUBMISSIONS / editor):
            for name in _names(results / SUBMISSIONS / editor / model):
                yield f"{SUBMISSIONS}/{editor}/{model}/{name}"


def _names(folder: Path) -> list[str]:
    """Return the names in a folder, hidden ones left out; none where it is none."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def _found(path: str, place: Path) -> Found:
    told: list[str] = []
    total = 0
    for name in SUBMISSION_FILES:
        try:
            status = (place / name).lstat()
        except OSError:
            told.append("-")
            continue
        total += status.st_size
        told.append(f"{status.st_size}:{status.st_mtime_ns}")
    return Found(path, total, " ".join(told))


def read_marks(results: Path, ids: set[str]) -> tuple[dict[str, Mark], list[Rejection]]:
    """Return the mark of each submission that has one, and the files that are none.

    Args:
        results: The results folder.
        ids: The submissions on the board.
    """
    found: dict[str, Mark] = {}
    unreadable: list[Rejection] = []
    for name in _names(results / VERIFIED):
        path = f"{VERIFIED}/{name}"
        said = read_mark(results / path)
        submission_id = name.removesuffix(".json")
        if isinstance(said, str):
            unreadable.append(rejection(path, [said]))
        elif submission_id not in ids:
            unreadable.append(rejection(path, ["there is no such submission on the board"]))
        else:
            found[submission_id] = said
    return found, unreadable
