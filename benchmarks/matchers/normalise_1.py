"""Text normalisation behind the two matchers.

The paper's fold drops diacritics and case and keeps everything else. The strict fold also turns a
text into words separated by single spaces, so that "word-bounded" is a plain substring test on
space-padded strings, whatever the punctuation, quotation marks or dashes were.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

_CACHE_SIZE: Final = 1 << 17

# Scripts written without spaces between words, or (Korean) with particles attached to them. The
# prefixes are those of the characters' Unicode names.
_UNSPACED_SCRIPTS: Final = (
    "BOPOMOFO",
    "CJK",
    "HANGUL",
    "HIRAGANA",
    "IDEOGRAPHIC",
    "KATAKANA",
    "KHMER",
    "LAO",
    "MYANMAR",
    "THAI",
    "TIBETAN",
    "YI ",
)

# NFKD would turn these into letters that stick to the word before them.
_TRADEMARKS: Final = str.maketrans("™℠", "  ")

# A plus or number sign is part of a name only at the end of a word: C++, F#, Canal+.
_STRAY_SIGNS: Final = re.compile(r"(?<!\S)[+#]+|[+#]+(?=[^\W_])")


class Words(NamedTuple):
    """A text as words separated by single spaces.

    Attributes:
        cased: The words as written, without diacritics and punctuation.
        folded: The same without case; word for word the same count.
    """

    cased: str
    folded: str


@lru_cache(maxsize=_CACHE_SIZE)
def fold_paper(text: str) -> str:
    """Return a text in NFKD, without combining marks and without case (paper section 4)."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=_CACHE_SIZE)
def fold_words(text: str) -> Words:
    """Return a text as words, for the strict matcher.

    NFKD; diacritics dropped, while marks that spell (kana voicing, Thai and Indic vowel signs) are
    kept; punctuation and currency or mathematical signs become spaces; invisible format characters
    vanish. Every character of a script without spaces between words, and every pictograph, is a
    word of its own.
    """
    decomposed = unicodedata.normalize("NFKD", text.translate(_TRADEMARKS))
    composed = unicodedata.normalize("NFC", decomposed.translate(_WITHOUT_DIACRITICS))
    cased = " ".join(_STRAY_SIGNS.sub(" ", composed.translate(_AS_WORDS)).split())
    return Words(cased, cased.casefold())


class _WithoutDiacritics(dict[int, str]):
    """A translation table that drops diacritics, filled as characters are met."""

    def __missing__(self, codepoint: int) -> str:
        character = chr(codepoint)
        name = unicodedata.name(character, "")
        is_diacritic = (
            unicodedata.combining(character) != 0
            and name.startswith(("COMBINING", "ARABIC", "HEBREW"))
            and "KATAKANA" not in name
        )
        self[codepoint] = "" if is_diacritic else character
        return self[codepoint]


class _AsWords(dict[int, str]):
    """A translation table that separates words by spaces, filled as characters are met."""

    def __missing__(self, codepoint: int) -> str:
        self[codepoint] = self._translate(chr(codepoint))
        return self[codepoint]

    @staticmethod
    def _translate(character: str) -> str:
        category = unicodedata.category(character)
        name = unicodedata.name(character, "")
        if category == "Cf" or name.startswith("VARIATION SELECTOR"):
            return ""
        if category[0] in "PZ" or category in ("Cc", "Sc", "Sk", "Sm"):
            return character if character in "+#" else " "
        if category == "So" or name.startswith(_UNSPACED_SCRIPTS):
            return f" {character} "
        return character


_WITHOUT_DIACRITICS: Final = _WithoutDiacritics()
_AS_WORDS: Final = _AsWords()
