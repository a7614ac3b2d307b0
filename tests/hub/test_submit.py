"""Submitting: one folder or pull request for each submission, whatever the network does."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import constants

from scopebench.errors import HubError
from scopebench.hub.remote import Remote
from scopebench.hub.retry import RetryPolicy
from scopebench.hub.submit import Sent, Upload, send

sys.path.insert(0, str(Path(__file__).parent))

from loopback.server import LoopbackHub
from loopback.store import Repo

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"
FILES = ("decisions.parquet", "outcomes.parquet", "run.json")


@pytest.fixture
def results(loopback: LoopbackHub) -> Repo:
    return loopback.store.create("dataset", RESULTS)


def _upload(number: int) -> Upload:
    submission_id = f"{number:032x}"
    return Upload(
        submission_id=submission_id,
        title=f"Submission {submission_id}: inlay on tiny",
        folder=f"submissions/inlay/tiny/{submission_id}",
        files={name: f"{name} of {number}".encode() for name in FILES},
    )


def _holds(repo: Repo, number: int) -> bool:
    upload = _upload(number)
    return all(
        repo.files.get(f"{upload.folder}/{name}") == content
        for name, content in upload.files.items()
    )


def _commits(loopback: LoopbackHub) -> int:
    return sum(method == "POST" and "/commit/" in path for method, path in loopback.requests)


def test_a_commit_makes_one_folder(loopback: LoopbackHub, results: Repo, remote: Remote) -> None:
    sent = send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert sent == Sent(
        "sent",
        f"{loopback.url}/datasets/{RESULTS}/tree/main/submissions/inlay/tiny/{1:032x}",
    )
    assert _holds(results, 1)
    assert len(results.files) == 3 + 1  # and .gitattributes
    again = send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert (again.state, again.url) == ("in the repository", sent.url)
    assert len(results.history) == 2


def test_a_pull_request_is_opened_once(
    loopback: LoopbackHub, results: Repo, remote: Remote
) -> None:
    sent = send(_upload(1), RESULTS, remote=remote, pull_request=True)
    assert sent == Sent("sent", f"{loopback.url}/datasets/{RESULTS}/discussions/1", 1)
    again = send(_upload(1), RESULTS, remote=remote, pull_request=True)
    assert (again.state, again.pull_request) == ("in a pull request", 1)
    results.merge(1)
    assert _holds(results, 1)
    merged = send(_upload(1), RESULTS, remote=remote, pull_request=True)
    assert merged.state == "in the repository"
    assert [pull.title for pull in results.discussions] == [_upload(1).title]


def test_a_closed_pull_request_does_not_hold_a_submission(results: Repo, remote: Remote) -> None:
    send(_upload(1), RESULTS, remote=remote, pull_request=True)
    results.discussion(1).status = "closed"
    assert send(_upload(1), RESULTS, remote=remote, pull_request=True).pull_request == 2


@pytest.mark.parametrize("pull_request", [False, True])
@pytest.mark.parametrize("kind", ["lost", "cut"])
def test_an_answer_that_does_not_arrive_makes_no_duplicate(
    loopback: LoopbackHub, results: Repo, remote: Remote, kind: str, pull_request: bool
) -> None:
    loopback.inject(kind, "/commit/")
    sent = send(_upload(1), RESULTS, remote=remote, pull_request=pull_request)
    assert sent.state == "sent"
    assert _commits(loopback) == 1
    assert len(results.discussions) == (1 if pull_request else 0)
    assert len(results.history) == (1 if pull_request else 2)


def test_a_request_that_never_arrived_is_sent_again(
    loopback: LoopbackHub, results: Repo, remote: Remote, told: list[str]
) -> None:
    loopback.inject("refused", "/commit/")
    send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert _holds(results, 1)
    assert len(told) == 1
    assert told[0].startswith("submitting (org/results): the connection failed (")


def test_a_hub_that_falls_silent_is_asked_again(
    loopback: LoopbackHub, results: Repo, remote: Remote, told: list[str]
) -> None:
    loopback.inject("slow", "/commit/", seconds=1.5)
    impatient = replace(remote, policy=replace(remote.policy, longest_silence=0.3))
    assert send(_upload(1), RESULTS, remote=impatient, pull_request=False).state == "sent"
    assert told
    time.sleep(1.5)  # the silent request is served in the end, and changes nothing
    assert _holds(results, 1)
    assert len(results.files) == 3 + 1


def test_two_pull_requests_that_met_become_one(results: Repo, remote: Remote) -> None:
    """The other sender's pull request appears between the look and the sending."""
    opened = results.open(_upload(1).title, "", pull_request=True)
    opened.status = "hidden"  # not listed yet

    class Late(Remote):
        def call(self, what, where, action):  # type: ignore[no-untyped-def]
            if what == "looking for a twin":
                opened.status = "open"
            return super().call(what, where, action)

    late = Late(remote.endpoint, remote.token, remote.policy)
    sent = send(_upload(1), RESULTS, remote=late, pull_request=True)
    assert (sent.state, sent.pull_request) == ("in a pull request", 1)
    assert results.discussion(2).status == "closed"
    raw = [event["data"] for event in results.discussion(2).events if event["type"] == "comment"]
    assert raw[-1]["latest"]["raw"] == "The same submission as #1."


def test_a_folder_that_lacks_a_file_is_refused(results: Repo, remote: Remote) -> None:
    other = replace(_upload(1), files={"run.json": b"{}"})
    send(other, RESULTS, remote=remote, pull_request=False)
    with pytest.raises(HubError, match=r"decisions\.parquet is missing beside"):
        send(_upload(1), RESULTS, remote=remote, pull_request=False)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "not logged in"),
        (403, "the token may not do this to org/results"),
        (404, "org/results does not exist, or is private"),
        (422, "the Hub answered 422: injected"),
    ],
)
def test_what_cannot_help_is_not_tried_again(
    loopback: LoopbackHub, results: Repo, remote: Remote, status: int, said: str
) -> None:
    loopback.inject("status", "/commit/", status=status, times=None)
    with pytest.raises(HubError, match=said):
        send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert _commits(loopback) == 1


def test_the_wait_the_hub_asks_for_is_kept(
    loopback: LoopbackHub, results: Repo, remote: Remote, told: list[str]
) -> None:
    loopback.inject("status", "/commit/", status=429, headers={"Retry-After": "1"})
    begun = time.monotonic()
    send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert time.monotonic() - begun >= 1.0
    assert "the Hub answered 429" in told[0]


def test_a_wait_beyond_the_limit_is_told_and_not_kept(
    loopback: LoopbackHub, results: Repo, remote: Remote
) -> None:
    loopback.inject("status", "/commit/", status=429, headers={"Retry-After": "3600"}, times=None)
    begun = time.monotonic()
    with pytest.raises(HubError, match="wait 3600 s and run the same command again"):
        send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert time.monotonic() - begun < 5
    assert _commits(loopback) == 1


def test_attempts_are_bounded(loopback: LoopbackHub, results: Repo, remote: Remote) -> None:
    loopback.inject("status", "/commit/", status=409, times=None)
    few = replace(remote, policy=RetryPolicy(attempts=4, first_wait=0.01, longest_wait=0.02))
    with pytest.raises(HubError, match="others keep writing to org/results"):
        send(_upload(1), RESULTS, remote=few, pull_request=False)
    assert _commits(loopback) == 4


def test_a_hub_that_is_not_there(results: Repo) -> None:
    nobody = Remote("http://127.0.0.1:9", "x", RetryPolicy(attempts=1))
    with pytest.raises(HubError, match="cannot be reached") as caught:
        send(_upload(1), RESULTS, remote=nobody, pull_request=False)
    assert "\n" not in str(caught.value)


def test_offline_is_told(results: Repo, remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    from huggingface_hub.utils import close_session

    close_session()
    try:
        with pytest.raises(HubError, match="HF_HUB_OFFLINE is set; unset it"):
            send(_upload(1), RESULTS, remote=remote, pull_request=False)
    finally:
        monkeypatch.undo()
        close_session()


def test_a_token_that_the_hub_echoes_is_cut_out(
    loopback: LoopbackHub, results: Repo, remote: Remote, told: list[str]
) -> None:
    assert loopback.token is not None
    loopback.inject("status", "/commit/", status=500, message="{authorization}")
    loopback.inject("status", "/commit/", status=422, message="{authorization}")
    with pytest.raises(HubError) as caught:
        send(_upload(1), RESULTS, remote=remote, pull_request=False)
    assert "Bearer [token]" in str(caught.value)
    assert caught.value.__suppress_context__ and caught.value.__cause__ is None
    assert loopback.token not in f"{caught.value} {told} {remote!r} {remote}"


def test_names_that_are_no_repository(remote: Remote) -> None:
    for name in ("results", "a/b/c", "../x", "org/..", "org/a b", "", "org/--"):
        with pytest.raises(HubError, match="give ORG/NAME"):
            send(_upload(1), name, remote=remote, pull_request=False)


def _inject_everything(loopback: LoopbackHub, path: str, scale: int) -> None:
    loopback.faults.clear()
    for kind, times, more in (
        ("status", 4, {"status": 409}),
        ("status", 4, {"status": 412}),
        ("status", 2, {"status": 429, "headers": {"Retry-After": "1"}}),
        ("status", 3, {"status": 500}),
        ("lost", 4, {}),
        ("cut", 2, {}),
        ("refused", 2, {}),
        ("slow", 2, {"seconds": 0.5}),
    ):
        loopback.inject(kind, path, times=times * scale, share=0.3, **more)
    loopback.inject("status", "/preupload/", status=500, times=scale, share=0.1)


def test_two_hundred_concurrent_submissions_lose_none_and_duplicate_none(
    loopback: LoopbackHub, results: Repo, remote: Remote
) -> None:
    _inject_everything(loopback, "/commit/", scale=10)
    begun = time.monotonic()
    with ThreadPoolExecutor(200) as pool:
        sent = list(
            pool.map(
                lambda number: send(_upload(number), RESULTS, remote=remote, pull_request=False),
                range(200),
            )
        )
    seconds = time.monotonic() - begun
    assert [one.state for one in sent] == ["sent"] * 200
    assert all(_holds(results, number) for number in range(200))
    assert len(results.files) == 200 * 3 + 1
    assert len(results.history) == 200 + 1  # a lost answer was not sent again
    assert _commits(loopback) > 300  # the faults were met
    assert seconds < 60


def test_concurrent_pull_requests_lose_none_and_duplicate_none(
    loopback: LoopbackHub, results: Repo, remote: Remote
) -> None:
    _inject_everything(loopback, "/commit/", scale=2)
    with ThreadPoolExecutor(40) as pool:
        list(
            pool.map(
                lambda number: send(_upload(number), RESULTS, remote=remote, pull_request=True),
                range(40),
            )
        )
    titles = sorted(pull.title for pull in results.discussions)
    assert titles == sorted(_upload(number).title for number in range(40))
    for pull in list(results.discussions):
        results.merge(pull.num)
    assert all(_holds(results, number) for number in range(40))


def test_files_of_a_path_are_sent(results: Repo, remote: Remote, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes(f"{name} of 5".encode())
    upload = replace(_upload(5), files={name: tmp_path / name for name in FILES})
    send(upload, RESULTS, remote=remote, pull_request=False)
    assert _holds(results, 5)
