"""Going through submissions: marks beside them, nothing lost, nothing a submitter can forge."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scopebench.hub import marks as hub_marks
from scopebench.hub.marks import Mark, mark_path, read_mark
from scopebench.hub.verify import verify_submission
from scopebench.reproduce.schedule import Settings, Tried, reproduce_results
from scopebench.testing import ToyModel

SETTINGS = Settings(by="an owner", n=20)


def session(
    results: Path,
    bench: Path,
    weights: Any,
    settings: Settings = SETTINGS,
    work: Path | None = None,
) -> list[Tried]:
    told: list[str] = []
    return list(
        reproduce_results(
            results,
            results,
            benchmarks=[bench],
            weights=weights,
            settings=settings,
            work=work or results.parent / "work",
            tell=told.append,
        )
    )


def states(tried: list[Tried]) -> dict[str, str]:
    return {each.stored.submission_id: each.found.state for each in tried}


def mark_of(results: Path, key: str) -> Mark:
    mark = read_mark(results / mark_path(key))
    assert isinstance(mark, Mark)
    return mark


def test_marks_say_what_was_counted(
    toy_runs: dict[str, Path],
    submitted: Callable[..., Any],
    fake: Callable[..., Path],
    handed_out: Callable[..., Any],
) -> None:
    results, ids = submitted(real=toy_runs["inlay"], fake=fake())
    tried = session(results, toy_runs["bench"], handed_out())
    assert states(tried) == {ids["real"]: "reproduced", ids["fake"]: "not reproduced"}
    real, invented = mark_of(results, ids["real"]), mark_of(results, ids["fake"])
    assert (real.by, real.state, real.equal, real.n) == ("an owner", "reproduced", 20, 20)
    assert (invented.state, invented.equal) == ("not reproduced", 0)
    told = json.loads((results / mark_path(ids["fake"])).read_text("utf-8"))["reproduction"]
    assert len(told["mismatches"]) == 10
    assert session(results, toy_runs["bench"], handed_out()) == []


@pytest.mark.slow
def test_seeds_are_nobodys_to_know_and_kept(
    toy_runs: dict[str, Path], submitted: Callable[..., Any], handed_out: Callable[..., Any]
) -> None:
    results, ids = submitted(inlay=toy_runs["inlay"], drawn=toy_runs["drawn"])
    session(results, toy_runs["bench"], handed_out())
    seeds = [
        json.loads((results / mark_path(key)).read_text("utf-8"))["reproduction"]["seed"]
        for key in ids.values()
    ]
    assert len(set(seeds)) == 2 and min(seeds) > 0


@pytest.mark.slow
def test_a_limit_counts_what_was_tried_and_the_rest_comes_next(
    toy_runs: dict[str, Path], submitted: Callable[..., Any], handed_out: Callable[..., Any]
) -> None:
    results, ids = submitted(inlay=toy_runs["inlay"], drawn=toy_runs["drawn"])
    lacking = session(
        results, toy_runs["bench"], handed_out(lacking="model"), replace(SETTINGS, limit=1)
    )
    assert set(states(lacking).values()) == {"not tried"} and len(lacking) == 2
    assert not (results / "verified").exists()
    first = session(results, toy_runs["bench"], handed_out(), replace(SETTINGS, limit=1))
    second = session(results, toy_runs["bench"], handed_out(), replace(SETTINGS, limit=1))
    assert len(first) == len(second) == 1
    assert set(states(first)) | set(states(second)) == set(ids.values())


def test_a_session_that_was_stopped_goes_on_with_the_same_sample(
    toy_runs: dict[str, Path], submitted: Callable[..., Any], handed_out: Callable[..., Any]
) -> None:
    class Stops(ToyModel):
        def generate(self, requests: Any) -> list[str]:
            raise KeyboardInterrupt

    results, _ = submitted(drawn=toy_runs["drawn"], inlay=toy_runs["inlay"])
    work = results.parent / "work"
    with pytest.raises(KeyboardInterrupt):
        session(results, toy_runs["bench"], handed_out(model_=Stops()))
    assert not (results / "verified").exists()
    (kept,) = work.iterdir()
    seed = int((kept / "seed").read_text())
    session(results, toy_runs["bench"], handed_out())
    told = json.loads((results / mark_path(kept.name)).read_text("utf-8"))
    assert told["reproduction"]["seed"] == seed
    assert list(work.iterdir()) == []


@pytest.mark.slow
def test_a_mark_of_an_older_version_is_made_anew_and_a_persons_word_stands(
    toy_runs: dict[str, Path],
    submitted: Callable[..., Any],
    handed_out: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results, ids = submitted(inlay=toy_runs["inlay"], drawn=toy_runs["drawn"])
    word = {"by": "a person", "date": "2026-01-02", "note": "ran it"}
    (results / "verified").mkdir()
    (results / mark_path(ids["drawn"])).write_text(json.dumps(word))
    assert states(session(results, toy_runs["bench"], handed_out())) == {ids["inlay"]: "reproduced"}
    monkeypatch.setattr(hub_marks, "MARK_VERSION", hub_marks.MARK_VERSION + 1)
    assert list(states(session(results, toy_runs["bench"], handed_out()))) == [ids["inlay"]]
    assert mark_of(results, ids["drawn"]) == Mark("a person", "2026-01-02", "ran it")
    monkeypatch.undo()
    again = session(results, toy_runs["bench"], handed_out(), replace(SETTINGS, again=True))
    assert list(states(again)) == [ids["inlay"]]


@pytest.mark.slow
def test_what_does_not_verify_is_not_run(
    toy_runs: dict[str, Path], submitted: Callable[..., Any], handed_out: Callable[..., Any]
) -> None:
    results, ids = submitted(inlay=toy_runs["inlay"])
    weights = handed_out()
    (folder,) = results.glob("submissions/*/*/*")
    shutil.copytree(folder, folder.with_name("0" * 32))
    tried = {
        each.stored.submission_id: each for each in session(results, toy_runs["bench"], weights)
    }
    assert tried["0" * 32].found.reason == "it lies under another id than its content has"
    assert tried[ids["inlay"]].found.state == "reproduced" and weights.asked == 1


@pytest.mark.slow
def test_no_file_of_a_submission_is_a_mark(
    toy_runs: dict[str, Path], submitted: Callable[..., Any], handed_out: Callable[..., Any]
) -> None:
    """Neither beside its three files nor within them: only the folder of marks is read."""
    results, ids = submitted(inlay=toy_runs["inlay"])
    (folder,) = results.glob("submissions/*/*/*")
    word = json.dumps({"by": "me", "date": "2026-01-02", "note": ""})
    forged = folder.parent / f"{ids['inlay']}.json"
    forged.write_text(word)
    assert states(session(results, toy_runs["bench"], handed_out())) == {ids["inlay"]: "reproduced"}
    (folder / "verified").mkdir()
    found = verify_submission(folder, benchmark=toy_runs["bench"])
    assert found.submission_id == ids["inlay"]  # what else lies there is no part of it


BAD = {
    "no JSON": ("{", "not readable as JSON"),
    "a list": ("[]", "not a JSON object"),
    "nobody": ('{"by": "", "date": "d"}', "must be texts"),
    "more equal than tried": (
        '{"by": "a", "date": "d", "reproduction": {"equal": 3, "n": 2, "low": 0, "version": 1}}',
        "needs whole numbers",
    ),
    "true for a number": (
        '{"by": "a", "date": "d", "reproduction": {"equal": true, "n": 2, "low": 0, "version": 1}}',
        "needs whole numbers",
    ),
    "no share": (
        '{"by": "a", "date": "d", "reproduction": {"equal": 1, "n": 2, "low": 2, "version": 1}}',
        "needs `low`",
    ),
    "no object": ('{"by": "a", "date": "d", "reproduction": 7}', "no JSON object"),
    "large": (" " * 70_000, "not a small file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_mark(tmp_path: Path, name: str) -> None:
    text, told = BAD[name]
    path = tmp_path / "a.json"
    path.write_text(text)
    found = read_mark(path)
    assert isinstance(found, str) and told in found


@pytest.mark.parametrize(
    ("equal", "n", "state"),
    [(18, 20, "reproduced"), (17, 20, "not reproduced"), (45, 50, "reproduced"), (0, 1, None)],
)
def test_the_state_follows_from_what_was_counted(equal: int, n: int, state: str | None) -> None:
    assert Mark("a", "d", "", equal, n, 0.5, 1).state == (state or "not reproduced")
