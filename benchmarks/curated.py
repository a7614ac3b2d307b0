"""Growth of the curated build and its checks, and a build of every real file with all checks.

    python benchmarks/curated.py                 # 5,000, 10,000 and 20,000 edits, then all files
    python benchmarks/curated.py --growth-only

Three things must not grow with rows times edits: the near-name search, the search for edits that a
question names, and the whole build. Each is timed at 5,000, 10,000 and 20,000 flat CounterFact
edits; `growth` is the exponent k of n^k between the first and the last, 1 being linear and 2
quadratic, and the plain search over all names stands beside it as the rival. The real files are
those of `SCOPEBENCH_DATA` (by default `../shared/data/raw`). Each build runs in a process of its
own, so that its peak memory is its own. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from scopebench.construct import BuildOptions, build_benchmark
from scopebench.construct.checks.world import World
from scopebench.construct.near import NEAR_NAME_JACCARD, NearNames
from scopebench.construct.text import bare, holds_phrase, normalise, trigrams
from scopebench.records import Edit
from scopebench.sources import read_source

DATA = Path(os.environ.get("SCOPEBENCH_DATA", Path(__file__).parents[2] / "shared/data/raw"))
SIZES = (5_000, 10_000, 20_000)
RIVAL_LOOKUPS = 100
SECONDS_ALLOWED = 180.0
GIGABYTES_ALLOWED = 3.0

FLAT = ("counterfact/counterfact-edit.json", "counterfact/counterfact-train.json")
EVERY = {
    "counterfact": FLAT,
    "mquake_cf": (
        "akew/MQuAKE-CF.json",
        "mquake/MQuAKE-hard.json",
        "mquake/MQuAKE-CF_slice01_300.json",
    ),
    "wikifactdiff": ("wikifactdiff/wfd-train.json",),
    "rippleedits": (
        "rippleedits/wiki_counterfact_test_cf-generate-10.json",
        "rippleedits/benchmark_wiki_counterfact_train_cf.json",
        "rippleedits/benchmark_wiki_recent_recent_train.json",
    ),
}

Result = TypeVar("Result")


def main() -> None:
    """Measure, print tables and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--growth-only", action="store_true")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child is not None:
        print(json.dumps(build(asked.child)))
        return
    if not (DATA / FLAT[0]).is_file():
        print(f"no real files at {DATA}: set SCOPEBENCH_DATA", file=sys.stderr)
        sys.exit(2)
    rows = [measure(size) for size in SIZES]
    columns = list(rows[0])
    print("  ".join(f"{name:>14}" for name in columns))
    for row in rows:
        print("  ".join(f"{row[name]:>14}" for name in columns))
    growth = {
        name: round(math.log(rows[-1][name] / rows[0][name]) / math.log(SIZES[-1] / SIZES[0]), 2)
        for name in columns
        if name != "edits"
    }
    print("  ".join(f"{growth.get(name, 'n^k'):>14}" for name in columns))
    result: dict[str, object] = {"growth": growth, "rows": rows}
    result["ratio"] = round(rows[-1]["all_names_s"] / rows[-1]["near_s"], 1)
    if not asked.growth_only:
        whole = in_child(0)
        print(f"all real files: {whole}")
        result["all_files"] = whole
        result["within_budget"] = (
            whole["seconds"] < SECONDS_ALLOWED and whole["peak_gb"] < GIGABYTES_ALLOWED
        )
    print(json.dumps(result))


def measure(size: int) -> dict[str, float]:
    """Time the searches and a build of so many edits, in seconds."""
    cases = read_source("counterfact", [DATA / name for name in FLAT]).cases[:size]
    edits = [edit for case in cases for edit in case.edits]
    probes = [p.question for case in cases for p in case.probes if p.role == "neighbour"]
    names = [bare(edit.subject) for edit in edits]
    found, near = timed(lambda: all_near(names))
    rival = timed(lambda: plain_near(names, names[:RIVAL_LOOKUPS]))
    if rival[0] != found[:RIVAL_LOOKUPS]:
        raise AssertionError("the two searches disagree")
    world = World.of(edits)
    named = timed(lambda: [world.named_in(question) for question in probes])
    if named[0][:RIVAL_LOOKUPS] != plain_named(edits, probes[:RIVAL_LOOKUPS]):
        raise AssertionError("the two ways to find names disagree")
    return {
        "edits": len(edits),
        "near_s": round(near, 2),
        "all_names_s": round(rival[1] * len(names) / RIVAL_LOOKUPS, 2),
        "named_in_s": round(named[1], 2),
        "build_s": in_child(size)["seconds"],
    }


def all_near(names: Sequence[str]) -> list[list[str]]:
    """Look up the near names of every name."""
    near = NearNames(names)
    return [near.of(name) for name in names]


def plain_near(names: Sequence[str], asked: Sequence[str]) -> list[list[str]]:
    """Compare each asked name with every name."""
    grams = {name: trigrams(name) for name in names}
    return [
        sorted(
            other
            for other, own in grams.items()
            if other != name
            and len(own & grams[name]) / len(own | grams[name]) >= NEAR_NAME_JACCARD
        )
        for name in asked
    ]


def plain_named(edits: Sequence[Edit], questions: Sequence[str]) -> list[list[Edit]]:
    """Look for every subject in every question, in the order in which the world files them."""
    found = []
    for question in questions:
        text = normalise(question)
        held = [edit for edit in edits if holds_phrase(text, normalise(edit.subject))]
        words = bare(question).split()
        order = {" ".join(words[a:b]): (a, b) for a in range(len(words)) for b in range(a, 40)}
        found.append(sorted(held, key=lambda edit: order.get(bare(edit.subject), (99, 99))))
    return found


def in_child(size: int) -> dict[str, float]:
    """Build in a fresh process: so many CounterFact edits, or with 0 every real file."""
    command = [sys.executable, __file__, "--child", str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def build(size: int) -> dict[str, float]:
    """Build, and return edits, seconds and the peak resident size in gigabytes."""
    names = {"counterfact": FLAT} if size else EVERY
    files = {
        dataset: [DATA / name for name in paths if (DATA / name).is_file()]
        for dataset, paths in names.items()
    }
    options = BuildOptions(limit=size or None, on_bad_record="skip")
    with tempfile.TemporaryDirectory() as folder:
        manifest, seconds = timed(lambda: build_benchmark(files, Path(folder, "out"), options))
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kibibytes elsewhere
    return {
        "edits": sum(data["edits"]["read"] for data in manifest["datasets"].values()),
        "seconds": round(seconds, 2),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9, 3),
    }


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work returns and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
