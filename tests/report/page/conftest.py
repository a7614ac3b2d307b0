"""A made-up run with every part a page can show, so that no test needs a model or a scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scopebench.records import ACTIONS
from scopebench.records.report import (
    Cell,
    Comparison,
    Estimate,
    Inference,
    MixRow,
    NoiseRow,
    PolicyRow,
    Report,
    RouterRow,
    Static,
)
from scopebench.records.run import BenchmarkRef, EditorRef, ModelRef, Protocol, RunResult
from scopebench.report.page.content import RiskCurve, RunView, WrongFire
from scopebench.scoring.match import MATCHER_VERSIONS

METHOD = "cluster bootstrap, percentile, 2000 resamples"
DATASETS = ("counterfact", "wikiupdate", "mquake_cf")
CONDITIONS = ("structured", "unstructured", "extracted")
POPULATIONS = ("original", "withheld", "curated")
KINDS = tuple(f"kind_{letter}" for letter in "abcdefghijklmnop")
NONE = Estimate(value=None, low=None, high=None, method=None)


def est(value: float, half: float = 0.03) -> Estimate:
    return Estimate(value=value, low=value - half, high=value + half, method=METHOD)


def cell(population: str, **fields: Any) -> Cell:
    flat = population == "original"
    gain = 0.0 if flat else 0.042
    headroom = (
        Estimate(value=0.0, low=0.0, high=0.0068, method="clopper-pearson on clusters")
        if flat
        else est(gain, 0.0123)
    )
    actions = fields.pop("actions", ACTIONS)
    illegal = fields.get("condition") in ("unstructured", "extracted")
    accuracy: dict[str, float | None] = {a: 0.78 - 0.2 * place for place, a in enumerate(actions)}
    undefined = {}
    if illegal and "recite" in accuracy:
        accuracy["recite"] = None
        undefined["accuracy.recite"] = "reciting is not legal here"
    static = Static(value=0.79, headroom=headroom, choice="reason", hindsight=True)
    return Cell(
        **{
            "population": population,
            "n": 1689,
            "n_scorable": 1600,
            "n_clusters": 563,
            "accuracy": accuracy,
            "static_fixed": 0.7874,
            "oracle": 0.7874 + gain,
            "headroom": headroom,
            "statics": {
                "static_const": static,
                "static_cell": static,
                "static_cv": static.model_copy(update={"hindsight": False, "choice": None}),
            },
            "coverage": 0.9,
            "unique_wins": dict.fromkeys(actions, 52),
            "oracle_without": dict.fromkeys(actions, 0.75),
            "undefined": {**undefined, "statics.static_cv.choice": "it differs between folds"},
            **fields,
        }
    )


def router(population: str, **fields: Any) -> RouterRow:
    lone = population == "original"
    why = "no query is out of scope"
    return RouterRow(
        **{
            "population": population,
            "n": 1689,
            "n_scorable": 1600,
            "n_clusters": 563,
            "in_scope": 1689 if lone else 845,
            "accuracy": est(0.8),
            "gain": est(-0.02 if lone else 0.02),
            "regret": est(0.02),
            "capture": NONE if lone else est(0.476),
            "scope_accuracy": est(0.85),
            "credit": est(0.7),
            "false_fire": NONE if lone else est(0.31),
            "miss": est(0.05),
            "wrong_edit": est(0.01, 0.01),
            "masked": NONE if lone else est(0.09),
            "auroc": NONE if lone else est(0.91),
            "auprc": None if lone else 0.9,
            "prevalence": None if lone else 0.5,
            "fpr_at_95_tpr": None if lone else 0.4,
            "aurc": None if lone else 0.1,
            "augrc": None if lone else 0.08,
            "margin_auroc": None if lone else 0.8,
            "margin_in": 0.3,
            "margin_out": None if lone else 0.1,
            "undefined": {
                **{key: why for key in ("false_fire", "masked", "auroc", "auprc", "prevalence")},
                **{key: why for key in ("fpr_at_95_tpr", "aurc", "augrc")},
                **{key: why for key in ("margin_auroc", "margin_out")},
                "capture": "no headroom to capture",
            }
            if lone
            else {},
            **fields,
        }
    )


def policy(name: str, population: str, scope: float | None, **fields: Any) -> PolicyRow:
    return PolicyRow(
        **{
            "policy": name,
            "population": population,
            "fold": "test",
            "n": 1200,
            "n_scorable": 1100,
            "threshold": None,
            "accuracy": est(0.7),
            "scope_accuracy": scope,
            "false_fire": 0.3,
            "miss": 0.1,
            "undefined": {"threshold": "the policy has no threshold"}
            | ({} if scope is not None else {"scope_accuracy": "it decides no scope"}),
            **fields,
        }
    )


def mix(population: str, name: str, share: float) -> MixRow:
    return MixRow(
        population=population,
        name=name,
        out_of_scope=share,
        static_fixed=0.8 - 0.4 * share,
        static_const=0.8 - 0.3 * share,
        oracle=0.8 - 0.3 * share,
        editor=0.79 - 0.35 * share,
        headroom=est(0.1 * share, 0.02 * share),
    )


def comparison(**fields: Any) -> Comparison:
    return Comparison(
        **{
            "family": "editor against static_fixed, by population",
            "population": "withheld",
            "first": "editor",
            "second": "static_fixed",
            "n": 1600,
            "n_clusters": 563,
            "first_only": 4,
            "second_only": 0,
            "difference": est(0.0025, 0.002),
            "p_sign_flip": 0.0019,
            "p_mcnemar": 0.125,
            "smallest_p": 0.125,
            "p_holm": 0.0038,
            "detectable": 0.0171,
            **fields,
        }
    )


def fire(number: int, **fields: Any) -> WrongFire:
    return WrongFire(
        **{
            "query_id": f"counterfact/{number}/0/direct/curated",
            "dataset": DATASETS[number % 3],
            "condition": CONDITIONS[number % 3],
            "population": "curated",
            "kind": KINDS[number % 4],
            "in_scope": number % 5 == 0,
            "question": f"Who keeps the lighthouse of Port {number}?",
            "answers": ("Mara Quill", "M. Quill"),
            "near_edit_id": None,
            "edit_id": f"counterfact/{number + 1}/0",
            "card_question": f"Who keeps the lighthouse of Port {number + 1}?",
            "card_answer": "Odo Brandt",
            "scope_score": 0.5 + number / 100,
            "margin": 0.2 - number / 100,
            "action": "recite",
            "text": "Odo Brandt",
            "correct": False,
            **fields,
        }
    )


def make_report(**fields: Any) -> Report:
    cells = [
        cell(population, dataset=dataset, condition=condition, stratum=stratum)
        for population in POPULATIONS
        for dataset in DATASETS
        for condition in CONDITIONS
        for stratum in ("all", "known")
    ]
    routers = [router(population) for population in POPULATIONS]
    routers += [
        router(
            "curated",
            kind=kind,
            in_scope=0 if place % 2 else 1689,
            capture=NONE,
            undefined={"capture": "kinds have none"},
        )
        for place, kind in enumerate(KINDS)
    ]
    routers += [router("withheld", dataset=d, condition="structured") for d in DATASETS]
    routers += [router("withheld", stratum="known")]
    policies = [
        policy(name, population, scope)
        for population in ("withheld", "curated")
        for name, scope in (
            ("always_fire", 0.5),
            ("subject_match", 0.87),
            ("editor", 0.85),
            ("oracle", None),
            ("perfect_scope", 1.0),
        )
    ]
    mixes = [mix("withheld", "curve", share / 10) for share in range(11)]
    mixes += [mix("withheld", "observed", 0.5), mix("withheld", "helpdesk", 0.9)]
    return Report(
        **{
            "actions": ACTIONS,
            "static_rule": "recite where legal, else reason",
            "inference": Inference(confidence=0.95, seed=0, resamples=2000, folds=5),
            "cells": tuple(cells),
            "pooled": tuple(cell(population) for population in POPULATIONS),
            "strata": tuple(
                cell(p, stratum=s)
                for p, s in (("withheld", "kept"), ("withheld", "hidden"), ("withheld", "known"))
            ),
            "kinds": (),
            "router": tuple(routers),
            "policies": tuple(policies),
            "mixes": tuple(mixes),
            "comparisons": (
                comparison(),
                comparison(
                    population="original",
                    first_only=None,
                    second_only=None,
                    difference=NONE,
                    p_sign_flip=None,
                    p_mcnemar=None,
                    smallest_p=None,
                    p_holm=None,
                    detectable=None,
                    skipped="the two never differ",
                ),
            ),
            "noise": (
                NoiseRow(
                    population="original",
                    n=100,
                    n_scorable=100,
                    draws=3,
                    naive=est(0.05),
                    null=est(0.049),
                    corrected=est(0.001),
                    held_out=NONE,
                    undefined={"held_out": "too few draws"},
                ),
            ),
            **fields,
        }
    )


def make_result(report: Report, **fields: Any) -> RunResult:
    return RunResult(
        **{
            **{name: getattr(report, name) for name in Report.model_fields},
            "run_id": "ce80a2533ec29484",
            "status": "success",
            "protocol": Protocol(
                protocol_id="a38d5b95617c4a22",
                matcher=MATCHER_VERSIONS["strict"],
                prompts="made/1",
                decoding="greedy",
                actions=ACTIONS,
                static_rule=report.static_rule,
            ),
            "editor": EditorRef(
                name="inlay",
                version="1.0",
                params={"threshold": 0.7, "note": "it's"},
                sha256="e" * 64,
            ),
            "model": ModelRef(id="made-135m", revision="f" * 40, dtype="bfloat16", device="cpu"),
            "encoder": ModelRef(id="made-enc", revision="d" * 40, dtype="float32", device="cpu"),
            "benchmark": BenchmarkRef(
                name="made", version="0.1.0", limit=None, files={"a/original.parquet": "b" * 64}
            ),
            "paper_matcher": report,
            "tables": {"outcomes.parquet": "0" * 64, "decisions.parquet": "1" * 64},
            "seeds": {"run": 3, "bootstrap": 0},
            "timings": {"act": 1.25},
            "environment": {"python": "3.11.7"},
            "git": {"commit": "c" * 40, "dirty": False},
            **fields,
        }
    )


def make_view(name: str = "inlay", *, plain: bool = False, **fields: Any) -> RunView:
    report = fields.pop("report", None) or make_report()
    noise = np.random.default_rng(0)
    scores = np.concatenate([noise.normal(0.8, 0.1, 300), noise.normal(0.5, 0.15, 300), [np.nan]])
    steps = tuple(step / 20 for step in range(1, 21))
    view = RunView(
        name=name,
        folder=Path("runs") / name,
        result=None if plain else make_result(report),
        report=report,
        paper=None if plain else report,
        scores=scores,
        in_scope=np.arange(601) < 300,
        populations=("curated",) * 601,
        kinds=("kind_a",) * 601,
        risk_curves={
            "curated": RiskCurve(
                steps, tuple(s / 2 for s in steps), tuple(s * s / 2 for s in steps), 0.2, 0.1
            )
        },
        wrong_fires=tuple(fire(number) for number in range(24)),
        wrong_fires_total=240,
    )
    return replace(view, **fields)


@pytest.fixture(scope="session")
def view_of() -> Callable[..., RunView]:
    return make_view


@pytest.fixture(scope="session")
def report_of() -> Callable[..., Report]:
    return make_report
