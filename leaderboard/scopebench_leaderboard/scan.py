"""What lies in a results folder: submissions, strays, and what maintainers say of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scopebench_leaderboard.entries import SUBMISSION_FILES, Rejection, rejection

SUBMISSIONS: Final = "submissions"
VERIFIED: Final = "verified"
SUBMISSION_ID: Final = re.compile(r"[0-9a-f]{32}")

_VERIFIED_BYTES: Final = 65_536
_NOTE_LENGTH: Final = 500


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


@dataclass(frozen=True)
class Verified:
    """A maintainer's word that a submission was reproduced.

    Attributes:
        by: Who.
        date: When, ISO 8601.
        note: How, in a line.
    """

    by: str
    date: str
    note: str


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


def read_verified(results: Path, ids: set[str]) -> tuple[dict[str, Verified], list[Rejection]]:
    """Return what maintainers say of each submission, and the files that say nothing.

    Args:
        results: The results folder.
        ids: The submissions on the board.
    """
    found: dict[str, Verified] = {}
    unreadable: list[Rejection] = []
    for name in _names(results / VERIFIED):
        path = f"{VERIFIED}/{name}"
        said = _read_verified(results / path)
        submission_id = name.removesuffix(".json")
        if isinstance(said, str):
            unreadable.append(rejection(path, [said]))
        elif submission_id not in ids:
            unreadable.append(rejection(path, ["there is no such submission on the board"]))
        else:
            found[submission_id] = said
    return found, unreadable


def _read_verified(path: Path) -> Verified | str:
    """Return what a file says, or why it says nothing."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _VERIFIED_BYTES:
            return "not a small file"
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        return f"not readable as JSON ({error})"
    if not isinstance(told, dict):
        return "not a JSON object"
    words = [told.get("by"), told.get("date"), told.get("note", "")]
    if not all(isinstance(word, str) for word in words) or not words[0]:
        return "`by`, `date` and `note` must be texts, and `by` not empty"
    by, date, note = (" ".join(word.split())[:_NOTE_LENGTH] for word in words)
    return Verified(by, date, note)
