from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import InvalidSubmission
from scopebench.hub.submission import (
    SUBMISSION_FILES,
    Limits,
    NotASubmission,
    open_submission,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files of which only the names are right: opening reads none of them."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name in SUBMISSION_FILES:
        (folder / name).write_bytes(name.encode() * 3)
    (folder / "journal.jsonl").write_text("ignored")
    return folder


def refusal(path: Path, **limits: int) -> str:
    with pytest.raises(InvalidSubmission) as told, open_submission(path, limits=Limits(**limits)):
        pass
    assert "\n" not in str(told.value)
    return str(told.value)


def test_a_folder_gives_a_private_copy_of_the_three_files(folder: Path) -> None:
    with open_submission(folder) as opened:
        assert sorted(p.name for p in opened.folder.iterdir()) == sorted(SUBMISSION_FILES)
        assert opened.folder != folder
        assert opened.sizes == {"run.json": 24, "outcomes.parquet": 48, "decisions.parquet": 51}
        kept = opened.folder
    assert not kept.exists()


def test_the_id_is_the_hash_of_sorted_names_and_hashes(folder: Path) -> None:
    pairs = [
        [name, hashlib.sha256(name.encode() * 3).hexdigest()]
        for name in ("decisions.parquet", "outcomes.parquet", "run.json")
    ]
    expected = hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:32]
    with open_submission(folder) as opened:
        assert opened.submission_id == expected


@pytest.mark.parametrize("around", ["", "inlay/"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_has_the_id_of_its_folder(folder: Path, around: str, method: int) -> None:
    packed = folder.parent / "run.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        if around:
            archive.mkdir(around)
        for name in reversed(SUBMISSION_FILES):
            archive.write(folder / name, around + name)
    with open_submission(folder) as first, open_submission(packed) as second:
        assert first.submission_id == second.submission_id
        assert sorted(p.name for p in second.folder.iterdir()) == sorted(SUBMISSION_FILES)


def test_another_content_has_another_id(folder: Path) -> None:
    with open_submission(folder) as opened:
        before = opened.submission_id
    (folder / "run.json").write_bytes(b"other")
    with open_submission(folder) as opened:
        assert opened.submission_id != before


def test_what_is_no_submission_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "none", tmp_path / "notes.txt", tmp_path / "empty"):
        with pytest.raises(NotASubmission), open_submission(path):
            pass


def test_links_devices_and_folders_are_refused_in_a_folder(folder: Path) -> None:
    target = folder / "run.json"
    target.rename(folder / "else.json")
    assert "missing" in refusal(folder)
    target.symlink_to(folder / "else.json")
    assert "symbolic link" in refusal(folder)
    target.unlink()
    os.mkfifo(target)
    assert "not a file" in refusal(folder)
    target.unlink()
    target.mkdir()
    assert "not a file" in refusal(folder)


def test_sizes_are_limited(folder: Path) -> None:
    assert refusal(folder, result_bytes=23) == "run.json: more than 23 bytes"
    assert refusal(folder, table_bytes=50) == "decisions.parquet: more than 50 bytes"
    with open_submission(folder, limits=Limits(result_bytes=24, table_bytes=51)):
        pass


LINK, PIPE, CHARS = 0o120777 << 16, 0o010600 << 16, 0o020600 << 16


def test_hostile_entries_are_refused(folder: Path, zips: Any) -> None:
    good, entry = zips.entries(folder), zips.Entry
    data = good[0].data
    others = good[1:]
    cases: dict[str, list[Any]] = {
        "traversal": [entry("../run.json", data), *others],
        "deep traversal": [entry("a/../../run.json", data), *others],
        "absolute": [entry("/run.json", data), *others],
        "drive": [entry("C:run.json", data), *others],
        "backslash": [entry("..\\run.json", data), *others],
        "nul": [entry(b"run.json\x00.txt", data), *others],
        "homoglyph slash": [entry("a\u2215run.json", data), *others],
        "fullwidth dot": [entry("run\uff0ejson", data), *others],
        "right to left": [entry("\u202enosj.nur", data), *others],
        "other case": [entry("RUN.JSON", data), *good],
        "link": [entry("run.json", b"/etc/passwd", attributes=LINK), *others],
        "pipe": [entry("run.json", b"", attributes=PIPE), *others],
        "device": [entry("run.json", b"", attributes=CHARS), *others],
        "duplicate": [*good, good[0]],
        "duplicate elsewhere": [*good, entry("a/run.json", data)],
        "two folders": [entry("a/run.json", data), entry("b/outcomes.parquet", data), good[2]],
        "too deep": [entry("a/b/" + one.name, one.data) for one in good],
        "another file": [*good, entry("setup.py", b"print()")],
        "nested zip": [entry("lib 0.zip", b"PK\x05\x06" + bytes(18))],
        "one missing": good[:2],
        "empty": [],
        "encrypted": [entry("run.json", data, flags=1), *others],
        "bzip2": [entry("run.json", data, method=12), *others],
        "lzma": [entry("run.json", data, method=14), *others],
        "wrong checksum": [entry("run.json", data, crc=1), *others],
        "not deflated": [entry("run.json", b"\xff" * 50, method=8), *others],
        "many": [entry(f"{n}.txt", b"") for n in range(5000)],
    }
    for name, entries in cases.items():
        path = zips.write(folder.parent / "hostile.zip", entries)
        try:
            with open_submission(path):
                pytest.fail(f"{name} got through")
        except InvalidSubmission as error:
            assert "\n" not in str(error)
    assert sorted(p.name for p in folder.parent.iterdir()) == ["hostile.zip", "run"]


def test_bombs_are_cut_where_the_limit_is(folder: Path, zips: Any) -> None:
    bomb, others = zips.zeros(10_000), zips.entries(folder)[1:]
    assert len(bomb) < 12_000_000
    for declared in (10_000_000_000 % 2**32, 100):  # the second lies
        entry = zips.Entry("run.json", bomb, method=8, size=declared, crc=0)
        told = refusal(zips.write(folder.parent / "bomb.zip", [entry, *others]))
        assert "more than 16,000,000 bytes" in told or "-fold" in told or "damaged" in told


def test_a_large_directory_is_not_read(folder: Path, zips: Any) -> None:
    entries = [zips.Entry("x" * 60_000, b"") for _ in range(3)]
    assert "directory of" in refusal(zips.write(folder.parent / "wide.zip", entries))


def test_a_cut_zip_is_told(folder: Path, zips: Any) -> None:
    whole = zips.write(folder.parent / "a.zip", zips.entries(folder)).read_bytes()
    for size in (0, 3, 40, len(whole) // 2, len(whole) - 1):
        path = folder.parent / "cut.zip"
        path.write_bytes(whole[:size])
        refusal(path)
    path.write_bytes(whole + b"x")
    refusal(path)
