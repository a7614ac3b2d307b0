"""Opens a submission: a run folder or a zip of its three files, copied into a private folder.

Nothing that a submission says of itself is believed: sizes are counted while bytes are copied,
links and devices are refused, and nothing but the three files is ever written. What an opened
submission holds cannot change any more, whatever happens to the path it came from.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from scopebench.errors import InvalidSubmission
from scopebench.hub.limits import (
    LIMITS,
    SUBMISSION_FILES,
    Limits,
    NotASubmission,
    copy_bounded,
)
from scopebench.hub.unpack import unpack_zip

__all__ = [
    "LIMITS",
    "SUBMISSION_FILES",
    "Limits",
    "NotASubmission",
    "Submission",
    "open_submission",
    "submission_id",
]

_ID_LENGTH: Final = 32


@dataclass(frozen=True)
class Submission:
    """An opened submission.

    Attributes:
        folder: A private folder that holds the three files and nothing else.
        submission_id: Hash over the content of the three files.
        sizes: Their sizes in bytes, by name.
    """

    folder: Path
    submission_id: str
    sizes: Mapping[str, int]


@contextmanager
def open_submission(path: Path, *, limits: Limits = LIMITS) -> Iterator[Submission]:
    """Copy a submission into a private folder, which is removed when the context is left.

    Args:
        path: A run folder, or a zip of its three files, at its root or inside one folder.
        limits: What it may cost.

    Raises:
        NotASubmission: If the path is neither.
        InvalidSubmission: If a file is missing, too large, a link or a device, or the zip holds
            anything else or is crafted.
    """
    if not path.is_dir() and not path.is_file():
        raise NotASubmission(f"{path}: no such file or folder; give a run folder or a zip of one")
    with tempfile.TemporaryDirectory(prefix="scopebench-submission-") as name:
        folder = Path(name)
        copy = _copy_folder if path.is_dir() else unpack_zip
        hashes = copy(path, folder, limits)
        sizes = {file: (folder / file).stat().st_size for file in SUBMISSION_FILES}
        yield Submission(folder, submission_id(hashes), sizes)


def submission_id(hashes: Mapping[str, str]) -> str:
    """Return the id of a submission: equal content, equal id.

    Args:
        hashes: SHA-256 of each of the three files, by name.
    """
    pairs = [[name, hashes[name]] for name in sorted(SUBMISSION_FILES)]
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:_ID_LENGTH]


def _copy_folder(source: Path, folder: Path, limits: Limits) -> dict[str, str]:
    if not any(os.path.lexists(source / name) for name in SUBMISSION_FILES):
        raise NotASubmission(
            f"{source}: a folder with none of {', '.join(SUBMISSION_FILES)}; give a folder written "
            "by `scopebench score`"
        )
    hashes = {}
    for name in SUBMISSION_FILES:
        with _open_regular(source / name) as file:
            hashes[name] = copy_bounded(file, folder / name, limits.bytes_of(name))
    return hashes


def _open_regular(path: Path) -> IO[bytes]:
    """Open a file that is neither a link nor a device, without waiting for a pipe's other end."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise InvalidSubmission(f"{path.name}: a symbolic link; put the file itself there")
        handle = os.open(path, flags)
    except FileNotFoundError as error:
        raise InvalidSubmission(f"{path.name}: missing; score the run to its end") from error
    except OSError as error:
        raise InvalidSubmission(f"{path.name}: cannot be read ({error.strerror})") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InvalidSubmission(f"{path.name}: not a file; put the file itself there")
    return os.fdopen(handle, "rb")
