"""Starts an editor: a package that is whole, tested and can be scored at once."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from scopebench.api.arguments import path_of


def new_editor(name: str, out: str | PathLike[str] | None = None) -> Path:
    """Write the package of a new editor and return its folder; nothing is ever overwritten.

    Args:
        name: The name it will be registered and asked for by.
        out: The folder to write; None: `scopebench-NAME` in the current folder.

    Raises:
        UsageError: If the name is not allowed or is taken by an editor that is installed.
        DataError: If something is at `out` already, or the disk is full or may not be written.
    """
    from scopebench.new_editor import write_package

    return write_package(name, None if out is None else path_of(out))
