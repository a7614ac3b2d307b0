"""The leaderboard under load on loopback: what readers and submitters wait, and what fails.

    python benchmarks/board_load.py RESULTS --run RUN_DIR [--readers 50] [--submitters 10]

Readers ask for the ranking, for submissions and for comparisons; submitters upload a zip of RUN_DIR
and wait for its verdict. A verdict that never comes, or is not that of a good run, is a lost
submission. The last line is JSON. Latencies are in seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gradio_client import Client, handle_file

from scopebench.hub.submission import SUBMISSION_FILES

Told = list[tuple[str, float, str]]
"""What was asked, how long it took, and what went wrong (empty: nothing)."""


def main() -> None:
    """Serve a board, load it and print what came of it."""
    options = _options()
    from scopebench_leaderboard.app import build_app, launch_options, make_site
    from scopebench_leaderboard.settings import Settings

    with tempfile.TemporaryDirectory() as cache:
        settings = Settings(
            results=str(options.results),
            benchmarks=tuple(options.benchmark),
            cache=Path(cache),
            submissions_per_hour=1_000_000,
            verify_concurrency=options.verify_concurrency,
            queue_size=1000,
        )
        site = make_site(settings)
        site.live.refresh()
        board = site.live.shown.board
        if board is None or board.submissions.empty:
            sys.exit(f"no board: {site.live.shown.fault}")
        app = build_app(site)
        _, address, _ = app.launch(
            server_name="127.0.0.1", prevent_thread_lock=True, **launch_options(settings)
        )
        packed = Path(cache) / "run.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in SUBMISSION_FILES:
                archive.write(options.run / name, name)
        told = _load(address, list(board.submissions["submission_id"]), packed, options)
        app.close()
    _print(told, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("results", type=Path, help="a results folder")
    parser.add_argument("--run", type=Path, required=True, help="a run folder that verifies")
    parser.add_argument("--benchmark", action="append", default=[], help="its benchmark")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--submitters", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--verify-concurrency", type=int, default=1)
    return parser.parse_args()


def _load(address: str, keys: list[str], packed: Path, options: argparse.Namespace) -> Told:
    told: Told = []
    start = time.monotonic()
    end = start + options.seconds

    def read(seed: int) -> None:
        chance, client = random.Random(seed), Client(address, verbose=False)
        while time.monotonic() < end:
            metric = chance.choice(["scope_accuracy", "false_fire", "miss", "capture"])
            population = chance.choice(["curated", "withheld", "original"])
            key = chance.choice(keys)
            asked: list[tuple[str, Callable[[], object]]] = [
                (
                    "ranking",
                    lambda m=metric, p=population: client.predict(
                        population=p, metric=m, api_name="/ranking"
                    ),
                ),
                (
                    "submission",
                    lambda k=key: client.predict(submission_id=k, api_name="/submission"),
                ),
            ]
            if len(keys) > 1:
                pair = chance.sample(keys, 2)
                asked.append(("compare", lambda p=pair: client.predict(*p, api_name="/compare")))
            _ask(told, *chance.choices(asked, weights=[6, 3, 1][: len(asked)])[0])
            time.sleep(chance.uniform(0.5, 1.5))

    def submit(_: int) -> None:
        client = Client(address, verbose=False)
        while time.monotonic() < end:

            def verified() -> None:
                found = client.predict([handle_file(str(packed))], api_name="/verify")
                if not found["ok"]:
                    raise RuntimeError(f"lost: {found['faults'][:1]}")

            _ask(told, "verify", verified)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(options.readers)]
    threads += [threading.Thread(target=submit, args=(n,)) for n in range(options.submitters)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def _ask(told: Told, what: str, ask: Callable[[], object]) -> None:
    begun, fault = time.monotonic(), ""
    try:
        ask()
    except Exception as error:  # every failure is counted, whatever it is
        fault = f"{type(error).__name__}: {error}"[:200]
    told.append((what, time.monotonic() - begun, fault))


def _print(told: Told, options: argparse.Namespace) -> None:
    summary: dict[str, object] = {
        "readers": options.readers,
        "submitters": options.submitters,
        "seconds": options.seconds,
    }
    for what in sorted({name for name, _, _ in told}):
        rows = [row for row in told if row[0] == what]
        seconds = np.array([row[1] for row in rows])
        faults = [row[2] for row in rows if row[2]]
        p50, p95, p99 = np.percentile(seconds, [50, 95, 99])
        print(f"{what:<12} {len(rows):>6} asked, p50 {p50:.2f} s, p95 {p95:.2f} s, p99 {p99:.2f} s")
        for fault in sorted(set(faults))[:5]:
            print(f"  {faults.count(fault)} x {fault}")
        summary[what] = {
            "asked": len(rows),
            "p50": round(float(p50), 3),
            "p95": round(float(p95), 3),
            "p99": round(float(p99), 3),
            "errors": len(faults),
        }
    summary["errors"] = sum(bool(fault) for _, _, fault in told)
    summary["lost_submissions"] = sum(bool(f) for what, _, f in told if what == "verify")
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
