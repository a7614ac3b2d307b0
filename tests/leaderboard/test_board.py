"""Tables of the board: on numbers given by hand, and on real runs over toy models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scopebench.errors import DataError
from scopebench.hub.marks import Mark
from scopebench.scoring.summary import read_reports
from scopebench_leaderboard.board import BOARD_FILE, Board, load_board
from scopebench_leaderboard.board_file import SCHEMAS
from scopebench_leaderboard.flatten import lacking_actions
from scopebench_leaderboard.metrics import METRICS, RANKED
from scopebench_leaderboard.views import (
    Choice,
    at_mix,
    choices,
    conditions_of,
    curve,
    datasets_of,
    headroom_cells,
    kind_column,
    kinds_of,
    models_of,
    populations_of,
    ranking,
    scores_of,
)

BoardMaker = Callable[..., Board]
ONE = Choice("p1", "b1")


def part(value: float | None, low: float | None, high: float | None, **more: Any) -> dict[str, Any]:
    """A part with one metric."""
    names = ("scope_accuracy", "scope_accuracy_low", "scope_accuracy_high")
    return {**dict(zip(names, (value, low, high), strict=True)), **more}


def shown(table: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in table[list(names)].itertuples(index=False)]


def test_entries_are_ranked_in_bands_best_first(make_board: BoardMaker) -> None:
    board = make_board(
        {"editor": "worst", "parts": [part(0.35, 0.3, 0.4)]},
        {"editor": "best", "parts": [part(0.9, 0.85, 0.95)]},
        {"editor": "tied", "parts": [part(0.6, 0.5, 0.7)]},
        {"editor": "also-tied", "parts": [part(0.55, 0.45, 0.65)]},
    )
    table = ranking(board, ONE)
    assert shown(table, "rank", "editor", "scope_accuracy") == [
        ("1", "best", 0.9),
        ("2–3", "tied", 0.6),
        ("2–3", "also-tied", 0.55),
        ("4", "worst", 0.35),
    ]
    assert table["rank_low"].tolist() == [1, 2, 2, 4]
    assert table["rank_high"].tolist() == [1, 3, 3, 4]


def test_a_metric_that_is_better_low_is_sorted_from_below(make_board: BoardMaker) -> None:
    def fires(value: float) -> dict[str, Any]:
        return {"false_fire": value, "false_fire_low": value, "false_fire_high": value}

    board = make_board({"parts": [fires(0.5)]}, {"parts": [fires(0.1)]})
    table = ranking(board, ONE, metric="false_fire")
    assert shown(table, "rank", "editor") == [("1", "e1"), ("2", "e0")]


def test_what_has_no_rank_says_why_and_comes_last(make_board: BoardMaker) -> None:
    board = make_board(
        {
            "editor": "null",
            "parts": [
                part(None, None, None, undefined=json.dumps({"scope_accuracy": "no decisions"}))
            ],
        },
        {
            "editor": "point",
            "parts": [
                part(0.99, None, None, undefined=json.dumps({"scope_accuracy.interval": "one row"}))
            ],
        },
        {"editor": "part-of-it", "parts": [part(0.98, 0.97, 0.99, n=4, n_scorable=4)]},
        {"editor": "whole", "parts": [part(0.2, 0.1, 0.3)]},
    )
    table = ranking(board, ONE)
    assert shown(table, "rank", "editor") == [
        ("1", "whole"),
        ("–", "point"),
        ("–", "part-of-it"),
        ("–", "null"),
    ]
    reasons = dict(zip(table["editor"], table["rank_reason"], strict=True))
    assert reasons["whole"] == ""
    assert reasons["point"] == "one row"
    assert reasons["null"] == "no decisions"
    assert reasons["part-of-it"].startswith("over fewer than the 10 rows")
    assert table["rank_low"].isna().tolist() == [False, True, True, True]
    assert table["metric_reason"].tolist() == ["", "", "", "no decisions"]


def test_a_metric_without_interval_is_sorted_and_not_ranked(make_board: BoardMaker) -> None:
    board = make_board({"parts": [{"auprc": 0.4}]}, {"parts": [{"auprc": 0.6}]})
    table = ranking(board, ONE, metric="auprc")
    assert shown(table, "rank", "editor") == [("–", "e1"), ("–", "e0")]
    assert all("no interval" in reason for reason in table["rank_reason"])


def test_filters_set_the_field_and_a_search_only_finds(make_board: BoardMaker) -> None:
    key = f"{1:032x}"
    board = make_board(
        {"editor": "a", "model": "small", "parts": [part(0.9, 0.89, 0.91)]},
        {"editor": "b", "model": "small", "parts": [part(0.8, 0.79, 0.81)]},
        {"editor": "b", "model": "LARGE", "gradient_free": False, "parts": [part(0.7, 0.69, 0.71)]},
        marks={key: Mark("someone", "2026-01-02", "")},
    )
    assert shown(ranking(board, ONE, search="b large"), "rank", "model") == [("3", "LARGE")]
    assert ranking(board, ONE, search="b nothing").empty
    assert shown(ranking(board, ONE, search=key), "rank", "editor") == [("2", "b")]
    assert shown(ranking(board, ONE, models=["LARGE"]), "rank", "editor") == [("1", "b")]
    assert shown(ranking(board, ONE, gradient_free=True), "rank", "editor") == [
        ("1", "a"),
        ("2", "b"),
    ]
    assert shown(ranking(board, ONE, gradient_free=False), "rank", "model") == [("1", "LARGE")]
    assert shown(ranking(board, ONE, verified_only=True), "rank", "editor", "verified") == [
        ("1", "b", True)
    ]
    assert ranking(board, ONE, models=["none"]).empty
    assert list(ranking(board, ONE, models=["none"]).columns) == list(ranking(board, ONE).columns)


def test_choices_keep_protocols_and_benchmarks_apart(make_board: BoardMaker) -> None:
    board = make_board(
        {"editor": "a", "parts": [part(0.5, 0.4, 0.6)]},
        {"editor": "b", "parts": [part(0.6, 0.5, 0.7)]},
        {"editor": "c", "protocol_id": "p2", "parts": [part(0.9, 0.8, 1.0)]},
        {"editor": "d", "benchmark_digest": "b2", "parts": [part(0.9, 0.8, 1.0, dataset="own")]},
    )
    found = choices(board)
    assert found[0] == ONE
    assert sorted(choice.n for choice in found) == [1, 1, 2]
    assert "made-up 1" in found[0].label
    for choice in found:
        table = ranking(board, choice) if choice != Choice("p1", "b2") else None
        if table is not None:
            assert set(table["editor"]) == ({"a", "b"} if choice == ONE else {"c"})
    assert datasets_of(board, ONE) == ["all"]
    assert datasets_of(board, Choice("p1", "b2")) == ["all", "own"]
    with pytest.raises(DataError, match="no submission has protocol 'p3'"):
        ranking(board, Choice("p3", "b1"))


def test_per_kind_columns_are_those_that_are_defined(make_board: BoardMaker) -> None:
    board = make_board(
        {
            "parts": [
                part(0.5, 0.4, 0.6),
                {"kind": "near_name", "false_fire": 0.25},
                {"kind": "direct", "miss": 0.5},
            ]
        },
        {"parts": [part(0.4, 0.3, 0.5)]},
    )
    table = ranking(board, ONE, kind_metric="false_fire")
    assert table[kind_column("false_fire", "near_name")].tolist()[0] == 0.25
    assert pd.isna(table[kind_column("false_fire", "near_name")].tolist()[1])
    assert kind_column("false_fire", "direct") not in table
    assert kinds_of(board, ONE) == ["direct", "near_name"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"metric": "headroom"}, "cannot rank by 'headroom'"),
        ({"population": "none"}, "no population 'none'; there are: curated"),
        ({"dataset": "own"}, "no dataset 'own'; there are: all"),
        ({"kind_metric": "none"}, "no metric 'none'"),
    ],
)
def test_unknown_names_are_one_line(
    make_board: BoardMaker, asked: dict[str, str], told: str
) -> None:
    board = make_board({"parts": [part(0.5, 0.4, 0.6)]})
    with pytest.raises(DataError, match=told):
        ranking(board, ONE, **asked)


def test_every_ranked_metric_has_a_direction_and_can_be_ranked(make_board: BoardMaker) -> None:
    board = make_board({"parts": [{"n": 10}]})
    for name in RANKED:
        assert METRICS[name].higher_is_better is not None
        assert shown(ranking(board, ONE, metric=name), "rank") == [("–",)]


def test_no_two_tables_of_the_file_disagree_on_a_column() -> None:
    types: dict[str, object] = {}
    for schema in SCHEMAS.values():
        for field in schema:
            assert types.setdefault(field.name, field.type) == field.type, field.name


def test_a_folder_without_board_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no board"):
        load_board(tmp_path)


def test_an_open_board_stays_as_it_was_when_another_replaces_it(
    make_board: BoardMaker, tmp_path: Path
) -> None:
    old = make_board({"parts": [part(0.5, 0.4, 0.6)]})
    new = make_board({"parts": [part(0.7, 0.6, 0.8)]})
    assert (tmp_path / BOARD_FILE).is_file()
    assert ranking(old, ONE)["scope_accuracy"].tolist() == [0.5]
    assert ranking(new, ONE)["scope_accuracy"].tolist() == [0.7]


def test_a_board_of_several_blocks_reads_each_submission(make_board: BoardMaker) -> None:
    board = make_board(
        *({"editor": f"e{at:03}", "parts": [part(at / 200, 0, 1)]} for at in range(150))
    )
    assert board.scores["scope_accuracy"].tolist() == [at / 200 for at in range(150)]
    for at in (0, 63, 64, 149):
        key = board.submissions["submission_id"][at]
        assert scores_of(board, key)["scope_accuracy"].tolist() == [at / 200]


def test_parts_and_whole_submissions_tell_the_same(toy_board: Board) -> None:
    scores = toy_board.scores
    assert len(scores) == sum(len(toy_board.part(each)) for each in toy_board.parts)
    ids = toy_board.submissions["submission_id"]
    for each in toy_board.parts:
        found = toy_board.part(each)
        rows = scores[
            (scores["population"] == each.population)
            & (scores["dataset"] == each.dataset)
            & (scores["condition"] == each.condition)
            & (scores["kind"] == each.kind)
            & (scores["stratum"] == each.stratum)
        ]
        assert rows["submission_id"].tolist() == ids[found.index].tolist()
        assert rows["scope_accuracy"].equals(found["scope_accuracy"].set_axis(rows.index))


def test_real_runs_stand_in_two_choices(toy_board: Board) -> None:
    found = choices(toy_board)
    assert [choice.n for choice in found] == [2, 1]  # decoding by draws is another protocol
    greedy = found[0]
    assert populations_of(toy_board, greedy) == ["original", "withheld", "curated"]
    assert conditions_of(toy_board, greedy) == ["all", "structured", "unstructured", "extracted"]
    assert models_of(toy_board, greedy) == ["toy-model"]
    table = ranking(toy_board, greedy, kind_metric="false_fire")
    assert sorted(table["editor"]) == ["inlay", "static"]
    assert set(ranking(toy_board, found[1])["editor"]) == {"static"}
    for name in datasets_of(toy_board, greedy)[1:]:
        cell = ranking(toy_board, greedy, dataset=name, condition="structured")
        assert len(cell) == 2


def test_a_curve_is_that_of_the_report(toy_runs: dict[str, Path], toy_board: Board) -> None:
    report, _ = read_reports(toy_runs["inlay"])
    row = toy_board.submissions[toy_board.submissions["editor"] == "inlay"].iloc[0]
    points = curve(toy_board, row["submission_id"], "curated")
    told = [mix for mix in report.mixes if (mix.population, mix.name) == ("curated", "curve")]
    assert points["out_of_scope"].tolist() == [mix.out_of_scope for mix in told]
    assert points["headroom"].tolist() == [mix.headroom.value for mix in told]
    assert points["editor"].tolist() == [mix.editor for mix in told]
    middle = at_mix(points, 0.4)
    low, high = (points[points["out_of_scope"] == share].iloc[0] for share in (0.3, 0.5))
    assert middle["oracle"] == pytest.approx((low["oracle"] + high["oracle"]) / 2)
    assert at_mix(points, 1.5)["oracle"] is None
    with pytest.raises(DataError, match="the board has no submission"):
        curve(toy_board, "none", "curated")


def test_headroom_cells_are_those_of_the_report(
    toy_runs: dict[str, Path], toy_board: Board
) -> None:
    report, _ = read_reports(toy_runs["inlay"])
    row = toy_board.submissions[toy_board.submissions["editor"] == "inlay"].iloc[0]
    greedy = choices(toy_board)[0]
    key = row["submission_id"]
    table = headroom_cells(toy_board, greedy, submission_ids=[key])
    told = {
        (cell.population, cell.dataset, cell.condition): (cell.oracle, cell.headroom.value)
        for cell in (*report.pooled, *report.cells)
        if cell.stratum == "all"
    }
    found = {
        (line.population, line.dataset, line.condition): (line.oracle, line.headroom)
        for line in table.itertuples()
    }
    assert found == told
    everyone = headroom_cells(toy_board, greedy)
    assert len(everyone) == 2 * len(table)
    mine = everyone[everyone["submission_id"] == key].reset_index(drop=True)
    by = ["population", "dataset", "condition"]
    pd.testing.assert_frame_equal(
        mine.astype({name: object for name in by}).sort_values(by, ignore_index=True),
        table.astype({name: object for name in by}).sort_values(by, ignore_index=True),
        check_dtype=False,
        check_categorical=False,
    )
    assert len(headroom_cells(toy_board, greedy, limit=3)) == 3
    assert set(headroom_cells(toy_board, greedy, population="curated")["population"]) == {"curated"}


def test_actions_that_are_legal_nowhere_are_named(toy_runs: dict[str, Path]) -> None:
    report, _ = read_reports(toy_runs["inlay"])

    def without(*lacking: tuple[str, str]) -> str:
        """What a report tells in which some actions of some conditions have no outcome."""
        cells = [
            cell.model_copy(
                update={
                    "accuracy": {
                        action: None if (action, cell.condition) in lacking else share
                        for action, share in cell.accuracy.items()
                    }
                }
            )
            for cell in report.cells
        ]
        return lacking_actions(report.model_copy(update={"cells": cells}))

    assert without() == ""
    assert without(("recite", "structured")) == "recite"
    assert without(("reason", "extracted")) == "reason in extracted"
    everywhere = [("abstain", name) for name in ("structured", "unstructured", "extracted")]
    assert without(("recite", "structured"), *everywhere) == "recite, abstain"
    # What was not run, or has no outcome gold, tells nothing.
    unknown = [cell.model_copy(update={"n_scorable": 0, "accuracy": {}}) for cell in report.cells]
    assert lacking_actions(report.model_copy(update={"cells": unknown})) == ""
    assert lacking_actions(report.model_copy(update={"cells": []})) == ""
