"""`near_name`: the edited relation of a distinct entity whose name is nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.curated.refilled import of_deleted
from scopebench.construct.curated.roles import distinct_near
from scopebench.construct.curated.same_subject import hops_without_edit
from scopebench.records import Edit, Hop


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield deleted edits and hops whose subject is nearly that of an edit in force."""
    near = {
        edit_id: kept
        for edit_id, kind in pool.deleted.items()
        if kind == KIND.name and (kept := _near_edit(pool, pool.world.edits[edit_id])) is not None
    }
    for draft in of_deleted(pool, KIND.name, {key: kept.edit_id for key, kept in near.items()}):
        # Under another name of its subject the row must be near the edit in force as well.
        subject = draft.hops[0].subject or ""
        own, kept = pool.world.edits[draft.anchor].subject, near.get(draft.anchor)
        if kept is not None and (subject == own or _is_near(pool, subject, kept)):
            yield draft
    for draft in hops_without_edit(pool, KIND.name, edited_subject=False):
        edit = _distinct_near_edit(pool, draft.hops[0])
        if edit is not None:
            yield replace(draft, near_edit_id=edit.edit_id, anchor=edit.edit_id)


def _near_edit(pool: Pool, edit: Edit) -> Edit | None:
    for other in pool.in_force(pool.world.near_named(edit.subject)):
        if distinct_near(edit, other, pool.world, pool.names):
            return other
    return None


def _is_near(pool: Pool, subject: str, kept: Edit) -> bool:
    """Whether a name of a deleted edit's subject is near that of an edit and not the same."""
    near = {edit.edit_id for edit in pool.world.near_named(subject)}
    return kept.edit_id in near and not pool.names.one_entity(subject, None, kept.subject, None)


def _distinct_near_edit(pool: Pool, hop: Hop) -> Edit | None:
    """Return an edit in force of the hop's relation about another entity with a near name."""
    if hop.subject is None or hop.relation is None or hop.subject_id is None:
        return None
    relation = pool.world.relation_key(hop)
    for edit in pool.in_force(pool.world.near_named(hop.subject)):
        one = pool.names.one_entity(edit.subject, edit.subject_id, hop.subject, hop.subject_id)
        if edit.subject_id is not None and not one and pool.world.relation_of(edit) == relation:
            return edit
    return None


KIND = Kind(
    name="near_name",
    scope="out",
    tests="whether names that share most of their letters in threes (Jaccard of 3-grams from 0.7) "
    "are told apart",
    gold="the old object of the near-named subject's own, deleted edit, or the source's",
    pitfalls="a near name may be the same entity under another spelling: distinct ids, or "
    "different old objects of one relation, are required, and no pair are two names that share an "
    "alias or are one name written in two ways (transliteration, accents, Saint and St., initials, "
    "titles, articles, order of the parts)",
    needs="edits of near-named subjects under one relation",
    share=1.0,
    propose=propose,
)
