"""Whole runs over toy models, and weights that a test hands out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from earlier_run import rename_matcher

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.errors import ModelError
from scopebench.hub.submit import place, verified_upload
from scopebench.protocols import Encoder, LanguageModel
from scopebench.records import ModelRef
from scopebench.registry import discover
from scopebench.run.draws import Decoding
from scopebench.run.engine import Job, run_job
from scopebench.scoring.match import MATCHER_VERSIONS, judge
from scopebench.scoring.summary import read_reports
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)
from scopebench.testing import ToyEncoder, ToyModel, toy_context

Fake = Callable[..., Path]


@pytest.fixture(scope="session")
def toy_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A benchmark (`bench`) and whole runs on it: `inlay`, and `drawn` (two draws of `static`)."""
    folder = tmp_path_factory.mktemp("reproduce")
    build_benchmark(None, folder / "bench", BuildOptions(limit=4, curated_size=8))
    bench, editors = read_benchmark(folder / "bench"), discover()
    drawn = Decoding(temperature=0.7, draws=2)
    run_job(Job(bench, editors.get("inlay"), toy_context(), folder / "inlay"))
    run_job(
        Job(bench, editors.get("static"), toy_context(seed=3), folder / "drawn", decoding=drawn)
    )
    return {name: folder / name for name in ("bench", "inlay", "drawn")}


@dataclass
class HandedOut:
    """Hands out toy models, counts what they generate, and may lack them."""

    lacking: str = ""
    model_: Any = field(default_factory=ToyModel)
    asked: int = 0

    def model(self, ref: ModelRef, cache: object) -> LanguageModel:
        if self.lacking == "model":
            raise ModelError(f"model {ref.id} is not here; run: scopebench fetch {ref.id}")
        self.asked += 1
        return self.model_  # type: ignore[no-any-return]

    def encoder(self, ref: ModelRef) -> Encoder:
        if self.lacking == "encoder":
            raise ModelError(f"model {ref.id} is not here; run: scopebench fetch {ref.id}")
        return ToyEncoder()


@pytest.fixture
def handed_out() -> type[HandedOut]:
    """Makes weights."""
    return HandedOut


@pytest.fixture
def fake(toy_runs: dict[str, Path], tmp_path: Path) -> Fake:
    """Makes a run whose answers of an action nobody generated, and which verifies all the same."""

    def make(share: float = 1.0, actions: tuple[str, ...] = ("abstain", "reason")) -> Path:
        folder = tmp_path / f"fake-{share}-{len(actions)}"
        shutil.copytree(toy_runs["inlay"], folder)
        rows = pq.read_table(folder / OUTCOMES_FILE).to_pylist()
        decided = {
            (row["query_id"], row["condition"]): row
            for row in pq.read_table(folder / DECISIONS_FILE).to_pylist()
        }
        mine = [row for row in rows if row["action"] in actions and row["text"] is not None]
        for row in mine[: round(share * len(mine))]:
            asked = decided[row["query_id"], row["condition"]]
            row["text"] = (asked["answers"] or ["Nobody knows"])[0]
            row |= judge(row["text"], asked["answers"], question=asked["question"])._asdict()
        write_table(rows, OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)
        _mend_numbers(folder)
        return folder

    return make


def _mend_numbers(folder: Path) -> None:
    """Let `run.json` hold the numbers and the hashes of the tables."""
    from scopebench.run.folder import read_result, write_result

    strict, paper = read_reports(folder)
    result = read_result(folder).model_copy(update={**dict(strict), "paper_matcher": paper})
    write_result(folder, result)
    rename_matcher(folder, MATCHER_VERSIONS["strict"])


@pytest.fixture
def submitted(
    toy_runs: dict[str, Path], tmp_path: Path
) -> Callable[..., tuple[Path, dict[str, str]]]:
    """Puts runs into a new results folder, and returns it with the ids by name."""

    def put(**runs: Path) -> tuple[Path, dict[str, str]]:
        results, ids = tmp_path / "results", {}
        for name, run in runs.items():
            with verified_upload(run, benchmark=toy_runs["bench"]) as upload:
                place(upload, results)
                ids[name] = upload.submission_id
        return results, ids

    return put
