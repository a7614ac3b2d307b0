from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, Interval, SourceRef
from scopebench.sources import read_source

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]


def test_every_field_of_an_edit(write: Write, samples: Samples) -> None:
    source = read_source("wikifactdiff", [write([samples["wikifactdiff-flat"][1](7)])])
    assert source.schemas == {"upload.json": "wikifactdiff-flat"}
    assert source.cases[0].edits == (
        Edit(
            edit_id="wikifactdiff/7/0",
            dataset="wikifactdiff",
            subject="Wenna Brock",
            prompt="{} worked as a",
            target_new=FactObject(text="glazier"),
            target_true=FactObject(text="cooper"),
            time_true=Interval(start="2021-01-04", end="2021-01-04"),
            time_new=Interval(start="2023-02-27", end="2023-02-27"),
            source=SourceRef(file="upload.json", record="7", sha256=source.files["upload.json"]),
        ),
    )


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("alt", "Cooper", "expected an object other than the old one"),
        ("old", "", "expected a non-empty string"),
        ("src", "She worked as a", "expected the subject 'Wenna Brock' in it"),
        ("subject", 5, "expected a string, found a number"),
        ("case_id", None, "expected an integer or a string, found null"),
    ],
)
def test_fields_are_named_with_their_wrapper(
    write: Write, samples: Samples, key: str, value: object, what: str
) -> None:
    record = samples["wikifactdiff-flat"][1](7)
    record["en"][key] = value
    with pytest.raises(DataError) as caught:
        read_source("wikifactdiff", [write([record])])
    assert caught.value.field == f"en.{key}"
    assert what in caught.value.what


def test_a_record_without_its_wrapper(write: Write, samples: Samples) -> None:
    good = samples["wikifactdiff-flat"][1](7)
    with pytest.raises(DataError, match=r"record #2, field en: the field is missing"):
        read_source("wikifactdiff", [write([good, good["en"]])])
