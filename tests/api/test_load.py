"""Benchmarks loaded from a folder and from the Hub, pinned to a revision."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hub"))

from loopback.server import LoopbackHub

import scopebench as sb
from scopebench.errors import DataError, HubError
from scopebench.hub.benchmarks import fetch_benchmark
from scopebench.hub.publish import plan_publication, publish
from scopebench.hub.remote import Remote

pytest_plugins = ["loopback.fixtures"]

REPO = "my-org/my-benchmark"

LOADS = """
import json, sys
import scopebench as sb

told = {}
for name in sys.argv[1:]:
    try:
        bench = sb.load(name)
        told[name] = [bench.revision, str(bench.path), dict(bench.contents.files)]
    except sb.ScopeBenchError as error:
        told[name] = str(error)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def other(bench: sb.BuiltBenchmark) -> sb.BuiltBenchmark:
    """The same edits with another seed and without `curated`."""
    folder = bench.path.parent
    return sb.build({"mine": folder / "edits.csv"}, folder / "other", seed=1, curated_size=0)


def commit_of(bench: sb.BuiltBenchmark, tag: str, remote: Remote) -> str:
    """Publish a benchmark and return its commit."""
    return publish(plan_publication(bench.path, tag=tag), REPO, remote=remote).commit


def test_a_published_benchmark_is_loaded_at_its_revision(
    bench: sb.BuiltBenchmark,
    other: sb.BuiltBenchmark,
    loopback: LoopbackHub,
    remote: Remote,
    tmp_path: Path,
) -> None:
    """In a process of its own, as the client reads its variables when it is imported."""
    first, second = commit_of(bench, "v1", remote), commit_of(other, "v2", remote)
    (tmp_path / "my-org").mkdir()
    (tmp_path / "my-org" / "in-a-folder").symlink_to(other.path)
    cache = {"SCOPEBENCH_CACHE": str(tmp_path / "cache")}
    expected = {
        f"{REPO}@v1": (first, bench),
        f"{REPO}@{first}": (first, bench),
        REPO: (second, other),
        "my-org/in-a-folder": (None, other),
    }
    done = subprocess.run(
        [sys.executable, "-c", LOADS, *expected, "my-org/nowhere@v1"],
        env=os.environ | loopback.environment(tmp_path / "home") | cache,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "the Hub answered 40" in told.pop("my-org/nowhere@v1")
    assert told.keys() == expected.keys()
    for name, (revision, built) in expected.items():
        found, folder, files = told[name]
        assert (found, files) == (revision, dict(built.contents.files))
        if revision is not None:
            assert Path(folder).name == revision
            assert Path(folder).is_relative_to(tmp_path / "cache")


def test_what_was_loaded_is_there_without_the_hub(
    bench: sb.BuiltBenchmark, remote: Remote, tmp_path: Path
) -> None:
    commit = commit_of(bench, "v1", remote)
    folder, revision = fetch_benchmark(f"{REPO}@v1", tmp_path, remote)
    assert revision == commit
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        port = unheard.getsockname()[1]
    away = replace(remote, endpoint=f"http://127.0.0.1:{port}")
    assert fetch_benchmark(f"{REPO}@v1", tmp_path, away) == (folder, commit)
    assert fetch_benchmark(f"{REPO}@{commit}", tmp_path, away) == (folder, commit)
    with pytest.raises(HubError, match="cannot be reached"):
        fetch_benchmark("my-org/another", tmp_path, away)


def test_what_is_no_benchmark_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a built benchmark"):
        sb.load(tmp_path)
    with pytest.raises(DataError, match="not a built benchmark"):
        sb.load("nowhere")
    with pytest.raises(HubError, match="is no name of a repository"):
        sb.load("my-org/a--b@v1")


def test_what_is_loaded_already_is_taken_as_it_is(bench: sb.BuiltBenchmark) -> None:
    assert sb.load(bench) is bench
    assert sb.load(bench.path) == sb.BuiltBenchmark(bench.path, bench.manifest)


def test_the_starter_is_what_is_loaded_by_default() -> None:
    assert sb.load().name == "scopebench-starter"
