"""When two edits are about the same thing: one place for every such rule of the build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.relations import relation_by_label, relation_of
from scopebench.construct.text import holds_phrase, normalise
from scopebench.records import Edit, FactObject

FactKey = tuple[str, ...]
Slot = tuple[str, str]

WORDS_PREFIX: Final = "own:"
"""Marks a relation id that is the relation's name in words."""


@dataclass(frozen=True)
class Keys:
    """How subjects and relations are told apart, learned from the edits of a data set.

    A subject's key is its entity id where known, else its normalised label. A relation's key is its
    property id where known or told by its wording (`relations`), else its normalised template. What
    comes without an id takes the one that an edit gives to the same label or template, if there is
    only one.

    Attributes:
        subject_ids: Id of each normalised label that bears one id only.
        relation_ids: Id of each normalised template that bears one id only.
    """

    subject_ids: Mapping[str, str]
    relation_ids: Mapping[str, str]

    @classmethod
    def of(cls, edits: Sequence[Edit]) -> Keys:
        """Learn the keys of a data set."""
        return cls(
            _only_ids((normalise(edit.subject), edit.subject_id) for edit in edits),
            _only_ids((normalise(edit.prompt), edit.relation_id) for edit in edits),
        )

    def subject(self, label: str, subject_id: str | None) -> str:
        """Return the key of a subject."""
        text = normalise(label)
        known = subject_id or self.subject_ids.get(text)
        return f"text:{text}" if known is None else f"id:{known}"

    def relation(self, template: str, relation_id: str | None) -> str:
        """Return the key of a relation."""
        text = normalise(template)
        if relation_id is not None and relation_id.startswith(WORDS_PREFIX):
            # One's own edits name relations in words; the table may know them.
            relation_id = relation_by_label(relation_id.removeprefix(WORDS_PREFIX)) or relation_id
        known = relation_id or self.relation_ids.get(text) or relation_of(template)
        return f"text:{text}" if known is None else f"id:{known}"

    def slot(self, edit: Edit) -> Slot:
        """Return what an edit sets."""
        return (
            self.subject(edit.subject, edit.subject_id),
            self.relation(edit.prompt, edit.relation_id),
        )


def slots(edits: Sequence[Edit]) -> list[Slot]:
    """Return what each edit of a data set sets: the key of its subject and that of its relation."""
    keys = Keys.of(edits)
    return [keys.slot(edit) for edit in edits]


def _only_ids(named: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return the id of each text that bears one id only."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for text, identifier in named:
        if identifier is not None:
            ids[text].add(identifier)
    return {text: next(iter(found)) for text, found in ids.items() if len(found) == 1}


def asked_key(edit: Edit) -> str:
    """Return the normalised text of the edit's direct question."""
    return normalise(edit.asked)


def same_object(first: FactObject, second: FactObject) -> bool:
    """Whether two objects share their entity id or their normalised label."""
    if first.entity_id is not None and first.entity_id == second.entity_id:
        return True
    return normalise(first.text) == normalise(second.text)


def answers_collide(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether an answer to one object, given by its answers, could be credited to the other.

    Both matchers look for an accepted answer inside a response, so objects collide when they share
    an answer or when an answer of one lies in the label of the other ("football" in "association
    football"). Aliases inside aliases are let pass: models answer with the label.
    """
    if not new or not old:
        return False
    new_answers = {normalise(answer) for answer in new}
    old_answers = {normalise(answer) for answer in old}
    if new_answers & old_answers:
        return True
    new_label, old_label = normalise(new[0]), normalise(old[0])
    return any(holds_phrase(old_label, answer) for answer in new_answers) or any(
        holds_phrase(new_label, answer) for answer in old_answers
    )


def subject_keys(edit: Edit) -> set[FactKey]:
    """Return every key under which the edit's subject is known: its label and its id."""
    keys: set[FactKey] = {("label", normalise(edit.subject))}
    if edit.subject_id is not None:
        keys.add(("id", edit.subject_id))
    return keys


def fact_keys(edit: Edit, slot: Slot) -> set[FactKey]:
    """Return keys of which any two edits asserting the same fact share one.

    Deliberately wide, because what is hidden must be hidden wholly: the same slot, the same
    question, or the same subject with the same old and new object in another wording, which flat
    templates cannot tell from another relation.
    """
    old = edit.target_true
    changes = [(normalise(edit.target_new.text), normalise(old.text) if old else "")]
    if edit.target_new.entity_id is not None and (old is None or old.entity_id is not None):
        changes.append((edit.target_new.entity_id, (old.entity_id or "") if old else ""))
    keys: set[FactKey] = {("slot", *slot), ("asked", asked_key(edit))}
    for subject in subject_keys(edit):
        keys.update(("change", *subject, *change) for change in changes)
    return keys
