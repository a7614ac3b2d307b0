"""Whether an answer earns one of its golds: every rule, put together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from scopebench.scoring.normalise import fold_paper, fold_words
from scopebench.scoring.strict import vocabulary
from scopebench.scoring.strict.commitment import is_denied, is_one_of_several, is_past
from scopebench.scoring.strict.dates import Date, Mention, mentions
from scopebench.scoring.strict.echo import is_echo
from scopebench.scoring.strict.golds import Form, Gold, stem, understand
from scopebench.scoring.strict.names import (
    inside_longer_name,
    numbers_a_name,
    persons,
    titled,
)
from scopebench.scoring.strict.reading import Reading, find_joined, join, read
from scopebench.scoring.strict.rules import DEFAULT_RULES, Rules

SHORT_GOLD: Final = 3
"""Golds of at most so many characters keep their case (field survey, section 3, check 4)."""

ORDINARY_WORDS: Final = frozenset(
    {"A", "An", "And", "Are", "As", "At", "But", "By", "For", "He", "Her", "His", "I", "If", "In"}
    | {"Is", "It", "Its", "My", "Not", "Of", "On", "Or", "She", "So", "The", "To", "Was", "We"}
)
"""Words of at most three letters, as they open an English sentence."""

ORDINARY_SMALL: Final = frozenset(
    "all and any are but can did for get had has her him his how its let may not now off old one "
    "our out own put run say see set she the too try two use was way who why yes yet you".split()
)
"""Words of three letters that stand in any English sentence."""

_MARK: Final = 3
"""A citation mark written onto a word has at most so many figures."""

_APART: Final = 3
"""So many words more than a description has may its words stand apart."""

_LOST_SPACE: Final = 3
"""A word of at least so many small letters is not part of the number written onto it."""

Span = tuple[int, int]


def earns(text: str, golds: Sequence[str], question: str, rules: Rules = DEFAULT_RULES) -> bool:
    """Return whether an answer earns one of the golds; refusals are the caller's.

    Args:
        text: The answer, without thoughts and refusing sentences.
        golds: The accepted answers.
        question: The question as it was asked.
        rules: The rules in force.
    """
    if any(_is_equal(text, gold, rules) for gold in golds):
        return True
    answer = read(text, rules)
    if not answer.words:
        return False
    return _Case(
        answer, tuple(understand(gold, rules) for gold in golds), read(question, rules), rules
    ).right()


def _is_equal(text: str, gold: str, rules: Rules) -> bool:
    """Return whether an answer is a gold, case and punctuation aside."""
    wanted, given = fold_words(gold), fold_words(text)
    if not wanted.cased:  # nothing but punctuation
        whole = fold_paper(gold).strip()
        return whole != "" and whole == fold_paper(text).strip()
    if any(character.isdigit() for character in gold):  # signs and points are part of a number
        return [word.folded for word in read(text, rules).words] == [
            word.folded for word in read(gold, rules).words
        ]
    return wanted.folded == given.folded


class _Case:
    """One answer, its golds and its question."""

    def __init__(self, answer: Reading, golds: Sequence[Gold], question: Reading, rules: Rules):
        self.answer = answer
        self.golds = golds
        self.question = question
        self.rules = rules
        self.spans: dict[Span, None] | None = None

    def right(self) -> bool:
        """Return whether some gold is earned."""
        return any(self._earned(gold) for gold in self.golds)

    def _earned(self, gold: Gold) -> bool:
        if any(
            form.words and form.needle == self.answer.plain and self._is_whole(form)
            for form in gold.forms[:1]
        ):
            return True
        if gold.date is not None and self._dated(gold.date):
            return True
        if any(self._counts(span) for span in self._places(gold)):
            return True
        return len(gold.parts) > 1 and all(self._earned(part) for part in gold.parts)

    def _is_whole(self, form: Form) -> bool:
        """Return whether an answer that is the gold has its spaces where it must."""
        if not self.rules.spelling and len(form.words) != len(self.answer.words):
            return False
        return True

    def _dated(self, wanted: Date) -> bool:
        """Return whether the answer gives a date, at least as exactly as the gold.

        A year is not earned by a day of that year that contradicts the day other golds give.
        """
        days = [
            gold.date
            for gold in self.golds
            if gold.date and gold.date.day and gold.date.year == wanted.year
        ]
        for mention in mentions(self.answer):
            if not wanted.fits(mention.date) or self._in_range(mention):
                continue
            if self._is_bound(mention.first):
                continue
            if days and mention.date.day and not any(day.fits(mention.date) for day in days):
                continue
            if self._counts((mention.first, mention.after)):
                return True
        return False

    def _in_range(self, mention: Mention) -> bool:
        """Return whether a year is one end of a range: "1985-1993"."""
        words, (first, after) = self.answer.words, mention[1:]
        before = first > 0 and words[first].gap == "-" and words[first - 1].is_number
        behind = after < len(words) and words[after].gap == "-" and words[after].is_number
        return before or behind

    def _places(self, gold: Gold) -> Iterator[Span]:
        """Yield where a form of the gold stands, rules of commitment and echo aside."""
        for form in gold.forms:
            yield from self._places_of(form)
        if self.rules.phrases:
            for form in gold.forms[:1]:
                yield from self._described(form)
        if self.rules.middle_names:
            for form in gold.forms:
                if form.is_person:
                    spans = persons(self.answer, form.words)
                    if self.rules.titles:
                        spans += titled(self.answer, form.words)
                    yield from (
                        span
                        for span in spans
                        if not self._is_part(form, *span) and not self._in_longer_name(span)
                    )

    def _described(self, form: Form) -> Iterator[Span]:
        """Yield where all words of a description stand close together in one sentence."""
        if not self._may_be_described(form) or not (wanted := form.described):
            return
        stems = _stems(self.answer)
        for first in (at for at, found in enumerate(stems) if found in wanted):
            missing = set(wanted)
            for at in range(first, min(len(stems), first + len(form.words) + _APART)):
                if at > first and _ends_sentence(self.answer.words[at].gap):
                    break
                missing.discard(stems[at])
                if not missing:
                    if not self._in_longer_name((first, at + 1)):
                        yield first, at + 1
                    break

    def _may_be_described(self, form: Form) -> bool:
        """Return whether the answer has a word for each initial, which a stem keeps."""
        initials = {word.folded[0] for word in self.answer.words}
        return all(
            word.folded[0] in initials or word.folded in vocabulary.FUNCTION_WORDS
            for word in form.words
        )

    def _places_of(self, form: Form) -> Iterator[Span]:
        short = self.rules.short_golds and len(form.cased) <= SHORT_GOLD
        if short and (form.cased in ORDINARY_WORDS or self._is_ordinary(form)):
            return
        for first, after in self._found(form):
            cased = " ".join(word.cased for word in self.answer.words[first:after])
            if short and cased != form.cased and self._keeps_case(form):
                continue
            if self._is_part(form, first, after):
                continue
            if self._in_longer_name((first, after), is_number=form.is_number):
                continue
            if form.tail and self._is_another_place(form, after):
                continue
            yield first, after

    @staticmethod
    def _keeps_case(form: Form) -> bool:
        """Return whether a short gold is an abbreviation ("US") or an ordinary word ("May")."""
        return not form.cased.istitle() or form.needle in (
            ORDINARY_SMALL | vocabulary.FUNCTION_WORDS
        )

    @staticmethod
    def _is_ordinary(form: Form) -> bool:
        """Return whether a short gold is, in small letters, a code or a word of any sentence."""
        plain = form.cased.islower() and not form.is_number
        return plain and (len(form.cased) < SHORT_GOLD or form.cased in ORDINARY_SMALL)

    def _found(self, form: Form) -> list[Span]:
        found = self.answer.find(form.needle)
        if self.rules.plurals and not form.is_name and not form.is_number:
            plain, starts = _singular(self.answer)
            needle = "".join(singular(word.folded) for word in form.words)
            found = sorted({*found, *find_joined(plain, starts, needle)})
        if not self.rules.spelling:
            found = [span for span in found if span[1] - span[0] == len(form.words)]
        return [span for span in found if self._is_written_together(span)]

    def _is_written_together(self, span: Span) -> bool:
        """Return whether the numbers among the words are not items of a list."""
        words = self.answer.words[span[0] : span[1]]
        pairs = itertools.pairwise(words)
        return not any(
            "," in two.gap or ". " in two.gap or "\n" in two.gap
            for one, two in pairs
            if one.is_number and two.is_number
        )

    def _is_part(self, form: Form, first: int, after: int) -> bool:
        """Return whether the words are part of a longer word, number, date or range."""
        words = self.answer.words
        if first > 0 and words[first].gap == "" and not self._lost_space(first):
            return True
        if after < len(words) and words[after].gap == "" and not self._is_mark(after):
            return True
        if not form.whole and first > 0 and words[first - 1].is_number and not form.is_name:
            return True  # "a week" in "three weeks"
        if not form.is_number or not self.rules.numbers:
            return False
        return self._is_bound(first) or self._in_larger_number(first, after)

    def _lost_space(self, at: int) -> bool:
        """Return whether a word and the number before or after it have lost the space between."""
        if not self.rules.marks:
            return False
        one, two = self.answer.words[at - 1], self.answer.words[at]
        if not two.is_number and not one.is_number:  # "byMark"
            return one.cased.islower() and two.is_capital
        letters = one if two.is_number else two
        joins = len(letters.cased) > 1 and letters.folded in vocabulary.FUNCTION_WORDS
        return letters.cased.islower() and (len(letters.cased) >= _LOST_SPACE or joins)

    def _is_mark(self, at: int) -> bool:
        """Return whether a number written onto the word before it is a citation mark."""
        word = self.answer.words[at]
        if not self.rules.marks or self.answer.words[at - 1].is_number:
            return self._lost_space(at)
        ends = self.answer.gap_after(at + 1)
        mark = (
            word.folded.isdecimal()
            and len(word.folded) <= _MARK
            and len(self.answer.words[at - 1].cased) >= _LOST_SPACE
        )
        return (mark and (not ends.strip() or ends[:1] in ".,;:!?)[")) or self._lost_space(at)

    def _is_bound(self, first: int) -> bool:
        """Return whether a number is only a bound: "more than 42", "before 1969".

        "After twelve years" names the twelve years: before and after bound dates alone.
        """
        before = [word.folded for word in self.answer.words[max(0, first - 2) : first]]
        if before[-1:] in (["before"], ["after"]):
            return any(mention.first == first for mention in mentions(self.answer))
        than = before[-1:] == ["than"] and before[:1] in (["more"], ["less"], ["fewer"])
        return than or before[-1:] in (["over"], ["under"])

    def _in_larger_number(self, first: int, after: int) -> bool:
        """Return whether a number stands in a date, a time, a fraction or a range."""
        words = self.answer.words
        if any(
            m.first <= first and after <= m.after and m.after - m.first > 1
            for m in mentions(self.answer)
        ):
            return True
        if after < len(words) and words[after].folded in ("bc", "bce", "percent"):
            return not any(word.folded in ("bc", "bce", "percent") for word in self.question.words)
        return self._are_one(first) or self._are_one(after)

    def _are_one(self, at: int) -> bool:
        """Return whether a number and the one before it are one: "3/4", "12:30", "0047 55"."""
        words = self.answer.words
        if not 0 < at < len(words) or not (words[at - 1].is_number and words[at].is_number):
            return False
        figures = words[at - 1].folded.isdecimal() and words[at].folded.isdecimal()
        dated = any(at - 1 == m.first or at == m.first for m in mentions(self.answer))
        return words[at].gap in ("-", "/", ":", ".", ",") or (
            words[at].gap == " " and figures and not dated
        )

    def _in_longer_name(self, span: Span, *, is_number: bool = False) -> bool:
        if not self.rules.longer_names:
            return False
        if is_number:
            return numbers_a_name(self.answer, span[0], question=self.question)
        return inside_longer_name(self.answer, *span, question=self.question)

    def _is_another_place(self, form: Form, after: int) -> bool:
        """Return whether another apposition follows than the gold's: "Paris, Texas"."""
        words = self.answer.words
        if after >= len(words) or words[after].gap.strip() != ",":
            return False
        return words[after].is_capital and words[after].folded != form.tail

    def _counts(self, span: Span) -> bool:
        """Return whether what stands there is said, of the present, alone, and not repeated."""
        answer, question, rules = self.answer, self.question, self.rules
        if rules.echoes and is_echo(answer, *span, question):
            return False
        if rules.negated and is_denied(answer, *span, question):
            return False
        if rules.past and is_past(answer, *span, question):
            return False
        return not (rules.commitment and is_one_of_several(answer, *span, self._accepts))

    def _accepts(self, first: int, after: int) -> bool:
        """Return whether some gold stands exactly there."""
        if self.spans is None:
            places = [span for gold in self.golds for span in self._places(gold)]
            dates = [
                (mention.first, mention.after)
                for gold in self.golds
                if gold.date
                for mention in mentions(self.answer)
                if gold.date.fits(mention.date)
            ]
            self.spans = dict.fromkeys([*places, *dates])
        return (first, after) in self.spans


def _ends_sentence(gap: str) -> bool:
    return any(mark in gap for mark in ".!?;\n")


@lru_cache(maxsize=1 << 14)
def _stems(reading: Reading) -> tuple[str, ...]:
    return tuple(stem(word.folded) for word in reading.words)


@lru_cache(maxsize=1 << 14)
def _singular(reading: Reading) -> tuple[str, tuple[int, ...]]:
    return join(tuple(singular(word.folded) for word in reading.words))


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """Return a word without the ending of the plural (Harman 1991, the S stemmer's three rules)."""
    if len(word) > 4 and word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word
