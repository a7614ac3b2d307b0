"""Seconds and peak memory of a build of 20,000 flat CounterFact records, parse to parquet.

    python benchmarks/build.py                       # the real files, else invented records
    python benchmarks/build.py FILE [FILE ...]       # flat CounterFact files

The real files are `counterfact/counterfact-{edit,train}.json` in `SCOPEBENCH_DATA` (by default
`../shared/data/raw`). Each build runs in a process of its own, so that the peak is its own. The
near-name search is also compared with the plain search over all pairs, on a sample small enough for
the latter; `ratio` is theirs. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.construct.near import NEAR_NAME_JACCARD, near_pairs
from scopebench.construct.text import bare, trigrams
from scopebench.sources import read_source

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "raw"
RECORDS = 20_000
SAMPLE = 2_000
SECONDS_ALLOWED = 60.0
GIGABYTES_ALLOWED = 1.0

Result = TypeVar("Result")


def main() -> None:
    """Measure, print a table and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="flat CounterFact files")
    parser.add_argument("--child", choices=["build", "read"], help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(run_child(asked.child, asked.files, asked.out)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = asked.files or real_files() or [write_invented(Path(folder, "invented.json"))]
        print("files: " + ", ".join(path.name for path in files))
        out = Path(folder, "out")
        result = {f"build_{key}": value for key, value in in_child("build", files, out).items()}
        result |= {f"read_{key}": value for key, value in in_child("read", files, out).items()}
        result |= compare_near_names(files)
    result["within_budget"] = (
        result["build_seconds"] < SECONDS_ALLOWED and result["build_peak_gb"] < GIGABYTES_ALLOWED
    )
    width = max(map(len, result))
    for key, value in result.items():
        print(f"{key:<{width}}  {value}")
    print(json.dumps(result))


def real_files() -> list[Path]:
    """Return the two real files of 10,000 records each, or none where one is absent."""
    folder = Path(os.environ.get("SCOPEBENCH_DATA", DATA)) / "counterfact"
    files = [folder / "counterfact-edit.json", folder / "counterfact-train.json"]
    return files if all(path.is_file() for path in files) else []


def write_invented(path: Path) -> Path:
    """Write invented flat records whose names overlap about as much as real ones."""
    random_ = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "or", "an", "el")]
    places = [
        f"{first}{second}stead".title() for first in syllables[:20] for second in syllables[:10]
    ]
    records, name = [], ""
    for number in range(RECORDS):
        if number % 20 == 1:  # every twentieth name is near the one before
            name += " III"
        else:
            parts = [random_.choices(syllables, k=random_.randint(2, 4)) for _ in range(2)]
            name = " ".join("".join(part) for part in parts).title()
        old, new = random_.sample(places, 2)
        records.append(
            {
                "case_id": number,
                "prompt": f"{name} lies in",
                "target_new": new,
                "subject": name,
                "ground_truth": old,
                "rephrase_prompt": f"The place where {name} lies is",
                "locality_prompt": f"Old {name} Bridge lies in",
                "locality_ground_truth": old,
            }
        )
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def in_child(what: str, files: list[Path], out: Path) -> dict[str, float]:
    """Run one measurement in a fresh process."""
    command = [sys.executable, __file__, "--child", what, "--out", str(out), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_child(what: str, files: list[Path], out: Path) -> dict[str, float]:
    """Build or read, and return records, seconds and the peak resident size in gigabytes."""
    if what == "build":
        manifest, seconds = timed(
            lambda: build_benchmark({"counterfact": files}, out, BuildOptions())
        )
        count = manifest["datasets"]["counterfact"]["edits"]["read"]
    else:
        benchmark, seconds = timed(lambda: read_benchmark(out))
        queries = benchmark.datasets["counterfact"].queries.values()
        count = sum(len(records) for records in queries)
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kibibytes elsewhere
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    return {"records": count, "seconds": round(seconds, 2), "peak_gb": round(peak, 3)}


def compare_near_names(files: list[Path]) -> dict[str, float]:
    """Time the prefix-filtered search and the search over all pairs."""
    cases = read_source("counterfact", files).cases
    every = sorted({bare(edit.subject) for case in cases for edit in case.edits})
    sample = random.Random(0).sample(every, min(SAMPLE, len(every)))
    pairs, all_seconds = timed(lambda: near_pairs(every))
    ours, our_seconds = timed(lambda: near_pairs(sample))
    plain, plain_seconds = timed(lambda: all_pairs(sample))
    if ours != plain:
        raise AssertionError("the two searches disagree")
    return {
        "near_names": len(every),
        "near_pairs": len(pairs),
        "near_seconds": round(all_seconds, 2),
        "near_sample": len(sample),
        "near_sample_seconds": round(our_seconds, 3),
        "plain_sample_seconds": round(plain_seconds, 3),
        "ratio": round(plain_seconds / our_seconds, 1),
    }


def all_pairs(names: list[str]) -> list[tuple[str, str]]:
    """Compare everything with everything."""
    grams = {name: trigrams(name) for name in names}
    return [
        (first, second)
        for first, second in combinations(sorted(grams), 2)
        if len(grams[first] & grams[second]) / len(grams[first] | grams[second])
        >= NEAR_NAME_JACCARD
    ]


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work returns and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
