"""When two edits are about the same thing: one place for every such rule of the build."""

from __future__ import annotations

from scopebench.build.text import holds_phrase, normalise
from scopebench.records import Edit, FactObject

FactKey = tuple[str, ...]


def subject_key(edit: Edit) -> str:
    """Return the subject's entity id where it is known, else its normalised label."""
    if edit.subject_id is not None:
        return f"id:{edit.subject_id}"
    return f"label:{normalise(edit.subject)}"


def relation_key(edit: Edit) -> str:
    """Return the relation's id where it is known, else the normalised prompt template.

    Flat CounterFact files carry no relation ids, so there only equal templates are one relation.
    """
    if edit.relation_id is not None:
        return f"id:{edit.relation_id}"
    return f"template:{normalise(edit.prompt)}"


def slot(edit: Edit) -> tuple[str, str]:
    """Return what the edit sets: its subject and relation keys."""
    return subject_key(edit), relation_key(edit)


def asked_key(edit: Edit) -> str:
    """Return the normalised text of the edit's direct question."""
    return normalise(edit.asked)


def same_object(first: FactObject, second: FactObject) -> bool:
    """Whether two objects share their entity id or their normalised label."""
    if first.entity_id is not None and first.entity_id == second.entity_id:
        return True
    return normalise(first.text) == normalise(second.text)


def answers_collide(new: FactObject, old: FactObject) -> bool:
    """Whether an answer to one object could be credited to the other.

    Both matchers look for an accepted answer inside a response, so objects collide when they share
    an answer or when an answer of one lies in the label of the other ("football" in "association
    football"). Aliases inside aliases are let pass: models answer with the label.
    """
    new_answers = {normalise(answer) for answer in new.answers}
    old_answers = {normalise(answer) for answer in old.answers}
    if new_answers & old_answers:
        return True
    new_label, old_label = normalise(new.text), normalise(old.text)
    return any(holds_phrase(old_label, answer) for answer in new_answers) or any(
        holds_phrase(new_label, answer) for answer in old_answers
    )


def subject_keys(edit: Edit) -> set[FactKey]:
    """Return every key under which the edit's subject is known: its label and its id."""
    keys = {("label", normalise(edit.subject))}
    if edit.subject_id is not None:
        keys.add(("id", edit.subject_id))
    return keys


def fact_keys(edit: Edit) -> set[FactKey]:
    """Return keys of which any two edits asserting the same fact share one.

    Deliberately wide, because what is hidden must be hidden wholly: the same slot, the same
    question, or the same subject with the same old and new object in another wording, which flat
    templates cannot tell from another relation.
    """
    old = edit.target_true
    changes = [(normalise(edit.target_new.text), normalise(old.text) if old else "")]
    if edit.target_new.entity_id is not None and (old is None or old.entity_id is not None):
        changes.append((edit.target_new.entity_id, (old.entity_id or "") if old else ""))
    keys: set[FactKey] = {("slot", *slot(edit)), ("asked", asked_key(edit))}
    for subject in subject_keys(edit):
        keys.update(("change", *subject, *change) for change in changes)
    return keys
