from __future__ import annotations

import pytest

from scopebench.construct.text import bare, holds_phrase, natural_key, normalise, trigrams


@pytest.mark.parametrize(
    ("text", "expected"),
    [("  Zürich\tHAUPT bahnhof ", "zurich haupt bahnhof"), ("C++", "c++"), ("Straße", "strasse")],
)
def test_normalise_keeps_punctuation_and_drops_case_marks_and_spaces(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("St. John's", "st john s"), ("C++", "c"), ("?!", "?!"), ("दिल्ली", "दिलली")],
)
def test_bare_drops_punctuation_unless_nothing_is_left(text, expected):
    assert bare(text) == expected


def test_trigrams_pad_with_one_space():
    assert trigrams("abc") == {" ab", "abc", "bc "}
    assert trigrams("a") == {" a "}


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("association football", "football", True),
        ("footballer", "football", False),
        ("los angeles, california", "california", True),
        ("anything", "", False),
        ("what is c++?", "c++", True),
    ],
)
def test_a_phrase_is_held_on_word_boundaries_only(text, phrase, expected):
    assert holds_phrase(text, phrase) is expected


def test_natural_order_counts_digits_as_numbers():
    ids = ["d/10/0", "d/9/1", "d/2.3/0", "d/x/0", "d/09/1"]
    assert sorted(ids, key=natural_key) == ["d/2.3/0", "d/09/1", "d/9/1", "d/10/0", "d/x/0"]
