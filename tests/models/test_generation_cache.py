from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scopebench.errors import ModelError
from scopebench.models.generation_cache import (
    FILE_NAME,
    Generation,
    GenerationCache,
    generation_key,
)
from scopebench.protocols import GenerationRequest, Sampling
from scopebench.records import ModelRef

MODEL = ModelRef(id="toy", revision="1", dtype="float32", device="cpu")

WRITER = """
import sys
from pathlib import Path
from scopebench.models.generation_cache import Generation, GenerationCache
path, name, batches = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with GenerationCache(path) as cache:
    print("ready", flush=True)
    sys.stdin.readline()
    for batch in range(batches):
        own = {f"{name}/{batch}/{n}".encode(): Generation(name, n) for n in range(20)}
        shared = {f"shared/{batch}/{n}".encode(): Generation("same", n) for n in range(20)}
        cache.put_many(own | shared)
        print(batch, flush=True)
"""


def writer(path: Path, name: str, batches: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(batches)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_round_trip_and_reopening(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.sqlite3"
    entries = {b"a": Generation("Grabar-Kitarović 東京", 5), b"b": Generation("", 0)}
    with GenerationCache(path) as cache:
        cache.put_many(entries)
        cache.put_many({})
    with GenerationCache(path) as cache:
        assert cache.get_many([b"b", b"missing", b"a"]) == entries
        assert len(cache) == 2


def test_more_keys_than_fit_one_statement(tmp_path: Path) -> None:
    entries = {str(n).encode(): Generation(str(n), n) for n in range(1234)}
    with GenerationCache(tmp_path / "c") as cache:
        cache.put_many(entries)
        assert cache.get_many(list(entries)) == entries


def test_the_first_result_stays(tmp_path: Path) -> None:
    with GenerationCache(tmp_path / "c") as cache:
        cache.put_many({b"k": Generation("first", 1)})
        cache.put_many({b"k": Generation("second", 1)})
        assert cache.get_many([b"k"])[b"k"].text == "first"


def test_a_failing_batch_leaves_nothing(tmp_path: Path) -> None:
    with GenerationCache(tmp_path / "c") as cache:
        bad = {b"good": Generation("x", 1), b"bad": Generation(None, 1)}  # type: ignore[arg-type]
        with pytest.raises(sqlite3.IntegrityError):
            cache.put_many(bad)
        assert len(cache) == 0
        cache.put_many({b"good": Generation("x", 1)})
        assert len(cache) == 1


def test_default_path_is_in_the_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path))
    with GenerationCache() as cache:
        assert cache.path == tmp_path / FILE_NAME
    assert cache.path.is_file()


def test_keys_tell_apart_all_that_matters_and_nothing_else() -> None:
    request = GenerationRequest("Q", 16, (1, 2))
    key = generation_key(MODEL, "greedy", request)
    assert len(key) == 32
    assert key == generation_key(
        MODEL.model_copy(update={"device": "cuda", "parameters": 5}), "greedy", request
    )
    others = [
        generation_key(MODEL.model_copy(update={field: "other"}), "greedy", request)
        for field in ("id", "revision", "dtype")
    ]
    others += [
        generation_key(MODEL, "sampled", request),
        generation_key(MODEL, "greedy", GenerationRequest("Q ", 16, (1, 2))),
        generation_key(MODEL, "greedy", GenerationRequest("Q", 17, (1, 2))),
        generation_key(MODEL, "greedy", GenerationRequest("Q", 16, (1,))),
        generation_key(MODEL, "greedy", GenerationRequest("Q", 16, (12,))),
        generation_key(MODEL, "greedy", GenerationRequest("Q", 16)),
    ]
    assert len({key, *others}) == 10


def test_sampling_is_part_of_a_key_and_a_greedy_key_is_what_it_always_was() -> None:
    as_ever = [
        1,
        [MODEL.id, MODEL.revision, MODEL.dtype],
        "greedy",
        *("Q", 16, [1, 2]),
    ]
    text = json.dumps(as_ever, separators=(",", ":"))
    greedy = generation_key(MODEL, "greedy", GenerationRequest("Q", 16, (1, 2)))
    assert greedy == hashlib.sha256(text.encode()).digest()
    sampled = [
        generation_key(MODEL, "greedy", GenerationRequest("Q", 16, (1, 2), Sampling(*values)))
        for values in ((0.7, 0, 0), (0.7, 0, 1), (0.7, 1, 0), (0.8, 0, 0), (1.0, 0, 0))
    ]
    assert len({greedy, *sampled}) == 6
    one = GenerationRequest("Q", 16, (1, 2), Sampling(1, 0, 0))
    assert generation_key(MODEL, "greedy", one) == sampled[-1]  # 1 and 1.0 are one temperature


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c"
    writers = [writer(path, name, 25) for name in ("left", "right")]
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with GenerationCache(path) as cache:
        assert len(cache) == 25 * 20 * 3


def test_a_killed_writer_keeps_what_it_committed(tmp_path: Path) -> None:
    path = tmp_path / "c"
    process = writer(path, "victim", 1_000_000)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    while process.stdout.readline().strip() != "5":
        pass
    time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    reported = [int(line) for line in process.communicate()[0].split()]
    last = max(reported, default=5)
    with GenerationCache(path) as cache:
        entries = len(cache)
        assert entries % 40 == 0  # whole batches only
        assert entries >= 40 * (last + 1)
        keys = [f"victim/{batch}/{n}".encode() for batch in range(last + 1) for n in range(20)]
        assert len(cache.get_many(keys)) == len(keys)
        cache.put_many({b"after": Generation("works", 1)})
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check.close()


@pytest.mark.parametrize("contents", [b"not a database, and long enough to be told from one" * 99])
def test_a_foreign_file_is_named(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "c"
    path.write_bytes(contents)
    with pytest.raises(ModelError, match=rf"damaged .*delete {path} together") as caught:
        GenerationCache(path)
    assert "\n" not in str(caught.value)


def test_a_torn_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with GenerationCache(path) as cache:
        cache.put_many({str(n).encode(): Generation("x" * 500, 1) for n in range(500)})
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(ModelError, match="damaged"), GenerationCache(path) as cache:
        cache.get_many([str(n).encode() for n in range(500)])


def test_a_database_with_another_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE generations (name TEXT)")
    other.close()
    with pytest.raises(ModelError, match="damaged"):
        GenerationCache(path)


def test_an_unusable_place_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    with pytest.raises(ModelError, match="SCOPEBENCH_CACHE"):
        GenerationCache(file / "c")
    with pytest.raises(ModelError, match="SCOPEBENCH_CACHE"):
        GenerationCache(tmp_path)


def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("NOT CHECKED: root may write everywhere")
    tmp_path.chmod(0o500)
    with pytest.raises(ModelError, match="SCOPEBENCH_CACHE"):
        GenerationCache(tmp_path / "c")
    tmp_path.chmod(0o700)
