"""Editors named by where their code is: `path/to/file.py:Name` or `package.module:Name`.

What is named is the user's own code, so it is imported like any module of theirs: an error inside
it is theirs to see, with its traceback. What is not there is told in one line.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from scopebench.errors import EditorError

_HINT = "give path/to/file.py:Class or package.module:Class"


@dataclass(frozen=True)
class Reference:
    """What a reference names.

    Attributes:
        target: The object.
        origin: The reference as a run may tell it: without the folders of somebody's disk.
    """

    target: Any
    origin: str


def is_reference(name: str) -> bool:
    """Return whether a name says where code is; no registered name holds a colon."""
    return ":" in name or name.endswith(".py")


def import_reference(reference: str) -> Reference:
    """Import a file or module and return what is named in it.

    Raises:
        EditorError: If the file, the module or the name in it is not there.
        Exception: Whatever the code raises while it is imported.
    """
    place, _, name = reference.rpartition(":")
    if not place or not name.strip():
        raise EditorError(f"{reference!r} names no class; {_HINT}")
    module = _import_file(Path(place)) if place.endswith(".py") else _import_module(place)
    target: Any = module
    for part in name.split("."):
        if not hasattr(target, part):
            near = difflib.get_close_matches(part, vars(target), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise EditorError(f"{place} holds no {name!r}{hint}")
        target = getattr(target, part)
    shown = Path(place).name if Path(place).is_absolute() else place
    return Reference(target, f"{shown}:{name}")


def _import_file(path: Path) -> ModuleType:
    """Import a file as a module of its own; modules beside it can be imported from it."""
    file = path.expanduser().resolve()
    if not file.is_file():
        raise EditorError(f"{path}: no such file; {_HINT}")
    name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise EditorError(f"{path} cannot be imported as a module; {_HINT}")
    _find_modules_in(file.parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and others look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_module(name: str) -> ModuleType:
    _find_modules_in(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise  # the module is there, and something that it needs is not
        raise EditorError(f"no module is called {name!r}; {_HINT}") from error


def _find_modules_in(folder: Path) -> None:
    """Let modules of a folder be found, after everything that is installed."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
