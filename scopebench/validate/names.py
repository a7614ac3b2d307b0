"""Finds names of a fixed set in texts, as whole words, by hashing runs of words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from scopebench.scoring.normalise import fold_words

LONGEST_NAME: Final = 24
"""Words of the longest name that is looked for; longer ones are titles quoted in full."""


class Names:
    """Finds which names a text holds.

    Names and texts are compared as words in their case, without diacritics and punctuation: the
    album "Imagine" is not in "imagine", and "Ur" is not in "Uruguay". Looking up one text takes
    time in proportion to its words, whatever the number of names.
    """

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        """File names.

        Args:
            named: Pairs of a name and what it stands for, such as a record's id.
        """
        self._filed: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for name, key in named:
            words = fold_words(name).cased
            if words:
                self._filed[words][key] = None
        self._longest = min(
            LONGEST_NAME, max((len(words.split()) for words in self._filed), default=0)
        )

    def named_in(self, text: str) -> dict[str, None]:
        """Return what the names in a text stand for, in the order of the text, as keys."""
        words = fold_words(text).cased.split()
        found: dict[str, None] = {}
        for start in range(len(words)):
            for stop in range(start + 1, min(start + self._longest, len(words)) + 1):
                found |= self._filed.get(" ".join(words[start:stop]), {})
        return found
