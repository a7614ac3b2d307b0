"""What a judge is asked. The worked examples are invented, half of them right."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

PROMPT_VERSION: Final = 1
"""Raised with every change of the prompt."""

_EXAMPLES: Final = (
    ("Who founded the Brightwater Observatory?", ("Marta Olenko",), "It was Olenko, Marta.", True),
    ("In which year did the Aurora sink?", ("1931",), "The ship went down in 1913.", False),
    ("Which river runs through Veltham?", ("the Sorrel",), "The Sorrel River does.", True),
    ("Who wrote The Salt Orchard?", ("Idris Halloway",), "Not Halloway but his sister.", False),
    ("How many harbours has Orsk?", ("two", "2"), "There are 2 of them.", True),
    ("Which town is the ferry's home?", ("Lower Veltham",), "Upper Veltham", False),
)

_TEMPLATE: Final = (
    "Question: {question}\nAccepted: {golds}\nGiven: {text}\n"
    "Does the given answer mean an accepted one?{verdict}"
)


class Item(NamedTuple):
    """An answer to be judged.

    Attributes:
        question: The question as it was asked.
        golds: The accepted answers.
        text: The answer.
    """

    question: str
    golds: tuple[str, ...]
    text: str


def prompt(item: Item) -> str:
    """Return the prompt that asks for the verdict on an answer; line breaks become spaces."""
    return _HEAD + _filled(item, "")


def fingerprint() -> str:
    """Return the SHA-256 over the prompt's version and its text."""
    return hashlib.sha256(f"{PROMPT_VERSION}\n{_HEAD}{_TEMPLATE}".encode()).hexdigest()


def _filled(item: Item, verdict: str) -> str:
    return _TEMPLATE.format(
        question=" ".join(item.question.split()),
        golds="; ".join(" ".join(gold.split()) for gold in item.golds),
        text=" ".join(item.text.split()),
        verdict=verdict,
    )


_HEAD: Final = "".join(
    _filled(Item(question, golds, text), " Yes\n\n" if right else " No\n\n")
    for question, golds, text, right in _EXAMPLES
)
