"""The entries of the cache folder: one for everything that can be thrown away on its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scopebench.cache_dir import cache_dir
from scopebench.models.generation_cache import FILE_NAME as GENERATIONS

KINDS: Final[Mapping[str, str]] = {
    "model": "a language model, converted from its package",
    "data": "a data file of a published data set",
    "wheel": "a package of a model, put there by hand",
    "starter": "the starter benchmark, built by one version of the code",
    "benchmark": "a benchmark fetched from the Hub",
    "generations": "answers of language models, shared by all runs",
    "leaderboard": "what a leaderboard fetched or built",
    "reproduction": "runs that were made again to verify submissions",
    "leftover": "what an interrupted command left half made",
    "other": "not known to this version",
}
"""What an entry can be."""

_LEFTOVERS: Final = (".work", ".partial", ".pruned")
_PLACES: Final = {
    "models": "model",
    "data": "data",
    "wheels": "wheel",
    "benchmarks": "starter",
    "leaderboard": "leaderboard",
    "reproduce": "reproduction",
}
_HUB_FOLDER: Final = "hub"
_DATABASE_PARTS: Final = ("", "-wal", "-shm")


@dataclass(frozen=True)
class Entry:
    """One thing kept in the cache folder.

    Attributes:
        kind: What it is, a name in `KINDS`.
        name: Its path in the cache folder.
        path: Where it lies.
        size: Bytes on disk.
        last_used: When a file of it was last read or written, as far as the file system tells.
    """

    kind: str
    name: str
    path: Path
    size: int
    last_used: datetime | None

    @property
    def parts(self) -> tuple[Path, ...]:
        """The files and folders it consists of: a database lies in several files."""
        if self.kind != "generations":
            return (self.path,)
        found = (self.path.with_name(self.path.name + part) for part in _DATABASE_PARTS)
        return tuple(part for part in found if part.exists())

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            **asdict(self),
            "path": str(self.path),
            "last_used": None if self.last_used is None else self.last_used.isoformat(),
            "what": KINDS[self.kind],
        }


def list_cache(root: Path | None = None) -> list[Entry]:
    """Return every entry of the cache folder, by kind and name; none where there is no folder.

    Args:
        root: The cache folder [default: `cache_dir()`].
    """
    root = cache_dir() if root is None else root
    if not root.is_dir():
        return []
    order = list(KINDS)
    entries = [_entry(root, kind, path) for kind, path in _found(root)]
    return sorted(entries, key=lambda entry: (order.index(entry.kind), entry.name))


def _found(root: Path) -> Iterator[tuple[str, Path]]:
    for path in _children(root):
        if path.name == GENERATIONS:
            yield "generations", path
        elif path.name in (GENERATIONS + part for part in _DATABASE_PARTS[1:]):
            if not (root / GENERATIONS).exists():
                yield "leftover", path
        elif path.name in _PLACES and path.is_dir():
            yield from _inside(path, _PLACES[path.name])
        else:
            yield "other", path


def _inside(folder: Path, kind: str) -> Iterator[tuple[str, Path]]:
    for path in _children(folder):
        if path.name.endswith(_LEFTOVERS) or (kind == "starter" and path.name.startswith(".")):
            yield "leftover", path
        elif kind == "starter" and path.name == _HUB_FOLDER and path.is_dir():
            for repo in _children(path):
                if not repo.name.startswith("."):
                    yield "benchmark", repo
        else:
            yield kind, path


def _children(folder: Path) -> list[Path]:
    """Return what a folder holds, without locks, which are empty and belong to what they lock."""
    return sorted(path for path in folder.iterdir() if path.suffix != ".lock")


def _entry(root: Path, kind: str, path: Path) -> Entry:
    name = path.relative_to(root).as_posix()
    bare = Entry(kind, name, path, 0, None)
    size, last = 0, 0.0
    for part in bare.parts:
        for status in _statuses(part):
            size += status.st_size
            last = max(last, status.st_atime, status.st_mtime)
    used = datetime.fromtimestamp(last, UTC).replace(microsecond=0) if last else None
    return Entry(kind, name, path, size, used)


def _statuses(path: Path) -> Iterator[os.stat_result]:
    """Yield the status of every file; links are not followed, so that nothing counts twice."""
    try:
        if path.is_symlink() or not path.is_dir():
            yield path.lstat()
            return
        with os.scandir(path) as found:
            children = list(found)
    except OSError:  # thrown away while it was looked at
        return
    for child in children:
        yield from _statuses(Path(child.path))
