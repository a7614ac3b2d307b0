"""Whether an answer is right: two matchers, both always reported.

`paper` is the founding paper's (section 4): an answer is right if it contains the gold or an alias,
in NFKD, without diacritics and without case. It pays for refusals and for the echoed question:
ordinary refusals are credited on about 10% of MQuAKE-CF's single-hop questions, because "There is
not enough information" contains "en", an alias of English (field survey, section 2.3).

`strict`, the default, differs in five ways:

1. A refusal is never right (`refusals.py`; English only). An answer that contains a gold which
   itself reads as a refusal (a film called "Unknown") is not one.
2. The gold must stand between word boundaries. Diacritics, punctuation, quotation marks, dashes and
   white space are folded in gold and answer alike. In scripts written without spaces (Chinese,
   Japanese, Thai, Lao, Khmer, Burmese, Tibetan) or with particles attached to words (Korean) every
   character is a word, so the gold is found as a plain substring. Languages that inflect names or
   glue articles to them (Arabic, Finnish, Turkish) need the inflected form among the aliases.
3. A gold of three characters or fewer must have the same case.
4. Such a short gold that is spelt like an ordinary word must be the whole answer: all in lower case
   (the language codes "is", "no", "en"), or in `ORDINARY_WORDS` as sentences open with them.
5. A gold that the question itself contains is not earned by repeating the question: an occurrence
   inside an echo does not count. An echo is a run of words shared with the question, longer than
   the gold and at least `ECHO_WORDS` words or half the question long; or an answer that is, as a
   whole, a run of the question at least two words longer than the gold.

Whatever the rules, an answer that equals a gold is right, and an empty answer is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from scopebench.records import Matcher
from scopebench.scoring.normalise import fold_paper, fold_words
from scopebench.scoring.refusals import is_refusal

MATCHER_VERSIONS: Final[dict[Matcher, str]] = {"strict": "strict/1", "paper": "paper/1"}

SHORT_GOLD: Final = 3
"""Golds of at most so many characters keep their case (field survey, section 3, check 4)."""

ECHO_WORDS: Final = 6
"""So many words in a row shared with the question are an echo, however long the question is."""

ORDINARY_WORDS: Final = frozenset(
    {"A", "An", "And", "Are", "As", "At", "But", "By", "For", "He", "Her", "His", "I", "If", "In"}
    | {"Is", "It", "Its", "My", "Not", "Of", "On", "Or", "She", "So", "The", "To", "Was", "We"}
)
"""Words of at most three letters, as they open an English sentence."""

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


def match(text: str, answers: Sequence[str], *, question: str, matcher: Matcher) -> Match:
    """Match one answer against its golds.

    Args:
        text: The answer.
        answers: The accepted answers, in any order; none makes every answer wrong.
        question: The question as it was asked.
        matcher: `strict` or `paper`; the rules are those of this module's docstring.
    """
    refused = refuses(text, answers, question=question)
    if matcher == "paper":
        return Match(_is_contained(text, answers), refused)
    correct = not refused and any(_is_earned(gold, text, question) for gold in answers)
    return Match(correct, refused)


def judge(text: str | None, answers: Sequence[str] | None, *, question: str) -> Verdict:
    """Judge one outcome under both matchers.

    Args:
        text: The answer; null where the action is not legal.
        answers: The accepted answers; null where the query is decision-only.
        question: The question as it was asked.
    """
    if text is None:
        return Verdict(None, None, None)
    if answers is None:
        return Verdict(None, None, refuses(text, (), question=question))
    strict = match(text, answers, question=question, matcher="strict")
    return Verdict(strict.correct, _is_contained(text, answers), strict.refused)


def refuses(text: str, answers: Sequence[str], *, question: str) -> bool:
    """Return whether an answer, its echoed question aside, is a refusal and no accepted answer."""
    spoken = text.rpartition(question)[2] if question and question in text else text
    if not (is_refusal(text) or is_refusal(spoken)):
        return False
    words = fold_words(text).folded
    return not any(is_refusal(gold) and _holds(words, fold_words(gold).folded) for gold in answers)


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
