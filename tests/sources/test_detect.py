from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.sources import SOURCES, read_source
from scopebench.sources.detect import SCHEMAS, identify

Write = Callable[..., Path]
Make = Callable[..., dict[str, Any]]
Samples = dict[str, tuple[str, Make]]


def fault(dataset: str, path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source(dataset, [path], on_bad_record="skip")
    assert "\n" not in str(caught.value)
    return caught.value


def test_the_listing_holds_every_schema_once(samples: Samples) -> None:
    assert list(SOURCES) == [
        "counterfact",
        "wikiupdate",
        "wikifactdiff",
        "mquake_cf",
        "rippleedits",
        "zsre",
    ]
    listed = [(s.name, s.dataset) for info in SOURCES.values() for s in info.schemas]
    assert sorted(listed) == sorted((name, dataset) for name, (dataset, _) in samples.items())
    for name, info in SOURCES.items():
        assert info.name == name
        assert info.summary.endswith(".")
        assert all(schema.dataset == name and schema.summary for schema in info.schemas)


def test_content_decides_and_the_name_does_not(
    write: Write, sample: tuple[str, str, Make], positional: frozenset[str]
) -> None:
    name, dataset, make = sample
    path = write([make(1), make(2)], "MQuAKE-CF.json")
    source = read_source(dataset, [path])
    assert source.schemas == {"MQuAKE-CF.json": name}
    expected = ["0", "1"] if name in positional else ["1", "2"]
    assert [case.case_id for case in source.cases] == expected


def test_json_lines_are_read_in_every_schema(tmp_path: Path, sample: tuple[str, str, Make]) -> None:
    name, dataset, make = sample
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(json.dumps(make(n)) for n in range(25)))
    source = read_source(dataset, [path])
    assert source.schemas == {"lines.txt": name}
    assert len(source.cases) == 25
    path.write_text(json.dumps(make(1), indent=1))
    assert len(read_source(dataset, [path]).cases) == 1, "one record alone"


def test_the_wrong_data_set_is_told_the_right_one(
    write: Write, sample: tuple[str, str, Make]
) -> None:
    name, dataset, make = sample
    path = write([make(1)])
    for other in SOURCES:
        if other == dataset:
            continue
        error = fault(other, path)
        assert error.what.startswith(
            f"expected a file of {other}, found the schema {name} of {dataset} ("
        )
        assert error.fix == f"give it as --source {dataset}={path}"


def test_bad_records_before_the_first_good_one_do_not_hide_the_schema(
    write: Write, samples: Samples
) -> None:
    good = samples["counterfact"][1](1)
    path = write([None, 3, {"case_id": 0}, good])
    source = read_source("counterfact", [path], on_bad_record="skip")
    assert source.schemas == {"upload.json": "counterfact"}
    assert [bad.record for bad in source.bad_records] == ["#1", "#2", "0"]


@pytest.mark.parametrize(
    ("value", "outline"),
    [
        ([5], "found an array whose first record is a number;"),
        ([["a"]], "found an array whose first record is a list;"),
        ([{}], "found an array whose first record is an object with the keys (none);"),
        (
            [{"original_text": "x", "triplets\n": []}],
            r"found an array whose first record is an object with the keys original_text, "
            r"triplets\n;",
        ),
        (
            {str(n): {"question": "x"} for n in range(12)},
            "found one object with the keys 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more;",
        ),
        ([{"requested_rewrite": "x"}], "with the keys requested_rewrite;"),
        ([{"en": []}], "with the keys en;"),
    ],
)
def test_an_unknown_schema_says_what_was_found(write: Write, value: object, outline: str) -> None:
    error = fault("counterfact", write(value))
    assert outline in str(error)
    assert error.what.startswith("the schema is not known")
    for schema in SOURCES["counterfact"].schemas:
        assert f"{schema.name} ({schema.summary})" in (error.fix or "")
    assert "mquake" not in (error.fix or "")


def test_unknown_json_lines_are_called_so(write: Write) -> None:
    error = fault("mquake_cf", write(b'{"a": 1}\n{"b": 2}\n'))
    assert "found JSON Lines whose first record is an object with the keys a" in error.what


def test_an_empty_array_holds_no_records(write: Write) -> None:
    assert fault("mquake_cf", write([])).what == "the file holds no records"


def test_no_two_schemas_fit_one_sample(samples: Samples) -> None:
    for name, (_, make) in samples.items():
        assert [schema.name for schema in SCHEMAS if schema.matches(make(1))] == [name]


def test_a_raw_file_is_identified_alone(write: Write, sample: tuple[str, str, Make]) -> None:
    name, dataset, make = sample
    found, schema = identify(write([make(1), make(2)], "counterfact.json"))
    assert (found, schema.name, schema.dataset) == (dataset, name, dataset)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([{"a": 1}], "the schema is not known: found an array whose first record is an object"),
        ([], "the file holds no records"),
        (b"subject,new", "expected a JSON array of records or JSON Lines"),
    ],
)
def test_a_file_of_no_known_form_is_not_identified(write: Write, value: Any, what: str) -> None:
    with pytest.raises(DataError) as caught:
        identify(write(value))
    assert caught.value.what.startswith(what)
    if value == [{"a": 1}]:
        assert all(schema.name in (caught.value.fix or "") for schema in SCHEMAS)
    assert "\n" not in str(caught.value)
