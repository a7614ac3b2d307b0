"""Checks of the edits of a raw file: pure functions, each linear in the number of records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from scopebench.construct.identity import WORDS_PREFIX, Keys, answers_collide, same_object
from scopebench.construct.text import normalise
from scopebench.records import Edit
from scopebench.sources.case import Source
from scopebench.validate.finding import Finding


def bad_records(source: Source) -> Iterator[Finding]:
    """Yield the records that cannot be used."""
    for bad in source.bad_records:
        yield Finding("bad_record", bad.file, bad.record, bad.field, bad.reason)


def contradictions(edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield groups of edits that set one fact to different objects, one finding per group.

    Three strengths of "one fact", and a group is reported once, under the strongest:

    - `contradictory_edits`: the same subject, and the same relation id or, without one, the same
      template. field.md section 2.3 counts 62 such groups of 10,000 CounterFact records.
    - `contradictory_edits_reworded`: the same subject and, in other words, the same relation, as
      far as ids or the build's table of relations tell.
    - `conflicting_answers`: the same subject and the same old object under different templates
      whose relations are not known to be the same or different. field.md counts 46.
    """
    keys = Keys.of(edits)
    slots = {edit.edit_id: keys.slot(edit) for edit in edits}
    plain = _grouped(edits, lambda edit: (slots[edit.edit_id][0], _plain_relation(edit)))
    told: set[frozenset[str]] = set()
    for check, groups, same in (
        ("contradictory_edits", plain, "subject and relation"),
        (
            "contradictory_edits_reworded",
            _grouped(edits, lambda edit: slots[edit.edit_id]),
            "subject and, in other words, relation",
        ),
        (
            "conflicting_answers",
            _of_unknown_relation(edits, keys),
            "subject and old object, under relations told in other words,",
        ),
    ):
        for group in groups:
            members = frozenset(edit.edit_id for edit in group)
            if members in told or not _contradict(group):
                continue
            if any(members <= other for other in told):
                continue
            told.add(members)
            objects = dict.fromkeys(edit.target_new.text for edit in group)
            reason = f"{len(group)} edits of the same {same} set {_list(objects)}"
            yield _of_group(check, group, reason)


def duplicates(edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield groups of edits that set one fact, told alike, to one object, one finding per group."""
    keys = Keys.of(edits)
    for group in _grouped(
        edits,
        lambda edit: (
            keys.subject(edit.subject, edit.subject_id),
            _plain_relation(edit),
            edit.target_new.entity_id or normalise(edit.target_new.text),
        ),
    ):
        if len(group) > 1:
            reason = f"{len(group)} edits set {group[0].cloze!r} to {group[0].target_new.text!r}"
            yield _of_group("duplicate_edits", group, reason)


def objects(edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield edits whose new object is their old one or cannot be told from it by its answers."""
    for edit in edits:
        old = edit.target_true
        if old is None:
            continue
        shown = f"{old.text!r} becomes {edit.target_new.text!r}"
        if same_object(edit.target_new, old):
            yield of_edit("no_change", edit, "target_new", f"{shown}, which is the same")
        elif answers_collide(edit.target_new.answers, old.answers):
            yield of_edit(
                "objects_alike",
                edit,
                "target_new",
                f"{shown}, and an answer of one passes for both",
            )


def of_edit(check: str, edit: Edit, field: str | None, reason: str) -> Finding:
    """Return a finding on one edit."""
    return Finding(check, edit.source.file, edit.source.record, field, reason)


def _of_group(check: str, group: Sequence[Edit], reason: str) -> Finding:
    first = group[0]
    others = dict.fromkeys(
        edit.source.record for edit in group if edit.source.record != first.source.record
    )
    return Finding(
        check, first.source.file, first.source.record, "target_new", reason, tuple(others)
    )


def _plain_relation(edit: Edit) -> tuple[str, str]:
    if edit.relation_id is not None:
        return "id", edit.relation_id
    return "template", normalise(edit.prompt)


def _of_unknown_relation(edits: Sequence[Edit], keys: Keys) -> Iterator[list[Edit]]:
    """Yield groups of one subject and old object whose relations are not known to differ.

    Two property ids differ; words that the table of relations does not know may mean either.
    """
    known = [edit for edit in edits if edit.target_true is not None]
    for group in _grouped(
        known,
        lambda edit: (
            keys.subject(edit.subject, edit.subject_id),
            normalise(edit.target_true.text) if edit.target_true else "",
        ),
    ):
        relations = {keys.slot(edit)[1] for edit in group}
        named = sum(map(_is_property, relations))
        if len(relations) > 1 and named < 2:
            yield group


def _is_property(relation: str) -> bool:
    """Whether the key of a relation is a property id, and neither a template nor bare words."""
    return relation.startswith("id:") and not relation.startswith(f"id:{WORDS_PREFIX}")


def _contradict(group: Sequence[Edit]) -> bool:
    first = group[0].target_new
    return any(not same_object(first, edit.target_new) for edit in group[1:])


def _grouped(edits: Iterable[Edit], key: Callable[[Edit], Hashable]) -> list[list[Edit]]:
    """Return the edits by key, in the order in which the keys are met."""
    groups: defaultdict[Hashable, list[Edit]] = defaultdict(list)
    for edit in edits:
        groups[key(edit)].append(edit)
    return list(groups.values())


def _list(labels: Iterable[str]) -> str:
    return ", ".join(map(repr, labels))
