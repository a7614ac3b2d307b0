"""Whether an answer only repeats the question.

An echo is a run of words shared with the question, longer than the gold and at least `ECHO_WORDS`
words or half the question long; or an answer that is, as a whole, a run of the question at least
two words longer than the gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scopebench.scoring.strict.reading import Reading, Word

ECHO_WORDS: Final = 6
"""So many words in a row shared with the question are an echo, however long the question is."""


def is_echo(answer: Reading, first: int, after: int, question: Reading) -> bool:
    """Return whether the words from `first` to before `after` stand in an echo of the question."""
    given, asked = answer.words, question.words
    size = after - first
    part = [word.folded for word in given[first:after]]
    large = max(size + 1, min(ECHO_WORDS, (len(asked) + 1) // 2))
    whole = size + 2
    for at in range(len(asked) - size + 1):
        if [word.folded for word in asked[at : at + size]] == part:
            run = _shared_run(given, first, asked, at, size)
            if run >= large or (run == len(given) and run >= whole):
                return True
    return False


def _shared_run(
    given: Sequence[Word], start: int, asked: Sequence[Word], at: int, size: int
) -> int:
    """Return the length of the longest run that both share round a common part of `size` words."""
    before = 0
    while (
        before < min(start, at)
        and given[start - before - 1].folded == asked[at - before - 1].folded
    ):
        before += 1
    after = size
    while (
        start + after < len(given)
        and at + after < len(asked)
        and given[start + after].folded == asked[at + after].folded
    ):
        after += 1
    return before + after
