"""A text read as words: spelling folded, numbers in figures, each word with what stands before it.

The same reading is used of golds, answers and questions, so that what is written in two ways is
compared in one. Transliteration of Latin letters is `anyascii`'s, number words are `text2num`'s.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from anyascii import anyascii
from text_to_num import alpha2digit

from scopebench.scoring.normalise import WITHOUT_DIACRITICS, is_word_of_its_own
from scopebench.scoring.strict.rules import Rules
from scopebench.scoring.strict.vocabulary import UNITS

_CACHE_SIZE: Final = 1 << 16

_THOUGHTS: Final = re.compile(
    r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|$)", re.DOTALL | re.IGNORECASE
)
_END_OF_THOUGHTS: Final = re.compile(r"^.*</(?:think|thinking|reasoning|thought)>", re.DOTALL)
"""Some chat templates open the thoughts before the answer begins, so that only their end stands."""

_SUPERSCRIPTS: Final = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[.,!?”\"')\]])|(?<=\d{4}))[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
)
_BRACKETED: Final = re.compile(r"\[\^?\d{1,3}\^?\]|\^\d{1,3}\^|【[^】]{1,20}】")
"""Citation marks: [1], [^1^] and the like."""

_PUNCTUATION: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´ʼʹ′", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("™℠®©", " "),
        "%": " percent ",
        "&": " and ",
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        **dict.fromkeys(map(chr, range(0xFE00, 0xFE10)), None),  # variation selectors
    }
)

_ASCII_SIGNS: Final = str.maketrans({"`": "'", "%": " percent ", "&": " and "})

_TAG: Final = re.compile(r"</?[a-zA-Z]{1,8}\s?/?>")
"""Tags of HTML and of chat templates."""

_LONG: Final = {"St": "Saint ", "Mt": "Mount ", "Ft": "Fort "}
_SHORTENED: Final = re.compile(r"(?<![\w.])(?<![A-Z][a-z] )(St|Mt|Ft)\.? (?=[A-Z][a-z])")
"""Words that are shortened at the start of names: "St. Petersburg"."""

# "J. R. R.", "U.S.A.", "U. S.": letters that abbreviate; the dots and spaces are no part of them.
_INITIALS: Final = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_]\.\s?){2,}(?![^\W\d_])|(?<![\w.])(?:[^\W\d_]\.)+[^\W\d_](?!\w)"
)

_NUMBER_WORDS: Final = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|"
    r"thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|[mb]illions?|trillions?|"
    r"first|second|third|\w+th|minus)\b",
    re.IGNORECASE,
)


_NUMBER_AND_NOUN: Final = re.compile(
    rf"({_NUMBER_WORDS.pattern})-(?!{_NUMBER_WORDS.pattern})", re.IGNORECASE
)
"""A number before a hyphen that is not part of it: "eight-episode"."""


def _characters_of(categories: tuple[str, ...]) -> str:
    """Return the members of a character class: the characters of these Unicode categories."""
    found = [c for c in map(chr, range(0x80, 0x20000)) if unicodedata.category(c) in categories]
    return "".join(found)


_NUMBER: Final = r"""
    (?P<number>
        (?:(?<![\w)\]])-(?=\d))?                       # a sign: not after a word
        (?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,3}(?:[ ']\d{3})+(?!\d)|\d+)
        (?:\.\d+(?!\d|\.\d))?                         # not 7.4 of 7.4.1776
        (?:(?:st|nd|rd|th|'?s)(?![^\W_])|(?:k|bn|mn)(?![^\W_]))?
    )
"""


def _token(letter: str, pictograph: str) -> re.Pattern[str]:
    """Return what a word or a number is, given what its letters are."""
    word = rf"""
    |(?P<word>
        [a-z]{{2,}}(?=[A-Z][a-z])                       # a lost space: "byMark"
        |{letter}+?(?:'t(?![^\W_])|(?<=[a-z]{{3}})(?=[A-Z]{{2}})|(?!{letter}))(?:[+\#]+(?![^\W_]))?
    )
    |(?P<pictograph>{pictograph})
    """
    return re.compile(_NUMBER + word, re.VERBOSE)


_ASCII_TOKEN: Final = _token("[A-Za-z]", r"(?!)")
_TOKEN: Final = _token(
    rf"(?:[^\W\d_]|[{_characters_of(('Mn', 'Mc'))}])", rf"[{_characters_of(('So',))}]"
)
_GLUED: Final = {"k": 3, "mn": 6, "bn": 9}
_SCALES: Final = {"1000": 3, "1000000": 6, "1000000000": 9, "1000000000000": 12}
_SCALE_WORDS: Final = {
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
    "trillion": "1000000000000",
}
_ROMAN: Final = re.compile(r"(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES: Final = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class Word:
    """A word or number of a text.

    Attributes:
        cased: As written, folded to plain letters where a letter has them; a number in figures.
        folded: The same without case.
        gap: What stands between it and the word before: "" where they are written as one.
    """

    cased: str
    folded: str
    gap: str

    @property
    def is_number(self) -> bool:
        """Whether it is a number, a decade or an ordinal."""
        return self.folded[:1].isdigit() or (self.folded[:1] == "-" and len(self.folded) > 1)

    @property
    def is_capital(self) -> bool:
        """Whether it is written with a capital."""
        return self.cased[:1].isupper()

    @property
    def opens_clause(self) -> bool:
        """Whether a clause ends before it."""
        return any(mark in self.gap for mark in ',.;:!?()[]\n"|') or " - " in self.gap

    @property
    def opens_sentence(self) -> bool:
        """Whether a sentence may end before it."""
        return any(mark in self.gap for mark in '.!?:\n"|*(') or " - " in self.gap


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as words.

    Attributes:
        words: The words in order.
        tail: What stands after the last word.
        plain: All words without case, written as one.
        starts: The word that begins at each position of `plain`; -1 inside a word.
    """

    words: tuple[Word, ...]
    tail: str
    plain: str
    starts: tuple[int, ...]

    def find(self, needle: str) -> list[tuple[int, int]]:
        """Return where whole words, written as one, are the needle: first word, word after."""
        return find_joined(self.plain, self.starts, needle)

    def gap_after(self, end: int) -> str:
        """Return what stands after the words before `end`."""
        return self.words[end].gap if end < len(self.words) else self.tail


def find_joined(plain: str, starts: tuple[int, ...], needle: str) -> list[tuple[int, int]]:
    """Return the runs of whole words that are the needle when written as one."""
    found: list[tuple[int, int]] = []
    at = plain.find(needle) if needle else -1
    while at >= 0:
        first, after = starts[at], starts[at + len(needle)]
        if first >= 0 and after >= 0:
            found.append((first, after))
        at = plain.find(needle, at + 1)
    return found


def join(words: tuple[str, ...]) -> tuple[str, tuple[int, ...]]:
    """Write words as one, with the word that begins at each position (-1: none does)."""
    starts: list[int] = []
    for index, word in enumerate(words):
        starts.append(index)
        starts.extend([-1] * (len(word) - 1))
    starts.append(len(words))
    return "".join(words), tuple(starts)


@lru_cache(maxsize=_CACHE_SIZE)
def without_thoughts(text: str) -> str:
    """Return an answer without what a reasoning model thought before it."""
    if "<" not in text:
        return text
    spoken = _THOUGHTS.sub(" ", text)
    return _END_OF_THOUGHTS.sub(" ", spoken).strip()


@lru_cache(maxsize=_CACHE_SIZE)
def read(text: str, rules: Rules) -> Reading:
    """Read a text as words."""
    words, tail = _words(_spelt(text, rules), rules)
    plain, starts = join(tuple(word.folded for word in words))
    return Reading(words, tail, plain, starts)


def _spelt(text: str, rules: Rules) -> str:
    """Fold the spelling of a text: letters, punctuation, marks, abbreviations, number words."""
    if rules.marks:
        text = _TAG.sub(" ", _BRACKETED.sub(" ", _SUPERSCRIPTS.sub("", text)))
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_PUNCTUATION))
        text = unicodedata.normalize("NFC", text.translate(WITHOUT_DIACRITICS))
        if rules.spelling:
            text = "".join(map(_latin, text))
    else:
        text = text.translate(_ASCII_SIGNS)
    if rules.spelling and "." in text:
        text = _INITIALS.sub(_joined_initials, text)
    if rules.spelling:
        text = _SHORTENED.sub(lambda found: _LONG[found.group(1)], text)
    if rules.numbers and _NUMBER_WORDS.search(text):
        text = alpha2digit(_NUMBER_AND_NOUN.sub(r"\1 ", text), "en", 0)
    return text


@lru_cache(maxsize=1 << 12)
def _latin(character: str) -> str:
    """Return a Latin letter in plain letters; any other character as it is."""
    if character.isascii() or not unicodedata.name(character, "").startswith("LATIN"):
        return character
    return anyascii(character) or character


def _joined_initials(found: re.Match[str]) -> str:
    letters = re.sub(r"[.\s]", "", found.group())
    return letters + ("" if not found.group()[-1].isspace() else " ")


def _words(text: str, rules: Rules) -> tuple[tuple[Word, ...], str]:
    words: list[Word] = []
    end = 0
    token = _ASCII_TOKEN if text.isascii() else _TOKEN
    for found in token.finditer(text):
        gap, end = text[end : found.start()], found.end()
        if found["pictograph"]:
            words.append(Word(found.group(), found.group(), gap or " "))
        elif found["number"]:
            number = _number(found.group()) if rules.numbers else found.group()
            words.append(Word(number, number.casefold(), gap))
        elif is_word_of_its_own(found["word"][0]) or any(map(is_word_of_its_own, found["word"])):
            words.extend(_characters(found["word"], gap))
        else:
            words.append(Word(found["word"], found["word"].casefold(), gap))
    tail = text[end:]
    if rules.numbers:
        words = _scaled(words)
    return tuple(words), tail


def _characters(text: str, gap: str) -> list[Word]:
    """Split a text of a script without spaces: every character is a word, joined by nothing."""
    words: list[Word] = []
    for part in text:
        if words and not is_word_of_its_own(part) and not is_word_of_its_own(words[-1].cased[-1]):
            last = words.pop()
            words.append(Word(last.cased + part, (last.cased + part).casefold(), last.gap))
        else:
            words.append(Word(part, part.casefold(), gap if not words else " "))
    return words


def _number(text: str) -> str:
    """Return a numeral in one spelling: no groups, no leading zeros, no empty fraction."""
    body = re.fullmatch(r"(-?)([\d,' ]*)(\.\d+)?(\D*)", text)
    assert body is not None
    sign, whole, fraction, suffix = body.groups(default="")
    digits = re.sub(r"[,' ]", "", whole).lstrip("0") or "0"
    if fraction and fraction != ".000":  # "10.000" may be ten thousand, so it is neither number
        fraction = fraction.rstrip("0").rstrip(".")
    suffix = suffix.casefold().replace("'", "")
    if suffix in _GLUED:
        return _times(sign + digits + fraction, _GLUED[suffix])
    return f"{sign}{digits}{fraction}{suffix}"


def _times(number: str, power: int) -> str:
    try:
        value = Decimal(number).scaleb(power)
    except InvalidOperation:
        return number
    return format(value.normalize(), "f")


def _scaled(words: list[Word]) -> list[Word]:
    """Join a number and its scale ("2.18 billion"), and read signs, units and Roman numerals."""
    result: list[Word] = []
    for word in words:
        last = result[-1] if result else None
        scale = _SCALES.get(_SCALE_WORDS.get(word.folded, word.folded))
        if (
            last
            and scale
            and word.gap in (" ", "-")
            and re.fullmatch(r"-?\d+(\.\d+)?", last.folded)
        ):
            number = _times(last.folded, scale)
            result[-1] = Word(number, number, last.gap)
        elif last and last.is_number and word.folded in UNITS and word.gap in (" ", "-", ""):
            result.append(Word(word.cased, UNITS[word.folded], word.gap))
        elif last and last.folded == "minus" and word.is_number:
            result[-1] = Word(f"-{word.folded}", f"-{word.folded}", last.gap)
        elif last and last.is_capital and _ROMAN.fullmatch(word.cased) and word.gap == " ":
            result.append(Word(word.cased, str(_roman(word.cased)), word.gap))
        else:
            result.append(word)
    return result


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(value if value >= following else -value for value, following in pairs)
