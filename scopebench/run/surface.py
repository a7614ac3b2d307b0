"""What a question shares with the edits of an index on its surface: a subject, or a template.

A policy that understands nothing can fire on these alone, so each decision is stored with them. All
comparisons are of words as `fold_words` gives them: without case, accents and punctuation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from scopebench.records import Edit
from scopebench.scoring.normalise import fold_words

Words: TypeAlias = tuple[str, ...]
Holders: TypeAlias = set[str]
"""Ids of the edits that have a subject or a template."""


class Surface:
    """The subjects and templates of an index, looked up by their words.

    A question is compared with what its own words name, never with every edit, so that the time
    depends on the length of the question and not on the size of the index.

    Args:
        edits: The edits of the index.
    """

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._subjects: defaultdict[Words, Holders] = defaultdict(set)
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)
        self._templates: defaultdict[Words, defaultdict[Words, Holders]] = defaultdict(
            lambda: defaultdict(set)
        )
        for edit in edits:
            subject = words_of(edit.subject)
            if subject:
                self._subjects[subject].add(edit.edit_id)
                self._lengths[subject[0]].add(len(subject))
            for before, after in templates_of(edit):
                self._templates[before][after].add(edit.edit_id)
        self._longest_before = max(map(len, self._templates), default=-1)

    def subject_match(self, question: str, hidden: frozenset[str] = frozenset()) -> bool:
        """Return whether the question holds the subject of an edit that is not hidden from it."""
        words = words_of(question)
        return any(
            _some_visible(self._subjects.get(words[start : start + length]), hidden)
            for start, word in enumerate(words)
            for length in self._lengths.get(word, ())
        )

    def template_match(self, question: str, hidden: frozenset[str] = frozenset()) -> bool:
        """Return whether the question follows a template of an edit that is not hidden from it.

        It does where it has the template's words before and after the slot, and at least one word
        between them.
        """
        words = words_of(question)
        for slot in range(min(self._longest_before + 1, len(words))):
            endings = self._templates.get(words[:slot])
            if endings is None:
                continue
            for end in range(slot + 1, len(words) + 1):
                if _some_visible(endings.get(words[end:]), hidden):
                    return True
        return False


def _some_visible(holders: Holders | None, hidden: frozenset[str]) -> bool:
    return holders is not None and not holders <= hidden


def words_of(text: str) -> Words:
    """Return the folded words of a text."""
    return tuple(fold_words(text).folded.split())


def templates_of(edit: Edit) -> Iterator[tuple[Words, Words]]:
    """Yield an edit's templates: the words before and those after the slot of its subject.

    There is one of its cloze prompt, and one for each place where its question holds the subject by
    words. A slot without any word round it would fit every question, and is no template.
    """
    before, _, after = edit.prompt.partition("{}")
    found = [(words_of(before), words_of(after))]
    subject = words_of(edit.subject)
    if edit.question is not None and subject:
        words = words_of(edit.question)
        for start in range(len(words) - len(subject) + 1):
            end = start + len(subject)
            if words[start:end] == subject:
                found.append((words[:start], words[end:]))
    return (template for template in found if any(template))
