from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.sources import BadRecord, read_source

Write = Callable[..., Path]
Make = Callable[..., dict[str, Any]]
Samples = dict[str, tuple[str, Make]]

MISSING = object()


def fault(dataset: str, *paths: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source(dataset, paths)
    assert "\n" not in str(caught.value)
    return caught.value


def changed(record: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    if value is MISSING:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return record


REWRITE = ("requested_rewrite",)
HOP = ("requested_rewrite", 0)
BAD_FIELDS = [
    (schema, path, value, field, what)
    for schema, subject, prompt, new in [
        ("akew-mquake-cf", (*HOP, "subject"), (*HOP, "prompt"), (*HOP, "target_new", "str")),
        ("mquake", (*HOP, "subject"), (*HOP, "prompt"), (*HOP, "target_new", "str")),
        (
            "counterfact",
            (*REWRITE, "subject"),
            (*REWRITE, "prompt"),
            (*REWRITE, "target_new", "str"),
        ),
        ("counterfact-flat", ("subject",), ("prompt",), ("target_new",)),
        ("akew-counterfact", (*REWRITE, "subject"), (*REWRITE, "prompt"), (*REWRITE, "answer_new")),
        ("akew-wikiupdate", (*REWRITE, "subject"), (*REWRITE, "prompt"), (*REWRITE, "answer_new")),
        ("wikifactdiff-flat", ("en", "subject"), ("en", "src"), ("en", "alt")),
    ]
    for path, value, what in [
        (subject, MISSING, "the field is missing; expected a non-empty string"),
        (subject, "", "expected a non-empty string, found an empty one"),
        (subject, 5, "expected a string, found a number"),
        (subject, float("nan"), "expected a string, found NaN"),
        (subject, None, "expected a string, found null"),
        (prompt, MISSING, "the field is missing; expected a non-empty string"),
        (prompt, "no place for it", "expected"),
        (prompt, "{} and {} are", "expected"),
        (prompt, ["{}"], "expected a string, found a list"),
        (new, MISSING, "the field is missing; expected a non-empty string"),
        (new, " ", "expected a non-empty string, found an empty one"),
        (new, 7.5, "expected a string, found a number"),
        (new, {"str": {}}, "expected a string, found an object"),
        (new, "a\x00b", "expected text, found a NUL character"),
        (new, json.loads(r'"\ud800 glass"'), "found an unpaired surrogate"),
        (new, json.loads(r'"glass \udfff"'), "found an unpaired surrogate"),
    ]
    for field in [".".join(str(step) for step in path).replace(".0.", "[0].")]
]


@pytest.mark.parametrize(("schema", "path", "value", "field", "what"), BAD_FIELDS)
def test_a_bad_field_fails_or_is_skipped(
    write: Write,
    samples: Samples,
    schema: str,
    path: tuple[Any, ...],
    value: object,
    field: str,
    what: str,
) -> None:
    dataset, make = samples[schema]
    file = write([make("a"), changed(make("b"), path, value), make("c")])
    error = fault(dataset, file)
    assert (error.file, error.record, error.field) == (str(file), "b", field)
    assert what in error.what
    assert error.fix == "correct the record, or leave bad ones out with --on-bad-record skip"
    source = read_source(dataset, [file], on_bad_record="skip")
    assert [case.case_id for case in source.cases] == ["a", "c"]
    assert source.bad_records == (BadRecord("upload.json", "b", field, error.what),)


def test_a_raw_nul_in_a_string_is_the_fault_of_its_record(write: Write, samples: Samples) -> None:
    make = samples["counterfact-flat"][1]
    text = json.dumps([make("a"), {**make("b"), "subject": "Wenna@Brock"}])
    file = write(text.encode().replace(b"@", b"\x00"))
    assert fault("counterfact", file).field == "subject"
    source = read_source("counterfact", [file], on_bad_record="skip")
    assert [bad.reason for bad in source.bad_records] == ["expected text, found a NUL character"]


def test_faults_in_fields_that_are_not_read_do_not_matter(write: Write, samples: Samples) -> None:
    record = samples["counterfact-flat"][1]("a")
    record["cond"] = float("nan")
    record["note"] = json.loads(r'"\ud800\u0000"')
    assert len(read_source("counterfact", [write([record])]).cases) == 1


@pytest.mark.parametrize("value", [None, True, 3, "text", ["x"]])
def test_a_record_that_is_not_an_object(
    write: Write, sample: tuple[str, str, Make], value: object
) -> None:
    _, dataset, make = sample
    file = write([make(1), value, make(2)])
    error = fault(dataset, file)
    assert (error.record, error.field) == ("#2", None)
    assert error.what.startswith("expected an object, found ")
    source = read_source(dataset, [file], on_bad_record="skip")
    assert [bad.record for bad in source.bad_records] == ["#2"]
    assert len(source.cases) == 2


def test_a_later_record_of_another_schema_is_bad(write: Write, samples: Samples) -> None:
    names = sorted(samples)
    for first in names:
        dataset, make = samples[first]
        for second in names:
            if second in (first, "mquake") or {first, second} == {
                "akew-counterfact",
                "akew-wikiupdate",
            }:
                continue  # these differ only in fields that may be absent or are not read
            many = [make(n) for n in range(25)]
            file = write([*many, samples[second][1](25)])
            error = fault(dataset, file)
            assert error.record in ("25", "#26"), (first, second)
            assert error.field, (first, second)
            source = read_source(dataset, [file], on_bad_record="skip")
            assert (len(source.cases), len(source.bad_records)) == (25, 1), (first, second)


@pytest.mark.parametrize(
    ("case_id", "edit_id"),
    [
        (0, "counterfact/0/0"),
        (-3, "counterfact/-3/0"),
        ("x 1", "counterfact/x 1/0"),
        ("a/b/c", "counterfact/a_b_c/0"),
        (" s ", "counterfact/s/0"),
    ],
)
def test_case_ids(write: Write, samples: Samples, case_id: object, edit_id: str) -> None:
    source = read_source("counterfact", [write([samples["counterfact"][1](case_id)])])
    (edit,) = source.cases[0].edits
    assert edit.edit_id == edit_id
    assert edit.edit_id.count("/") == 2
    assert edit.case == source.cases[0].case_id
    assert edit.source.record == str(case_id).strip()


@pytest.mark.parametrize("case_id", [None, True, 1.5, "", "a\nb", "\u2028", [1], {}])
def test_case_ids_that_are_none(write: Write, samples: Samples, case_id: object) -> None:
    make = samples["counterfact"][1]
    file = write([make(1), make(case_id)])
    error = fault("counterfact", file)
    assert (error.record, error.field) == ("#2", "case_id")
    assert "expected" in error.what


def test_the_second_record_with_an_id_is_bad(
    write: Write, sample: tuple[str, str, Make], positional: frozenset[str]
) -> None:
    name, dataset, make = sample
    if name in positional:
        return  # a position is there once
    file = write([make(1), make(2), make("1")])
    error = fault(dataset, file)
    assert error.record == "1"
    assert error.field == ("en.case_id" if name == "wikifactdiff-flat" else "case_id")
    assert error.what == f"expected an id used once, found that of record #1 of {file}"
    source = read_source(dataset, [file], on_bad_record="skip")
    assert [case.case_id for case in source.cases] == ["1", "2"]
    assert len(source.bad_records) == 1


def test_ids_that_are_equal_once_written_are_duplicates(write: Write, samples: Samples) -> None:
    make = samples["counterfact"][1]
    assert "record #1" in fault("counterfact", write([make("a/b"), make("a_b")])).what


def test_several_files_keep_their_ids_apart(write: Write, samples: Samples) -> None:
    first = write([samples["counterfact"][1](n) for n in (1, 2)], "one.json")
    second = write([samples["counterfact-flat"][1](n) for n in (2, 1)], "two.json")
    third = write([samples["akew-counterfact"][1](1)], "three.json")
    source = read_source("counterfact", [first, second, third])
    assert [case.case_id for case in source.cases] == ["1", "2", "2.2", "2.1", "3.1"]
    assert [edit.edit_id for case in source.cases for edit in case.edits][2:4] == [
        "counterfact/2.2/0",
        "counterfact/2.1/0",
    ]
    assert source.cases[2].edits[0].source.record == "2"
    assert source.cases[2].edits[0].source.file == "two.json"
    assert source.schemas == {
        "one.json": "counterfact",
        "two.json": "counterfact-flat",
        "three.json": "akew-counterfact",
    }
    assert source.files == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second, third)
    }


def test_a_record_without_id_is_known_by_its_position(write: Write, samples: Samples) -> None:
    dataset, make = samples["knowedit-rippleedits"]
    file = write([make(), {**make(), "subject": ""}, make()], "one.json")
    source = read_source(dataset, [file, write([make()], "two.json")], on_bad_record="skip")
    assert [case.case_id for case in source.cases] == ["0", "2", "2.0"]
    assert source.cases[1].edits[0].edit_id == "rippleedits/2/0"
    assert [bad.record for bad in source.bad_records] == ["1"]


def test_an_id_that_looks_like_another_files_is_a_duplicate(write: Write, samples: Samples) -> None:
    make = samples["counterfact"][1]
    first, second = write([make("2.5")], "one.json"), write([make(5)], "two.json")
    assert f"record #1 of {first}" in fault("counterfact", first, second).what


def test_two_files_of_one_name_are_refused(write: Write, samples: Samples, tmp_path: Path) -> None:
    first = write([samples["counterfact"][1](1)])
    (tmp_path / "other").mkdir()
    second = write([samples["counterfact"][1](1)], "other/upload.json")
    assert str(first) in fault("counterfact", first, second).what
    assert "the same name" in fault("counterfact", first, first).what


def test_a_request_for_nothing_known() -> None:
    assert str(fault("mquake", Path("x"))) == (
        "no source is called 'mquake'; did you mean 'mquake_cf'? "
        "known: counterfact, wikiupdate, wikifactdiff, mquake_cf, rippleedits, zsre"
    )
    assert str(fault("wikiupdate")) == (
        "no file of wikiupdate is named; give --source wikiupdate=PATH"
    )


@pytest.mark.parametrize("mode", ["fail", "skip"])
@pytest.mark.parametrize("cut", [1, 40, 150])
def test_a_truncated_file_is_never_skipped(
    write: Write, sample: tuple[str, str, Make], mode: Any, cut: int
) -> None:
    _, dataset, make = sample
    whole = json.dumps([make(n) for n in range(30)]).encode()
    file = write(whole[:-cut])
    with pytest.raises(DataError) as caught:
        read_source(dataset, [file], on_bad_record=mode)
    assert caught.value.file == str(file)
    assert caught.value.record in ("#30", "#29")
    assert f"of {len(whole) - cut}" in caught.value.what
    assert caught.value.fix == "fetch the file again or mend it"


@pytest.mark.parametrize("mode", ["fail", "skip"])
def test_other_faults_of_whole_files_are_never_skipped(
    write: Write, samples: Samples, tmp_path: Path, mode: Any
) -> None:
    whole = json.dumps([samples["counterfact"][1](n) for n in range(30)]).encode()
    deep = whole[:-1] + b", " + b'{"a": [' * 100_000
    for file, what in [
        (write(b"", "empty"), "found an empty file"),
        (write(b"[]", "none"), "the file holds no records"),
        (write(whole + b"!", "more"), "the array is over, but the file goes on"),
        (write(whole.replace(b"glazier", b"gl\xffzier", 1), "latin"), "is not UTF-8 text"),
        (write(deep, "deep"), "nested too deeply"),
        (tmp_path, "found a folder"),
        (tmp_path / "absent", "no such file"),
    ]:
        with pytest.raises(DataError) as caught:
            read_source("counterfact", [file], on_bad_record=mode)
        assert what in caught.value.what
        assert caught.value.file == str(file)
        assert caught.value.fix


def test_a_byte_order_mark_is_accepted(write: Write, samples: Samples) -> None:
    text = json.dumps([samples["counterfact"][1](1)])
    source = read_source("counterfact", [write(b"\xef\xbb\xbf" + text.encode())])
    assert len(source.cases) == 1


def test_a_file_of_bad_records_only_is_an_error(write: Write, samples: Samples) -> None:
    make = samples["counterfact-flat"][1]
    good = write([make(1)], "good.json")
    bad = write([{**make(1), "subject": ""}, {**make(2), "prompt": ""}], "bad.json")
    with pytest.raises(DataError) as caught:
        read_source("counterfact", [good, bad], on_bad_record="skip")
    assert str(caught.value) == (
        f"file {bad}, record 1, field subject: none of its 2 records can be used; the first: "
        "expected a non-empty string, found an empty one; check that it is the right file"
    )


def test_reading_twice_gives_the_same(write: Write, sample: tuple[str, str, Make]) -> None:
    _, dataset, make = sample
    file = write([make(1), make(2)])
    assert read_source(dataset, [file]) == read_source(dataset, [file])


def test_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, scopebench.sources\n"
        "heavy = {'torch', 'transformers', 'datasets', 'pandas', 'numpy', 'scipy', 'pyarrow'}\n"
        "sys.exit(sorted(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
