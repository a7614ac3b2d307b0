"""Unedited answers of runs of one model: who differs from whom, and who says so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from earlier_run import EARLIER, make_earlier, rename_matcher
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct import read_benchmark
from scopebench.hub.marks import mark_path, mark_text
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import read_result, write_result
from scopebench.scoring.match import MATCHER_VERSIONS, judge
from scopebench.scoring.summary import read_reports
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)
from scopebench.testing import toy_context
from scopebench_leaderboard.alike import ANSWERS, Alike, Hashes, compare_answers
from scopebench_leaderboard.board import Board
from scopebench_leaderboard.store import rebuild


def answers(*texts: int, first: int = 0) -> Hashes:
    return np.array([range(first, first + len(texts)), texts], np.uint64)


def found(**runs: Hashes) -> Mapping[str, Alike]:
    return compare_answers(runs)


def test_one_run_has_nothing_to_differ_from() -> None:
    assert found(a=answers(1, 2, 3)) == {"a": Alike(None, 0, ())}


def test_of_two_that_differ_both_are_marked() -> None:
    assert found(a=answers(1, 2, 3, 4), b=answers(1, 2, 9, 9)) == {
        "a": Alike(0.5, 4, ("b",)),
        "b": Alike(0.5, 4, ("a",)),
    }


def test_one_invented_run_marks_itself_alone() -> None:
    honest, invented = answers(1, 2, 3, 4), answers(9, 9, 9, 4)
    told = found(a=honest, b=honest, c=invented)
    assert told == {
        "a": Alike(0.0, 4),
        "b": Alike(0.0, 4),
        "c": Alike(0.75, 4, ("a", "b")),
    }
    assert [told[key].differs for key in "abc"] == [False, False, True]


def test_many_inventions_do_not_outvote_two_honest_runs_nor_a_reproduced_one() -> None:
    honest = answers(1, 2, 3)
    inventions = {f"x{n}": answers(n, n + 1, n + 2) for n in range(100, 160, 10)}
    told = compare_answers({"a": honest, "b": honest, **inventions})
    assert [key for key, alike in told.items() if not alike.differs] == ["a", "b"]
    # Copies of one invention do, unless a maintainer has reproduced the other.
    copies = {f"x{n}": answers(7, 8, 9) for n in range(5)}
    assert compare_answers({"a": honest, **copies})["a"].differs
    told = compare_answers({"a": honest, **copies}, {"a"})
    assert [key for key, alike in told.items() if not alike.differs] == ["a"]


def test_a_tenth_may_differ() -> None:
    base = list(range(100, 110))
    one, two = [1, *base[1:]], [2, 3, *base[2:]]
    told = found(a=answers(*base), b=answers(*base), c=answers(*one), d=answers(*two))
    assert [told[key].share for key in "abcd"] == [0.0, 0.0, 0.1, 0.2]
    assert [told[key].differs for key in "abcd"] == [False, False, False, True]


def test_only_what_both_were_asked_is_compared() -> None:
    assert found(a=answers(1, 2, 3), b=answers(3, 4, first=2)) == {
        "a": Alike(0.0, 1),
        "b": Alike(0.0, 1),
    }
    assert found(a=answers(1), b=answers(1, first=5)) == {"a": Alike(), "b": Alike()}


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), min_size=1, max_size=5),
    st.integers(1, 40),
)
def test_votes_are_those_counted_one_by_one(texts: list[list[int]], together: int) -> None:
    runs = {f"r{n}": answers(*run) for n, run in enumerate(texts)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scopebench_leaderboard.alike.TOGETHER", together)
        told = compare_answers(runs)
    for key, run in zip(runs, texts, strict=True):
        apart = 0
        for at, text in enumerate(run):
            votes = [other[at] for other in texts]
            rivals = max((votes.count(other) for other in votes if other != text), default=0)
            apart += votes.count(text) <= rivals
        expected = apart / len(run) if len(texts) > 1 else None
        assert told[key].share == expected


def fake_abstain(run: Path, folder: Path) -> Path:
    """Copy a run and invent its unedited answers; it verifies all the same."""
    shutil.copytree(run, folder)
    asked = {
        (row["query_id"], row["condition"]): row
        for row in pq.read_table(folder / DECISIONS_FILE).to_pylist()
    }
    rows = pq.read_table(folder / OUTCOMES_FILE).to_pylist()
    for row in rows:
        if row["action"] == "abstain":
            about = asked[row["query_id"], row["condition"]]
            row["text"] = "invented"
            row |= judge("invented", about["answers"], question=about["question"])._asdict()
    write_table(rows, OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)
    strict, paper = read_reports(folder)
    changed = read_result(folder).model_copy(update={**dict(strict), "paper_matcher": paper})
    write_result(folder, changed)
    rename_matcher(folder, MATCHER_VERSIONS["strict"])
    return folder


@pytest.fixture(scope="module")
def boards(
    toy_runs: dict[str, Path],
    placer: Callable[[Path, Path], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Board, Board, dict[str, str], Path]:
    """The board of two honest runs, a fake and one of an earlier matcher, and it with marks."""
    folder = tmp_path_factory.mktemp("alike")
    results, out = folder / "results", folder / "board"
    bench = read_benchmark(toy_runs["bench"])
    run_job(Job(bench, discover().get("base"), toy_context(), folder / "base"))
    fake = fake_abstain(toy_runs["static"], folder / "fake")
    shutil.copytree(folder / "base", folder / "earlier")
    make_earlier(folder / "earlier")
    ids = {
        name: placer(run, results)
        for name, run in (
            ("inlay", toy_runs["inlay"]),
            ("base", folder / "base"),
            ("fake", fake),
            ("earlier", folder / "earlier"),
            ("drawn", toy_runs["drawn"]),
        )
    }
    first = rebuild(results, out, benchmarks=[toy_runs["bench"]], workers=0)
    (results / "verified").mkdir()
    for name, equal in (("inlay", 50), ("fake", 12)):
        counted = {"version": 1, "equal": equal, "n": 50, "low": equal / 60}
        text = mark_text("an owner", "2026-01-02", "", counted)
        (results / mark_path(ids[name])).write_text(text)
    second = rebuild(results, out, benchmarks=[toy_runs["bench"]], workers=0)
    return first, second, ids, out


def row_of(board: Board, key: str) -> Mapping[str, Any]:
    frame = board.submissions.astype(object)
    (row,) = frame[frame["submission_id"] == key].to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_the_board_marks_the_fake_and_not_the_honest(
    boards: tuple[Board, Board, dict[str, str], Path],
) -> None:
    first, _, ids, _ = boards
    rows = {name: row_of(first, key) for name, key in ids.items()}
    assert [name for name in ids if rows[name]["differs"]] == ["fake"]
    assert rows["fake"]["differs_share"] == 1.0
    assert rows["fake"]["differs_over"] == rows["fake"]["n"]
    honest = {ids[name] for name in ("inlay", "base", "earlier")}
    assert set(rows["fake"]["differs_from"].split()) == honest
    assert rows["inlay"]["differs_share"] == 0.0
    # Samples of another seed or temperature are no rivals of greedy answers.
    assert rows["drawn"]["differs_over"] == 0
    assert {row["reproduction"] for row in rows.values()} == {"not tried"}


def test_marks_are_shown_and_reproduced_runs_have_the_vote(
    boards: tuple[Board, Board, dict[str, str], Path],
) -> None:
    first, second, ids, out = boards
    rows = {name: row_of(second, key) for name, key in ids.items()}
    assert [(row["reproduction"], row["verified"]) for row in rows.values()] == [
        ("reproduced", True),
        ("not tried", False),
        ("not reproduced", False),
        ("not tried", False),
        ("not tried", False),
    ]
    fake = rows["fake"]
    assert (fake["rerun_equal"], fake["rerun_n"], fake["rerun_low"]) == (12, 50, 0.2)
    assert [name for name in ids if rows[name]["differs"]] == ["fake"]
    assert first.revision != second.revision
    kept = sorted(path.name.partition(".")[0] for path in (out / ANSWERS).glob("*.npy"))
    assert kept == sorted(ids[name] for name in ("inlay", "base", "fake", "earlier"))
    assert len(json.loads((out / ANSWERS / "likeness.json").read_text())) == 1


def test_a_run_of_an_earlier_matcher_is_recomputed_and_stands_with_the_others(
    boards: tuple[Board, Board, dict[str, str], Path],
) -> None:
    board, _, ids, _ = boards
    today, earlier = row_of(board, ids["base"]), row_of(board, ids["earlier"])
    assert earlier["stored_matcher"] == EARLIER and pd.isna(today["stored_matcher"])
    for name in ("matcher", "protocol_id"):
        assert earlier[name] == today[name]
    assert earlier["matcher"] == MATCHER_VERSIONS["strict"]
    scores = board.scores
    one, other = (
        scores[scores["submission_id"] == ids[name]].drop(columns="submission_id")
        for name in ("base", "earlier")
    )
    assert len(one) > 10
    assert one.reset_index(drop=True).equals(other.reset_index(drop=True))
