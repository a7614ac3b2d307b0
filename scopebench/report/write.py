"""Write a report to disk: whole or not at all."""

from __future__ import annotations

from pathlib import Path

from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError


def write_text(text: str, path: Path) -> None:
    """Write a text atomically; the folder is made where it is missing.

    Raises:
        DataError: If the disk is full or may not be written there.
    """
    with clear_disk_errors(path, DataError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        try:
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
