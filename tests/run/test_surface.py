"""Subjects and templates of an index found in a question: by hand, and against the definition."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.records import Edit, FactObject, SourceRef
from scopebench.run.surface import Surface, Words, templates_of, words_of

SOURCE = SourceRef(file="towns.json", record="1", sha256="0" * 64)


def make_edit(number: int, subject: str, question: str | None, prompt: str = "{} lies in") -> Edit:
    return Edit(
        edit_id=f"toy/{number}/0",
        dataset="toy",
        subject=subject,
        prompt=prompt,
        question=question,
        target_new=FactObject(text="Vell"),
        target_true=None,
        source=SOURCE,
    )


TOWNS = (
    make_edit(0, "Ardenbrook", "Where does Ardenbrook lie?"),
    make_edit(1, "Port Sállow", "Where does Port Sállow lie?"),
    make_edit(2, "Ardenbrook", "Who is the mayor of Ardenbrook?", "The mayor of {} is"),
    make_edit(3, "Corriston", None, "{}'s river is the"),
    make_edit(4, "The Lantern", "In which town was it printed?", "{} was printed in"),
)
SURFACE = Surface(TOWNS)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How old is Ardenbrook?", True),
        ("HOW OLD IS ARDENBROOK", True),
        ("Ardenbrook's age?", True),
        ("How old is Ardenbrooks?", False),
        ("How old is New-Ardenbrook?", True),  # by words: a hyphen parts them
        ("Is port sallow old?", True),
        ("Is the port of Sállow old?", False),
        ("Who lit the lantern?", True),
        ("Who lit a lantern?", False),
        ("", False),
    ],
)
def test_a_subject_is_found_by_whole_words(question: str, found: bool) -> None:
    assert SURFACE.subject_match(question) is found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where does Elm Quay lie?", True),
        ("where does élm quay lie", True),
        ("Where does lie?", False),  # nothing in the slot
        ("Where, then, does Elm Quay lie?", False),
        ("Where does Elm Quay lie today?", False),
        ("Who is the mayor of Elm Quay?", True),
        ("The mayor of Elm Quay is", True),
        ("Elm Quay's river is the", True),
        ("Elm Quay lies in", True),
        ("In which town was it printed?", False),  # the question does not name its subject
        ("It was printed in", True),
        ("Who founded Ardenbrook?", False),
    ],
)
def test_a_template_is_followed_whatever_stands_in_its_slot(question: str, found: bool) -> None:
    assert SURFACE.template_match(question) is found


def test_what_is_hidden_is_not_found_unless_another_edit_has_it_too() -> None:
    asked = "Where does Ardenbrook lie?"
    one, both = frozenset({"toy/0/0"}), frozenset({"toy/0/0", "toy/2/0"})
    assert SURFACE.subject_match(asked, one)  # edit 2 is about Ardenbrook too
    assert not SURFACE.subject_match(asked, both)
    assert SURFACE.template_match(asked, both)  # edit 1 is asked in the same way
    assert not SURFACE.template_match(asked, both | {"toy/1/0"})
    assert SURFACE.template_match("The mayor of Elm Quay is", one)
    assert not SURFACE.template_match("The mayor of Elm Quay is", both)


def test_a_slot_alone_and_a_subject_without_words_fit_nothing() -> None:
    surface = Surface([make_edit(0, "!!!", "!!!", "{}"), make_edit(1, "Elm Quay", "Elm Quay?")])
    assert not surface.subject_match("Who are they?")
    assert not surface.template_match("Who are they?")
    assert list(templates_of(make_edit(0, "!!!", "Who are !!!?", "{}"))) == []


def test_an_empty_index_matches_nothing() -> None:
    assert not Surface([]).subject_match("Where does Ardenbrook lie?")
    assert not Surface([]).template_match("Where does Ardenbrook lie?")


def test_every_place_of_the_subject_is_a_slot() -> None:
    edit = make_edit(0, "Who", "Who leads the Who?")
    assert set(templates_of(edit)) == {
        ((), ("lies", "in")),
        ((), ("leads", "the", "who")),
        (("who", "leads", "the"), ()),
    }


def subject_by_definition(question: Words, edits: Sequence[Edit], hidden: frozenset[str]) -> bool:
    spaced = f" {' '.join(question)} "
    return any(
        f" {' '.join(words_of(edit.subject))} " in spaced
        for edit in edits
        if edit.edit_id not in hidden and words_of(edit.subject)
    )


def template_by_definition(question: Words, edits: Sequence[Edit], hidden: frozenset[str]) -> bool:
    for edit in edits:
        for before, after in templates_of(edit) if edit.edit_id not in hidden else ():
            begins = question[: len(before)] == before
            ends = question[len(question) - len(after) :] == after
            if begins and ends and len(question) > len(before) + len(after):
                return True
    return False


TEXTS = st.lists(st.sampled_from(("elm", "Élm", "quay", "of", "is", "?")), max_size=6).map(" ".join)


@given(
    st.lists(st.tuples(TEXTS.filter(bool), st.none() | TEXTS, TEXTS, TEXTS), max_size=5),
    TEXTS,
    st.frozensets(st.integers(0, 4)),
)
@settings(max_examples=600, deadline=None)
def test_it_finds_what_comparing_with_every_edit_finds(
    index: list[tuple[str, str | None, str, str]], question: str, numbers: frozenset[int]
) -> None:
    edits = [
        make_edit(number, subject, asked, f"{before} {{}} {after}")
        for number, (subject, asked, before, after) in enumerate(index)
    ]
    hidden = frozenset(f"toy/{number}/0" for number in numbers)
    surface, words = Surface(edits), words_of(question)
    assert surface.subject_match(question, hidden) is subject_by_definition(words, edits, hidden)
    assert surface.template_match(question, hidden) is template_by_definition(words, edits, hidden)


def test_the_time_does_not_grow_with_the_index() -> None:
    forms = [f"Which {kind} does {{}} have in year {n}?" for n in range(20) for kind in ("a", "b")]

    def seconds(count: int) -> float:
        edits = [
            make_edit(n, f"Town {n} upon Sea", forms[n % 40].format(f"Town {n} upon Sea"))
            for n in range(count)
        ]
        asked = [forms[n % 40].format(f"Village {n} of the Sea") for n in range(2000)]
        surface = Surface(edits)
        for question in asked:
            words_of(question)  # folding is cached, and not what is measured
        begun = time.perf_counter()
        for question in asked:
            assert not surface.subject_match(question)
            assert surface.template_match(question)
        return time.perf_counter() - begun

    few, many = seconds(40), seconds(8000)
    assert many < 10 * few + 0.2  # comparing with every edit would take 200 times as long
