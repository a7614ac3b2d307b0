from __future__ import annotations

import json
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.sources.fields import Fields, kind_of, shown


def fields(**values: Any) -> Fields:
    return Fields(values, "f.json", "12", "outer[0]")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "a boolean"),
        (3, "a number"),
        (2.5, "a number"),
        (float("nan"), "NaN"),
        (float("-inf"), "an infinite number"),
        ("", "a string"),
        ([], "a list"),
        ({}, "an object"),
    ],
)
def test_kinds_in_words(value: object, words: str) -> None:
    assert kind_of(value) == words


def test_shown_is_one_short_line() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert shown("x" * 41) == repr("x" * 39 + "…")
    assert shown("x" * 40) == repr("x" * 40)


def test_text_is_stripped_and_must_hold_something() -> None:
    assert fields(a="  two words ").text("a") == "two words"
    for empty in ("", " \t"):
        with pytest.raises(DataError, match=r"field outer\[0\]\.a: expected a non-empty string"):
            fields(a=empty).text("a")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (5, "expected a string, found a number"),
        (float("nan"), "expected a string, found NaN"),
        (None, "expected a string, found null"),
        (["x"], "expected a string, found a list"),
        ("a\x00b", "expected text, found a NUL character"),
        (json.loads(r'"\ud800"'), "expected Unicode text, found an unpaired surrogate"),
        (json.loads(r'"é\udc00x"'), "expected Unicode text, found an unpaired surrogate"),
    ],
)
def test_what_is_not_text_is_refused(value: object, what: str) -> None:
    with pytest.raises(DataError) as caught:
        fields(a=value).text("a")
    assert str(caught.value) == (
        f"file f.json, record 12, field outer[0].a: {what}; "
        "correct the record, or leave bad ones out with --on-bad-record skip"
    )


def test_a_surrogate_pair_is_one_character() -> None:
    assert fields(a=json.loads(r'"\ud83d\ude00"')).text("a") == "\U0001f600"


def test_missing_differs_from_null() -> None:
    with pytest.raises(DataError, match="the field is missing; expected a non-empty string"):
        fields().text("a")
    with pytest.raises(DataError, match="the field is missing; expected an object"):
        fields().child("a")
    assert fields(a=None).value("a", "anything") is None
    assert fields().optional_text("a") is None
    assert fields(a=None).optional_text("a") is None


def test_lists_name_the_item_at_fault() -> None:
    assert fields(a=["x", " ", " y "]).texts("a") == ("x", "y")
    with pytest.raises(DataError, match=r"outer\[0\]\.a\[1\]: expected a string, found a number"):
        fields(a=["x", 1]).texts("a")
    with pytest.raises(DataError, match="expected a list of strings, found a string"):
        fields(a="x").texts("a")
    with pytest.raises(DataError, match=r"outer\[0\]\.a\[0\]: expected an object, found null"):
        fields(a=[None]).children("a")
    with pytest.raises(DataError, match=r"outer\[0\]\.a\[0\]\.b\.c: the field is missing"):
        fields(a=[{"b": {}}]).children("a")[0].child("b").text("c")


def test_rows_have_one_width_and_may_have_gaps() -> None:
    assert fields(a=[["x", None, ""]]).rows("a", 3) == (("x", None, None),)
    with pytest.raises(DataError, match=r"a\[1\]: expected 3 strings, found 2"):
        fields(a=[["x", "y", "z"], ["x", "y"]]).rows("a", 3)
    with pytest.raises(DataError, match=r"a\[0\]: expected 3 strings, found a string"):
        fields(a=["xyz"]).rows("a", 3)
    with pytest.raises(DataError, match=r"a\[0\]\[2\]: expected a string, found a number"):
        fields(a=[["x", "y", 3]]).rows("a", 3)


def test_a_flag_is_a_boolean_or_absent() -> None:
    assert fields(a=False).optional_flag("a") is False
    assert fields().optional_flag("a") is None
    with pytest.raises(DataError, match="expected a boolean, found a number"):
        fields(a=1).optional_flag("a")
