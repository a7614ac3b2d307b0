"""Write the files of an export: each whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from scopebench.errors import DataError
from scopebench.hub.exports.base_model import ABOUT_FILE
from scopebench.hub.exports.options import Rendered

MARK: Final = "<!-- written by scopebench export -->"
"""Stands in every README.md of ours, which may then be overwritten."""


def write(rendered: Rendered, out: Path) -> list[Path]:
    """Write an export and return the paths of its files, in order.

    Args:
        rendered: The files.
        out: The file, or the folder, to write; missing folders are made.

    Raises:
        DataError: If a README.md that is not ours stands where one is to be written, or the folder
            holds the task of another harness.
    """
    targets = {out / name if name else out: text for name, text in sorted(rendered.files.items())}
    for path, text in targets.items():
        _refuse_foreign_readme(path)
        _refuse_other_harness(path, text)
    for path, text in targets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    return list(targets)


def _refuse_foreign_readme(path: Path) -> None:
    """A README.md is often somebody's own card or notes, written by hand."""
    if path.name.lower() != "readme.md" or not path.is_file():
        return
    if MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise DataError(
            "is there and was not written by `scopebench export`",
            file=path,
            fix="write to another --out and copy what you want from it",
        )


def _refuse_other_harness(path: Path, text: str) -> None:
    """Task folders of two harnesses have files of one name: the later would change the earlier."""
    if path.name != ABOUT_FILE or not path.is_file():
        return
    try:
        there = json.loads(path.read_bytes())["harness"]
    except (ValueError, KeyError, TypeError):
        return  # nothing that we wrote
    asked = json.loads(text)["harness"]
    if there != asked:
        raise DataError(
            f"belongs to a task for {there}; one for {asked} would overwrite part of it",
            file=path,
            fix="give a folder of its own with --out",
        )
