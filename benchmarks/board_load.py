"""The leaderboard under load on loopback: what readers and submitters wait, and what fails.

    python benchmarks/board_load.py [RESULTS --run RUN_DIR] [--readers 50] [--submitters 10]

Without RESULTS the board holds runs of every editor over toy models on a part of the starter.

`scopebench leaderboard` is started as a process of its own, as a user would start it. Readers open
the page and ask its API for the ranking, for submissions and for comparisons, each again half a
second to one and a half after the last answer. Submitters upload zips of RUN_DIR, no two of the
same bytes, and wait for the verdict, which is verified in full each time; what is under way when
the time is over is waited for. A verdict that never comes, or is not that of a good run, is a lost
submission. Every answer that is none counts as an error, and so does one that takes longer than
--patience. Seconds; the last line is JSON.

The rival of a latency is the same question asked when nobody else is there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np

from scopebench.hub.submission import SUBMISSION_FILES

METRICS: Final = ("scope_accuracy", "false_fire", "miss", "capture")
POPULATIONS: Final = ("curated", "withheld", "original")
ASKED: Final = {"page": 2, "ranking": 5, "submission": 2, "compare": 1}
"""What a reader asks for, by weight."""

START_SECONDS: Final = 300.0
VERDICT_SECONDS: Final = 600.0
ALONE: Final = 5
"""Times each question is asked before the others come."""


@dataclass(frozen=True)
class Told:
    """One question.

    Attributes:
        what: What was asked.
        seconds: How long the answer took.
        fault: What went wrong; empty: nothing.
    """

    what: str
    seconds: float
    fault: str = ""


@dataclass(eq=False)
class Visitor:
    """One who asks the board over one connection of his own, and what he was told."""

    client: httpx.AsyncClient
    chance: random.Random
    told: list[Told] = field(default_factory=list)

    async def ask(self, what: str, make: Callable[[], Awaitable[object]]) -> None:
        """Ask once, and note how long it took or what went wrong."""
        begun, fault = time.monotonic(), ""
        try:
            await make()
        except Exception as error:  # every failure is counted, whatever it is
            fault = f"{type(error).__name__}: {error}"[:200]
        self.told.append(Told(what, time.monotonic() - begun, fault))

    async def call(self, name: str, *values: object) -> Any:
        """Return the answer of an endpoint, in the two steps of Gradio's protocol."""
        asked = await self.client.post(f"/gradio_api/call/{name}", json={"data": values})
        asked.raise_for_status()
        event = asked.json()["event_id"]
        async with self.client.stream("GET", f"/gradio_api/call/{name}/{event}") as lines:
            lines.raise_for_status()
            kind = ""
            async for line in lines.aiter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: ") and kind in {"complete", "error"}:
                    if kind == "error":
                        raise RuntimeError(f"{name}: {line}")
                    return json.loads(line.removeprefix("data: "))[0]
        raise RuntimeError(f"{name}: no answer")

    async def page(self) -> None:
        """Open the page."""
        found = await self.client.get("/")
        found.raise_for_status()
        if "ScopeBench" not in found.text:
            raise RuntimeError("not the page")

    async def ranking(self) -> None:
        """Ask for a ranking."""
        chosen = self.chance.choice(POPULATIONS), self.chance.choice(METRICS)
        if not await self.call("ranking", *chosen, "", "", "", "", "", "", "", 0):
            raise RuntimeError("an empty ranking")

    async def submission(self, keys: list[str]) -> None:
        """Ask for all numbers of a submission."""
        key = self.chance.choice(keys)
        if (await self.call("submission", key))["submission"]["submission_id"] != key:
            raise RuntimeError("another submission")

    async def compare(self, keys: list[str]) -> None:
        """Ask for the comparison of two submissions."""
        if not (await self.call("compare", *self.chance.sample(keys, 2)))["comparisons"]:
            raise RuntimeError("an empty comparison")

    async def verify(self, packed: bytes) -> None:
        """Upload a submission and wait for its verdict."""
        sent = await self.client.post("/gradio_api/upload", files={"files": ("run.zip", packed)})
        sent.raise_for_status()
        file = {"path": sent.json()[0], "meta": {"_type": "gradio.FileData"}}
        found = await self.call("verify", [file])
        if not found["ok"]:
            raise RuntimeError(f"lost: {found['faults'][:1]}")


def main() -> None:
    """Serve a board, load it and print what came of it."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.results is None:
            _toys(folder, options)
        with _served(options, folder / "cache") as address:
            alone, told = asyncio.run(_load(address, options))
    _print(alone, told, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "results", type=Path, nargs="?", help="a results folder of two submissions or more"
    )
    parser.add_argument("--run", type=Path, help="a run folder that verifies")
    parser.add_argument("--benchmark", action="append", default=[], help="its benchmark")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--submitters", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--patience", type=float, default=30.0, help="of a reader, in seconds")
    options = parser.parse_args()
    if (options.results is None) != (options.run is None):
        parser.error("give RESULTS and --run together, or neither")
    return options


def _toys(folder: Path, options: argparse.Namespace) -> None:
    """Fill a results folder with toy runs, and set the options to it."""
    from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
    from scopebench.hub.submit import place, verified_upload
    from scopebench.registry import discover
    from scopebench.run.engine import Job, run_job
    from scopebench.testing import toy_context

    build_benchmark(None, folder / "bench", BuildOptions(limit=12, curated_size=24))
    editors = discover()
    for name in ("base", "rag", "static", "inlay"):
        run = folder / name
        run_job(Job(read_benchmark(folder / "bench"), editors.get(name), toy_context(), run))
        with verified_upload(run, benchmark=folder / "bench") as upload:
            place(upload, folder / "results")
    options.results, options.run = folder / "results", folder / "inlay"
    options.benchmark = [str(folder / "bench")]


@contextmanager
def _served(options: argparse.Namespace, cache: Path) -> Iterator[str]:
    """Start the leaderboard on a free port and yield its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    prefix = "SCOPEBENCH_LEADERBOARD_"
    limits = {"CACHE": str(cache), "SUBMISSIONS_PER_HOUR": "1000000", "QUEUE_SIZE": "1000"}
    command = [sys.executable, "-m", "scopebench", "leaderboard", "--no-open", "--port", str(port)]
    command += ["--results", str(options.results)]
    for each in options.benchmark:
        command += ["--benchmark", each]
    server = subprocess.Popen(
        command, env=os.environ | {prefix + name: value for name, value in limits.items()}
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, server)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers; raise if it ends instead."""
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            httpx.get(address).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.5)
    sys.exit("the leaderboard did not start")


async def _load(address: str, options: argparse.Namespace) -> tuple[list[Told], list[Told]]:
    """Return what one reader alone was told, and what all were told together."""
    async with httpx.AsyncClient(base_url=address, timeout=options.patience) as client:
        first = Visitor(client, random.Random(0))
        keys = await _keys(first)
        for _ in range(ALONE):
            for what in ASKED:
                await first.ask(what, _question(first, what, keys))
        await first.ask("verify", lambda: first.verify(_packed(options.run, "alone")))
    end = time.monotonic() + options.seconds
    visits = [_read(address, seed, keys, end, options) for seed in range(options.readers)]
    visits += [_submit(address, seed, end, options) for seed in range(options.submitters)]
    told = await asyncio.gather(*visits)
    return first.told, [each for visit in told for each in visit]


async def _keys(visitor: Visitor) -> list[str]:
    """Return the ids of the submissions, once the board is there."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            rows = await visitor.call("ranking", "curated", *[""] * 8, 0)
            return [row["submission_id"] for row in rows]
        except (httpx.HTTPError, RuntimeError):
            if time.monotonic() > end:
                raise
            await asyncio.sleep(1)


def _question(visitor: Visitor, what: str, keys: list[str]) -> Callable[[], Awaitable[object]]:
    ask = getattr(visitor, what)
    return (lambda: ask(keys)) if what in {"submission", "compare"} else ask


async def _read(
    address: str, seed: int, keys: list[str], end: float, options: argparse.Namespace
) -> list[Told]:
    async with httpx.AsyncClient(base_url=address, timeout=options.patience) as client:
        visitor = Visitor(client, random.Random(seed))
        await asyncio.sleep(visitor.chance.uniform(0, 1))
        while time.monotonic() < end:
            what = visitor.chance.choices(list(ASKED), list(ASKED.values()))[0]
            await visitor.ask(what, _question(visitor, what, keys))
            await asyncio.sleep(visitor.chance.uniform(0.5, 1.5))
    return visitor.told


async def _submit(address: str, seed: int, end: float, options: argparse.Namespace) -> list[Told]:
    async with httpx.AsyncClient(base_url=address, timeout=VERDICT_SECONDS) as client:
        visitor, sent = Visitor(client, random.Random(seed)), 0
        while time.monotonic() < end:
            packed = await asyncio.to_thread(_packed, options.run, f"{seed}.{sent}")
            await visitor.ask("verify", lambda packed=packed: visitor.verify(packed))
            sent += 1
    return visitor.told


def _packed(run: Path, comment: str) -> bytes:
    """Return a zip of a run, its bytes another for every comment."""
    with tempfile.SpooledTemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in SUBMISSION_FILES:
                archive.write(run / name, name)
            archive.comment = comment.encode()
        file.seek(0)
        return file.read()


def _print(alone: list[Told], told: list[Told], options: argparse.Namespace) -> None:
    summary: dict[str, object] = {
        "readers": options.readers,
        "submitters": options.submitters,
        "seconds": options.seconds,
    }
    for what in (*ASKED, "verify"):
        seconds = np.array([each.seconds for each in told if each.what == what])
        faults = [each.fault for each in told if each.what == what and each.fault]
        single = float(np.median([each.seconds for each in alone if each.what == what]))
        p50, p95, p99 = np.percentile(seconds, [50, 95, 99]) if seconds.size else [np.nan] * 3
        print(
            f"{what:<12} {seconds.size:>6} asked, {len(faults)} without an answer; p50 {p50:.2f} s,"
            f" p95 {p95:.2f} s, p99 {p99:.2f} s; alone {single:.2f} s: ratio {p50 / single:.1f}"
        )
        for fault in sorted(set(faults))[:5]:
            print(f"  {faults.count(fault)} x {fault}")
        summary[what] = {
            "asked": int(seconds.size),
            "p50": round(float(p50), 3),
            "p95": round(float(p95), 3),
            "p99": round(float(p99), 3),
            "alone": round(single, 3),
            "errors": len(faults),
        }
    summary["errors"] = sum(bool(each.fault) for each in told)
    summary["lost_submissions"] = sum(bool(each.fault) for each in told if each.what == "verify")
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
