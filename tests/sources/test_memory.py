"""Reading must not hold the file, nor the records, in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource", reason="peak memory is measured with getrusage")

MIB = 1 << 20

MEASURE = """
import resource, sys
from pathlib import Path
from scopebench.sources import read_source

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

read_source("counterfact", [Path(sys.argv[1])])
before = peak()
cases = read_source("counterfact", [Path(sys.argv[2])]).cases
print(len(cases), peak() - before)
"""


def growth(
    make: Callable[..., dict[str, Any]], folder: Path, *, records: int, bulk: int
) -> tuple[int, int]:
    """Return a file's size and how far reading it raises the peak, in bytes."""
    small, large = folder / "small.json", folder / "large.json"
    small.write_text(json.dumps([make(n) for n in range(50)]))
    with large.open("w") as file:
        for n in range(records):
            file.write("[" if n == 0 else ",\n")
            json.dump({**make(n), "note": "x" * bulk}, file)
        file.write("]")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(small), str(large)],
        capture_output=True,
        text=True,
        check=True,
    )
    count, grown = map(int, done.stdout.split())
    assert count == records
    return large.stat().st_size, grown


def test_a_20_mb_file(
    samples: dict[str, tuple[str, Callable[..., dict[str, Any]]]], tmp_path: Path
) -> None:
    size, grown = growth(samples["counterfact-flat"][1], tmp_path, records=1000, bulk=20_000)
    assert size > 20_000_000
    assert grown < 8 * MIB


@pytest.mark.slow
def test_a_200_mb_file(
    samples: dict[str, tuple[str, Callable[..., dict[str, Any]]]], tmp_path: Path
) -> None:
    size, grown = growth(samples["counterfact-flat"][1], tmp_path, records=2000, bulk=100_000)
    assert size > 200_000_000
    assert grown < 16 * MIB
