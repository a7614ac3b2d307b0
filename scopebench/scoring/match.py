"""Whether an answer is right: two matchers, both always reported.

`paper` is the founding paper's (section 4): an answer is right if it contains the gold or an alias,
in NFKD, without diacritics and without case. It pays for refusals and for the echoed question:
ordinary refusals are credited on about 10% of MQuAKE-CF's single-hop questions, because "There is
not enough information" contains "en", an alias of English (field survey, section 2.3).

`strict`, the default, asks whether the answer *says* the gold: not denied, not one of several, not
part of a longer name or number, not the question repeated, not a refusal; and however it is spelt:
numbers and dates by value, names without title or middle name. `scopebench.scoring.strict` has the
rules, `docs/matching.md` explains each and shows how often both matchers agree with people.

Whatever the rules, an answer that equals a gold is right, and an empty answer is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from scopebench.records import Matcher
from scopebench.scoring.normalise import fold_paper
from scopebench.scoring.refusals import assertions, is_refusal
from scopebench.scoring.strict import DEFAULT_RULES, Rules, earns, without_thoughts

MATCHER_VERSIONS: Final[dict[Matcher, str]] = {"strict": "strict/2", "paper": "paper/1"}

ORDINARY_REFUSALS: Final = (
    "I don't know.",
    "I'm sorry, but I cannot answer that question.",
    "There is not enough information to answer.",
    "The context does not say.",
    "I am not sure about that.",
    "No information is available on this.",
)
"""Refusals as models word them, to find golds that pay for refusing."""


class Match(NamedTuple):
    """What a matcher says of one answer.

    Attributes:
        correct: Whether it is right.
        refused: Whether it is a refusal, under either matcher.
    """

    correct: bool
    refused: bool

    def __bool__(self) -> bool:
        return self.correct


class Verdict(NamedTuple):
    """What both matchers say of one outcome; null where there is nothing to say.

    Attributes:
        correct: Right under the strict matcher; null without an answer or without gold.
        correct_paper: Right under the paper's matcher; null likewise.
        refused: Whether the answer is a refusal; null without an answer.
    """

    correct: bool | None
    correct_paper: bool | None
    refused: bool | None


def match(
    text: str,
    answers: Sequence[str],
    *,
    question: str,
    matcher: Matcher,
    rules: Rules = DEFAULT_RULES,
) -> Match:
    """Match one answer against its golds.

    Args:
        text: The answer.
        answers: The accepted answers, in any order; none makes every answer wrong.
        question: The question as it was asked.
        matcher: `strict` or `paper`; the rules are those of this module's docstring.
        rules: Which rules of the strict matcher are in force; the protocol's are all.
    """
    strict = _strict(text, answers, question, rules)
    if matcher == "paper":
        return Match(_is_contained(text, answers), strict.refused)
    return strict


def judge(text: str | None, answers: Sequence[str] | None, *, question: str) -> Verdict:
    """Judge one outcome under both matchers.

    Args:
        text: The answer; null where the action is not legal.
        answers: The accepted answers; null where the query is decision-only.
        question: The question as it was asked.
    """
    if text is None:
        return Verdict(None, None, None)
    strict = _strict(text, answers or (), question, DEFAULT_RULES)
    if answers is None:
        return Verdict(None, None, strict.refused)
    return Verdict(strict.correct, _is_contained(text, answers), strict.refused)


@lru_cache(maxsize=1 << 16)
def credits_refusal(answer: str) -> bool:
    """Return whether the paper's matcher would pay an ordinary refusal where this is accepted.

    field.md section 2.3: six such refusals are credited on 10.1% of MQuAKE-CF's single hops.
    """
    return any(_is_contained(refusal, (answer,)) for refusal in ORDINARY_REFUSALS)


def _is_contained(text: str, answers: Sequence[str]) -> bool:
    """The paper's matcher."""
    folded = fold_paper(text)
    needles = (fold_paper(gold).strip() for gold in answers)
    return any(needle != "" and needle in folded for needle in needles)


def _strict(text: str, answers: Sequence[str], question: str, rules: Rules) -> Match:
    """The strict matcher: a refusal is judged by what it goes on to assert."""
    spoken = without_thoughts(text) if rules.thoughts else text
    asserted = _assertions(spoken, question) if rules.refusals else None
    if asserted is None:
        return Match(earns(spoken, answers, question, rules), False)
    if any(is_refusal(gold) and earns(spoken, (gold,), question, rules) for gold in answers):
        return Match(True, False)  # a film called "Unknown"
    return Match(earns(asserted, answers, question, rules), not asserted)


def _assertions(text: str, question: str) -> str | None:
    """Return what an answer that opens with a refusal asserts, its echoed question aside."""
    found = assertions(text)
    if found is None and question and question in text:
        return assertions(text.rpartition(question)[2])
    return found
