from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.sources import stream
from scopebench.sources.stream import RecordFile

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def read(path: Path) -> list[object]:
    return list(RecordFile.open(path))


def fails(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.fix
    return caught.value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(JSON, max_size=6),
    block=st.integers(1, 60),
    indent=st.sampled_from([None, 2]),
    escape=st.booleans(),
    bom=st.booleans(),
)
def test_an_array_reads_the_same_whatever_the_block_size(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    values: list[object],
    block: int,
    indent: int | None,
    escape: bool,
    bom: bool,
) -> None:
    monkeypatch.setattr(stream, "_BLOCK", block)
    path = tmp_path / "array.json"
    text = json.dumps(values, indent=indent, ensure_ascii=escape)
    path.write_bytes(b"\xef\xbb\xbf" * bom + text.encode())
    file = RecordFile.open(path)
    assert file.layout == "array"
    assert list(file) == values
    assert list(file) == values, "iterating again starts again"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=5))
def test_json_lines_read_the_same(tmp_path: Path, values: list[object]) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(value) + "\r\n" for value in values))
    file = RecordFile.open(path)
    assert file.layout == "lines"
    assert list(file) == values


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data(), block=st.integers(1, 60))
def test_every_truncation_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject, block: int
) -> None:
    monkeypatch.setattr(stream, "_BLOCK", block)
    whole = json.dumps([{"a": [1.5, True, "\u00e9\u4e2d\U0001f600"]}, {"b": None}, 12]).encode()
    path = tmp_path / "cut.json"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole) - 1))])
    fails(path)


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf[ ]\n")
    assert RecordFile.open(path).sha256 == hashlib.sha256(b"\xef\xbb\xbf[ ]\n").hexdigest()


def test_a_truncated_file_names_record_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes('[{"é": 1}, {"b": '.encode())
    error = fails(path)
    assert error.record == "#2"
    assert "cut off or damaged at byte 18 of 18" in error.what
    assert error.fix == "fetch the file again or mend it"


@pytest.mark.parametrize(
    ("text", "record", "what"),
    [
        ('[{"a": 1} {"b": 2}]', "#1", "expected ',' or ']' after it"),
        ('[{"a": 1}] x', "#1", "the array is over, but the file goes on"),
        ("[] []", "#0", "the array is over, but the file goes on"),
        ("[1,]", "#2", "Expecting value"),
        ("[1, wrong]", "#2", "byte 4 of 10: Expecting value"),
        ("[" + "[" * 200_000, "#1", "it is nested too deeply"),
        ("[" + '{"a":' * 50_000, "#1", "it is nested too deeply"),
        ('{"a": 1}\n{"b": ' + "[" * 200_000, "#2", "it is nested too deeply"),
        (f'[{{"a": 1}}, {"9" * 5000}]', "#2", "a number too long to read"),
    ],
)
def test_damage_names_record_and_cause(tmp_path: Path, text: str, record: str, what: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text)
    error = fails(path)
    assert error.record == record
    assert what in error.what


def test_a_record_without_end_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_BLOCK", 100)
    monkeypatch.setattr(stream, "_MAX_VALUE", 1000)
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"key": "x" * 5000}))
    assert "a record of over 1000 characters" in fails(path).what


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "found an empty file"),
        (b" \r\n\t", "found an empty file"),
        (b"\xef\xbb\xbf", "found an empty file"),
        (b'"text"', "found a file that begins with '\"'"),
        (b"3", "found a file that begins with '3'"),
        (b"null", "found a file that begins with 'n'"),
        (b"<html>", "found a file that begins with '<'"),
    ],
)
def test_a_file_must_be_an_array_or_json_lines(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(data)
    assert what in fails(path).what


@pytest.mark.parametrize(
    ("data", "byte"),
    [
        (b'[{"a": "\xff"}]', 8),
        ('[{"a": "é"}]'.encode("latin-1"), 8),
        ('[{"a": 1}]'.encode("utf-16"), 0),
        (b'[{"a": "' + b"x" * 600_000 + b'\xe9"}]', 600_008),
        (b'[{"a": "\xed\xa0\x80"}]', 8),
        (b'[1, "\xc3', 5),
    ],
)
def test_bytes_that_are_not_utf8_are_placed(tmp_path: Path, data: bytes, byte: int) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(data)
    error = fails(path)
    assert error.what == f"byte {byte} is not UTF-8 text"
    assert error.fix == "save the file as UTF-8"


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    assert fails(tmp_path / "absent.json").what == "no such file"
    assert "found a folder" in fails(tmp_path).what
    assert "cannot be read" in fails(tmp_path / ("x" * 300)).what
