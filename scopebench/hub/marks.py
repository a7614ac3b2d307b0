"""Marks: what maintainers say of a submission, beside the submissions and never inside one.

A mark is `verified/<submission id>.json` of the results. The id is a hash of the submission's
content, so a mark is of that content alone; a submission is three files of its own folder, so that
nothing a submitter sends can hold one. A person writes `by`, `date` and `note`, which says that he
reproduced it; `scopebench reproduce` adds `reproduction`, with what it counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from huggingface_hub import CommitOperationAdd

from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError
from scopebench.hub.remote import Remote, checked_repo_id

VERIFIED: Final = "verified"
"""The folder of marks, in a folder or repository of results."""

MARK_VERSION: Final = 1
"""Raised when a submission should be reproduced again: how it is done has changed."""

ENOUGH: Final = 0.9
"""Share of texts that must be equal.

A run that was generated is repeated to the letter on the same machine. Elsewhere (another device,
another version of the libraries, another batch) logits differ by rounding, and an answer differs
from where its two best tokens nearly tie. That leaves most short greedy answers as they are, while
an invented text is almost never what the model says.
"""

SPARE: Final = 0.1
"""Share of texts that may differ: what `ENOUGH` leaves, without the rounding of 1 - 0.9."""

State = Literal["reproduced", "not reproduced"]

_BYTES: Final = 65_536
_NOTE_LENGTH: Final = 500


@dataclass(frozen=True)
class Mark:
    """A maintainer's word on a submission.

    Attributes:
        by: Who.
        date: When, ISO 8601.
        note: How, in a line.
        equal: Outcomes whose text was generated again; None: a person's word, not counted.
        n: Outcomes that were tried; None likewise.
        low: Lower bound on the share of outcomes that are as generated; None likewise.
        version: The version of the mark; None likewise.
    """

    by: str
    date: str
    note: str
    equal: int | None = None
    n: int | None = None
    low: float | None = None
    version: int | None = None

    @property
    def state(self) -> State:
        """Whether it says that the submission was reproduced."""
        if self.equal is None or self.n is None:
            return "reproduced"
        return state_of(self.equal, self.n)

    @property
    def is_old(self) -> bool:
        """Whether the submission should be reproduced again; a person's word stands."""
        return self.version is not None and self.version < MARK_VERSION


def state_of(equal: int, n: int) -> State:
    """Return whether so many equal texts of so many are enough."""
    return "reproduced" if n - equal <= SPARE * n else "not reproduced"


def mark_path(submission_id: str) -> str:
    """Return the path of a submission's mark, in a folder or repository of results."""
    return f"{VERIFIED}/{submission_id}.json"


def read_mark(path: Path) -> Mark | str:
    """Return the mark of a file, or why it is none."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _BYTES:
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
    if told.get("reproduction") is None:
        return Mark(by, date, note)
    counted = _counted(told["reproduction"])
    return counted if isinstance(counted, str) else Mark(by, date, note, *counted)


def _counted(told: Any) -> tuple[int, int, float, int] | str:
    """Return equal, n, low and version of a `reproduction`, or why it holds none."""
    if not isinstance(told, dict):
        return "`reproduction` is no JSON object"
    low = told.get("low")
    whole = [told.get(name) for name in ("equal", "n", "version")]
    equal, n, version = (value if type(value) is int else -1 for value in whole)
    if not 0 <= equal <= n or n < 1 or version < 1:
        return "`reproduction` needs whole numbers `equal` up to `n`, and a `version`"
    if not isinstance(low, int | float) or not 0 <= low <= 1:
        return "`reproduction` needs `low`, a share"
    return equal, n, float(low), version


def mark_text(by: str, date: str, note: str, reproduction: Mapping[str, Any]) -> str:
    """Return the contents of a mark's file."""
    told = {"by": by, "date": date, "note": note, "reproduction": dict(reproduction)}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def write_mark(results: Path, submission_id: str, text: str) -> Path:
    """Write a mark into a folder of results, atomically, and return its path.

    Raises:
        DataError: If the disk is full or may not be written there.
    """
    path = results / mark_path(submission_id)
    partial = path.with_name(f".{path.name}.partial")
    with clear_disk_errors(path, DataError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    return path


def send_marks(repo: str, marks: Mapping[str, Path], *, remote: Remote) -> str:
    """Put marks into a results repository in one commit, and return the page of its main branch.

    Args:
        repo: The repository, ORG/NAME.
        marks: Their files, by submission id; at least one.
        remote: The Hub; its login needs the right to write.

    Raises:
        HubError: If the Hub refuses or cannot be reached.
    """
    repo = checked_repo_id(repo)
    n = len(marks)

    def commit() -> None:
        remote.api.create_commit(
            repo,
            operations=[
                CommitOperationAdd(path_in_repo=mark_path(key), path_or_fileobj=str(path))
                for key, path in sorted(marks.items())
            ],
            repo_type="dataset",
            commit_message=f"Marks of {n} submission{'' if n == 1 else 's'}",
        )

    remote.call("sending marks", repo, commit)
    return f"{remote.url('dataset', repo, revision='main')}/{VERIFIED}"
