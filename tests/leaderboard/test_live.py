"""The board that follows a results repository: submitted, merged, refreshed, over the loopback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from huggingface_hub import constants

from scopebench.hub.remote import Remote
from scopebench.hub.submit import send, verified_upload
from scopebench_leaderboard.live import LiveBoard
from scopebench_leaderboard.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hub"))

from loopback.server import LoopbackHub

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"

pytestmark = pytest.mark.slow


@pytest.fixture
def live(
    loopback: LoopbackHub,
    toy_runs: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> LiveBoard:
    """A board over a results repository of the loopback Hub, which is empty at first."""
    monkeypatch.setattr(constants, "ENDPOINT", loopback.url)
    loopback.store.create("dataset", RESULTS)
    return LiveBoard(Settings(results=RESULTS, cache=tmp_path / "cache"), [toy_runs["bench"]])


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
    live: LiveBoard, toy_runs: dict[str, Path], remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(toy_runs["static"], toy_runs["bench"], remote, pull_request=False)
    live.refresh()
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(
        "scopebench.hub.retry.RetryPolicy.__init__.__defaults__", (2, 0.01, 0.02, 2.0, 2.0)
    )
    live.refresh()
    assert editors(live) == ["static"]
    assert live.shown.fault is not None
    again = LiveBoard(live._settings, live._benchmarks)
    again._show_last()
    assert editors(again) == ["static"]
