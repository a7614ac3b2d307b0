"""Builds benchmarks from sources, and reads them back."""

from __future__ import annotations

from scopebench.construct.options import BuildOptions
from scopebench.construct.reader import Benchmark, DatasetSplits, read_benchmark
from scopebench.construct.writer import build_benchmark, write_benchmark

__all__ = [
    "Benchmark",
    "BuildOptions",
    "DatasetSplits",
    "build_benchmark",
    "read_benchmark",
    "write_benchmark",
]
