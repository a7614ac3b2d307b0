"""Real runs on a small starter over toy models, and runs whose numbers are set by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.hub.exports.options import AbstainPrompt
from scopebench.hub.exports.runs import ScoredRun
from scopebench.records import (
    BenchmarkRef,
    Cell,
    EditorRef,
    Estimate,
    Inference,
    ModelRef,
    Protocol,
    Report,
    RouterRow,
    RunResult,
)
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.testing import toy_context


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two built benchmarks, `bench` and `other`, and runs: three whole, one limited, one apart."""
    folder = tmp_path_factory.mktemp("exports")
    build_benchmark(None, folder / "bench", BuildOptions(limit=12, curated_size=24))
    build_benchmark(None, folder / "other", BuildOptions(limit=6, curated_size=0))
    editors = discover()
    whole, other = read_benchmark(folder / "bench"), read_benchmark(folder / "other")
    jobs = [
        Job(whole, editors.get("inlay"), toy_context(), folder / "inlay"),
        Job(whole, editors.get("static"), toy_context(), folder / "static"),
        Job(whole, editors.get("base"), toy_context(), folder / "base"),
        Job(whole, editors.get("static"), toy_context(), folder / "limited", limit=3),
        Job(other, editors.get("static"), toy_context(), folder / "apart"),
    ]
    for job in jobs:
        run_job(job)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="session")
def prompt() -> AbstainPrompt:
    """A prompt of our own: its text is easy to tell."""
    return AbstainPrompt("plain/1/0", lambda question, form: f"{form}> {question}", 16)


Spans = dict[str, tuple[float | None, float | None, float | None]]


@pytest.fixture(scope="session")
def made_run() -> Callable[..., ScoredRun]:
    """Return a function that makes a run of one curated part from given numbers."""
    return _made_run


def _made_run(spans: Spans | None = None, **said: Any) -> ScoredRun:
    """Make a run; metrics are 0.5 in [0.4, 0.6] unless `spans` says otherwise.

    Args:
        spans: Value and ends of the interval, by metric.
        said: `editor`, `model`, `params`, `limit` or `undefined`, in place of the defaults.
    """
    spans, undefined = spans or {}, said.get("undefined", {})
    editor = said.get("editor", "inlay")
    result = RunResult.model_construct(
        run_id="0123",
        status="limited" if said.get("limit") else "success",
        protocol=Protocol(
            protocol_id="p0",
            matcher=MATCHER_VERSIONS["strict"],
            prompts="plain/1/0",
            decoding="greedy",
            actions=("recite", "reason", "abstain"),
            static_rule="recite where legal, else reason",
        ),
        editor=EditorRef(name=editor, version="1.0", params=said.get("params", {}), sha256="00"),
        model=ModelRef(id=said.get("model", "toy"), revision="r0", dtype="float32", device="cpu"),
        encoder=None,
        benchmark=BenchmarkRef(
            name="made", version="1.2", files={"a.parquet": "ff"}, limit=said.get("limit")
        ),
        seeds={"run": 0},
    )
    return ScoredRun(editor, result, "strict", _report(spans, undefined))


def _report(spans: Spans, undefined: dict[str, str]) -> Report:
    def estimate(name: str) -> Estimate:
        value, low, high = spans.get(name, (0.5, 0.4, 0.6))
        return Estimate(value=value, low=low, high=high, method="by hand" if low else None)

    part = {"population": "curated", "n": 10, "n_scorable": 8, "n_clusters": 5}
    cell = Cell(
        **part,
        accuracy={"recite": 0.5},
        static_fixed=0.5,
        oracle=1.0,
        headroom=estimate("headroom"),
        statics={},
        coverage=1.0,
        unique_wins={"recite": 2},
        oracle_without={"recite": 0.75},
    )
    names = "accuracy gain regret capture scope_accuracy credit false_fire miss wrong_edit".split()
    plain = ("auprc", "prevalence", "fpr_at_95_tpr", "aurc", "augrc", "margin_auroc")
    router = RouterRow(
        **part,
        in_scope=4,
        **{name: estimate(name) for name in (*names, "masked", "auroc")},
        **dict.fromkeys((*plain, "margin_in", "margin_out"), 0.25),
        undefined=undefined,
    )
    return Report(
        actions=("recite",),
        static_rule="recite",
        inference=Inference(confidence=0.95, seed=0, resamples=2000, folds=5),
        cells=(),
        pooled=(cell,),
        strata=(),
        kinds=(),
        router=(router,),
        policies=(),
        mixes=(),
        comparisons=(),
        noise=(),
    )
