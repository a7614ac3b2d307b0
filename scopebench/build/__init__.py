"""Builds benchmarks from sources, and reads them back."""

from __future__ import annotations

from scopebench.build.options import BuildOptions
from scopebench.build.reader import Benchmark, DatasetSplits, read_benchmark
from scopebench.build.writer import build_benchmark, write_benchmark

__all__ = [
    "Benchmark",
    "BuildOptions",
    "DatasetSplits",
    "build_benchmark",
    "read_benchmark",
    "write_benchmark",
]
