"""A results folder of real runs over toy models, the board of it, and boards of given numbers."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.hub.marks import Mark
from scopebench.hub.names import slug
from scopebench.hub.submission import SUBMISSION_FILES, submission_id
from scopebench.registry import discover
from scopebench.run.draws import Decoding
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import read_result
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.testing import toy_context
from scopebench_leaderboard.board import BOARD_FILE, Board, load_board
from scopebench_leaderboard.board_file import write_board_file
from scopebench_leaderboard.columns import MIX_SCHEMA, SUBMISSION_SCHEMA, part_schema
from scopebench_leaderboard.entries import Entry
from scopebench_leaderboard.merge import Known, merge
from scopebench_leaderboard.store import rebuild


@pytest.fixture(scope="session")
def toy_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A benchmark (`bench`) and whole runs on it: `inlay`, `static`, `drawn` (two draws)."""
    folder = tmp_path_factory.mktemp("board-runs")
    build_benchmark(None, folder / "bench", BuildOptions(limit=5, curated_size=10))
    bench, editors = read_benchmark(folder / "bench"), discover()
    drawn = Decoding(temperature=0.7, draws=2)
    for job in (
        Job(bench, editors.get("inlay"), toy_context(), folder / "inlay"),
        Job(bench, editors.get("static"), toy_context(), folder / "static"),
        Job(bench, editors.get("static"), toy_context(), folder / "drawn", decoding=drawn),
    ):
        run_job(job)
    return {name: folder / name for name in ("bench", "inlay", "static", "drawn")}


def place(run: Path, results: Path) -> str:
    """Put a run where its content says, and return its submission id."""
    hashes = {
        name: hashlib.sha256((run / name).read_bytes()).hexdigest() for name in SUBMISSION_FILES
    }
    result, key = read_result(run), submission_id(hashes)
    folder = results / "submissions" / result.editor.name / slug(result.model.id) / key
    folder.mkdir(parents=True)
    for name in SUBMISSION_FILES:
        shutil.copy(run / name, folder / name)
    return key


Placer = Callable[[Path, Path], str]


@pytest.fixture(scope="session")
def placer() -> Placer:
    """Puts a run into a results folder."""
    return place


@pytest.fixture(scope="session")
def toy_results(
    toy_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """A results folder that no test changes, and the submission ids of its runs."""
    results = tmp_path_factory.mktemp("results")
    return results, {name: place(toy_runs[name], results) for name in ("inlay", "static", "drawn")}


@pytest.fixture(scope="session")
def toy_board_folder(
    toy_runs: dict[str, Path],
    toy_results: tuple[Path, dict[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder of the board of `toy_results`; no test changes it."""
    out = tmp_path_factory.mktemp("board")
    rebuild(toy_results[0], out, benchmarks=[toy_runs["bench"]], workers=0)
    return out


@pytest.fixture(scope="session")
def toy_board(toy_board_folder: Path) -> Board:
    """The board of `toy_results`."""
    return load_board(toy_board_folder)


BoardMaker = Callable[..., Board]


@pytest.fixture
def make_board(tmp_path: Path) -> BoardMaker:
    """Writes and opens a board of given numbers.

    It takes one mapping a submission: fields of the board's submissions table, and under `parts`
    rows of scores. What is left out is null, or the same for all.
    """

    def make(*submissions: Mapping[str, Any], marks: Mapping[str, Mark] = {}) -> Board:
        entries = dict(_entry(at, given) for at, given in enumerate(submissions))
        paths = {key: entry.submission["path"] for key, entry in entries.items()}
        merged = merge(Known(), entries, paths, marks, [])
        head = {"revision": merged.revision("code"), "code_version": "code", "benchmarks": []}
        write_board_file(tmp_path / BOARD_FILE, head, merged.tables())
        return load_board(tmp_path)

    return make


def _entry(at: int, given: Mapping[str, Any]) -> tuple[str, Entry]:
    key = f"{at:032x}"
    row = dict.fromkeys(SUBMISSION_SCHEMA.names) | {
        "submission_id": key,
        "path": f"submissions/e/m/{key}",
        "editor": f"e{at}",
        "model": "m",
        "params": "",
        "benchmark": "made-up",
        "benchmark_version": "1",
        "benchmark_digest": "b1",
        "protocol_id": "p1",
        "matcher": MATCHER_VERSIONS["strict"],
        "prompts": "toy/1/toy",
        "decoding": "greedy",
        "gradient_free": True,
    }
    labels = {"population": "curated"} | dict.fromkeys(
        ("dataset", "condition", "kind", "stratum"), "all"
    )
    parts = [
        dict.fromkeys(part_schema().names)
        | labels
        | {"n": 10, "n_scorable": 8, "undefined": "{}"}
        | part
        for part in given["parts"]
    ]
    scores = pa.Table.from_pylist(parts, schema=part_schema())
    told = {name: value for name, value in given.items() if name != "parts"}
    return key, Entry(row | told, scores, MIX_SCHEMA.empty_table())
