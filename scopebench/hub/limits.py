"""What a submission is made of and may cost, and the one way its bytes are copied."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from scopebench.errors import InvalidSubmission
from scopebench.run.folder import RESULT_FILE
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE

SUBMISSION_FILES: Final = (RESULT_FILE, OUTCOMES_FILE, DECISIONS_FILE)
"""What a submission is made of; whatever else lies in a run folder is ignored."""

_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a submission may cost; all sizes in bytes.

    Attributes:
        result_bytes: Size of `run.json`.
        table_bytes: Size of each table as a file.
        zip_bytes: Size of a zip.
        zip_entries: Entries of a zip: the three files and the folder around them.
        zip_directory_bytes: Size of a zip's own directory.
        zip_ratio: Bytes that one byte of a zip may become; a table is compressed already.
    """

    result_bytes: int = 16_000_000
    table_bytes: int = 256_000_000
    zip_bytes: int = 530_000_000
    zip_entries: int = 4
    zip_directory_bytes: int = 65_536
    zip_ratio: int = 200

    def bytes_of(self, name: str) -> int:
        """Return how large one of the three files may be."""
        return self.result_bytes if name == RESULT_FILE else self.table_bytes


LIMITS: Final = Limits()


class NotASubmission(InvalidSubmission):
    """The path is neither a run folder nor a zip of one."""


def copy_bounded(source: IO[bytes], target: Path, limit: int) -> str:
    """Copy a stream into a new file and return the SHA-256 of what was copied.

    Args:
        source: The stream; only what it yields counts, not what it says of its length.
        target: The file to write.
        limit: Bytes it may have.

    Raises:
        InvalidSubmission: If it has more; the file is left cut there.
    """
    digest = hashlib.sha256()
    copied = 0
    with target.open("xb") as file:
        while chunk := source.read(_CHUNK):
            copied += len(chunk)
            if copied > limit:
                raise InvalidSubmission(f"{target.name}: more than {limit:,} bytes")
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()
