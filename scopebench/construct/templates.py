"""Finds the subject of a question by the templates that the edits are asked with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_Split = tuple[str, str]


@dataclass(frozen=True)
class Fit:
    """A template that a question fits.

    Attributes:
        template: The template, `{}` in the place of the subject.
        subject: What stands in that place.
    """

    template: str
    subject: str


class Templates:
    """A set of templates to fit questions to.

    A template is filed under the first word before its subject, or the last word after it, so that
    a look-up does not try all of them.
    """

    def __init__(self, templates: Iterable[str]) -> None:
        self._by_word: defaultdict[tuple[str, str], list[_Split]] = defaultdict(list)
        for template in dict.fromkeys(templates):
            before, slot, after = template.partition("{}")
            if slot and (before.split() or after.split()):
                self._by_word[_word(before, after)].append((before, after))

    def fit(self, question: str) -> Fit | None:
        """Return the longest template that the question fits, None where there is none."""
        words = question.split()
        if not words:
            return None
        tried = [*self._by_word.get(("first", words[0]), ())]
        tried += self._by_word.get(("last", words[-1]), ())
        best: _Split | None = None
        for before, after in tried:
            if (
                len(question) > len(before) + len(after)
                and question.startswith(before)
                and question.endswith(after)
                and (best is None or len(before) + len(after) > len(best[0]) + len(best[1]))
            ):
                best = (before, after)
        if best is None:
            return None
        subject = question[len(best[0]) : len(question) - len(best[1])].strip()
        return Fit("{}".join(best), subject) if subject else None


def _word(before: str, after: str) -> tuple[str, str]:
    return ("first", before.split()[0]) if before.split() else ("last", after.split()[-1])
