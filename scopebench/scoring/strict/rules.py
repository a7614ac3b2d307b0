"""The rules of the strict matcher, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Rules:
    """Which rules are in force; `docs/matching.md` has each with its mirror image.

    The first group withholds credit although the gold's words stand in the answer, the second gives
    it although they stand there otherwise.

    Attributes:
        refusals: A refusal earns nothing; what follows one counts only where it asserts.
        thoughts: What a reasoning model thinks (`<think>`) is no part of its answer.
        negated: "not X", "X did not", "anyone but X" earn nothing.
        past: "formerly X" and "it used to be X" earn nothing where the present is asked.
        commitment: One of several alternatives ("X or Y", a list) earns nothing.
        longer_names: X earns nothing inside a longer name ("New X", "X University").
        echoes: X earns nothing where the question is repeated.
        short_golds: Golds of up to three characters keep their case.
        numbers: Numbers, with their sign, groups and scale, are compared by value.
        dates: Dates are compared by day, month and year, as far as the gold gives them.
        spelling: Letters without decomposition, dots of abbreviations and spaces do not matter.
        marks: Citation marks and lost spaces do not matter.
        function_words: Articles and prepositions before a gold may be left out.
        plurals: Common nouns may stand in the other number.
        phrases: A gold that describes ("control and signalling information") may have its words in
            any order and any form, close together.
        titles: Titles and descriptions before a gold's name may be left out.
        middle_names: Middle names may be left out or added, initials stand for names.
        appositions: What follows a gold's name after a comma or in brackets may be left out.
        conjunctions: "A and B" may stand in any order; "A or B" is either.
    """

    refusals: bool = True
    thoughts: bool = True
    negated: bool = True
    past: bool = True
    commitment: bool = True
    longer_names: bool = True
    echoes: bool = True
    short_golds: bool = True
    numbers: bool = True
    dates: bool = True
    spelling: bool = True
    marks: bool = True
    function_words: bool = True
    plurals: bool = True
    phrases: bool = True
    titles: bool = True
    middle_names: bool = True
    appositions: bool = True
    conjunctions: bool = True


DEFAULT_RULES: Final = Rules()
"""The rules of the protocol: all of them."""
