"""Marked places: filled in whole, in pairs, and nothing around them touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.report.results.markers import filled

FILE = Path("README.md")
TEXT = (
    "# A\n<!-- results:begin one -->\nold\n<!-- results:end one -->\n"
    "b <!-- results:begin two -->9.9<!-- results:end two --> c\n"
)
PARTS = {"one": "\nnew\nlines\n", "two": "1.5"}


def test_places_are_filled_and_the_rest_stays() -> None:
    assert filled(TEXT, PARTS, FILE) == (
        "# A\n<!-- results:begin one -->\nnew\nlines\n<!-- results:end one -->\n"
        "b <!-- results:begin two -->1.5<!-- results:end two --> c\n"
    )


@given(
    st.text(st.characters(exclude_characters="<")), st.text(st.characters(exclude_characters="<"))
)
def test_filling_again_changes_nothing_and_forgets_what_was_there(first: str, second: str) -> None:
    once = filled(TEXT, {"one": first, "two": second}, FILE)
    assert filled(once, {"one": first, "two": second}, FILE) == once
    assert filled(once, PARTS, FILE) == filled(TEXT, PARTS, FILE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("<!-- results:end two -->", ""), "has no partner"),
        (TEXT.replace("begin two", "begin three"), "has no partner"),
        (TEXT.replace("two", "three"), "places are one, three; they must be one, two"),
        (TEXT + TEXT, "places are one, one, two, two"),
        ("# none\n", "places are none; they must be one, two"),
        (
            "<!-- results:begin one --><!-- results:begin two --><!-- results:end two -->"
            "<!-- results:end one -->",
            "has no partner",
        ),
    ],
)
def test_markers_that_cannot_be_filled_are_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        filled(text, PARTS, FILE)
    assert "README.md" in str(caught.value)
