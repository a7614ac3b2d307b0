"""Numbers from Python: of runs, of frames, side by side, and as a notebook shows them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import scopebench as sb
from scopebench.api.arguments import traffic_mix
from scopebench.errors import DataError, UsageError

LONG = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "q2", "q3", "q3", "q4", "q4"],
        "action": ["recite", "abstain"] * 4,
        "correct": [1, 0, 1, 0, 0, 1, 0, 0],
    }
)
"""Reciting is right on 2 of 4, the better action on 3."""


def value(report: sb.Report) -> float | None:
    return report.pooled[0].headroom.value


def test_a_frame_gives_the_numbers_of_its_file(tmp_path: Path) -> None:
    LONG.to_csv(tmp_path / "outcomes.csv", index=False)
    of_frame, of_file = sb.headroom(LONG), sb.headroom(tmp_path / "outcomes.csv")
    assert value(of_frame) == 0.25
    assert of_frame.as_json() == of_file.as_json()
    assert "paper_matcher" not in of_frame.as_json()
    assert str(of_frame).startswith("The best per-query decision gains +0.2500 over the declared")


@pytest.mark.parametrize(
    "frame",
    [
        LONG.set_index(["query_id", "action"]),
        LONG.set_index("query_id"),
        LONG.assign(correct=LONG.correct.astype(bool)),
        LONG.assign(correct=[True, 0, "1", 0.0, "false", 1, 0, 0]),
        LONG.assign(query_id=[1, 1, "2", "2", 3.5, 3.5, "x", "x"]),
        LONG.astype({"action": "category"}),
        LONG.sample(frac=1, random_state=1),
    ],
    ids=["two indices", "index", "flags", "mixed", "mixed ids", "category", "any order"],
)
def test_frames_of_every_make_are_read(frame: pd.DataFrame) -> None:
    assert value(sb.headroom(frame)) == 0.25


def test_a_query_without_verdicts_is_not_scorable() -> None:
    frame = LONG.assign(correct=[1, 0, True, "0", 0, 1, None, float("nan")])
    [pooled] = sb.headroom(frame).pooled
    assert (pooled.n, pooled.n_scorable, pooled.headroom.value) == (4, 3, 1 / 3)


def test_a_wide_frame_is_read_too() -> None:
    wide = pd.DataFrame({"sample_id": ["a", "b"], "small": [1.0, 0.0], "large": [0.5, 1.0]})
    assert value(sb.headroom(wide, static=["large"])) == 0.25
    assert value(sb.headroom(wide, static="small")) == 0.5


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (LONG.assign(correct=2), "file the frame, record q1 recite, field correct: '2' is outside"),
        (LONG.drop(columns="action"), "file the frame"),
        (LONG.iloc[:0], "file the frame: the table has no records"),
        (pd.concat([LONG, LONG.correct], axis=1), "field correct: the column stands twice"),
    ],
)
def test_an_error_in_a_frame_is_told_of_the_frame(frame: pd.DataFrame, said: str) -> None:
    with pytest.raises(DataError) as raised:
        sb.headroom(frame)
    assert said in str(raised.value)
    assert "parquet" not in str(raised.value)


def test_a_run_gives_its_stored_numbers_again(
    runs: dict[str, sb.Run], bench: sb.BuiltBenchmark
) -> None:
    run = runs["subject"]
    report = run.headroom()
    assert report.cells == run.result.cells
    assert report.under("paper") == run.result.paper_matcher
    assert report.under("strict") is report
    assert sb.headroom(run, benchmark=bench).as_json() == report.as_json()
    assert report.title == str(run.path)


def test_parts_of_a_report_are_frames(runs: dict[str, sb.Run]) -> None:
    report = runs["subject"].headroom(resamples=100)
    pooled = report.to_pandas()
    assert list(pooled.population) == [cell.population for cell in report.pooled]
    assert list(pooled["headroom.value"]) == [cell.headroom.value for cell in report.pooled]
    for part in ("cells", "strata", "kinds", "router", "policies", "mixes", "comparisons"):
        assert len(report.to_pandas(part)) == len(getattr(report, part))
    for part in ("noise", "missing", "actions", "title"):
        if part == "noise":
            assert report.to_pandas(part).empty
            continue
        with pytest.raises(UsageError, match="no part"):
            report.to_pandas(part)


def test_runs_are_compared_on_the_same_rows(
    runs: dict[str, sb.Run], bench: sb.BuiltBenchmark, toys: dict[str, Any], tmp_path: Path
) -> None:
    both = sb.compare([runs["subject"], runs["base"].path], resamples=200)
    assert both.names == ("SubjectEditor", "base")
    scope = [test for test in both.tests if test.family.startswith("scope")]
    [original] = [test for test in scope if test.population == "original"]
    # An edit governs each of the 12 questions: `base` never fires, the other always does.
    decided = runs["subject"].decisions.to_pandas().query("population == 'original'")
    right = sum(
        edit in governing
        for edit, governing in zip(decided.edit_id, decided.governing_edit_ids, strict=True)
    )
    assert original.difference.value == pytest.approx(right / 12)
    frame = both.to_pandas()
    assert list(frame["difference.value"].dropna()) == [
        test.difference.value for test in both.tests if test.difference.value is not None
    ]
    written = both.report(tmp_path / "page.html", tmp_path / "page.md")
    assert written == [tmp_path / "page.html", tmp_path / "page.md"]
    assert "SubjectEditor" in written[0].read_text("utf-8")
    limited = sb.score("base", bench, limit=2, **toys)
    with pytest.raises(DataError, match="not scored on the same rows"):
        sb.compare([runs["base"], limited])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sb.headroom(LONG, mixes=[1.5]), "1.5 is not a share from 0 to 1"),
        (lambda: sb.headroom(LONG, mixes=0.5), "mixes must be a list of mixes, not 0.5"),
        (lambda: sb.headroom(LONG, mixes="0.5"), "mixes must be a list of mixes"),
        (lambda: sb.headroom(LONG, mixes=[{"direct": 0.5}]), "the shares sum to 0.5, not to 1"),
        (lambda: sb.headroom(LONG, mixes=[{"direct": "half"}]), "'half' is not a share"),
        (lambda: sb.headroom(LONG, static=["recite", "recite"]), "not a list of different actions"),
        (lambda: sb.headroom(LONG, static=[]), "not a list of different actions"),
        (lambda: sb.headroom(LONG, seed=-1), "seed must be 0 or above"),
        (lambda: sb.headroom(LONG, resamples=5), "resamples must be 100 to 100,000, not 5"),
        (lambda: sb.headroom(LONG, benchmark="bench"), "a benchmark is for a run folder"),
        (lambda: sb.compare([]), "give a list of one run or more"),
        (lambda: sb.compare("runs/one"), "give a list of one run or more"),
        (lambda: sb.export(["x"], "xml", "y"), "'xml' is no format; known: hf-eval-results"),
    ],
)
def test_an_argument_that_cannot_be_is_told(call: Any, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        call()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("given", "name", "shares"),
    [
        (0.25, "pi=0.25", {"in_scope": 0.75, "out_of_scope": 0.25}),
        ("0.25", "pi=0.25", {"in_scope": 0.75, "out_of_scope": 0.25}),
        ("a=0.5, b=0.5", "a=0.5, b=0.5", {"a": 0.5, "b": 0.5}),
        ({"a": 0.25, "b": 0.75}, "a=0.25,b=0.75", {"a": 0.25, "b": 0.75}),
        (1, "pi=1", {"in_scope": 0, "out_of_scope": 1}),
    ],
)
def test_a_mix_is_given_in_any_form(given: Any, name: str, shares: dict[str, float]) -> None:
    mix = traffic_mix(given)
    assert (mix.name, dict(mix.shares)) == (name, shares)


class Tags(HTMLParser):
    """The tags of a piece of HTML, refused where they are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [text or "" for name, text in attrs if name in ("src", "href")]
        if tag not in ("line", "circle", "rect", "path", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("line", "circle", "rect", "path", "br"):
            assert self.open.pop() == tag


def fragment(shown: Any) -> str:
    html: str = shown._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert not tags.links
    assert not tags.seen & {"script", "html", "body", "head", "iframe", "link", "img"}
    return html


def test_everything_shows_itself_in_a_notebook(
    runs: dict[str, sb.Run], bench: sb.BuiltBenchmark
) -> None:
    run = runs["subject"]
    html = fragment(run)
    assert "SubjectEditor beside toy-model" in html
    assert "Every cell" in html
    assert fragment(run.headroom()).count("<table") == html.count("<table")
    assert "SubjectEditor" in fragment(sb.compare([run, runs["base"]], resamples=100))
    assert ">12<" in re.sub(r"\s", "", fragment(bench))


def test_what_comes_from_data_is_escaped(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    frame = LONG.assign(dataset=evil, population=evil, kind=evil)
    html = fragment(sb.headroom(frame))
    assert evil not in html
    assert "&lt;script&gt;" in html
