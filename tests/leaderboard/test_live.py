"""The board that follows a results repository: submitted, merged, refreshed, over the loopback."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scopebench.hub.remote import Remote
from scopebench.hub.retry import RetryPolicy
from scopebench.hub.submit import send, verified_upload
from scopebench_leaderboard.live import COMMIT_FILE, LOOKING, LiveBoard, board_folder
from scopebench_leaderboard.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hub"))

from loopback.server import LoopbackHub

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"
IMPATIENT = RetryPolicy(attempts=2, first_wait=0.01, longest_wait=0.02, total_seconds=5)


@pytest.fixture
def settings(loopback: LoopbackHub, tmp_path: Path) -> Settings:
    """How a board of a results repository of the loopback Hub is set up; it is empty at first."""
    loopback.store.create("dataset", RESULTS)
    return Settings(results=RESULTS, cache=tmp_path / "cache")


@pytest.fixture
def live(settings: Settings, toy_runs: dict[str, Path], remote: Remote) -> LiveBoard:
    quick = replace(remote, policy=IMPATIENT)
    return LiveBoard(settings, [toy_runs["bench"]], remote=quick, workers=0)


def submitted(run: Path, bench: Path, remote: Remote, *, pull_request: bool) -> int | None:
    with verified_upload(run, benchmark=bench) as upload:
        return send(upload, RESULTS, remote=remote, pull_request=pull_request).pull_request


def editors(live: LiveBoard) -> list[str]:
    board = live.shown.board
    return [] if board is None else sorted(map(str, board.submissions["editor"]))


def test_a_submission_is_on_the_board_once_it_is_merged(
    live: LiveBoard, toy_runs: dict[str, Path], remote: Remote
) -> None:
    live.refresh()
    assert (editors(live), live.shown.fault) == ([], None)
    submitted(toy_runs["static"], toy_runs["bench"], remote, pull_request=False)
    assert live.refresh()
    assert editors(live) == ["static"]
    number = submitted(toy_runs["inlay"], toy_runs["bench"], remote, pull_request=True)
    assert number is not None
    assert not live.refresh()  # an open pull request is not on main
    remote.api.merge_pull_request(RESULTS, number, repo_type="dataset", token=remote.token)
    assert live.refresh()
    assert editors(live) == ["inlay", "static"]
    assert not live.refresh()  # nothing new


def test_a_hub_that_is_gone_leaves_the_last_board_in_place_and_says_so(
    live: LiveBoard,
    settings: Settings,
    loopback: LoopbackHub,
    toy_runs: dict[str, Path],
    remote: Remote,
) -> None:
    def restarted() -> LiveBoard:
        again = LiveBoard(settings, [toy_runs["bench"]], remote=remote)
        again.show_last()
        return again

    submitted(toy_runs["static"], toy_runs["bench"], remote, pull_request=False)
    live.refresh()
    loopback.inject("refused", times=None)

    assert not live.refresh()
    assert editors(live) == ["static"]
    assert "cannot be reached" in str(live.shown.fault)

    asked = len(loopback.requests)
    again = restarted()  # shows what an earlier process built, and asks nothing
    assert (editors(again), again.shown.loading, again.shown.fault) == (["static"], True, None)
    assert again.shown.results == live.shown.results
    assert len(loopback.requests) == asked

    loopback.faults.clear()
    assert not live.refresh()  # nothing new, but it could be asked
    assert (editors(live), live.shown.fault) == (["static"], None)

    kept = board_folder(settings) / COMMIT_FILE
    assert kept.read_text("utf-8") == loopback.repo("dataset", RESULTS).head.oid
    kept.write_text("0" * 40, "utf-8")  # results that are not in the cache
    assert restarted().shown.board is None
    kept.unlink()
    assert restarted().shown.board is None


def test_readers_are_told_soon_that_the_hub_cannot_be_reached(
    settings: Settings, loopback: LoopbackHub, remote: Remote
) -> None:
    loopback.inject("refused", times=None)
    live = LiveBoard(settings, remote=replace(remote, policy=LOOKING))
    began = time.monotonic()
    live.refresh()

    assert "cannot be reached" in str(live.shown.fault)
    # Two waits, drawn below 1 and 2 seconds; the rest is for a busy machine.
    assert time.monotonic() - began < 15
