"""Dates in a text: day, month and year, as far as they are given. English month names only."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from scopebench.scoring.strict.reading import Reading, Word

_MONTHS: Final = {
    **{month_name[number].casefold(): number for number in range(1, 13)},
    **{month_abbr[number].casefold(): number for number in range(1, 13)},
    "sept": 9,
}
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_MARKED_YEAR: Final = re.compile(r"(?:1[0-9]|20)\d\d\d{1,3}")
_YEARS: Final = range(1000, 2200)
"""Four digits that are read as a year where they stand alone."""

_BEFORE: Final = frozenset({"in", "on", "by", "the", "of", "c", "ca", "circa", "year", "during"})
"""Words that may stand before a gold that is a date."""


class Date(NamedTuple):
    """A date of any precision.

    Attributes:
        year: The year; None: not given.
        month: The month, from 1; None: not given.
        day: The day, from 1; None: not given.
    """

    year: int | None
    month: int | None
    day: int | None

    def fits(self, other: Date) -> bool:
        """Return whether the other date gives all that this one gives, and gives the same."""
        pairs = zip(self, other, strict=True)
        return all(mine is None or mine == theirs for mine, theirs in pairs)


class Mention(NamedTuple):
    """A date as it stands in a text.

    Attributes:
        date: The date.
        first: Its first word.
        after: The word after its last.
    """

    date: Date
    first: int
    after: int


@lru_cache(maxsize=1 << 16)
def mentions(reading: Reading) -> tuple[Mention, ...]:
    """Return every date of a text, the longest at each place; a day that reads two ways is both."""
    found: list[Mention] = []
    words = _without_marks(reading)
    at = 0
    while at < len(words):
        here = _at(words, at)
        found.extend(here)
        at = max((mention.after for mention in here), default=at + 1)
    return tuple(found)


def whole_date(reading: Reading) -> Date | None:
    """Return the date that a text is, as a whole; None: it is none."""
    words = reading.words
    first = 0
    while first < len(words) and words[first].folded in _BEFORE:
        first += 1
    here = _at(words, first)
    dates = {mention.date for mention in here if mention.after == len(words)}
    return dates.pop() if len(dates) == 1 else None


def _without_marks(reading: Reading) -> Sequence[Word]:
    """Return the words, a year without the citation mark written onto it: "in 19781."."""
    words = list(reading.words)
    if len(words) == 1:
        return words
    for at, word in enumerate(words):
        ends = reading.gap_after(at + 1)
        if _MARKED_YEAR.fullmatch(word.cased) and (not ends.strip() or ends[:1] in ".,;)"):
            words[at] = Word(word.cased[:4], word.cased[:4], word.gap)
    return words


def _at(words: Sequence[Word], at: int) -> list[Mention]:
    """Return the dates that begin at a word."""
    for read_date in (_iso, _slashes, _month_first, _day_first, _year_alone):
        found = read_date(words, at)
        if found:
            return found
    return []


def _iso(words: Sequence[Word], at: int) -> list[Mention]:
    """1776-07-04, 1776/7/4."""
    if not _tight(words, at, 3) or (year := _year(words[at])) is None:
        return []
    month, day = _upto(words[at + 1], 12), _upto(words[at + 2], 31)
    return [Mention(Date(year, month, day), at, at + 3)] if month and day else []


def _slashes(words: Sequence[Word], at: int) -> list[Mention]:
    """04/07/1776 and 7.4.1776: the day first and the month first, where both are possible."""
    if not _tight(words, at, 3) or (year := _year(words[at + 2])) is None:
        return []
    one, two = _upto(words[at], 31), _upto(words[at + 1], 31)
    if one is None or two is None:
        return []
    pairs = {(one, two), (two, one)}
    return [
        Mention(Date(year, month, day), at, at + 3) for month, day in sorted(pairs) if month <= 12
    ]


def _month_first(words: Sequence[Word], at: int) -> list[Mention]:
    """July 4, 1776; July 4; July 1776."""
    month = _month(words, at)
    if month is None or at + 1 >= len(words):
        return []
    day = _day(words[at + 1]) if words[at + 1].gap.strip() in ("", ".") else None
    if day is None:
        year = _year(words[at + 1]) if words[at + 1].gap.strip() in ("", ",", ".") else None
        return [Mention(Date(year, month, None), at, at + 2)] if year else []
    if at + 2 < len(words) and words[at + 2].gap.strip() in ("", ","):
        year = _year(words[at + 2])
        if year:
            return [Mention(Date(year, month, day), at, at + 3)]
    return [Mention(Date(None, month, day), at, at + 2)]


def _day_first(words: Sequence[Word], at: int) -> list[Mention]:
    """4 July 1776; the 4th of July."""
    day = _day(words[at]) if at < len(words) else None
    month_at = at + 1
    if month_at < len(words) and words[month_at].folded == "of":
        month_at += 1
    month = _month(words, month_at)
    if day is None or month is None or words[month_at].gap.strip() not in ("", "."):
        return []
    if month_at + 1 < len(words) and words[month_at + 1].gap.strip() in ("", ",", "."):
        year = _year(words[month_at + 1])
        if year:
            return [Mention(Date(year, month, day), at, month_at + 2)]
    return [Mention(Date(None, month, day), at, month_at + 1)]


def _year_alone(words: Sequence[Word], at: int) -> list[Mention]:
    year = _year(words[at]) if at < len(words) else None
    if at + 1 < len(words) and words[at + 1].folded in ("bc", "bce"):
        return []
    return [Mention(Date(year, None, None), at, at + 1)] if year else []


def _tight(words: Sequence[Word], at: int, size: int) -> bool:
    """Return whether so many numbers follow each other with one sign between them."""
    gaps = {word.gap for word in words[at + 1 : at + size]}
    return at + size <= len(words) and len(gaps) == 1 and gaps <= {"-", "/", "."}


def _month(words: Sequence[Word], at: int) -> int | None:
    if at >= len(words) or not words[at].cased[:1].isupper():
        return None
    return _MONTHS.get(words[at].folded)


def _day(word: Word) -> int | None:
    return _upto_text(_ORDINAL.sub("", word.folded), 31)


def _upto(word: Word, most: int) -> int | None:
    return _upto_text(word.folded, most)


def _upto_text(text: str, most: int) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and 1 <= int(text) <= most else None


def _year(word: Word) -> int | None:
    text = word.cased
    plain = len(text) == 4 and text.isdecimal() and text.isascii()
    return int(text) if plain and int(text) in _YEARS else None
