"""The loopback Hub answers the real client as the Hub does, and fails on demand."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, hf_hub_download
from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

sys.path.insert(0, str(Path(__file__).parent.parent))

from loopback.server import LoopbackHub

pytest_plugins = ["loopback.fixtures"]

REPO = "org/data"


@pytest.fixture
def api(loopback: LoopbackHub) -> HfApi:
    api = HfApi(endpoint=loopback.url, token=loopback.token)
    api.create_repo(REPO, repo_type="dataset")
    return api


def _add(api: HfApi, path: str, content: bytes, **more: object) -> str:
    made = api.create_commit(
        REPO,
        operations=[CommitOperationAdd(path_in_repo=path, path_or_fileobj=content)],
        commit_message=f"add {path}",
        repo_type="dataset",
        **more,
    )
    return made.oid


def test_a_repository_is_created_once(loopback: LoopbackHub, api: HfApi) -> None:
    url = api.create_repo(REPO, repo_type="dataset", exist_ok=True)
    assert str(url) == f"{loopback.url}/datasets/{REPO}"
    with pytest.raises(HfHubHTTPError) as caught:
        api.create_repo(REPO, repo_type="dataset")
    assert caught.value.response.status_code == 409


def test_small_and_large_files_are_committed_and_listed(
    loopback: LoopbackHub, api: HfApi, tmp_path: Path
) -> None:
    content = b"PAR1" * 1000
    _add(api, "a/notes.txt", b"hello\n")
    oid = _add(api, "a/b/x.parquet", content)
    found = {
        file.path: file
        for file in api.list_repo_tree(REPO, "a", recursive=True, repo_type="dataset")
    }
    assert set(found) == {"a/b", "a/b/x.parquet", "a/notes.txt"}
    # The git object id of "hello\n", as `git hash-object` prints it.
    assert found["a/notes.txt"].blob_id == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert found["a/b/x.parquet"].lfs.sha256 == hashlib.sha256(content).hexdigest()
    assert api.repo_info(REPO, repo_type="dataset").sha == oid
    local = hf_hub_download(
        REPO, "a/b/x.parquet", repo_type="dataset", cache_dir=tmp_path, endpoint=loopback.url
    )
    assert Path(local).read_bytes() == content


def test_what_is_written_is_in_the_name_of_the_token(loopback: LoopbackHub, api: HfApi) -> None:
    loopback.accounts["hf_of_reader"] = "reader"
    reader = HfApi(endpoint=loopback.url, token="hf_of_reader")

    assert (api.whoami()["name"], reader.whoami()["name"]) == ("tester", "reader")
    with pytest.raises(HfHubHTTPError, match="Invalid user token"):
        HfApi(endpoint=loopback.url, token="hf_of_nobody").whoami()
    for writer in (api, reader):
        _add(writer, "notes.txt", b"hello\n", create_pr=True)
    pulls = api.get_repo_discussions(REPO, repo_type="dataset")
    assert [(pull.num, pull.author) for pull in pulls] == [(2, "reader"), (1, "tester")]


def test_ranges_are_served(loopback: LoopbackHub, api: HfApi) -> None:
    _add(api, "x.bin", bytes(range(100)))
    url = f"{loopback.url}/datasets/{REPO}/resolve/main/x.bin"
    part = httpx2.get(url, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    assert part.headers["Content-Range"] == "bytes 10-19/100"
    assert httpx2.get(url, headers={"Range": "bytes=100-"}).status_code == 416
    assert len(httpx2.head(url).headers["ETag"]) == 64 + 2


def test_what_is_missing_is_told_as_the_hub_does(api: HfApi) -> None:
    with pytest.raises(RepositoryNotFoundError):
        api.repo_info("org/other", repo_type="dataset")
    with pytest.raises(RevisionNotFoundError):
        api.repo_info(REPO, repo_type="dataset", revision="v9")
    with pytest.raises(EntryNotFoundError):
        list(api.list_repo_tree(REPO, "nowhere", repo_type="dataset"))
    assert not api.file_exists(REPO, "nothing.txt", repo_type="dataset")


def test_long_trees_come_in_pages(api: HfApi) -> None:
    additions = [
        CommitOperationAdd(path_in_repo=f"f/{number:04}.txt", path_or_fileobj=b"x")
        for number in range(1500)
    ]
    api.create_commit(REPO, operations=additions, commit_message="many", repo_type="dataset")
    assert len(api.list_repo_files(REPO, repo_type="dataset")) == 1501


def test_deletions_and_a_stale_parent(loopback: LoopbackHub, api: HfApi) -> None:
    first = _add(api, "x.txt", b"1")
    _add(api, "y.txt", b"2", parent_commit=first)
    with pytest.raises(HfHubHTTPError) as caught:
        _add(api, "z.txt", b"3", parent_commit=first)
    assert caught.value.response.status_code == 412
    api.create_commit(
        REPO,
        operations=[CommitOperationDelete(path_in_repo="x.txt")],
        commit_message="delete",
        repo_type="dataset",
    )
    assert set(loopback.repo("dataset", REPO).files) == {".gitattributes", "y.txt"}


def test_tags_are_never_moved(api: HfApi) -> None:
    first = _add(api, "x.txt", b"1")
    api.create_tag(REPO, tag="v1", repo_type="dataset", revision=first)
    _add(api, "x.txt", b"2")
    assert api.repo_info(REPO, repo_type="dataset", revision="v1").sha == first
    with pytest.raises(HfHubHTTPError) as caught:
        api.create_tag(REPO, tag="v1", repo_type="dataset")
    assert caught.value.response.status_code == 409


def test_pull_requests_live(loopback: LoopbackHub, api: HfApi) -> None:
    made = api.create_commit(
        REPO,
        operations=[CommitOperationAdd(path_in_repo="pr.txt", path_or_fileobj=b"1")],
        commit_message="a proposal",
        repo_type="dataset",
        create_pr=True,
    )
    assert (made.pr_num, made.pr_revision) == (1, "refs/pr/1")
    repo = loopback.repo("dataset", REPO)
    assert "pr.txt" not in repo.files
    assert api.file_exists(REPO, "pr.txt", repo_type="dataset", revision="refs/pr/1")
    _add(api, "meanwhile.txt", b"2")
    open_now = list(
        api.get_repo_discussions(
            REPO, repo_type="dataset", discussion_type="pull_request", discussion_status="open"
        )
    )
    assert [(pull.num, pull.title) for pull in open_now] == [(1, "a proposal")]
    api.comment_discussion(REPO, 1, "looks right", repo_type="dataset")
    api.merge_pull_request(REPO, 1, repo_type="dataset")
    assert {"pr.txt", "meanwhile.txt"} <= set(repo.files)
    details = api.get_discussion_details(REPO, 1, repo_type="dataset")
    assert details.status == "merged"
    assert [event.type for event in details.events] == [
        "comment",
        "commit",
        "comment",
        "status-change",
    ]
    with pytest.raises(HfHubHTTPError):
        api.change_discussion_status(REPO, 1, "closed", repo_type="dataset")


def test_discussions_come_in_pages(api: HfApi) -> None:
    for number in range(23):
        _add(api, f"{number}.txt", b"1", create_pr=True)
    found = api.get_repo_discussions(REPO, repo_type="dataset", discussion_status="open")
    assert [pull.num for pull in found] == list(range(23, 0, -1))


def test_only_the_token_may_write(loopback: LoopbackHub, api: HfApi) -> None:
    for token in (False, "hf_other"):
        with pytest.raises(HfHubHTTPError) as caught:
            HfApi(endpoint=loopback.url, token=token).create_tag(
                REPO, tag="v1", repo_type="dataset"
            )
        assert caught.value.response.status_code == 401


def test_faults_come_as_asked(loopback: LoopbackHub, api: HfApi) -> None:
    loopback.inject("status", "/commit/", status=429, headers={"Retry-After": "7"})
    with pytest.raises(HfHubHTTPError) as caught:
        _add(api, "x.txt", b"1")
    assert caught.value.response.headers["Retry-After"] == "7"
    lost = loopback.inject("lost", "/commit/")
    with pytest.raises(httpx2.RemoteProtocolError):
        _add(api, "x.txt", b"1")
    assert loopback.repo("dataset", REPO).files["x.txt"] == b"1"
    assert lost.met == 1
    loopback.inject("refused", "/commit/")
    with pytest.raises(httpx2.RemoteProtocolError):
        _add(api, "y.txt", b"1")
    assert "y.txt" not in loopback.repo("dataset", REPO).files
    loopback.inject("slow", "/api/datasets", seconds=0.3)
    with pytest.raises(httpx2.TimeoutException):
        api.repo_info(REPO, repo_type="dataset", timeout=0.05)


def test_a_cut_download_goes_on_where_it_stopped(
    loopback: LoopbackHub, api: HfApi, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 400
    _add(api, "x.bin", content)
    cut = loopback.inject("cut", "/resolve/", method="GET")
    local = hf_hub_download(
        REPO, "x.bin", repo_type="dataset", cache_dir=tmp_path, endpoint=loopback.url
    )
    assert Path(local).read_bytes() == content
    assert cut.met == 1
