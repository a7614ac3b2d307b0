"""`scopebench reproduce`: the table, the JSON, and marks in a folder and in a repository."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scopebench.api import reproducing
from scopebench.cli.reproduce_verb import command
from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.errors import UsageError
from scopebench.hub.marks import Mark, mark_path, read_mark, send_marks
from scopebench.hub.remote import Remote
from scopebench.hub.submit import place, send, verified_upload
from scopebench.protocols import Encoder, LanguageModel
from scopebench.records import ModelRef
from scopebench.registry import discover
from scopebench.reproduce import local
from scopebench.run.engine import Job, run_job
from scopebench.testing import ToyEncoder, ToyModel, toy_context

sys.path.insert(0, str(Path(__file__).parent.parent / "hub"))

from loopback.server import LoopbackHub

pytest_plugins = ["loopback.fixtures"]

RESULTS = "org/results"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run and the benchmark it was made on."""
    folder = tmp_path_factory.mktemp("reproduce-verb")
    build_benchmark(None, folder / "bench", BuildOptions(limit=2, curated_size=2))
    static = discover().get("static")
    run_job(Job(read_benchmark(folder / "bench"), static, toy_context(), folder / "run"))
    return folder / "run", folder / "bench"


class ToyWeights:
    """What is on this machine: the toy models."""

    def __init__(self, *_: object) -> None: ...

    def model(self, ref: ModelRef, cache: object) -> LanguageModel:
        return ToyModel()

    def encoder(self, ref: ModelRef) -> Encoder:
        return ToyEncoder()


@pytest.fixture
def reproduce(
    made: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Runs the verb over toy models, with a cache of its own."""
    monkeypatch.setattr(local, "LocalWeights", ToyWeights)
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path / "cache"))

    def run(*arguments: object) -> Result:
        options = ["--benchmark", str(made[1]), "--rerun", "20", *map(str, arguments)]
        return CliRunner().invoke(command, options, catch_exceptions=False)

    return run


def test_marks_in_a_folder(
    made: tuple[Path, Path], reproduce: Callable[..., Result], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with verified_upload(made[0], benchmark=made[1]) as upload:
        place(upload, results)
    done = reproduce("--results", results, "--json", "--by", "me")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    (row,) = told["submissions"]
    assert told["sent"] is None
    assert (row["submission_id"], row["state"]) == (upload.submission_id, "reproduced")
    assert (row["equal"], row["n"], row["reason"]) == (20, 20, "")
    mark = read_mark(results / mark_path(upload.submission_id))
    assert isinstance(mark, Mark) and (mark.by, mark.n) == ("me", 20)
    again = reproduce("--results", results)
    assert (again.exit_code, again.stdout) == (0, "")
    assert "every submission has a mark" in again.stderr
    table = reproduce("--results", results, "--again")
    assert "reproduced" in table.stdout and upload.submission_id[:8] in table.stdout


def test_marks_in_a_repository_go_in_one_commit_also_after_a_failure(
    made: tuple[Path, Path],
    reproduce: Callable[..., Result],
    loopback: LoopbackHub,
    remote: Remote,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    repo = loopback.store.create("dataset", RESULTS)
    with verified_upload(made[0], benchmark=made[1]) as upload:
        send(upload, RESULTS, remote=remote, pull_request=False)
    monkeypatch.setattr("scopebench.hub.remote.Remote", lambda **_: remote)
    before = len(repo.history)

    def fails(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("scopebench.hub.marks.send_marks", fails)
        with pytest.raises(KeyboardInterrupt):
            reproducing.reproduce(RESULTS, benchmarks=[made[1]], n=20)
    assert len(repo.history) == before
    done = reproduce("--results", RESULTS, "--json")
    told = json.loads(done.stdout)
    assert told["submissions"] == []  # made by the session before, and only sent by this one
    assert told["sent"] == f"{loopback.url}/datasets/{RESULTS}/tree/main/verified"
    assert len(repo.history) == before + 1
    path = tmp_path / "mark.json"
    path.write_bytes(repo.files[mark_path(upload.submission_id)])
    mark = read_mark(path)
    assert isinstance(mark, Mark) and mark.state == "reproduced"
    assert json.loads(reproduce("--results", RESULTS, "--json").stdout)["sent"] is None


def test_many_marks_are_one_commit(loopback: LoopbackHub, remote: Remote, tmp_path: Path) -> None:
    repo = loopback.store.create("dataset", RESULTS)
    paths = {f"{n:032x}": tmp_path / f"{n}.json" for n in range(3)}
    for path in paths.values():
        path.write_text("{}")
    send_marks(RESULTS, paths, remote=remote)
    assert len(repo.history) == 2
    assert {mark_path(key) for key in paths} <= set(repo.files)


def test_what_is_out_of_range_is_told() -> None:
    for options, told in (
        ({"n": 19}, "at least 20 answers"),
        ({"seed": -1}, "seed must be 0 or above"),
        ({"limit": 0}, "limit must be 1 or above"),
        ({"by": " "}, "by must name"),
    ):
        with pytest.raises(UsageError, match=told):
            reproducing.reproduce("results", **options)  # type: ignore[arg-type]
