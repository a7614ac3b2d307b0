"""`same_subject`: another relation of an edited subject."""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.construct.curated.draft import Draft, unedited
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.curated.refilled import of_deleted
from scopebench.construct.wording import relation_asked, template_around
from scopebench.records import Edit, Hop


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield deleted edits of edited subjects, other relations the source gives, and hops."""
    yield from of_deleted(pool, KIND.name, _kept_edit_of_subject(pool))
    for case, n, probe in pool.probes("other_relation"):
        edit = pool.world.edits.get(probe.edit_id or "")
        if edit is None or edit.edit_id not in pool.world.in_force or probe.before is None:
            continue
        template = template_around(probe.question, edit.subject)
        relation = relation_asked(probe, template)
        if template is None or relation is None:
            continue
        hop = Hop(
            subject=edit.subject,
            subject_id=edit.subject_id,
            relation=relation,
            object=probe.before[0],
        )
        yield unedited(
            KIND.name, f"{edit.case}/{n}", probe, hop, case=case, near=edit.edit_id, anchor=edit
        )
    yield from hops_without_edit(pool, KIND.name, edited_subject=True)


def hops_without_edit(pool: Pool, kind: str, *, edited_subject: bool) -> Iterator[Draft]:
    """Yield single hops whose answer no edit of their case changes.

    Args:
        pool: The material.
        kind: The kind to make of them.
        edited_subject: Whether their subject must be, or must not be, one with an edit in force.
    """
    for case, n, probe in pool.probes("hop"):
        if probe.subject is None or probe.before is None or probe.before != probe.after:
            continue
        edits = pool.in_force(pool.world.of_subject(probe.subject, probe.subject_id))
        if bool(edits) is not edited_subject:
            continue
        anchors = edits or pool.edits_of(case)
        if not anchors:
            continue
        hop = Hop(
            subject=probe.subject,
            subject_id=probe.subject_id,
            relation=probe.relation_id,
            object=probe.before[0],
        )
        near = edits[0].edit_id if edits else None
        name = f"{case.case_id}/hop.{n}"
        yield unedited(kind, name, probe, hop, case=case, near=near, anchor=anchors[0])


def _kept_edit_of_subject(pool: Pool) -> dict[str, str]:
    """Return, by edit deleted for this kind, an edit of its subject that is in force."""
    found: dict[str, str] = {}
    for edit_id, kind in pool.deleted.items():
        if kind == KIND.name:
            edit = pool.world.edits[edit_id]
            kept: list[Edit] = pool.in_force(pool.world.of_subject(edit.subject, edit.subject_id))
            if kept:
                found[edit_id] = kept[0].edit_id
    return found


KIND = Kind(
    name="same_subject",
    scope="out",
    tests="the hard case: the right subject, another relation",
    gold="given by the source, or the old object of the subject's other, deleted edit",
    pitfalls="the edit may change the other relation too: every pair of relations must be known "
    "not to touch (docs/relations.md), which RippleEdits' own lists do not ensure",
    needs="several edits of a subject, its other relations, or hops",
    share=1.0,
    propose=propose,
)
