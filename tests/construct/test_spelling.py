"""One name in two spellings, and two names that differ in little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.spelling import one_name, same_spelling

ONE = [
    ("Łódź", "Lodz"),
    ("São Paulo", "Sao Paulo"),
    ("Pyotr Tchaikovsky", "Pyotr Chaikovsky"),
    ("Fyodor Dostoevsky", "Fyodor Dostoyevsky"),
    ("Sergei Prokofiev", "Sergey Prokofieff"),
    ("Mohammed Rafi", "Muhammad Rafi"),
    ("Saddam Hussein", "Saddam Husain"),
    ("Goethe Street", "Göthe Street"),
    ("St. Petersburg", "Saint Petersburg"),
    ("Mt. Everest", "Mount Everest"),
    ("The Beatles", "Beatles"),
    ("Hague", "The Hague"),
    ("John F. Kennedy", "John Kennedy"),
    ("John F. Kennedy", "John Fitzgerald Kennedy"),
    ("J. Edgar Hoover", "John Edgar Hoover"),
    ("Sir Isaac Newton", "Isaac Newton"),
    ("President Barack Obama", "Barack Obama"),
    ("Queen Elizabeth II", "Elizabeth II"),
    ("Louis 16", "Louis XVI"),
    ("Ferenc Nagy", "Nagy Ferenc"),
    ("Kennedy, John F.", "John F. Kennedy"),
    ("Hewlett-Packard", "Hewlett Packard"),
    ("SeaWorld Orlando", "Sea World Orlando"),
    ("Marks & Spencer", "Marks and Spencer"),
    ("O'Higgins", "O’Higgins"),
    ("Ford Motor Company", "Ford Motor"),
    ("Royal National Theatre", "Royal National Theater"),
]

TWO = [
    ("Louis XV", "Louis XVI"),
    ("Elizabeth I", "Elizabeth II"),
    ("Gregory XII", "Gregory XIII"),
    ("Henry V", "Henry"),
    ("Apple II", "Apple III"),
    ("Apollo 11", "Apollo 12"),
    ("Boeing 737", "Boeing 747"),
    ("George H. W. Bush", "George W. Bush"),
    ("John Q. Adams", "John R. Adams"),
    ("John Adams", "John Quincy Adams"),
    ("Martin Luther King Jr.", "Martin Luther King Sr."),
    ("Martin Luther King Jr.", "Martin Luther King"),
    ("Alexandre Dumas père", "Alexandre Dumas fils"),
    ("Pliny the Elder", "Pliny the Younger"),
    ("Prince Albert", "King Albert"),
    ("Anna Smith", "Anne Smith"),
    ("Mario Rossi", "Maria Rossi"),
    ("Hans Christian Andersen", "Hans Christian Anderson"),
    ("Francis Bacon", "Frances Bacon"),
    ("Saint Petersburg", "Petersburg"),
    ("Batley", "Betley"),
    ("Guinea", "Guinea-Bissau"),
    ("North Korea", "South Korea"),
    ("Miami University", "University of Miami"),
    ("Republic of the Congo", "Democratic Republic of the Congo"),
    ("Michael J", "Michael Johnson"),
    ("Malcolm X", "Malcolm"),
]


@pytest.mark.parametrize(("first", "second"), ONE)
def test_one_name_in_two_spellings(first, second):
    assert one_name(first, second)
    assert one_name(second, first)


@pytest.mark.parametrize(("first", "second"), TWO)
def test_names_that_differ_in_little_are_two(first, second):
    assert not one_name(first, second)
    assert not one_name(second, first)


@given(st.text(max_size=30), st.text(max_size=30))
def test_it_does_not_matter_which_comes_first(first, second):
    assert one_name(first, second) == one_name(second, first)
    assert same_spelling(first, second) == same_spelling(second, first)


@given(st.text(max_size=40))
def test_a_name_is_itself(name):
    assert one_name(name, name)
    assert same_spelling(name, name)


@given(
    st.text("abcdefghij", min_size=3, max_size=8),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_numbers_alone_tell_names_apart(name, first, second):
    assert one_name(f"{name} {first}", f"{name} {second}") is (first == second)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Łódź", "lodz", True),
        ("Nagy Ferenc", "Ferenc Nagy", True),
        ("St. Louis", "Saint Louis", True),
        ("John F. Kennedy", "John Kennedy", False),
        ("Sir Isaac Newton", "Isaac Newton", False),
        ("Mohammed Rafi", "Muhammad Rafi", False),
    ],
)
def test_the_same_spelling_leaves_no_part_out(first, second, same):
    assert same_spelling(first, second) is same
