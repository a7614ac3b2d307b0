"""`scopebench submit` from a run folder to a results repository and back, over the loopback Hub."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from scopebench import cli
from scopebench.hub.remote import Remote
from scopebench.hub.results import list_submissions, sync_results
from scopebench.hub.verify import verify_submission

sys.path.insert(0, str(Path(__file__).parent))

from loopback.server import LoopbackHub
from loopback.store import Repo

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"


@pytest.fixture
def results(loopback: LoopbackHub) -> Repo:
    return loopback.store.create("dataset", RESULTS)


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def submit(
    loopback: LoopbackHub,
    results: Repo,
    hub_runs: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Any:
    """Run the verb as a shell would, logged in by HF_TOKEN."""
    monkeypatch.setattr(cli, "VERBS", cli.VERBS | {"submit": ""})
    assert loopback.token is not None
    token = loopback.token

    def run(path: Path, *more: str, login: bool = True) -> Done:
        monkeypatch.setenv("HF_TOKEN", token if login else "")
        bench = ("--benchmark", str(hub_runs["bench"]))
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setattr(constants, "ENDPOINT", loopback.url)
            cli.main(["submit", str(path), "--to", RESULTS, *bench, *more])
        said = capsys.readouterr()
        assert token not in said.out + said.err
        return Done(int(ended.value.code or 0), said.out, said.err)

    return run


def test_a_run_goes_by_pull_request_is_merged_and_read_back(
    submit: Any,
    results: Repo,
    loopback: LoopbackHub,
    hub_runs: dict[str, Path],
    remote: Remote,
    tmp_path: Path,
) -> None:
    done = submit(hub_runs["inlay"])
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{loopback.url}/datasets/{RESULTS}/discussions/1\n"
    again = submit(hub_runs["inlay"])
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "Already in a pull request, nothing was sent" in again.stderr
    results.merge(1)
    folder, _ = sync_results(RESULTS, tmp_path / "cache", remote=remote)
    (found,) = list_submissions(folder)
    assert (found.editor, found.complete) == ("inlay", True)
    verified = verify_submission(found.folder, benchmark=hub_runs["bench"])
    assert verified.ok
    assert verified.submission_id == found.submission_id
    for name in ("run.json", "outcomes.parquet", "decisions.parquet"):
        assert (found.folder / name).read_bytes() == (hub_runs["inlay"] / name).read_bytes()


@pytest.mark.slow
def test_a_zip_of_it_is_the_same_submission(
    submit: Any, results: Repo, hub_runs: dict[str, Path], tmp_path: Path
) -> None:
    assert submit(hub_runs["inlay"], "--commit").returncode == 0
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("run.json", "outcomes.parquet", "decisions.parquet"):
        shutil.copy(hub_runs["inlay"] / name, bare)
    packed = Path(shutil.make_archive(str(tmp_path / "inlay"), "zip", bare))
    done = submit(packed, "--commit", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "in the repository"
    assert len(results.history) == 2


def test_a_dry_run_verifies_lists_and_asks_nothing(
    submit: Any, loopback: LoopbackHub, hub_runs: dict[str, Path]
) -> None:
    done = submit(hub_runs["inlay"], "--dry-run", "--json")
    plan = json.loads(done.stdout)
    folder = f"submissions/inlay/toy-model/{plan['submission_id']}"
    assert {file["path"]: file["bytes"] for file in plan["files"]} == {
        f"{folder}/{name}": (hub_runs["inlay"] / name).stat().st_size
        for name in ("run.json", "outcomes.parquet", "decisions.parquet")
    }
    assert len(submit(hub_runs["inlay"], "--dry-run").stdout.splitlines()) == 3
    assert loopback.requests == []


def test_what_does_not_verify_is_told_and_not_sent(
    submit: Any, loopback: LoopbackHub, hub_runs: dict[str, Path], copy: Any
) -> None:
    limited = submit(hub_runs["limited"])
    assert limited.returncode == 1
    assert limited.stderr.splitlines()[-1].endswith("does not verify; nothing was sent.")
    copy.result(lambda stored: stored["pooled"][0].update(oracle=1.0))
    done = submit(copy.folder, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["faults"]
    assert loopback.requests == []


def test_a_damaged_zip_is_refused(submit: Any, loopback: LoopbackHub, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("../run.json", "{}")
    done = submit(tmp_path / "odd.zip")
    assert done.returncode == 1
    assert done.stderr.startswith("bad_package: ")
    assert loopback.requests == []


def test_a_path_that_is_no_run(submit: Any, tmp_path: Path) -> None:
    done = submit(tmp_path / "nothing")
    assert done.returncode == 2
    assert "no such file or folder" in done.stderr


def test_without_a_login(submit: Any, hub_runs: dict[str, Path]) -> None:
    done = submit(hub_runs["inlay"], login=False)
    assert done.returncode == 2
    assert "the Hub answered 401: not logged in" in done.stderr
    assert "run `hf auth login`" in done.stderr
