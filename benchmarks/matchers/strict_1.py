"""The strict matcher as it was in its first version, `strict/1`, to be compared with.

An answer is right if it holds a gold between word boundaries, is no refusal and does more than
repeat the question; golds of up to three characters keep their case, and must be the whole answer
where they are spelt like an ordinary word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from matchers.normalise_1 import fold_paper, fold_words
from matchers.refusals_1 import is_refusal

SHORT_GOLD: Final = 3
"""Golds of at most so many characters keep their case (field survey, section 3, check 4)."""

ECHO_WORDS: Final = 6
"""So many words in a row shared with the question are an echo, however long the question is."""

ORDINARY_WORDS: Final = frozenset(
    {"A", "An", "And", "Are", "As", "At", "But", "By", "For", "He", "Her", "His", "I", "If", "In"}
    | {"Is", "It", "Its", "My", "Not", "Of", "On", "Or", "She", "So", "The", "To", "Was", "We"}
)
"""Words of at most three letters, as they open an English sentence."""


class Match(NamedTuple):
    """What a matcher says of one answer.

    Attributes:
        correct: Whether it is right.
        refused: Whether it is a refusal, under either matcher.
    """

    correct: bool
    refused: bool


def match(text: str, answers: Sequence[str], *, question: str) -> Match:
    """Match one answer against its golds."""
    refused = refuses(text, answers, question=question)
    return Match(not refused and any(_is_earned(gold, text, question) for gold in answers), refused)


def refuses(text: str, answers: Sequence[str], *, question: str) -> bool:
    """Return whether an answer, its echoed question aside, is a refusal and no accepted answer."""
    spoken = text.rpartition(question)[2] if question and question in text else text
    if not (is_refusal(text) or is_refusal(spoken)):
        return False
    words = fold_words(text).folded
    return not any(is_refusal(gold) and _holds(words, fold_words(gold).folded) for gold in answers)


def _is_earned(gold: str, text: str, question: str) -> bool:
    """The strict matcher for one gold, refusals aside."""
    wanted, given = fold_words(gold), fold_words(text)
    if not wanted.cased:  # nothing but punctuation: then it must be the whole answer
        whole = fold_paper(gold).strip()
        return whole != "" and whole == fold_paper(text).strip()
    short = len(wanted.cased) <= SHORT_GOLD
    needle, words = (wanted.cased, given.cased) if short else (wanted.folded, given.folded)
    if needle == words:
        return True
    if not _holds(words, needle):
        return False
    if short and (needle.islower() or needle in ORDINARY_WORDS):
        return False
    asked = fold_words(question).folded
    if not _holds(asked, wanted.folded):
        return True
    return _stands_outside_echo(
        needle.split(), words.split(), given.folded.split(), wanted.folded.split(), asked.split()
    )


def _holds(words: str, part: str) -> bool:
    """Return whether the words hold the part, bounded by words; nothing holds the empty part."""
    return part != "" and f" {part} " in f" {words} "


def _stands_outside_echo(
    needle: list[str], words: list[str], given: list[str], wanted: list[str], asked: list[str]
) -> bool:
    """Return whether the gold occurs in the answer other than inside an echo of the question.

    Args:
        needle: The gold's words, in the case it is looked for in.
        words: The answer's words, in that case.
        given: The answer's words without case.
        wanted: The gold's words without case.
        asked: The question's words without case.
    """
    size = len(wanted)
    large = max(size + 1, min(ECHO_WORDS, (len(asked) + 1) // 2))
    whole = size + 2
    for start in _occurrences(needle, words):
        runs = [_shared_run(given, start, asked, at, size) for at in _occurrences(wanted, asked)]
        if not any(run >= large or (run == len(given) and run >= whole) for run in runs):
            return True
    return False


def _occurrences(part: list[str], words: list[str]) -> Iterator[int]:
    """Yield each position at which the part stands in the words."""
    size = len(part)
    return (i for i in range(len(words) - size + 1) if words[i : i + size] == part)


def _shared_run(given: list[str], start: int, asked: list[str], at: int, size: int) -> int:
    """Return the length of the longest run that both share round a common part of `size` words."""
    before = 0
    while before < min(start, at) and given[start - before - 1] == asked[at - before - 1]:
        before += 1
    after = size
    while (
        start + after < len(given)
        and at + after < len(asked)
        and given[start + after] == asked[at + after]
    ):
        after += 1
    return before + after
