"""Benchmarks at hand, known by one hash over their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from scopebench.construct.reader import benchmark_files
from scopebench.run.provenance import digest

_LENGTH: Final = 16


def benchmark_digest(files: Mapping[str, str]) -> str:
    """Return one hash over the files of a benchmark, by relative path and SHA-256."""
    return digest(dict(files))[:_LENGTH]


def benchmarks_by_digest(folders: Sequence[Path]) -> dict[str, Path]:
    """Return benchmark folders by the digest of their files, which are verified.

    Raises:
        DataError: If a folder is no built benchmark, or a file of it is not the one built.
    """
    return {benchmark_digest(benchmark_files(folder)): folder for folder in folders}
