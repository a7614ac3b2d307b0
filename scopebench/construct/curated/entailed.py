"""`entailed`: a fact that follows from the edit, so that the edit governs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.relations import relations
from scopebench.construct.text import holds_phrase, normalise
from scopebench.construct.wording import relation_asked, template_around
from scopebench.records import Edit, Hop

INVERSES: Final[dict[str, frozenset[str]]] = {
    "P22": frozenset({"P40"}),  # father, child
    "P25": frozenset({"P40"}),  # mother, child
    "P40": frozenset({"P22", "P25"}),
    "P155": frozenset({"P156"}),  # follows, followed by
    "P156": frozenset({"P155"}),
    "P361": frozenset({"P527"}),  # part of, has part
    "P527": frozenset({"P361"}),
    "P36": frozenset({"P1376"}),  # capital, capital of
    "P1376": frozenset({"P36"}),
}
"""Relations that are each other's inverse (Wikidata's inverse properties)."""

GENDERED: Final = frozenset(
    "wife husband woman man she he her his him girlfriend boyfriend bride groom".split()
)


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield entailed facts that a source gives, and the inverse of symmetric, single relations."""
    for _, n, probe in pool.probes("entailed"):
        direct = pool.kept.get(probe.edit_id or "")
        if direct is None or probe.after is None:
            continue
        edit = direct.edit
        about = _asked_subject(probe.question, edit)
        template = None if about is None else template_around(probe.question, about[0])
        if about is None or template is None:
            continue
        relation = relation_asked(probe, template)
        from_object = about[0] != edit.subject
        if from_object and not is_inverse(pool.world.relation_of(edit), relation):
            continue
        hop = Hop(
            subject=about[0],
            subject_id=about[1],
            relation=relation or template,
            object=probe.after[0],
            edit_ids=(edit.edit_id,),
        )
        yield Draft(
            kind=KIND.name,
            name=f"{edit.case}/{n}",
            question=probe.question,
            form=probe.form,
            answers=None if from_object and not _is_single(relation) else probe.after,
            pre_edit_answers=probe.before,
            hops=(hop,),
            near_edit_id=edit.edit_id,
            anchor=edit.edit_id,
            wording=wording_of(probe.question, [about[0]]),
            source=edit.source,
        )
    yield from _inverses(pool)


def is_inverse(edited: str, asked: str | None) -> bool:
    """Whether a relation, asked of the new object, is the edited one from its other end."""
    relation_id = edited.removeprefix("id:")
    relation = relations().get(relation_id)
    if asked is None or relation is None:
        return False
    return (relation.symmetric and asked == relation_id) or asked in INVERSES.get(relation_id, ())


def _asked_subject(question: str, edit: Edit) -> tuple[str, str | None] | None:
    """Return the end of the edit that a question is about: its subject, or its new object.

    More than half of RippleEdits' logical generalisations ask from the object's end, and some of
    those belong to another edit, so there the relation must be the inverse one. A question that
    names neither end cannot be checked and is not asked.
    """
    plain = normalise(question)
    if holds_phrase(plain, normalise(edit.subject)):
        return edit.subject, edit.subject_id
    if holds_phrase(plain, normalise(edit.target_new.text)):
        return edit.target_new.text, edit.target_new.entity_id
    return None


def _inverses(pool: Pool) -> Iterator[Draft]:
    """Ask a symmetric relation from its other end.

    Only where one subject has one value at a time: of a many-valued relation the inverse has no
    single answer.
    """
    table = relations()
    for direct in pool.kept.values():
        edit = direct.edit
        relation = table.get(pool.world.relation_of(edit).removeprefix("id:"))
        template = template_around(edit.asked, edit.subject)
        if relation is None or template is None:
            continue
        if not (relation.symmetric and relation.single_valued) or is_gendered(template):
            continue
        question = template.replace("{}", edit.target_new.text)
        yield Draft(
            kind=KIND.name,
            name=f"{edit.case}/{edit.edit_id.split('/')[2]}.inverse",
            question=question,
            form=edit.form,
            answers=(edit.subject,),
            pre_edit_answers=None,
            hops=(
                Hop(
                    subject=edit.target_new.text,
                    subject_id=edit.target_new.entity_id,
                    relation=relation.relation_id,
                    object=edit.subject,
                    edit_ids=(edit.edit_id,),
                ),
            ),
            near_edit_id=edit.edit_id,
            anchor=edit.edit_id,
            wording=wording_of(question, [edit.target_new.text]),
            source=edit.source,
        )


def _is_single(relation_id: str | None) -> bool:
    """Whether a relation is known to have one value at a time."""
    relation = relations().get(relation_id or "")
    return relation is not None and relation.single_valued


def is_gendered(template: str) -> bool:
    """Whether the wording fits one sex, so that it cannot be asked from the other end."""
    return not GENDERED.isdisjoint(re.findall(r"\w+", template.casefold()))


KIND = Kind(
    name="entailed",
    scope="in",
    tests="whether the edit is applied to what follows from it",
    gold="given by the source, or the subject where a symmetric relation is asked from its other "
    "end",
    pitfalls="the inverse of a many-valued relation has no single answer: where the source asks "
    "it, the row is decision-only",
    needs="entailed facts (RippleEdits' logical generalisation), or a symmetric relation",
    share=1.0,
    propose=propose,
)
