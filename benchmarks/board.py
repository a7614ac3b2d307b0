"""Seconds and memory of a board of many submissions: opening it, and every filter of its pages.

    python benchmarks/board.py [--submissions 10000]

One real run is scored over toy models on the embedded starter, and its entry (every part of it,
with all numbers and intervals) is varied into so many submissions by 400 editors on 50 models. They
are merged and written as a rebuild would. In a process of its own the board is opened and asked:
the time to open includes the interpreter's imports of pandas and pyarrow. Each filter is asked
first on a fresh board and then again, and the slower of both counts; the least of three rounds is
told, since others may use the machine.

The rival is what a board without a store does: parse every submission's `run.json` anew. It is
timed on copies of the one real file and scaled to the number of submissions; `ratio` is its
seconds over ours to open the board and rank once. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from scopebench.records import RunResult
from scopebench_leaderboard.board import BOARD_FILE, load_board
from scopebench_leaderboard.board_file import write_board_file
from scopebench_leaderboard.entries import Entry
from scopebench_leaderboard.flatten import mix_table, score_table, submission_row
from scopebench_leaderboard.merge import Known, merge
from scopebench_leaderboard.views import choices, curve, headroom_cells, ranking, scores_of

OPEN_LIMIT = 3.0
"""Seconds in which a board must open."""
FILTER_LIMIT = 0.3
"""Seconds in which a filter must answer."""
ROUNDS = 3
RIVAL_FILES = 50


def toy_result(folder: Path) -> RunResult:
    """Score an editor on a part of the starter over toy models."""
    from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
    from scopebench.registry import discover
    from scopebench.run.engine import Job, run_job
    from scopebench.testing import toy_context

    build_benchmark(None, folder / "bench", BuildOptions(limit=12, curated_size=24))
    job = Job(
        read_benchmark(folder / "bench"), discover().get("inlay"), toy_context(), folder / "run"
    )
    return run_job(job)


def invented(result: RunResult, n: int, seed: int = 0) -> Iterator[Entry]:
    """Yield entries with the columns and parts of a real one and other numbers."""
    rng = np.random.default_rng(seed)
    scores, mixes = score_table(result, result.paper_matcher), mix_table(result)
    shares = [field.name for field in scores.schema if pa.types.is_floating(field.type)]
    row = submission_row(result, sum(part.n for part in result.pooled))
    for at in range(n):
        shift = rng.normal(0, 0.05)
        varied = scores
        for name in shares:
            column = varied.schema.get_field_index(name)
            values = scores[name].to_numpy() + shift
            varied = varied.set_column(column, name, pa.array(values, from_pandas=True))
        editor, model = f"editor-{at % 400}", f"owner/model-{at // 400 % 50}"
        submission_id = f"{at:032x}"
        yield Entry(
            {
                **row,
                "submission_id": submission_id,
                "path": f"submissions/{editor}/{model.replace('/', '--')}/{submission_id}",
                "editor": editor,
                "model": model,
                "params": f"threshold={0.5 + at / n / 2:.4f}",
                "gradient_free": at % 3 != 0,
                "protocol_id": row["protocol_id"] if at % 10 else f"{0:016x}",
                "checked": True,
                "bytes": 1,
            },
            varied,
            mixes,
        )


def write_board(n: int, out: Path) -> None:
    """Write a board of invented submissions; print seconds of merging and writing, and its size."""
    result = RunResult.model_validate_json((out / "run" / "run.json").read_bytes())
    entries = {str(entry.submission["submission_id"]): entry for entry in invented(result, n)}
    paths = {key: str(entry.submission["path"]) for key, entry in entries.items()}
    begun = time.perf_counter()
    merged = merge(Known(), entries, paths, {}, [])
    head = {"revision": merged.revision("0"), "code_version": "0", "benchmarks": []}
    write_board_file(out / BOARD_FILE, head, merged.tables())
    seconds = time.perf_counter() - begun
    mib = (out / BOARD_FILE).stat().st_size / 2**20
    print(json.dumps({"merge_seconds": seconds, "mib": mib}))


def measure(folder: Path) -> None:
    """Open a board and ask every filter twice; print seconds and peak memory as JSON."""
    begun = time.perf_counter()
    board = load_board(folder)
    opened = time.perf_counter() - begun
    choice = choices(board)[0]
    models = sorted(set(board.submissions["model"].astype(object)))[:3]
    last = str(board.submissions["submission_id"].iloc[-1])
    dataset = next(part.dataset for part in board.parts if part.dataset != "all")
    asked: dict[str, Callable[[], object]] = {
        "ranking": lambda: ranking(board, choice),
        "another metric": lambda: ranking(board, choice, metric="false_fire"),
        "another population": lambda: ranking(board, choice, population="withheld"),
        "a cell": lambda: ranking(board, choice, dataset=dataset, condition="structured"),
        "search": lambda: ranking(board, choice, search="editor-39 model-7"),
        "models": lambda: ranking(board, choice, models=models),
        "gradient-free": lambda: ranking(board, choice, gradient_free=True),
        "verified": lambda: ranking(board, choice, verified_only=True),
        "kinds": lambda: ranking(board, choice, kind_metric="false_fire"),
        "choices": lambda: choices(board),
        "curve": lambda: curve(board, last, "curated"),
        "cells of one": lambda: headroom_cells(board, choice, submission_ids=[last]),
        "all of one": lambda: scores_of(board, last),
    }
    seconds = {}
    for name, ask in asked.items():
        rounds = []
        for _ in range(ROUNDS):
            board = load_board(folder)
            times = []
            for _ in range(2):
                begun = time.perf_counter()
                ask()
                times.append(time.perf_counter() - begun)
            rounds.append(max(times))
        seconds[name] = min(rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"open": opened, "filters": seconds, "gib": peak}))


def rival(result: RunResult, folder: Path, n: int) -> float:
    """Return the seconds of parsing `run.json` of n submissions, from those of a few."""
    text = result.model_dump_json()
    paths = [folder / f"{at}.json" for at in range(min(n, RIVAL_FILES))]
    for path in paths:
        path.write_text(text, encoding="utf-8")
    begun = time.perf_counter()
    for path in paths:
        RunResult.model_validate_json(path.read_bytes())
    return (time.perf_counter() - begun) / len(paths) * n


def apart(*arguments: str) -> dict[str, Any]:
    """Do a part of the measurement in a process of its own, and return what it printed."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure, and print a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    n = options.submissions
    if options.measure is not None:
        measure(options.measure)
        return
    if options.write is not None:
        write_board(n, options.write)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = toy_result(folder)
        written = apart("--write", str(folder), "--submissions", str(n))
        begun = time.perf_counter()
        found = apart("--measure", str(folder))
        wall = time.perf_counter() - begun
        theirs = rival(result, folder, n)
    ours = found["open"] + found["filters"]["ranking"]
    slowest = max(found["filters"].values())
    print(
        f"{n:,} submissions, {written['mib']:.0f} MiB, merged in {written['merge_seconds']:.1f} s"
    )
    print(f"  {'open':<20}{found['open']:>8.3f} s (all of the measuring process: {wall:.1f} s)")
    for name, seconds in found["filters"].items():
        print(f"  {name:<20}{seconds:>8.3f} s")
    print(f"  peak memory {found['gib']:.2f} GiB; every run.json anew: {theirs:.0f} s")
    print(
        json.dumps(
            {
                "benchmark": "board",
                "submissions": n,
                "open_seconds": round(found["open"], 3),
                "filter_seconds": {key: round(each, 3) for key, each in found["filters"].items()},
                "slowest_filter_seconds": round(slowest, 3),
                "merge_seconds": round(written["merge_seconds"], 1),
                "mib": round(written["mib"], 1),
                "gib": round(found["gib"], 2),
                "within_limits": found["open"] < OPEN_LIMIT and slowest < FILTER_LIMIT,
                "rival": "parsing every run.json anew",
                "rival_seconds": round(theirs, 1),
                "ratio": round(theirs / ours, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
