"""Real runs of two editors on the starter, over toy models: tables, hashes and all."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.registry import discover
from scopebench.run.draws import Decoding
from scopebench.run.engine import Job, run_job
from scopebench.testing import toy_context


@pytest.fixture(scope="session")
def starter_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Run folders of `inlay` and `static`, of `static` with draws, and of `static` on less."""
    folder = tmp_path_factory.mktemp("starter-runs")
    build_benchmark(None, folder / "whole", BuildOptions(limit=12, curated_size=12))
    build_benchmark(None, folder / "other", BuildOptions(limit=6, curated_size=0))
    editors = discover()
    whole, other = read_benchmark(folder / "whole"), read_benchmark(folder / "other")
    jobs = {
        "inlay": Job(whole, editors.get("inlay"), toy_context(), folder / "inlay"),
        "static": Job(whole, editors.get("static"), toy_context(), folder / "static"),
        "fewer": Job(whole, editors.get("static"), toy_context(), folder / "fewer", limit=3),
        "other": Job(other, editors.get("static"), toy_context(), folder / "other-run"),
        "drawn": Job(
            whole,
            editors.get("static"),
            toy_context(),
            folder / "drawn",
            decoding=Decoding(temperature=0.7, draws=2),
        ),
    }
    for job in jobs.values():
        run_job(job)
    return {name: job.out for name, job in jobs.items()}
