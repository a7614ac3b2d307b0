"""What a result must say about itself to be repeated: hashes, versions, commit."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import scopebench

_PACKAGES: Final = (
    "scopebench",
    "numpy",
    "pyarrow",
    "scipy",
    "sentence-transformers",
    "tokenizers",
    "torch",
    "transformers",
)


@dataclass(frozen=True)
class CodeOrigin:
    """Where the code of an editor that is not registered comes from.

    Attributes:
        name: `module:name`, or `file.py:name`.
        sha256: SHA-256 of its source.
    """

    name: str
    sha256: str


def editor_digest(
    name: str, version: str, params: Mapping[str, Any], source_sha256: str | None
) -> str:
    """Return the hash that stands for an editor; a registered one has no hash of its source."""
    named: dict[str, Any] = {"name": name, "version": version, "params": dict(params)}
    return digest(named if source_sha256 is None else named | {"source_sha256": source_sha256})


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def first_difference(before: Mapping[str, str], now: Mapping[str, str]) -> str | None:
    """Say which file is the first, by path, that two benchmarks do not share; None: all are equal.

    Args:
        before: SHA-256 of every file of the run's benchmark, by relative path.
        now: The same of the benchmark that is given now.
    """
    of = "the run's benchmark"
    for path in sorted({*before, *now}):
        old, new = before.get(path), now.get(path)
        if old is None:
            return f"{path} is not in {of}"
        if new is None:
            return f"{path} is in {of} and not in the one given"
        if old != new:
            return f"{path} has SHA-256 {old[:12]} in {of} and {new[:12]} in the one given"
    return None


def environment() -> dict[str, str]:
    """Return the versions of Python, the platform and the packages that shape a result."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def package_commit() -> dict[str, str | bool | None]:
    """Return the commit this package runs from, or nulls where it is not in a git work tree.

    The caller's own folder may be some other repository: only a tree that tracks this package's
    files counts.
    """
    folder = Path(scopebench.__file__).parent
    tracked = _git(folder, "ls-files", "--error-unmatch", "__init__.py")
    if tracked is None:
        return {"commit": None, "dirty": None}
    status = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": _git(folder, "rev-parse", "HEAD"), "dirty": bool(status)}


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
