"""Writes the package of a new editor: it is whole, its test passes, and it can be scored at once.

The files are those of `template/`, with the editor's name put in; `package` in a path becomes the
name of the Python package.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from jinja2 import Environment, StrictUndefined

from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, UsageError
from scopebench.registry import discover

NAME: Final = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
LONGEST: Final = 40
_SUFFIX: Final = ".jinja"
_PACKAGE: Final = "package"


def write_package(name: str, out: Path | None = None) -> Path:
    """Write the package of a new editor and return its folder.

    Args:
        name: The name it will be registered and asked for by.
        out: The folder to write; None: `scopebench-NAME` in the current folder.

    Raises:
        UsageError: If the name is not allowed or is taken by an editor that is installed.
        DataError: If something is at `out` already, or the disk is full or may not be written.
    """
    words = _words(name)
    folder = Path(f"scopebench-{words['slug']}") if out is None else out
    if folder.is_symlink() or (folder.exists() and not _is_empty(folder)):
        raise DataError("is there already", file=folder, fix="give another --out, or move it away")
    rendered = {
        place.replace(_PACKAGE, words["module"]).removesuffix(_SUFFIX): text
        for place, text in _render(words).items()
    }
    with clear_disk_errors(folder, DataError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for place, text in rendered.items():
                (partial / place).parent.mkdir(parents=True, exist_ok=True)
                (partial / place).write_text(text, encoding="utf-8")
            partial.chmod(0o755)
            partial.replace(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return folder


def _words(name: str) -> dict[str, str]:
    """Return the name in every form that the files need."""
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise UsageError(
            f"{name!r} cannot name an editor: give lower-case letters and digits, a letter first, "
            f"parts joined by '-' or '_', at most {LONGEST} characters"
        )
    if name in discover().editors:
        raise UsageError(f"an editor that is called {name!r} is installed already; give another")
    parts = re.split("[-_]", name)
    return {
        "name": name,
        "slug": "-".join(parts),
        "module": "scopebench_" + "_".join(parts),
        "class_name": "".join(part.capitalize() for part in parts) + "Editor",
    }


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None


def _render(words: Mapping[str, str]) -> dict[str, str]:
    """Return the text of every file by its path in the template."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    return {
        place: environment.from_string(file.read_text(encoding="utf-8")).render(words)
        for place, file in _walk(files("scopebench.new_editor") / "template", "").items()
    }


def _walk(folder: Traversable, prefix: str) -> dict[str, Traversable]:
    found: dict[str, Traversable] = {}
    for child in folder.iterdir():
        place = f"{prefix}{child.name}"
        if child.is_dir():
            found |= _walk(child, f"{place}/")
        elif child.name.endswith(_SUFFIX):
            found[place] = child
    return dict(sorted(found.items()))
