"""What a person sees: every number in its place, undefined shown as such, one true sentence."""

from __future__ import annotations

import pytest

from scopebench.records import (
    ActionCounts,
    ActionValues,
    Cell,
    Estimate,
    KindRow,
    Report,
    RouterRow,
)
from scopebench.report.console import meaning, print_report


def make_cell(population: str, headroom: float | None, **changes: object) -> Cell:
    low = None if headroom is None else headroom - 0.05
    high = None if headroom is None else headroom + 0.05
    fields: dict[str, object] = {
        "dataset": "all",
        "condition": "all",
        "population": population,
        "n": 20,
        "n_scorable": 16,
        "n_clusters": 9,
        "accuracy": ActionValues(recite=None, reason=0.5, abstain=0.25),
        "static_fixed": 0.5,
        "oracle": None if headroom is None else 0.5 + headroom,
        "headroom": Estimate(value=headroom, low=low, high=high, method="by hand"),
        "unique_wins": ActionCounts(recite=None, reason=1, abstain=3),
    }
    return Cell.model_validate(fields | changes)


ROUTER = RouterRow(
    population="withheld",
    n=20,
    n_scorable=16,
    accuracy=0.625,
    false_fire=0.1,
    miss=0.0,
    wrong_edit=0.05,
    auroc=None,
)


def make_kind(population: str, kind: str, false_fire: float | None, miss: float | None) -> KindRow:
    return KindRow(
        population=population,
        kind=kind,
        n=8,
        in_scope=0 if miss is None else 8,
        n_scorable=8,
        accuracy=0.75,
        false_fire=false_fire,
        miss=miss,
        wrong_edit=None if miss is None else 0.0,
        auroc=0.875,
    )


def make_report(*pooled: Cell, kinds: tuple[KindRow, ...] = ()) -> Report:
    cell = make_cell("withheld", 0.125, dataset="toy", condition="extracted")
    return Report(cells=(cell,), pooled=pooled, strata=(), router=(ROUTER,), kinds=kinds)


def test_sentence_names_both_populations() -> None:
    report = make_report(make_cell("original", 0.0), make_cell("withheld", 0.125))
    assert meaning(report) == (
        "Where every question is about an edited fact, the best per-query decision gains +0.0000 "
        "over one fixed rule; once edits are withheld it can gain +0.1250 "
        "(95% interval +0.0750 to +0.1750), and abstaining is the only right action "
        "on 3 of 16 queries."
    )


def test_sentence_claims_nothing_where_nothing_is_known() -> None:
    assert meaning(make_report(make_cell("original", None))) == (
        "No population has scorable outcomes."
    )


def test_table_holds_every_number_and_a_dash_for_the_undefined(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_report(make_report(make_cell("withheld", 0.125)), title="A title")
    captured = capsys.readouterr()
    assert captured.err == ""
    row = next(line for line in captured.out.splitlines() if line.strip().startswith("extracted"))
    numbers = "16 – 0.5000 0.2500 0.5000 0.6250 +0.1250 +0.0750 to +0.1750 3"
    assert row.split() == ["extracted", "withheld", *numbers.split()]
    decided = captured.out.partition("own decisions")[2]
    row = next(line for line in decided.splitlines() if line.strip().startswith("withheld"))
    assert row.split() == ["withheld", "20", "0.6250", "0.1000", "0.0000", "0.0500", "–"]
    assert "n leaves out 4 decision-only rows" in captured.out  # 20 queries, 16 of them scorable
    assert max(map(len, captured.out.partition("own decisions")[0].splitlines())) <= 120


def test_kinds_are_shown_worst_first_where_a_population_has_several(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kinds = (
        make_kind("withheld", "direct", 0.5, 0.0),
        make_kind("curated", "direct", None, 0.125),
        make_kind("curated", "near_name", 0.25, None),
        make_kind("curated", "paraphrase", None, 0.25),
        make_kind("curated", "same_subject", 0.875, None),
        make_kind("curated", "unrelated", 0.0, None),
    )
    print_report(make_report(kinds=kinds), title="A title")
    told = capsys.readouterr().out.partition("by kind of query")[2]
    rows = [line.split() for line in told.splitlines() if line.strip().startswith("curated")]
    assert [row[1] for row in rows] == [
        "same_subject",
        "near_name",
        "unrelated",
        "paraphrase",
        "direct",
    ]
    assert rows[0][2:] == ["8", "0", "0.7500", "0.8750", "–", "–", "0.8750"]
    assert "withheld" not in told  # its only kind is what the table above says already
    assert max(map(len, told.splitlines())) <= 120


def test_one_kind_a_population_needs_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(make_report(kinds=(make_kind("withheld", "direct", 0.5, 0.0),)), title="A title")
    assert "by kind" not in capsys.readouterr().out
