"""Every rule decides something, and switching it off takes exactly that away."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from scopebench.scoring.match import match
from scopebench.scoring.strict import DEFAULT_RULES, Rules

CAPITAL = "What is the capital of Luxembourg?"

# Each rule: question, answer, gold and whether the answer is right while the rule is in force.
CASES: dict[str, list[tuple[str, str, str, bool]]] = {
    "refusals": [
        ("Where is it?", "I'm not sure. It might be Bergen.", "Bergen", False),
        ("Where is it?", "I'm unsure whether it is Bergen.", "Bergen", False),
    ],
    "thoughts": [
        ("Where is it?", "<think>It is Bergen.</think>It is Oslo.", "Bergen", False),
    ],
    "negated": [
        ("Who wrote it?", "It was not written by Ana Lind.", "Ana Lind", False),
        ("Who wrote it?", "It was written by anyone except Ana Lind.", "Ana Lind", False),
    ],
    "past": [
        ("What is it called?", "It used to be called Kristiania.", "Kristiania", False),
        ("What is it called?", "It is Oslo, formerly Kristiania.", "Kristiania", False),
    ],
    "commitment": [
        ("Where is it?", "It is in Bergen or Oslo.", "Bergen", False),
        ("Where is it?", "Bergen, Oslo, Molde, Voss, Narvik", "Bergen", False),
    ],
    "longer_names": [
        ("Where is it?", "New York", "York", False),
        ("Where is it?", "It is at the University of Bergen Museum.", "Bergen", False),
        ("How many are there?", "Prague 6", "6", False),
    ],
    "echoes": [(CAPITAL, "The capital of Luxembourg is", "Luxembourg", False)],
    "short_golds": [
        ("Where is it?", "They let us go.", "US", False),
        ("Where is it?", "it is Bergen", "is", False),
    ],
    "numbers": [
        ("How many are there?", "twenty-five", "25", True),
        ("How many are there?", "1,000", "1000", True),
        ("How many are there?", "2.5 million", "2,500,000", True),
    ],
    "dates": [
        ("When was it?", "4 July 1776", "July 4, 1776", True),
        ("When was it?", "1776-07-04", "4 July 1776", True),
    ],
    "spelling": [
        ("Where is it?", "Oresund", "Øresund", True),
        ("Where is it?", "J.R.R. Lind", "JRR Lind", True),
        ("Where is it?", "basket ball", "basketball", True),
    ],
    "marks": [
        ("Who owns it?", "It is owned by Ana Lind1.", "Ana Lind", True),
        ("How many are there?", "divided into20 parts", "20", True),
    ],
    "function_words": [("Where is it?", "It stands near River Orsk.", "in River Orsk", True)],
    "plurals": [
        ("What is it?", "It is a solid", "solids", True),
        ("What is it?", "They are ferries", "ferry", True),
    ],
    "phrases": [
        (
            "What does it carry?",
            "It carries information to control and signal.",
            "control and signalling information",
            True,
        ),
    ],
    "titles": [
        ("Who was it?", "John F. Kennedy", "U.S. President John F. Kennedy", True),
        ("Where is it?", "Bergen", "the city of Bergen", True),
    ],
    "middle_names": [
        ("Who was it?", "Ariana Richards", "Ariana Clarice Richards", True),
        ("Who was it?", "Ariana Clarice Richards", "Ariana Richards", True),
        ("Who was it?", "A. Richards", "Ariana Richards", True),
    ],
    "appositions": [
        ("Where is it?", "Tucson", "Tucson, Arizona", True),
        ("Who was it?", "Ana Lind", "Ana Lind (born 1950)", True),
    ],
    "conjunctions": [
        ("Where is it?", "Rome and Paris", "Paris and Rome", True),
        ("Where is it?", "Paris", "Paris or Rome", True),
    ],
}


def _is_right(case: tuple[str, str, str, bool], rules: Rules) -> bool:
    question, answer, gold, _ = case
    return match(answer, [gold], question=question, matcher="strict", rules=rules).correct


def test_every_rule_has_a_case() -> None:
    assert set(CASES) == {field.name for field in fields(Rules)}


def test_all_rules_are_in_force() -> None:
    assert all(getattr(DEFAULT_RULES, field.name) is True for field in fields(Rules))


@pytest.mark.parametrize(
    ("rule", "case"), [(rule, case) for rule, cases in CASES.items() for case in cases]
)
def test_a_rule_decides_and_can_be_switched_off(
    rule: str, case: tuple[str, str, str, bool]
) -> None:
    right = case[3]
    assert _is_right(case, DEFAULT_RULES) is right
    assert _is_right(case, replace(DEFAULT_RULES, **{rule: False})) is not right


def test_the_paper_matcher_has_no_rules() -> None:
    for rules in (DEFAULT_RULES, replace(DEFAULT_RULES, negated=False)):
        found = match("not Bergen", ["Bergen"], question=CAPITAL, matcher="paper", rules=rules)
        assert found.correct
