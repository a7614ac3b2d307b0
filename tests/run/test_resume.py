"""A run on the real model, stopped by Ctrl-C and by kill -9, ends as if it had never been."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scopebench.construct import BuildOptions, build_benchmark
from scopebench.records import Report
from scopebench.run.journal import JOURNAL_FILE
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE
from scopebench.sources.starter import write_starter

SCOPEBENCH = Path(sys.executable).with_name("scopebench")


class Machine:
    """Runs `scopebench score`, with a cache of its own unless one is given."""

    def __init__(
        self, folder: Path, model: Path, benchmark: Path, cache: Path | None = None
    ) -> None:
        self.cache = folder / "cache" if cache is None else cache
        self.out = folder / "run"
        self.environment = os.environ | {"SCOPEBENCH_CACHE": str(self.cache)}
        self.command = [
            *(str(SCOPEBENCH), "score", "--editor", "inlay", "--model", str(model)),
            *("--benchmark", str(benchmark), "--batch-size", "16", "--out", str(self.out)),
        ]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that starts the tests in the background makes them ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def units(self) -> list[str]:
        journal = self.out / JOURNAL_FILE
        lines = journal.read_bytes().splitlines(keepends=True) if journal.is_file() else []
        entries = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return [entry["unit"] for entry in entries if "unit" in entry]

    def cached(self) -> set[bytes]:
        """Return the keys of the generations that are cached."""
        with sqlite3.connect(self.cache / "generations.sqlite3") as connection:
            return {key for (key,) in connection.execute("SELECT key FROM generations")}

    def watch(self) -> None:
        """Log every generation that is stored from now on, also one that is stored already."""
        with sqlite3.connect(self.cache / "generations.sqlite3") as connection:
            connection.execute("CREATE TABLE stored (key BLOB)")
            connection.execute(
                "CREATE TRIGGER watch BEFORE INSERT ON generations "
                "BEGIN INSERT INTO stored VALUES (NEW.key); END"
            )

    def stored(self) -> list[bytes]:
        """Return the keys stored since `watch`."""
        with sqlite3.connect(self.cache / "generations.sqlite3") as connection:
            return [key for (key,) in connection.execute("SELECT key FROM stored")]

    def stop_after(self, units: int, sent: signal.Signals) -> tuple[int, str]:
        """Start, send a signal once so many units are journalled, return code and stderr."""
        process = self.start()
        deadline = time.monotonic() + 300
        while len(self.units()) < units:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(sent)
        _, told = process.communicate(timeout=120)
        return process.returncode, told


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("starter")
    files = {"mquake_cf": [write_starter(folder / "files")["mquake_cf"]]}
    build_benchmark(files, folder / "built", BuildOptions(limit=6, curated_size=6))
    return folder / "built"


@pytest.fixture(scope="module")
def straight(
    tmp_path_factory: pytest.TempPathFactory, smollm2_dir: Path, benchmark: Path
) -> Machine:
    """A whole run that nobody stopped."""
    machine = Machine(tmp_path_factory.mktemp("straight"), smollm2_dir, benchmark)
    machine.start().communicate(timeout=600)
    return machine


def test_a_stopped_run_ends_byte_identical(
    tmp_path: Path, smollm2_dir: Path, benchmark: Path, straight: Machine
) -> None:
    stopped = Machine(tmp_path / "stopped", smollm2_dir, benchmark)
    code, told = stopped.stop_after(2, signal.SIGINT)
    assert code == 130
    assert told.splitlines()[-1].endswith("a run goes on with the same command")
    first = stopped.units()
    assert len(first) >= 2

    code, _ = stopped.stop_after(len(first) + 3, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert not (stopped.out / "run.json").exists()
    second, finished = stopped.units(), stopped.cached()
    stopped.watch()
    assert second[: len(first)] == first

    stdout, stderr = stopped.start().communicate(timeout=600)
    assert "Written:" in stdout, stderr
    units = stopped.units()
    assert units[: len(second)] == second
    assert len(set(units)) == len(units), "a finished unit was done again"
    assert finished
    assert stopped.stored(), "nothing was left to do: the kill came too late"
    assert not finished & set(stopped.stored()), "a finished batch was done again"
    assert len(stopped.cached()) == len(finished) + len(stopped.stored())

    for name in (OUTCOMES_FILE, DECISIONS_FILE):
        assert (stopped.out / name).read_bytes() == (straight.out / name).read_bytes()
    results = [json.loads((m.out / "run.json").read_text()) for m in (stopped, straight)]
    assert results[0]["run_id"] == results[1]["run_id"]
    for key in ("tables", "paper_matcher", *Report.model_fields):
        assert results[0][key] == results[1][key]

    begun = time.monotonic()
    stdout, _ = straight.start().communicate(timeout=120)  # complete already
    assert "Written:" in stdout
    assert time.monotonic() - begun < 30
    for population in results[1]["pooled"]:
        if population["population"] == "original":
            assert population["headroom"]["value"] == 0


def test_headroom_recomputes_the_run_and_show_reads_it(
    tmp_path: Path, smollm2_dir: Path, benchmark: Path, straight: Machine
) -> None:
    machine = Machine(tmp_path, smollm2_dir, benchmark, straight.cache)
    machine.command += ["--limit", "2", "--json"]
    stdout, stderr = machine.start().communicate(timeout=600)
    result = json.loads(stdout)
    assert stderr == "" or "outcomes" in stderr
    assert result == json.loads((machine.out / "run.json").read_text())
    assert result["status"] == "limited"
    assert result["benchmark"]["limit"] == 2
    (machine.out / "run.json").unlink()
    (machine.out / JOURNAL_FILE).unlink()

    def tell(*arguments: object) -> dict[str, object]:
        command = [str(SCOPEBENCH), *map(str, arguments), "--json"]
        return dict(json.loads(subprocess.check_output(command, env=machine.environment)))

    recomputed = tell("headroom", machine.out)
    for key in ("paper_matcher", *Report.model_fields):
        assert recomputed[key] == result[key]
    first = result["cells"][0]
    assert first["accuracy"]["recite"] == 1
    extracted = next(cell for cell in result["cells"] if cell["condition"] == "extracted")
    assert extracted["accuracy"]["recite"] is None
    assert "recite" in extracted["undefined"]["accuracy.recite"]

    query_id = pq.read_table(machine.out / DECISIONS_FILE)["query_id"][0].as_py()
    shown = tell("show", query_id, "--benchmark", benchmark, "--run", machine.out)
    assert len(shown["outcomes"]) == 9  # three conditions, three actions
    assert len(shown["decisions"]) == 3


def test_another_benchmark_is_refused_in_the_same_folder(
    tmp_path: Path, smollm2_dir: Path, benchmark: Path, straight: Machine
) -> None:
    machine = Machine(tmp_path, smollm2_dir, benchmark, straight.cache)
    machine.command += ["--limit", "1"]
    machine.start().communicate(timeout=600)
    machine.command[-1] = "2"
    process = machine.start()
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "holds another run (it differs in limit: limit 1 there, 2 now)" in stderr
