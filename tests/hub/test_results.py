"""Reading a results repository: by revision, only what changed, and from the cache alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import close_session

from scopebench.errors import HubError
from scopebench.hub.remote import Remote
from scopebench.hub.results import Source, list_submissions, resolve_source, sync_results
from scopebench.hub.submit import Upload, send

sys.path.insert(0, str(Path(__file__).parent))

from loopback.server import LoopbackHub
from loopback.store import Repo

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"
FILES = ("decisions.parquet", "outcomes.parquet", "run.json")


@pytest.fixture
def results(loopback: LoopbackHub, remote: Remote) -> Repo:
    repo = loopback.store.create("dataset", RESULTS)
    for number in (1, 2):
        _send(number, remote)
    return repo


def _send(number: int, remote: Remote) -> None:
    files = {name: f"{name} of {number} ".encode() * 500 for name in FILES}
    folder = f"submissions/inlay/org--tiny/{number:032x}"
    upload = Upload(f"{number:032x}", f"Submission {number:032x}", folder, files)
    send(upload, RESULTS, remote=remote, pull_request=False)


def _downloads(loopback: LoopbackHub) -> list[str]:
    return [path for method, path in loopback.requests if method == "GET" and "/resolve/" in path]


def test_submissions_are_mirrored_and_listed(results: Repo, remote: Remote, tmp_path: Path) -> None:
    folder, sha = sync_results(RESULTS, tmp_path, remote=remote)
    assert sha == results.head.oid
    assert not (folder / ".gitattributes").exists()
    found = list_submissions(folder)
    assert [(one.editor, one.model, one.submission_id, one.complete) for one in found] == [
        ("inlay", "org--tiny", f"{number:032x}", True) for number in (1, 2)
    ]
    assert (found[1].folder / "run.json").read_bytes() == b"run.json of 2 " * 500


def test_the_mirror_is_of_plain_files_and_old_ones_go(
    results: Repo, remote: Remote, tmp_path: Path
) -> None:
    folders = []
    for number in range(3, 8):
        folder, _ = sync_results(RESULTS, tmp_path, remote=remote)
        assert not [path for path in folder.rglob("*") if path.is_symlink()]
        folders.append(folder)
        _send(number, remote)
    assert [folder.is_dir() for folder in folders] == [False, False, True, True, True]
    assert not list(folders[-1].parent.glob(".part-*"))
    # The client's cache still has what an old folder is made of.
    assert sync_results(RESULTS, tmp_path, folders[0].name, remote=remote)[0] == folders[0]
    assert len(list_submissions(folders[0])) == 2


def test_other_folders_are_mirrored_where_asked(
    results: Repo, remote: Remote, tmp_path: Path
) -> None:
    blob = replace(results.head.files[".gitattributes"], content=b"{}")
    change = {"header": {"summary": "x"}, "deleted": [], "deleted_folders": []}
    results.commit("main", change | {"files": {"verified/1.json": blob}}, create_pr=False)
    plain, _ = sync_results(RESULTS, tmp_path, remote=remote)
    assert not (plain / "verified").exists()
    both, _ = sync_results(
        RESULTS, tmp_path, remote=remote, folders=("submissions", "verified", "none")
    )
    assert (both / "verified" / "1.json").read_bytes() == b"{}"
    assert len(list_submissions(both)) == 2


def test_only_what_is_new_is_fetched(
    loopback: LoopbackHub, results: Repo, remote: Remote, tmp_path: Path
) -> None:
    first, old = sync_results(RESULTS, tmp_path, remote=remote)
    assert len(_downloads(loopback)) == 6
    loopback.requests.clear()
    assert sync_results(RESULTS, tmp_path, remote=remote) == (first, old)
    assert _downloads(loopback) == []
    _send(3, remote)
    loopback.requests.clear()
    second, new = sync_results(RESULTS, tmp_path, remote=remote)
    assert len(_downloads(loopback)) == 3
    assert (len(list_submissions(first)), len(list_submissions(second))) == (2, 3)
    loopback.requests.clear()
    assert sync_results(RESULTS, tmp_path, old, remote=remote) == (first, old)
    assert (new, loopback.requests) == (results.head.oid, [])


def test_the_cache_is_enough(
    loopback: LoopbackHub, results: Repo, remote: Remote, tmp_path: Path
) -> None:
    kept = sync_results(RESULTS, tmp_path, remote=remote)
    loopback.requests.clear()
    assert sync_results(RESULTS, tmp_path, remote=remote, offline=True) == kept
    assert loopback.requests == []
    gone = replace(remote, endpoint="http://127.0.0.1:9")
    assert sync_results(RESULTS, tmp_path, remote=gone) == kept


def test_offline_by_the_hubs_own_switch(
    results: Repo, remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = sync_results(RESULTS, tmp_path, remote=remote)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    close_session()
    try:
        assert sync_results(RESULTS, tmp_path, remote=remote) == kept
    finally:
        monkeypatch.undo()
        close_session()


@pytest.mark.slow
def test_an_empty_cache_without_a_hub_is_told(remote: Remote, tmp_path: Path) -> None:
    gone = replace(remote, endpoint="http://127.0.0.1:9")
    with pytest.raises(HubError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        sync_results(RESULTS, tmp_path, remote=gone)
    with pytest.raises(HubError, match="does not hold them whole"):
        sync_results(RESULTS, tmp_path, remote=remote, offline=True)


def test_a_half_fetched_revision_is_not_taken_for_whole(
    loopback: LoopbackHub, results: Repo, remote: Remote, tmp_path: Path
) -> None:
    loopback.inject("status", "/resolve/.*outcomes", method="HEAD", status=403, times=None)
    with pytest.raises(HubError):
        sync_results(RESULTS, tmp_path, remote=remote)
    with pytest.raises(HubError, match="does not hold them whole"):
        sync_results(RESULTS, tmp_path, remote=remote, offline=True)
    loopback.faults.clear()
    folder, _ = sync_results(RESULTS, tmp_path, remote=remote)
    assert all(one.complete for one in list_submissions(folder))


def test_cut_bodies_and_trouble_are_outlasted(
    loopback: LoopbackHub, results: Repo, remote: Remote, tmp_path: Path
) -> None:
    loopback.inject("cut", "/resolve/", method="GET", times=3)
    loopback.inject("status", "/resolve/", method="GET", status=500, times=2)
    folder, _ = sync_results(RESULTS, tmp_path, remote=remote)
    for number, one in enumerate(list_submissions(folder), start=1):
        for name in FILES:
            assert (one.folder / name).read_bytes() == f"{name} of {number} ".encode() * 500


def test_a_repository_without_a_submission(
    loopback: LoopbackHub, remote: Remote, tmp_path: Path
) -> None:
    repo = loopback.store.create("dataset", "org/empty")
    folder, sha = sync_results("org/empty", tmp_path, remote=remote)
    assert (list_submissions(folder), sha) == ([], repo.head.oid)


def test_a_repository_or_revision_that_is_not_there(
    results: Repo, remote: Remote, tmp_path: Path
) -> None:
    with pytest.raises(HubError, match="org/none does not exist, or is private"):
        sync_results("org/none", tmp_path, remote=remote)
    with pytest.raises(HubError, match="404"):
        sync_results(RESULTS, tmp_path, "v9", remote=remote)


def test_a_cache_that_may_not_be_written_is_told(
    results: Repo, remote: Remote, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HubError, match=r"cannot write .*; allow it or choose another folder"):
        sync_results(RESULTS, tmp_path / "file", remote=remote)


def test_a_library_draws_no_bars(
    results: Repo, remote: Remote, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sync_results(RESULTS, tmp_path, remote=remote)
    assert capfd.readouterr() == ("", "")


def test_what_is_no_submission_is_passed_over_or_told_apart(tmp_path: Path) -> None:
    root = tmp_path / "submissions"
    for path in ("a/m/1/run.json", "a/m/2/run.json", "a/m/2/outcomes.parquet", "a/m/loose.json"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")
    for name in (*FILES, "extra.txt"):
        (root / "b" / "m" / "3").mkdir(parents=True, exist_ok=True)
        (root / "b" / "m" / "3" / name).write_bytes(b"")
    (root / "=cmd()" / "m" / "4").mkdir(parents=True)
    found = list_submissions(tmp_path)
    assert [(one.editor, one.submission_id, one.complete) for one in found] == [
        ("a", "1", False),
        ("a", "2", False),
        ("b", "3", False),
    ]
    assert list_submissions(tmp_path / "nowhere") == []


def test_a_source_is_a_folder_or_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resolve_source(tmp_path) == Source(folder=tmp_path)
    assert resolve_source("org/results") == Source(repo="org/results")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "results").mkdir(parents=True)
    assert resolve_source("org/results") == Source(folder=Path("org/results"))
    for name in (tmp_path / "nothing", "results", "a/b/c"):
        with pytest.raises(HubError, match="no such folder; give a folder"):
            resolve_source(name)
