"""The machine: processors, memory, devices, free disk."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scopebench.cache_dir import CACHE_VARIABLE, cache_dir
from scopebench.doctor.finding import Finding

LEAST_MEMORY: Final = 2 << 30
"""Bytes of memory that the small default model and a batch of 64 questions take, rounded up."""

LEAST_DISK: Final = 1 << 30
"""Bytes of disk that fetching and converting the small default model takes, rounded up."""

_THREADS: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def examine_machine(*, deep: bool) -> Iterator[Finding]:
    """Yield processors, threads, memory, devices and free disk.

    Args:
        deep: Whether to ask torch for its devices, which takes seconds.
    """
    yield Finding("machine", "system", f"{platform.system()} {platform.machine()}")
    yield _processors()
    yield _memory()
    yield from _devices(deep=deep)
    yield _disk()


def _processors() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limits = [f"{name}={os.environ[name]}" for name in _THREADS if name in os.environ]
    told = f"{usable} usable" + (f"; threads limited by {', '.join(limits)}" if limits else "")
    return Finding("machine", "processors", told)


def _memory() -> Finding:
    found = available_memory()
    if found is None:
        return Finding("machine", "memory", "the system does not tell")
    told = f"{_gib(found)} GiB available"
    if found < LEAST_MEMORY:
        fix = "close other programs, or score with a smaller --batch-size"
        return Finding("machine", "memory", told, "problem", fix)
    return Finding("machine", "memory", told)


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """Return the bytes that programs can still get, as the kernel estimates; None: not told."""
    try:
        lines = meminfo.read_text("ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None


def _devices(*, deep: bool) -> Iterator[Finding]:
    if not deep:
        cards = sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*"))
        told = f"{len(cards)} of NVIDIA ({', '.join(cards)})" if cards else "none of NVIDIA"
        yield Finding("machine", "accelerators", f"{told}; --deep asks torch")
        return
    try:
        import torch
    except ImportError as error:
        fix = "run: pip install 'scopebench[local]'"
        yield Finding("machine", "accelerators", f"torch cannot be imported ({error})", "note", fix)
        return
    found = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    told = ", ".join(found) or "none: models run on the processors"
    yield Finding(
        "machine", "accelerators", f"{told}; torch uses {torch.get_num_threads()} threads"
    )


def _disk() -> Finding:
    place = cache_dir()
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    told = f"{_gib(free)} GiB free at {place}"
    if free < LEAST_DISK:
        fix = f"run: scopebench cache prune, or set {CACHE_VARIABLE} to a folder on another disk"
        return Finding("machine", "disk", told, "problem", fix)
    return Finding("machine", "disk", told)


def _gib(number: int) -> str:
    return f"{number / (1 << 30):.1f}"
