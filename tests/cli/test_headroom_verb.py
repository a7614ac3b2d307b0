"""`scopebench headroom` on tables that another program wrote: no engine, model or benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from scopebench.cli import cli
from scopebench.records import Report

SCOPEBENCH = Path(sys.executable).with_name("scopebench")
SECTIONS = {
    *("actions", "static_rule", "inference", "cells", "pooled", "strata", "kinds", "router"),
    *("policies", "mixes", "comparisons", "noise", "missing"),
}

LONG = "query_id,action,correct\n" + "".join(
    f"q{number},{action},{outcome}\n"
    for number, outcomes in enumerate(("110", "101", "001", "000"))
    for action, outcome in zip(("recite", "reason", "abstain"), outcomes, strict=True)
)
"""Static (always recite) is right on 2 of 4 queries, the oracle on 3."""

WIDE = """\
sample_id,eval_name,prompt,small,large,large|total_cost
1,sums,1+1?,1,1,0.5
2,sums,2+2?,0,1,0.5
3,rhymes,blue?,1,0,0.5
4,rhymes,red?,0.5,0.75,0.5
"""
"""Small is right on 2.5 of 4, large on 2.75, the better of the two on 3.75."""

EDITED = "query_id,action,correct,population,kind,fired_edit,decision_label\n" + "".join(
    f"{query},{action},{outcome},withheld,{kind},{fired},{label}\n"
    for query, kind, fired, label, outcomes in (
        ("in1", "direct", "e1", "e1", "10"),
        ("in2", "direct", "e2", "e2", "10"),
        ("out1", "near", "e1", "", "01"),
        ("out2", "near", "", "", "01"),
        ("out3", "far", "", "", "11"),
    )
    for action, outcome in zip(("reason", "abstain"), outcomes, strict=True)
)
"""Reciting does not exist; always reason is right on both in-scope queries and on 1 of 3 others."""


def headroom(*arguments: object) -> Result:
    return CliRunner().invoke(
        cli, ["headroom", *map(str, arguments)], prog_name="scopebench", catch_exceptions=False
    )


def told(*arguments: object) -> dict[str, Any]:
    """Return the JSON of a report, which must hold the sections of `run.json`."""
    done = headroom("--json", "--resamples", 200, *arguments)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    document: dict[str, Any] = json.loads(done.stdout)
    assert set(document) == SECTIONS
    Report.model_validate(document)
    return document


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    return path


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    path = tmp_path / "edited.csv"
    path.write_text(EDITED)
    return path


def test_three_columns_give_headroom_and_what_is_missing(long: Path) -> None:
    report = told(long)
    [cell], [pooled] = report["cells"], report["pooled"]
    assert (cell["dataset"], cell["condition"], cell["population"]) == ("long", "all", "all")
    assert (cell["n"], cell["n_scorable"], cell["n_clusters"]) == (4, 4, 4)
    assert cell["accuracy"] == {"recite": 0.5, "reason": 0.25, "abstain": 0.5}
    assert (cell["static_fixed"], cell["oracle"], cell["headroom"]["value"]) == (0.5, 0.75, 0.25)
    assert cell["unique_wins"] == {"recite": 0, "reason": 0, "abstain": 1}
    assert cell["headroom"]["low"] < cell["headroom"]["high"]
    assert pooled["headroom"] == cell["headroom"]
    assert report["router"] == report["comparisons"] == report["noise"] == []
    assert report["static_rule"] == "recite where legal, else reason"
    expected = {"version": 1, "confidence": 0.95, "seed": 0, "resamples": 200, "folds": 5}
    assert report["inference"] == expected
    assert {"known", "fired_edit", "decision_label", "draw"} <= set(report["missing"])


def test_the_table_says_what_is_missing_and_what_it_means(long: Path) -> None:
    done = headroom(long)
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].strip() == str(long)
    pooled = next(line.split() for line in lines if line.strip().startswith("pooled"))
    assert pooled[1:9] == ["all", "4", "0.5000", "0.2500", "0.5000", "0.5000", "0.7500", "+0.2500"]
    assert any(line.startswith("decision_label: ") for line in lines)
    assert lines[-1].startswith(
        "The best per-query decision gains +0.2500 over the declared rule (95% interval +0.0000 to"
    )


def test_parquet_gives_the_same_numbers(long: Path) -> None:
    parquet = long.with_suffix(".parquet")
    pd.read_csv(long).to_parquet(parquet)
    assert told(parquet) == told(long)


def test_a_table_of_one_column_a_model_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "routers.csv"
    path.write_text(WIDE)
    report = told(path, "--static", "large")
    assert report["actions"] == ["large", "small"]
    assert [cell["dataset"] for cell in report["cells"]] == ["rhymes", "sums"]
    pooled = report["pooled"][0]
    assert pooled["accuracy"] == {"small": 0.625, "large": 0.6875}
    assert (pooled["static_fixed"], pooled["oracle"]) == (0.6875, 0.9375)
    assert pooled["headroom"]["value"] == 0.25
    assert pooled["unique_wins"] == {"small": None, "large": None}
    assert "graded" in pooled["undefined"]["unique_wins.small"]
    assert [cell["headroom"]["value"] for cell in report["cells"]] == [0.5, 0.0]


def test_the_declared_static_policy_is_ones_own(long: Path, tmp_path: Path) -> None:
    report = told(long, "--static", "reason, abstain")
    assert report["static_rule"] == "reason where legal, else abstain"
    assert report["pooled"][0]["static_fixed"] == 0.25
    wide = tmp_path / "routers.csv"
    wide.write_text(WIDE)
    report = told(wide)
    assert report["pooled"][0]["static_fixed"] is None
    assert report["pooled"][0]["headroom"] == dict.fromkeys(("value", "low", "high", "method"))
    assert "--static" in report["pooled"][0]["undefined"]["headroom"]
    assert report["pooled"][0]["statics"]["static_const"]["value"] == 0.6875
    assert "--static" in headroom(wide).stdout


def test_decisions_are_judged_where_the_table_tells_of_them(edited: Path) -> None:
    report = told(edited, "--static", "reason")
    row = report["router"][0]
    assert (row["population"], row["kind"], row["n"], row["in_scope"]) == ("withheld", "all", 5, 2)
    assert row["false_fire"]["value"] == pytest.approx(1 / 3)
    assert (row["miss"]["value"], row["wrong_edit"]["value"]) == (0, 0)
    assert row["accuracy"]["value"] == pytest.approx(4 / 5)
    assert row["gain"]["value"] == pytest.approx(1 / 5)
    assert [row["kind"] for row in report["kinds"]] == ["direct", "far", "near"]
    assert {row["policy"] for row in report["policies"]} >= {"always_fire", "editor", "oracle"}
    won = {
        (test["family"].rpartition(", ")[2], test["second"]): (
            test["first_only"],
            test["second_only"],
        )
        for test in report["comparisons"]
    }
    assert won["by population", "static_fixed"] == (1, 0)
    assert won["by cell and population", "static_fixed"] == (1, 0)
    # Always firing is as right but on out2, and decides wrongly on out2 and out3; always
    # abstaining is wrong on in1 and in2, and right on out1, where the editor fires.
    assert won["right answers", "always_fire"] == (1, 0)
    assert won["right answers", "always_abstain"] == (2, 1)
    assert won["right decisions", "always_fire"] == (2, 0)
    assert won["right decisions", "always_abstain"] == (2, 1)


@pytest.mark.parametrize(
    ("mix", "expected"),
    [
        # In scope static is right on 2 of 2 and the oracle too; out of scope on 1 of 3 and 3 of 3.
        ("0.3", {"out_of_scope": 0.3, "static_fixed": 0.7 + 0.3 / 3, "oracle": 1.0}),
        ("0", {"out_of_scope": 0.0, "static_fixed": 1.0, "oracle": 1.0}),
        ("1", {"out_of_scope": 1.0, "static_fixed": 1 / 3, "oracle": 1.0}),
        ("direct=0.5,near=0.5", {"out_of_scope": 0.5, "static_fixed": 0.5, "oracle": 1.0}),
        ("near=0.25, far=0.75", {"out_of_scope": 1.0, "static_fixed": 0.75, "oracle": 1.0}),
    ],
)
def test_a_deployments_own_mix(edited: Path, mix: str, expected: dict[str, float]) -> None:
    report = told(edited, "--static", "reason", "--mix", mix)
    [row] = [row for row in report["mixes"] if row["name"] not in ("curve", "observed")]
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    gap = expected["oracle"] - expected["static_fixed"]
    assert row["headroom"]["value"] == pytest.approx(gap)
    assert mix.replace(" ", "") in row["name"].replace(" ", "")


def test_several_mixes_are_kept_apart_and_printed(edited: Path) -> None:
    mixes = ("--mix", "0.25", "--mix", "direct=0.5,far=0.5")
    report = told(edited, "--static", "reason", *mixes)
    names = [row["name"] for row in report["mixes"] if row["name"] not in ("curve", "observed")]
    assert names == ["pi=0.25", "direct=0.5,far=0.5"]
    text = headroom(edited, "--static", "reason", *mixes).stdout
    for name in names:
        assert name in text


def test_seed_and_resamples_are_told_and_leave_values_alone(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text(
        "query_id,action,correct\n"
        + "".join(
            f"{query},recite,{int(query % 3 > 0)}\n{query},abstain,{int(query % 5 == 0)}\n"
            for query in range(60)
        )
    )
    first, again, other = (
        told(path, "--seed", seed, "--resamples", 150)["pooled"][0] for seed in (1, 1, 2)
    )
    assert first == again
    assert other["headroom"] != first["headroom"]
    # Of 60 queries reciting misses 20, every third; of those every fifth is right otherwise: 4.
    assert other["headroom"]["value"] == first["headroom"]["value"] == 4 / 60
    assert told(path, "--seed", 2, "--resamples", 150)["inference"] == {
        "version": 1,
        "confidence": 0.95,
        "seed": 2,
        "resamples": 150,
        "folds": 5,
    }


def test_a_mix_of_a_kind_that_is_not_there_is_refused(edited: Path) -> None:
    said = refusal(edited, "--mix", "direct=0.5,nera=0.5")
    assert "no row is of kind 'nera'; kinds: direct, far, near" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--mix", "1.5"), "'1.5' is not a share from 0 to 1"),
        (("--mix", "-0.1"), "'-0.1' is not a share from 0 to 1"),
        (("--mix", "nan"), "'nan' is not a share from 0 to 1"),
        (("--mix", "some"), "'some' is not a share from 0 to 1"),
        (("--mix", "direct=lots,near=0.5"), "'lots' is not a share from 0 to 1"),
        (("--mix", "direct=0.5,near=0.4"), "the shares sum to 0.9, not to 1"),
        (("--mix", "direct=0.5,direct=0.5"), "every part is KIND=SHARE, each kind once"),
        (("--mix", "direct=1,=0"), "every part is KIND=SHARE, each kind once"),
        (("--static", "recite,,reason"), "is not a list of different actions"),
        (("--static", "recite,recite"), "is not a list of different actions"),
        (("--static", ""), "is not a list of different actions"),
        (("--benchmark", "mquake"), "a benchmark is for a run folder, not for a table of outcomes"),
        (("--resamples", "10"), "--resamples"),
        (("--matcher", "loose"), "--matcher"),
    ],
)
def test_a_usage_error_is_told_in_one_line(long: Path, options: tuple[str, ...], said: str) -> None:
    done = headroom(long, *options)
    assert done.exit_code == 2
    assert done.stdout == ""
    *usage, blank, error = done.stderr.rstrip("\n").split("\n")
    assert usage[0].startswith("Usage: scopebench headroom ")
    assert blank == ""
    assert error.startswith("Error: ")
    assert said in error


def refusal(*arguments: object) -> str:
    """Run what must be refused: exit code 2, nothing on stdout, one line on stderr."""
    done = subprocess.run(
        [str(SCOPEBENCH), "headroom", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("scopebench: error: ")
    return line


def test_what_cannot_be_read_is_told_in_one_line(long: Path, tmp_path: Path) -> None:
    assert "nowhere" in refusal(tmp_path / "nowhere")
    missing = refusal(tmp_path / "no.csv")
    assert "no.csv" in missing
    assert "no.csv/outcomes.parquet" not in missing, "a file was meant, not a folder"
    (tmp_path / "empty").mkdir()
    assert "no such table" in refusal(tmp_path / "empty")
    assert "did you mean 'reason'?" in refusal(long, "--static", "raeson")
    long.write_text(LONG.replace("q1,reason,0", "q1,reason,maybe"))
    said = refusal(long)
    assert "record q1 reason, field correct: 'maybe'" in said
    long.write_text("who,said\nme,no\n")
    assert "query_id, action, correct" in refusal(long)


def test_no_model_and_no_data_set_is_loaded(long: Path) -> None:
    """From one table, on a CPU, with no model: so a bare installation is enough."""
    code = (
        "import sys; from scopebench.cli import main\n"
        f"try: main(['headroom', {str(long)!r}, '--json', '--resamples', '100'])\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'datasets'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
