"""How labels, templates and questions are compared while building.

Two strengths: `normalise` decides identity (the same label, template, question or object), `bare`
also ignores punctuation and only ever *links* names, because "C++" and "C" are near, not equal.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_DIGITS: Final = re.compile(r"(\d+)")


@lru_cache(maxsize=65_536)
def normalise(text: str) -> str:
    """Return the text without case, diacritics and repeated white space (NFKD, casefold)."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(kept.casefold().split())


@lru_cache(maxsize=65_536)
def bare(text: str) -> str:
    """Return the normalised text with punctuation and symbols read as spaces.

    A text of punctuation alone stays as it is, so that such names do not all become one.
    """
    plain = normalise(text)
    # Categories P and S; marks are kept, since vowels of many scripts are marks.
    spaced = "".join(" " if unicodedata.category(char)[0] in "PS" else char for char in plain)
    return " ".join(spaced.split()) or plain


def trigrams(name: str) -> frozenset[str]:
    """Return the character 3-grams of a bare name, with one space before and after it."""
    padded = f" {name} "
    return frozenset(padded[start : start + 3] for start in range(max(1, len(padded) - 2)))


def holds_phrase(text: str, phrase: str) -> bool:
    """Whether a normalised text holds a normalised phrase on word boundaries."""
    start = text.find(phrase) if phrase else -1
    while start >= 0:
        stop = start + len(phrase)
        if not (_is_word(text[start - 1 : start]) or _is_word(text[stop : stop + 1])):
            return True
        start = text.find(phrase, start + 1)
    return False


def _is_word(character: str) -> bool:
    """Whether a character, if there is one, is part of a word, as in regular expressions."""
    return character.isalnum() or character == "_"


def natural_key(identifier: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key that puts `a/9/0` before `a/10/0`, whatever order files come in."""
    # Splitting on a group alternates text and digits, so equal positions compare like with like.
    parts = _DIGITS.split(identifier)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), identifier
