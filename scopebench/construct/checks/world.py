"""What rows are checked against: the edits in force and deleted, found by fact, subject and name.

Every look-up is by hash or by a shared rare 3-gram, so that checking grows with the number of rows
and not with rows times edits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from scopebench.construct.identity import Keys
from scopebench.construct.near import NEAR_NAME_JACCARD, NearNames
from scopebench.construct.relations import relations
from scopebench.construct.text import bare, holds_phrase, normalise
from scopebench.records import Edit, Hop

_LONGEST_NAME: Final = 14
"""Words of the longest subject looked for in a question."""


@dataclass(frozen=True)
class World:
    """The edits of a data set as one population sees them.

    Attributes:
        edits: Every edit of the index by id, those deleted before the population is asked included.
        in_force: Ids of the edits that are in the index when it is asked.
        keys: How subjects and relations are told apart.
    """

    edits: Mapping[str, Edit]
    in_force: frozenset[str]
    keys: Keys

    @classmethod
    def of(cls, edits: Sequence[Edit], deleted: Collection[str] = ()) -> World:
        """Return the world of an index of which some edits were deleted."""
        gone = set(deleted)
        return cls(
            {edit.edit_id: edit for edit in edits},
            frozenset(edit.edit_id for edit in edits if edit.edit_id not in gone),
            Keys.of(edits),
        )

    def relation_of(self, edit: Edit) -> str:
        """Return the relation key of an edit."""
        return self._relations[edit.edit_id]

    def of_fact(self, hop: Hop) -> list[Edit]:
        """Return the edits, deleted ones included, that set the fact of a hop."""
        if hop.subject is None or hop.relation is None:
            return []
        relation = self.relation_key(hop)
        return [
            edit
            for edit in self.of_subject(hop.subject, hop.subject_id)
            if touch(self._relations[edit.edit_id], relation)
        ]

    def relation_key(self, hop: Hop) -> str:
        """Return the relation key of a hop whose relation is known."""
        assert hop.relation is not None
        if "{}" in hop.relation:
            return self.keys.relation(hop.relation, None)
        return f"id:{hop.relation}"

    def of_subject(self, label: str, subject_id: str | None) -> list[Edit]:
        """Return the edits about a subject: of its id where both have one, else of its label."""
        found = dict.fromkeys(self._by_label.get(normalise(label), ()))
        if subject_id is not None:
            found |= dict.fromkeys(self._by_id.get(subject_id, ()))
        edits = [self.edits[edit_id] for edit_id in found]
        return [
            edit
            for edit in edits
            if subject_id is None or edit.subject_id is None or edit.subject_id == subject_id
        ]

    def named_in(self, text: str) -> list[Edit]:
        """Return the edits whose subject is named in a text, as whole words."""
        words, plain = bare(text).split(), normalise(text)
        found: dict[str, None] = {}
        for start in range(len(words)):
            for stop in range(start + 1, min(start + self._longest, len(words)) + 1):
                for edit_id in self._by_bare.get(" ".join(words[start:stop]), ()):
                    if holds_phrase(plain, normalise(self.edits[edit_id].subject)):
                        found[edit_id] = None
        return [self.edits[edit_id] for edit_id in found]

    def near_named(self, label: str) -> list[Edit]:
        """Return the edits whose subject has a near, other name."""
        return [
            self.edits[edit_id]
            for name in self._near.of(bare(label))
            for edit_id in self._by_bare[name]
        ]

    def share_with_target(self, relation: str, answers: Iterable[str]) -> float | None:
        """Return the share of the edits in force of a relation whose target is one of the answers.

        That is how often a wrong fire on another edit of the relation would play the gold
        (field.md section 2.3 counts 8.9% on CounterFact). None: the relation has no edit in force.
        """
        targets = self._targets.get(relation)
        if not targets:
            return None
        wanted = {normalise(answer) for answer in answers}
        return sum(targets.get(answer, 0) for answer in wanted) / sum(targets.values())

    @cached_property
    def _relations(self) -> dict[str, str]:
        return {edit_id: self.keys.slot(edit)[1] for edit_id, edit in self.edits.items()}

    @cached_property
    def _targets(self) -> dict[str, dict[str, int]]:
        targets: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        for edit_id in sorted(self.in_force):
            edit = self.edits[edit_id]
            targets[self._relations[edit_id]][normalise(edit.target_new.text)] += 1
        return {relation: dict(counts) for relation, counts in targets.items()}

    @cached_property
    def _by_label(self) -> dict[str, list[str]]:
        return _filed((normalise(edit.subject), edit.edit_id) for edit in self.edits.values())

    @cached_property
    def _by_id(self) -> dict[str, list[str]]:
        return _filed(
            (edit.subject_id, edit.edit_id)
            for edit in self.edits.values()
            if edit.subject_id is not None
        )

    @cached_property
    def _by_bare(self) -> dict[str, list[str]]:
        return _filed((bare(edit.subject), edit.edit_id) for edit in self.edits.values())

    @cached_property
    def _longest(self) -> int:
        return min(_LONGEST_NAME, max((len(name.split()) for name in self._by_bare), default=0))

    @cached_property
    def _near(self) -> NearNames:
        return NearNames(self._by_bare, threshold=NEAR_NAME_JACCARD)


@lru_cache(maxsize=65_536)
def touch(first: str, second: str) -> bool:
    """Whether two relation keys may mean one relation.

    Some wordings leave open which relation they ask ("X is in"); such a key touches every relation
    that it may mean.
    """
    return first == second or not _meanings(first).isdisjoint(_meanings(second))


def _meanings(key: str) -> frozenset[str]:
    relation = relations().get(key.removeprefix("id:"))
    return (
        frozenset({key})
        if relation is None
        else frozenset({key, *map("id:{}".format, relation.narrower)})
    )


def _filed(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, edit_id in pairs:
        found[key].append(edit_id)
    return dict(found)
