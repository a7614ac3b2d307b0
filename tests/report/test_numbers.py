"""A report on a terminal: every number in its place, undefined shown as such, one true sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scopebench.records import (
    BenchmarkRef,
    Cell,
    Comparison,
    EditorRef,
    Estimate,
    Inference,
    MixRow,
    ModelRef,
    NoiseRow,
    PolicyRow,
    Protocol,
    Report,
    RouterRow,
    RunResult,
    Static,
)
from scopebench.report.numbers import meaning, print_report, print_run
from scopebench.scoring.families import POLICIES as BY_ANSWER
from scopebench.scoring.families import SCOPE as BY_DECISION
from scopebench.scoring.match import MATCHER_VERSIONS

ACTIONS = ("recite", "reason", "abstain")
NOTHING = Estimate(value=None, low=None, high=None, method=None)
FIRST = "Headroom over other static policies"
DECIDED = "The editor's own decisions"
WORTH = "What they are worth"
KINDS = "The same by kind of query"
POLICIES = "Policies that understand nothing"
MIXES = "Headroom by the share of out-of-scope traffic"
TESTS = "Paired tests:"
NOISE = "Decoding noise"


def estimate(value: float | None, half: float | None = None) -> Estimate:
    if value is None:
        return NOTHING
    if half is None:
        return Estimate(value=value, low=None, high=None, method=None)
    return Estimate(value=value, low=value - half, high=value + half, method="by hand")


def static(value: float | None, headroom: float | None) -> Static:
    return Static(value=value, headroom=estimate(headroom), choice="by hand", hindsight=False)


def make_cell(population: str, headroom: float | None, **changes: Any) -> Cell:
    fields: dict[str, Any] = {
        "population": population,
        "n": 20,
        "n_scorable": 16,
        "n_clusters": 9,
        "accuracy": {"recite": None, "reason": 0.5, "abstain": 0.25},
        "static_fixed": 0.5,
        "oracle": None if headroom is None else 0.5 + headroom,
        "headroom": estimate(headroom, 0.05),
        "statics": {
            "static_const": static(0.5, 0.125),
            "static_cell": static(0.5625, 0.0625),
            "static_cv": static(0.4375, 0.1875),
        },
        "coverage": 0.625,
        "unique_wins": {"recite": None, "reason": 1, "abstain": 3},
        "oracle_without": {"recite": 0.5, "reason": 0.5, "abstain": 0.5},
    }
    return Cell.model_validate(fields | changes)


def make_router(population: str, kind: str = "all", **changes: Any) -> RouterRow:
    fields: dict[str, Any] = {
        "population": population,
        "kind": kind,
        "n": 20,
        "n_scorable": 16,
        "n_clusters": 9,
        "in_scope": 8,
        "accuracy": estimate(0.625, 0.125),
        "gain": estimate(-0.125, 0.25),
        "regret": estimate(0.0625),
        "capture": NOTHING,
        "scope_accuracy": estimate(0.9375),
        "credit": estimate(0.5),
        "false_fire": estimate(0.1),
        "miss": estimate(0.0),
        "wrong_edit": estimate(0.05),
        "masked": estimate(0.75),
        "auroc": NOTHING,
        "auprc": 0.8125,
        "prevalence": 0.4,
        "fpr_at_95_tpr": 1.0,
        "aurc": 0.3125,
        "augrc": 0.1875,
        "margin_auroc": None,
        "margin_in": None,
        "margin_out": None,
    }
    return RouterRow.model_validate(fields | changes)


def make_report(*pooled: Cell, **parts: Any) -> Report:
    cell = make_cell("withheld", 0.125, dataset="toy", condition="extracted")
    fields: dict[str, Any] = {
        "actions": ACTIONS,
        "static_rule": "recite where legal, else reason",
        "inference": Inference(confidence=0.95, seed=0, resamples=2000, folds=5),
        "cells": (cell,),
        "pooled": pooled or (make_cell("withheld", 0.125),),
        **dict.fromkeys(
            ("strata", "kinds", "router", "policies", "mixes", "comparisons", "noise"), ()
        ),
    }
    return Report.model_validate(fields | parts)


class Screen:
    """What was printed, as text and as tables of words."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def widest(self) -> int:
        """The longest line of a table: sentences are left to the terminal to fold."""
        return max(len(line) for line in self.text.splitlines() if line.startswith(" "))

    def rows(self, title: str) -> list[list[str]]:
        """Return the words of the rows of the table under a title, without its header."""
        lines = iter(self.text.splitlines())
        for line in lines:
            if line.startswith(title):
                break
        else:
            raise AssertionError(f"no table {title!r}")
        found, inside = [], False
        for line in lines:
            if set(line.strip()) == {"─"}:
                inside = True
            elif inside and line.strip() == "":
                continue
            elif inside and not line.startswith(" "):
                break
            elif inside:
                found.append(line.split())
        return found

    def row(self, title: str, *start: str) -> list[str]:
        """Return what follows the first words of the one row that starts with them."""
        rows = [row for row in self.rows(title) if row[: len(start)] == list(start)]
        assert len(rows) == 1, rows
        return rows[0][len(start) :]


def shown(report: Report, capsys: pytest.CaptureFixture[str], **how: Any) -> Screen:
    print_report(report, title="A title", **how)
    captured = capsys.readouterr()
    assert captured.err == ""
    return Screen(captured.out)


# One sentence.


def test_sentence_names_every_population() -> None:
    report = make_report(
        make_cell("original", 0.0), make_cell("withheld", 0.125), make_cell("curated", 0.25)
    )
    assert meaning(report) == (
        "Where every question is about an edited fact, the best per-query decision gains +0.0000 "
        "over one fixed rule (95% interval -0.0500 to +0.0500); once edits are withheld it can "
        "gain +0.1250 (95% interval +0.0750 to +0.1750), and abstaining is the only right action "
        "on 3 of 16 queries; on curated questions, half of which no edit governs, +0.2500 "
        "(95% interval +0.2000 to +0.3000)."
    )


@pytest.mark.parametrize("wins", [{"abstain": None}, {"small": 2}])
def test_sentence_counts_no_unique_wins_of_abstaining_where_there_are_none(
    wins: dict[str, int | None],
) -> None:
    assert meaning(make_report(make_cell("withheld", 0.125, unique_wins=wins))) == (
        "Once edits are withheld it can gain +0.1250 (95% interval +0.0750 to +0.1750)."
    )


def test_sentence_for_one_and_for_several_populations_of_ones_own() -> None:
    said = (
        "he best per-query decision gains +0.1250 over the declared rule{} "
        "(95% interval +0.0750 to +0.1750)"
    )
    assert meaning(make_report(make_cell("all", 0.125))) == f"T{said.format('')}."
    assert meaning(make_report(make_cell("rush hour", 0.125))) == (
        f"T{said.format(' on rush hour')}."
    )
    assert meaning(make_report(make_cell("day", 0.125), make_cell("night", 0.125))) == (
        f"T{said.format(' on day')}; t{said.format(' on night')}."
    )


def test_sentence_claims_nothing_where_nothing_is_known() -> None:
    known = make_report(make_cell("original", None), make_cell("withheld", 0.125))
    assert meaning(known).startswith("Once edits are withheld")
    assert meaning(make_report(make_cell("original", None))).startswith(
        "No population has a headroom"
    )


def test_the_reasons_it_points_to_are_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    why = "recite or reason is legal for 3 of 16 scorable queries only"
    undefined = {"headroom": why, "static_fixed": why}
    report = make_report(make_cell("original", None, static_fixed=None, undefined=undefined))
    text = shown(report, capsys, brief=True).text
    assert "see the reasons above" in text
    assert why in text.partition("No population has a headroom")[0]


# The table of headroom.


def test_table_holds_every_number_and_a_dash_for_the_undefined(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = make_report(make_cell("withheld", 0.125), router=(make_router("withheld"),))
    screen = shown(report, capsys)
    numbers = "16 – 0.5000 0.2500 0.5000 0.6250 +0.1250 +0.0750 to +0.1750 3"
    assert screen.row("A title", "extracted", "withheld") == numbers.split()
    assert screen.row("A title", "pooled", "withheld") == numbers.split()
    assert "n leaves out 4 decision-only rows" in screen.text  # 20 queries, 16 of them scorable
    assert "static: recite where legal, else reason, declared before any outcome." in screen.text
    assert screen.widest <= 120


def test_a_cell_without_gold_is_a_row_of_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = make_cell(
        "withheld",
        None,
        n_scorable=0,
        static_fixed=None,
        accuracy=dict.fromkeys(ACTIONS),
        unique_wins=dict.fromkeys(ACTIONS),
    )
    row = shown(make_report(nothing), capsys).row("A title", "pooled", "withheld")
    assert row == ["0", *"––––––––"]


def test_strata_stand_under_their_population_and_known_cells_are_left_to_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = make_report(
        make_cell("original", 0.0),
        make_cell("withheld", 0.125),
        strata=(
            make_cell("original", 0.0, stratum="known", n=7, n_scorable=7),
            make_cell("withheld", 0.125, stratum="known", n=6, n_scorable=6),
            make_cell("withheld", 0.25, stratum="hidden", n=10, n_scorable=8),
            make_cell("withheld", 0.0, stratum="kept", n=10, n_scorable=9),
        ),
        cells=(
            make_cell("withheld", 0.125, dataset="toy", condition="extracted"),
            make_cell("withheld", 0.5, dataset="toy", condition="extracted", stratum="known"),
        ),
    )
    screen = shown(report, capsys)
    assert [row[:5] for row in screen.rows("A title")][3:] == [
        ["pooled", "original", "16", "–", "0.5000"],
        ["known", "to", "it", "original", "7"],
        ["pooled", "withheld", "16", "–", "0.5000"],
        ["known", "to", "it", "withheld", "6"],
        ["hidden", "half", "withheld", "8", "–"],
        ["kept", "half", "withheld", "9", "–"],
    ]
    assert "+0.5000" not in screen.text.partition("static:")[0]
    assert "n leaves out 4 decision-only rows" in screen.text, "known cells count no row twice"


def test_other_actions_have_columns_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    changes: dict[str, Any] = {
        "accuracy": {"small": 0.75, "large": 0.875},
        "unique_wins": {"small": 1, "large": 2},
    }
    cell = make_cell("all", 0.125, **changes)
    report = make_report(cell, cells=(cell,), actions=("small", "large"))
    screen = shown(report, capsys)
    assert "small" in screen.text
    expected = "16 0.7500 0.8750 0.5000 0.6250 +0.1250 +0.0750 to +0.1750 0.4375"
    assert screen.row("A title", "pooled", "all") == expected.split()  # static_cv at the end


def test_of_many_actions_the_best_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    names = tuple(f"model-{number}" for number in range(6))
    accuracy = dict(zip(names, (0.5, 0.25, None, 0.875, 0.125, 0.0), strict=True))
    cell = make_cell("all", 0.125, accuracy=accuracy, unique_wins=dict.fromkeys(names))
    screen = shown(make_report(cell, cells=(cell,), actions=names), capsys)
    expected = "16 model-3 0.8750 0.5000 0.6250 +0.1250 +0.0750 to +0.1750 0.4375"
    assert screen.row("A title", "pooled", "all") == expected.split()
    assert "actions: model-0, model-1" in screen.text
    assert screen.widest <= 120


# The editor's decisions.


def test_decisions_and_their_worth(capsys: pytest.CaptureFixture[str]) -> None:
    parts = (
        make_router("withheld"),
        make_router("withheld", stratum="known", n=5),
        make_router("withheld", dataset="toy", condition="extracted", n=6),
    )
    screen = shown(make_report(router=parts), capsys, brief=True)
    decided = "20 0.9375 0.1000 0.0000 0.0500 – 0.8125 0.4000 1.0000 0.1875"
    assert screen.rows(DECIDED) == [["withheld", *decided.split()]]
    worth = "0.6250 0.5000 to 0.7500 -0.1250 -0.3750 to +0.1250 0.0625 – 0.5000 0.7500"
    assert screen.rows(WORTH) == [["withheld", *worth.split()]]
    assert screen.widest <= 120


def test_kinds_are_shown_worst_first_where_a_population_has_several(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def of(population: str, kind: str, false_fire: float | None, miss: float | None) -> RouterRow:
        return make_router(
            population,
            kind,
            n=8,
            in_scope=0 if miss is None else 8,
            accuracy=estimate(0.75),
            false_fire=estimate(false_fire, 0.125),
            miss=estimate(miss),
            wrong_edit=estimate(None if miss is None else 0.0),
            auroc=estimate(0.875),
        )

    kinds = (
        of("withheld", "direct", 0.5, 0.0),
        of("curated", "direct", None, 0.125),
        of("curated", "near_name", 0.25, None),
        of("curated", "paraphrase", None, 0.25),
        of("curated", "same_subject", 0.875, None),
        of("curated", "unrelated", 0.0, None),
        make_router("curated", "unrelated", stratum="known"),
    )
    screen = shown(make_report(router=(make_router("curated"), *kinds)), capsys, brief=True)
    rows = screen.rows(KINDS)
    assert {row[0] for row in rows} == {"curated"}, "one kind of `withheld` says nothing new"
    assert [row[1] for row in rows] == [
        "same_subject",
        "near_name",
        "unrelated",
        "paraphrase",
        "direct",
    ]
    assert rows[0][2:] == "8 0 0.7500 0.8750 0.7500 to 1.0000 – – 0.8750".split()
    assert rows[4][2:] == "8 8 0.7500 – – 0.1250 0.0000 0.8750".split()
    assert screen.widest <= 120


def test_one_kind_a_population_needs_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    report = make_report(router=(make_router("withheld"), make_router("withheld", "direct")))
    assert "by kind" not in shown(report, capsys).text


def test_without_an_editor_there_is_no_table_of_decisions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(make_report(), capsys).text
    assert DECIDED not in text
    assert WORTH not in text


def test_decoding_noise(capsys: pytest.CaptureFixture[str]) -> None:
    row = NoiseRow(
        population="original",
        n=20,
        n_scorable=16,
        draws=3,
        naive=estimate(0.1875, 0.0625),
        null=estimate(0.125),
        corrected=estimate(0.0625, 0.125),
        held_out=NOTHING,
    )
    cell = row.model_copy(update={"dataset": "toy", "condition": "structured"})
    screen = shown(make_report(noise=(row, cell)), capsys, brief=True)
    assert f"{NOISE}: gain over static_fixed with 3 draws of each action" in screen.text
    rows = {" ".join(row[1:3]): " ".join(row) for row in screen.rows(NOISE)}
    assert list(rows) == ["naive: best", "null: best", "corrected: naive", "held out:"]
    assert rows["naive: best"].endswith(" +0.1875 +0.1250 to +0.2500")
    assert rows["null: best"].endswith(" +0.1250 –")
    assert rows["corrected: naive"].endswith(" +0.0625 -0.0625 to +0.1875")
    assert rows["held out:"].endswith(" – –")


# What the numbers are held against.

POLICY: dict[str, Any] = {"n": 20, "n_scorable": 16, "fold": "test"}
FULL: dict[str, Any] = {
    "router": (make_router("withheld"),),
    "policies": (
        PolicyRow(
            population="withheld",
            policy="always_fire",
            threshold=None,
            accuracy=estimate(0.5, 0.25),
            scope_accuracy=0.4,
            false_fire=1.0,
            miss=0.0,
            **POLICY,
        ),
        PolicyRow(
            population="withheld",
            policy="similarity_threshold",
            threshold=0.71875,
            accuracy=NOTHING,
            scope_accuracy=None,
            false_fire=None,
            miss=None,
            undefined={"threshold": "told all the same", "accuracy": "no dev row has a score"},
            **POLICY,
        ),
        PolicyRow(
            population="withheld",
            policy="margin_threshold",
            threshold=0.71875,
            accuracy=NOTHING,
            scope_accuracy=0.25,
            false_fire=None,
            miss=1.0,
            **POLICY,
        ),
    ),
    "mixes": tuple(
        MixRow(
            population="withheld",
            name=name,
            out_of_scope=share,
            static_fixed=None if oracle is None else 0.5,
            static_const=0.5,
            oracle=oracle,
            editor=None,
            headroom=estimate(None if oracle is None else oracle - 0.5, 0.0625),
        )
        for name, share, oracle in (
            ("observed", 0.25, 0.625),
            ("curve", 0.1, 0.5625),
            ("curve", 0.9, None),
            ("direct=0.75,near=0.25", None, None),
        )
    ),
    "comparisons": tuple(
        Comparison.model_validate(
            {
                "family": "by population",
                "population": "withheld",
                "first": "editor",
                "second": "static_fixed",
                "n": 16,
                "n_clusters": 9,
                "first_only": 4,
                "second_only": 0,
                "difference": estimate(0.25, 0.125),
                "p_sign_flip": 0.125,
                "p_mcnemar": 0.125,
                "smallest_p": 0.125,
                "p_holm": 0.00001,
                "detectable": 0.3125,
            }
            | changes
        )
        for changes in (
            {},
            {"population": "original", "first_only": None, "second_only": None, "p_mcnemar": None},
            {"population": "curated", "skipped": "static_fixed is undefined"},
            {"family": "by cell", "dataset": "toy", "condition": "structured"},
            {"family": BY_ANSWER, "second": "always_fire", "p_holm": 0.0625},
            {"family": BY_DECISION, "second": "always_fire", "p_holm": 0.03125},
        )
    ),
}


def test_everything_is_held_against_the_policies_that_understand_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = shown(make_report(**FULL), capsys)
    statics = "0.5000 +0.1250 0.5625 +0.0625 0.4375 +0.1875"
    assert screen.rows(FIRST) == [["withheld", *statics.split()]]
    assert f"{POLICIES}, on the test rows, thresholds fitted on dev" in screen.text
    fire = "16 0.5000 0.0625 20 0.4000 0.0312 1.0000 0.0000 –"
    assert screen.row(POLICIES, "withheld", "always_fire") == fire.split()
    fitted = "16 – – 20 0.2500 – – 1.0000 0.7188"
    assert screen.row(POLICIES, "withheld", "margin_threshold") == fitted.split()
    assert len(screen.rows(POLICIES)) == 2, "a policy of which nothing is known is no row"
    assert "similarity_threshold" in screen.text
    assert "no dev row has a score" in screen.text
    observed = "0.25 0.5000 – 0.6250 +0.1250 +0.0625 to +0.1875"
    assert screen.row(MIXES, "withheld", "observed") == observed.split()
    assert screen.row(MIXES, "withheld", "direct=0.75,near=0.25") == list("––––––")
    assert [row[2] for row in screen.rows(MIXES) if row[1] == "curve"] == ["0.10"]
    assert screen.widest <= 120


def test_policies_on_all_rows_are_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    rows = tuple(row.model_copy(update={"fold": "all"}) for row in FULL["policies"])
    assert f"{POLICIES}, on all rows" in shown(make_report(policies=rows), capsys).text


def test_paired_tests_by_family_with_the_skipped_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = shown(make_report(**FULL), capsys)
    pooled = screen.rows(f"{TESTS} by population")
    won = "withheld 4:0 +0.2500 +0.1250 to +0.3750 0.1250 1e-05 0.1250 0.1250 0.3125"
    assert pooled[0] == won.split()
    graded = "original – +0.2500 +0.1250 to +0.3750 0.1250 1e-05 – 0.1250 0.3125"
    assert pooled[1] == graded.split()
    assert len(pooled) == 2
    assert "Not tested: curated, static_fixed is undefined" in screen.text.splitlines()
    assert BY_ANSWER not in screen.text, "its p stands beside the policies"
    cells = screen.rows(f"{TESTS} by cell")
    assert [row[:4] for row in cells] == [["toy", "structured", "withheld", "4:0"]]


def test_the_short_form_leaves_out_what_the_editor_is_held_against(
    capsys: pytest.CaptureFixture[str],
) -> None:
    short = shown(make_report(**FULL), capsys, brief=True).text
    for title in (FIRST, POLICIES, MIXES, TESTS):
        assert title not in short
    for title in (DECIDED, WORTH):
        assert title in short
    assert short.rstrip().endswith("on 3 of 16 queries.")


def test_a_missing_column_says_what_it_costs(capsys: pytest.CaptureFixture[str]) -> None:
    missing = {"known": "The known stratum cannot be computed.", "draw": "No [noise]."}
    screen = shown(make_report(missing=missing), capsys, brief=True)
    lines = screen.text.splitlines()
    assert "known: The known stratum cannot be computed." in lines
    assert "draw: No [noise]." in lines


# Names are data.


def test_control_characters_in_names_are_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = "sea\x1b[2J\u202e"
    report = make_report(
        make_cell(bad, 0.125),
        cells=(make_cell(bad, 0.125, dataset=bad, condition=bad),),
        router=(make_router(bad), make_router(bad, bad), make_router(bad, "direct")),
        **{
            name: tuple(row.model_copy(update={"population": bad}) for row in FULL[name])
            for name in ("policies", "mixes", "comparisons")
        },
    )
    text = shown(report, capsys).text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"sea\x1b[2J\u202e" in text


@pytest.mark.parametrize("bad", ["[/]", "[/x]", "[bold]sea", "mmlu[red]", r"back\[slash"])
def test_names_are_not_read_as_markup(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    actions = (f"a{bad}", "b")
    changes: dict[str, Any] = {"accuracy": dict.fromkeys(actions, 0.5), "unique_wins": {}}
    report = make_report(
        make_cell(f"p{bad}", 0.125, **changes),
        actions=actions,
        static_rule=f"always a{bad}",
        cells=(make_cell("all", 0.125, dataset=f"d{bad}", condition=f"c{bad}", **changes),),
        router=(
            make_router(f"p{bad}"),
            make_router(f"p{bad}", f"k{bad}"),
            make_router(f"p{bad}", "l"),
        ),
        mixes=tuple(row.model_copy(update={"name": f"m{bad}"}) for row in FULL["mixes"]),
        comparisons=tuple(
            row.model_copy(update={"dataset": f"e{bad}", "family": f"f{bad}"})
            for row in FULL["comparisons"]
        ),
    )
    print_report(report, title=f"t{bad}")
    text = capsys.readouterr().out
    for name in "padctkmef":
        assert f"{name}{bad}" in text
    assert f"static: always a{bad}, declared" in text


# A run.


def test_a_run_says_whose_it_is_where_it_lies_and_what_is_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = make_report(**FULL)
    result = RunResult.model_validate(
        report.model_dump()
        | {
            "run_id": "0123",
            "status": "limited",
            "protocol": Protocol(
                protocol_id="abcd",
                matcher=MATCHER_VERSIONS["strict"],
                prompts="chat/1",
                decoding="greedy",
                actions=ACTIONS,
                static_rule="recite where legal, else reason",
            ),
            "editor": EditorRef(name="inlay", version="1", params={}, sha256="0" * 64),
            "model": ModelRef(id="tiny", revision="1", dtype="float32", device="cpu"),
            "encoder": None,
            "benchmark": BenchmarkRef(name="towns", version="1", files={}, limit=8),
            "paper_matcher": report.model_dump(),
            "tables": {},
            "seeds": {},
            "timings": {},
            "environment": {},
            "git": {},
        }
    )
    print_run(result, Path("runs/inlay"))
    text = capsys.readouterr().out
    assert text.startswith("inlay beside tiny, at most 8 queries a cell and population")
    assert "Written: runs/inlay (run 0123, protocol abcd)\n" in text
    assert "Next: scopebench report runs/inlay --out report.html\n" in text
    assert POLICIES not in text, "a run ends with the short form"
    whole = result.benchmark.model_copy(update={"limit": None})
    print_run(result.model_copy(update={"benchmark": whole}), Path("runs/inlay"))
    assert capsys.readouterr().out.startswith("inlay beside tiny, all queries")
    print_run(result, Path("runs/[bold]/x"))
    assert capsys.readouterr().out.count("runs/[bold]/x") == 2
