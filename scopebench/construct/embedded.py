"""The starter benchmark as a folder: what is used where no benchmark is named."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from filelock import FileLock

from scopebench import __version__
from scopebench.cache_dir import cache_dir
from scopebench.construct.manifest import FILE
from scopebench.construct.options import BuildOptions
from scopebench.construct.writer import build_benchmark
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError
from scopebench.sources.starter import starter_digest


def starter_benchmark() -> Path:
    """Return the folder of the starter benchmark, building it in the cache when it is missing.

    The folder is named after all that determines its bytes: the version, the starter's files and
    the code that builds, which in a working copy changes without the version.
    """
    name = f"starter-{__version__}-{starter_digest()[:12]}-{_build_digest()[:12]}"
    folder = cache_dir() / "benchmarks" / name
    if not (folder / FILE).is_file():
        with clear_disk_errors(folder.parent, DataError):
            folder.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(f"{folder}.lock")
        with lock:  # processes that verify start together
            if not (folder / FILE).is_file():
                build_benchmark(None, folder, BuildOptions())
    return folder


def _build_digest() -> str:
    """Return a hash over the files of the package that builds."""
    digest = hashlib.sha256()
    for file in sorted(_walk(files("scopebench.construct")), key=str):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _walk(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for child in folder.iterdir():
        if child.is_dir():
            found.extend(_walk(child))
        elif child.name.endswith((".py", ".toml", ".md")):
            found.append(child)
    return found
