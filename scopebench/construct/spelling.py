"""Whether two names are one name, written in two ways.

"Tchaikovsky" and "Chaikovsky", "St. Louis" and "Saint Louis", "John F. Kennedy" and "John Kennedy"
are one name; "Louis XV" and "Louis XVI", "George H. W. Bush" and "George W. Bush", a father and the
son called junior are two. A part is passed over only where the other name has nothing in its place,
so that what one name has *and the other has otherwise* always tells them apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from anyascii import anyascii

_WORD: Final = re.compile(r"[a-z0-9]+\.?")
_ROMAN: Final = re.compile(r"(?=.)x{0,3}(ix|iv|v?i{0,3})", re.ASCII)
_ROMAN_DIGITS: Final = {"i": 1, "v": 5, "x": 10}

_LONG_FORMS: Final = {
    "st": "saint",
    "ste": "sainte",
    "mt": "mount",
    "ft": "fort",
    "junior": "jr",
    "senior": "sr",
    "centre": "center",
    "theatre": "theater",
    "harbour": "harbor",
}
_TITLES: Final = frozenset(
    "admiral archduke baron baroness bishop cardinal chancellor colonel count countess dame dr "
    "duke duchess emperor empress general governor hon king lady lord major mr mrs ms pope "
    "president prince princess prof professor queen rev reverend senator shah sheikh sheik sir "
    "sultan tsar".split()
)
_FIRMS: Final = frozenset("ag co company corp corporation gmbh inc llc ltd plc sa".split())
_ARTICLES: Final = frozenset({"the"})

_SOUNDS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ts?ch|ch", "ç"),
        ("sch|sh", "š"),
        ("kh", "h"),
        ("gh", "g"),
        ("dh", "d"),
        ("ph", "f"),
        ("ck|q|c(?![eiy])", "k"),
        ("x", "ks"),
        ("w", "v"),
        ("tz", "ts"),
        ("(?<=[eo])ff?$", "v"),
        ("ou|oo", "u"),
        ("[ij]?y+|j", "i"),
        ("ij|i{2,}|ee", "i"),
        ("ie|ae", "e"),
        ("oe", "o"),
        ("ue", "u"),
        (r"(.)\1+", r"\1"),
    )
)
"""How one sound is written in transliterations into Latin letters, in the order applied."""

_SOUNDED: Final = 4
"""Letters of the shortest word that is compared by its sounds; shorter ones are too alike."""

_VOWELS: Final = str.maketrans("aeou", "aaoo")
_LONGEST_GAP: Final = 5
"""Letters of the shortest word in which a stands for e, and o for u, between the outer letters:
those that writers of Arabic and Slavic names choose freely ("Mohammed", "Muhammad")."""


@dataclass(frozen=True)
class _Name:
    """A name as words.

    Attributes:
        words: In order, without case, accents and articles, short forms written out and Roman
            numbers after the first place in digits.
        initials: Places of the words that are initials.
    """

    words: tuple[str, ...]
    initials: frozenset[int]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers among the words."""
        return tuple(int(word) for word in self.words if word.isdigit())


def one_name(first: str, second: str) -> bool:
    """Whether two names may be one name, written in two ways.

    Args:
        first: A name.
        second: Another one; in either order.
    """
    one, other = _read(first), _read(second)
    if not one.words or not other.words:
        return first == second
    if one.numbers != other.numbers:
        return False
    return _same_words(one, other) or any(
        _same_words(*pair)
        for pair in (
            (_untitled(one, other), _untitled(other, one)),
            (_uninitialled(one, other), _uninitialled(other, one)),
            (_without_firm(one, other), _without_firm(other, one)),
        )
    )


def same_spelling(first: str, second: str) -> bool:
    """Whether two names are the same words, however they are cased, accented, ordered or joined."""
    one, other = _read(first), _read(second)
    if not one.words or not other.words:
        return first == second
    return one.numbers == other.numbers and _same_letters(one, other)


@lru_cache(maxsize=65_536)
def _read(name: str) -> _Name:
    plain = anyascii(name).casefold().replace("&", " and ")
    plain = re.sub(r"['`]", "", plain)
    words: list[str] = []
    initials: set[int] = set()
    for found in _WORD.findall(plain):
        word = found.rstrip(".")
        if word in _ARTICLES:
            continue
        if len(word) == 1 and word.isalpha() and (found != word or word not in _ROMAN_DIGITS):
            initials.add(len(words))
        elif words and _ROMAN.fullmatch(word):
            word = str(_arabic(word))
        words.append(_LONG_FORMS.get(word, word))
    return _Name(tuple(words), frozenset(initials))


def _arabic(word: str) -> int:
    """Return the value of a Roman number."""
    values = [_ROMAN_DIGITS[letter] for letter in word]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )


def _same_words(one: _Name, other: _Name) -> bool:
    if _same_letters(one, other):
        return True
    if len(one.words) != len(other.words):
        return False
    unlike = [
        at for at, pair in enumerate(zip(one.words, other.words, strict=True)) if pair[0] != pair[1]
    ]
    return all(_same_word(one, other, at) for at in unlike) or (
        len(unlike) == 1 < len(one.words) and _alike_but_for_vowels(one, other, unlike[0])
    )


def _same_letters(one: _Name, other: _Name) -> bool:
    """Whether the words are the same in some order, or the same when written together."""
    if sorted(one.words) == sorted(other.words):
        return True
    return "".join(one.words) == "".join(other.words)


def _same_word(one: _Name, other: _Name, at: int) -> bool:
    first, second = one.words[at], other.words[at]
    if at in one.initials or at in other.initials:
        last = at == len(one.words) - 1
        both = at in one.initials and at in other.initials
        return not last and not both and first[0] == second[0]
    return _sound(first) == _sound(second)


def _alike_but_for_vowels(one: _Name, other: _Name, at: int) -> bool:
    if at in one.initials or at in other.initials:
        return False
    sounds = _sound(one.words[at]), _sound(other.words[at])
    if min(map(len, sounds)) < _LONGEST_GAP:
        return False
    first, second = (word[0] + word[1:-1].translate(_VOWELS) + word[-1] for word in sounds)
    return first == second


@lru_cache(maxsize=65_536)
def _sound(word: str) -> str:
    if len(word) < _SOUNDED or not word.isalpha():
        return word
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _untitled(name: _Name, other: _Name) -> _Name:
    """Return a name without the title before it, where the other one has none."""
    if len(name.words) < 2 or name.words[0] not in _TITLES or other.words[0] in _TITLES:
        return name
    return _without(name, {0})


def _uninitialled(name: _Name, other: _Name) -> _Name:
    """Return a name without its middle initials, where the other one has none."""
    middle = {at for at in name.initials if 0 < at < len(name.words) - 1}
    return _without(name, middle) if middle and not other.initials else name


def _without_firm(name: _Name, other: _Name) -> _Name:
    """Return a name without the form of a company behind it, where the other one has none."""
    if len(name.words) < 2 or name.words[-1] not in _FIRMS or other.words[-1] in _FIRMS:
        return name
    return _without(name, {len(name.words) - 1})


def _without(name: _Name, gone: set[int]) -> _Name:
    places = [at for at in range(len(name.words)) if at not in gone]
    return _Name(
        tuple(name.words[at] for at in places),
        frozenset(now for now, at in enumerate(places) if at in name.initials),
    )
