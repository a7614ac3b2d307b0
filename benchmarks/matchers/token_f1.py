"""Token F1, as SQuAD's evaluation computes it: the rival that needs no rules."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def token_f1(text: str, answers: Sequence[str]) -> float:
    """Return the best F1 of an answer's words against those of a gold (Rajpurkar et al. 2016)."""
    return max((_f1(_words(text), _words(gold)) for gold in answers), default=0.0)


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _f1(given: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(given) & Counter(wanted)).values())
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0
