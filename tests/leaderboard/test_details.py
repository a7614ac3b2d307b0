"""Pages of one and of two submissions, and the data browser, on real runs over toy models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scopebench.construct import read_benchmark
from scopebench.errors import DataError
from scopebench.scoring.summary import read_run_rows
from scopebench_leaderboard.details import (
    compare,
    report_of,
    result_of,
    submission_folder,
    wrong_fires_of,
)
from scopebench_leaderboard.queries import LARGEST_PAGE, queries_of, words_of
from scopebench_leaderboard.render import render
from scopebench_leaderboard.tabs.compare import how_they_differ

Runs = dict[str, Path]
Results = tuple[Path, dict[str, str]]


def test_two_submissions_are_compared_row_by_row(toy_runs: Runs, toy_results: Results) -> None:
    results, ids = toy_results
    found = compare(results, ids["inlay"], ids["static"], limit=10_000)
    assert (found.first, found.second) == ("inlay", "static")
    pooled = [
        row
        for row in found.comparisons
        if row.dataset == row.condition == "all" and "scope" not in row.family
    ]
    answers = found.discordant[found.discordant["differs"].isin(["answer", "both"])]
    for row in pooled:
        of = answers[answers["population"] == row.population]
        assert row.first_only == (of["first_right"] > of["second_right"]).sum()
        assert row.second_only == (of["first_right"] < of["second_right"]).sum()
    assert len(found.discordant) == found.n_discordant
    decided = found.discordant["differs"].isin(["decision", "both"])
    unequal = found.discordant["first_decided"] != found.discordant["second_decided"]
    assert (decided == unequal).all()
    rows = read_run_rows(toy_runs["inlay"]).decisions
    assert rows.fired is not None
    assert found.discordant["first_action"].notna().all()
    assert found.discordant["first_text"].notna().all()


def test_a_sample_of_rows_shows_every_kind(toy_results: Results) -> None:
    results, ids = toy_results
    whole = compare(results, ids["inlay"], ids["static"], limit=10_000)
    some = compare(results, ids["inlay"], ids["static"], limit=12)
    assert len(some.discordant) == 12
    assert some.n_discordant == whole.n_discordant > 12
    groups = ["population", "kind", "differs"]
    n_groups = whole.discordant.groupby(groups).ngroups
    assert some.discordant.groupby(groups).ngroups == min(n_groups, 12)
    assert some.discordant.equals(
        compare(results, ids["inlay"], ids["static"], limit=12).discordant
    )


def test_what_cannot_be_compared_is_one_line(toy_results: Results) -> None:
    results, ids = toy_results
    with pytest.raises(DataError, match="different protocols: decoding is 'greedy"):
        compare(results, ids["inlay"], ids["drawn"])
    with pytest.raises(DataError, match="choose two"):
        compare(results, ids["inlay"], ids["inlay"])


def test_another_benchmark_is_refused(toy_results: Results, tmp_path: Path) -> None:
    results, ids = toy_results
    shutil.copytree(results, tmp_path / "results")
    path = submission_folder(tmp_path / "results", ids["static"]) / "run.json"
    told = json.loads(path.read_text("utf-8"))
    told["benchmark"]["files"]["a.parquet"] = "0" * 64
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(DataError, match=r"different benchmarks: a\.parquet"):
        compare(tmp_path / "results", ids["inlay"], ids["static"])


@pytest.mark.parametrize("asked", ["../../etc", "", "0" * 31, "G" * 32, "0" * 32 + "\n", "*" * 32])
def test_an_id_that_is_none_never_reaches_the_disk(toy_results: Results, asked: str) -> None:
    with pytest.raises(DataError, match="not a submission id"):
        submission_folder(toy_results[0], asked)


def test_an_unknown_id_is_one_line(toy_results: Results) -> None:
    with pytest.raises(DataError, match="there is no submission"):
        report_of(toy_results[0], "0" * 32)


def test_a_report_is_computed_from_the_tables(toy_results: Results) -> None:
    results, ids = toy_results
    report = report_of(results, ids["inlay"])
    assert report.router == result_of(results, ids["inlay"]).router


def test_wrong_fires_are_sampled_and_counted(toy_runs: Runs, toy_results: Results) -> None:
    results, ids = toy_results
    table, n = wrong_fires_of(results, ids["static"], limit=20)
    decisions = read_run_rows(toy_runs["static"]).decisions
    assert decisions.fired is not None
    assert decisions.right_edit is not None
    assert n == int((decisions.fired & ~decisions.right_edit).sum())
    assert len(table) == min(n, 20)
    assert {"question", "card_question", "text", "kind"} <= set(table.columns)


def test_queries_are_those_of_the_benchmark(toy_runs: Runs) -> None:
    bench = read_benchmark(toy_runs["bench"])
    total = sum(len(rows) for splits in bench.datasets.values() for rows in splits.queries.values())
    page, n = queries_of(toy_runs["bench"], limit=7)
    assert (n, len(page)) == (total, 7)
    rest, _ = queries_of(toy_runs["bench"], offset=5, limit=2)
    assert rest["query_id"].tolist() == page["query_id"].tolist()[5:]
    curated, n_curated = queries_of(toy_runs["bench"], population="curated", limit=10**9)
    assert len(curated) == min(n_curated, LARGEST_PAGE)
    assert set(curated["population"]) == {"curated"}
    by_id = {
        query.query_id: query
        for splits in bench.datasets.values()
        for rows in splits.queries.values()
        for query in rows
    }
    for row in curated.itertuples():
        query = by_id[row.query_id]
        assert (row.question, row.kind) == (query.question, query.kind)


def test_a_run_shows_the_queries_it_was_asked(toy_runs: Runs) -> None:
    of_bench, n = queries_of(toy_runs["bench"], kind="direct", dataset="counterfact")
    of_run, n_run = queries_of(toy_runs["inlay"], kind="direct", dataset="counterfact")
    assert n == n_run > 0
    assert of_bench["query_id"].tolist() == of_run["query_id"].tolist()
    assert words_of(toy_runs["bench"]) == words_of(toy_runs["inlay"])


def test_a_search_finds_every_word_in_any_case(toy_runs: Runs) -> None:
    page, _ = queries_of(toy_runs["bench"])
    question = page["question"][0]
    words = " ".join(reversed(question.upper().split()[:3]))
    found, n = queries_of(toy_runs["bench"], search=words)
    assert n > 0
    for row in found.itertuples():
        text = f"{row.query_id}\n{row.question}\n{row.answers}".casefold()
        assert all(word in text for word in words.casefold().split())
    assert queries_of(toy_runs["bench"], search="(.*) zzzz")[1] == 0


def test_no_source_of_queries_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="neither a built benchmark nor a run"):
        queries_of(tmp_path)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"differs": "answer"}, "only one of them answers rightly"),
        ({"differs": "decision"}, "only one decides rightly"),
        (
            {"differs": "both", "first_right": 1.0, "first_decided": True},
            "only one does both rightly",
        ),
        (
            {"differs": "both", "first_right": 0.0, "first_decided": False},
            "only one does both rightly",
        ),
        (
            {"differs": "both", "first_right": 1.0, "first_decided": False},
            "one answers rightly, the other decides rightly",
        ),
    ],
)
def test_how_two_differ_is_said_in_words(row: dict[str, object], expected: str) -> None:
    assert how_they_differ(row) == expected


def test_a_query_is_not_said_to_be_confused_with_what_governs_it() -> None:
    query = {"query_id": "q", "question": "?", "answers": None, "in_scope": True, "fold": None}
    query |= {"kind": "direct", "population": "curated", "dataset": "own", "condition": "extracted"}
    rows = [
        query | {"governing_edit_ids": "e1 | e2", "near_edit_id": "e2"},
        query | {"governing_edit_ids": "e1", "near_edit_id": "e3"},
        query | {"governing_edit_ids": None, "near_edit_id": "e4"},
    ]
    benchmark = {"benchmark": "b", "benchmark_version": "1"}
    html = render(
        "queries.html.jinja", rows=rows, total=3, at=1, pages=1, benchmark=benchmark, shares=[]
    )
    assert html.count("made to be confused with") == 2
    assert "with <code>e2</code>" not in html
