"""`relation_swap`: an edited subject in the template of another relation. Decision-only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from scopebench.construct.assign import draw
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.direct import Direct
from scopebench.construct.relations import Relation, may_change, relations
from scopebench.construct.wording import template_around
from scopebench.records import Hop

MIXED_TYPE: Final = "other"
"""Type of the subjects of relations that sources use for several types."""


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield one swapped question for each edit in force whose relation has a known subject type."""
    by_type = _by_subject_type(pool)
    table = relations()
    for direct in pool.kept.values():
        edit = direct.edit
        own = table.get(pool.world.relation_of(edit).removeprefix("id:"))
        if own is None or not _is_definite(own):
            continue
        others = [
            (relation, other)
            for relation, other in by_type.get(own.subject_type, ())
            if may_change(own.relation_id, relation) is False
            and may_change(relation, own.relation_id) is False
        ]
        if not others:
            continue
        at = int(draw(pool.seed, "swap", edit.edit_id) * len(others))
        relation, other = others[at]
        template = template_around(other.edit.asked, other.edit.subject)
        if template is None:
            continue
        question = template.replace("{}", edit.subject)
        yield Draft(
            kind=KIND.name,
            name=f"{edit.case}/{edit.edit_id.split('/')[2]}",
            question=question,
            form=other.edit.form,
            answers=None,
            pre_edit_answers=None,
            hops=(Hop(subject=edit.subject, subject_id=edit.subject_id, relation=relation),),
            near_edit_id=edit.edit_id,
            anchor=edit.edit_id,
            wording=wording_of(question, [edit.subject]),
            source=edit.source,
        )


def _by_subject_type(pool: Pool) -> dict[str, list[tuple[str, Direct]]]:
    """Return, by type of subject, each relation with one edit in force, drawn by seed."""
    table = relations()
    found: defaultdict[str, dict[str, Direct]] = defaultdict(dict)
    kept = sorted(
        pool.kept.values(), key=lambda direct: draw(pool.seed, "swap", direct.edit.edit_id)
    )
    for direct in kept:
        relation = table.get(pool.world.relation_of(direct.edit).removeprefix("id:"))
        if relation is not None and _is_definite(relation):
            found[relation.subject_type].setdefault(relation.relation_id, direct)
    return {kind: sorted(rows.items()) for kind, rows in found.items()}


def _is_definite(relation: Relation) -> bool:
    """Whether a relation has one meaning and subjects of one known type."""
    return not relation.narrower and relation.subject_type != MIXED_TYPE


KIND = Kind(
    name="relation_swap",
    scope="out",
    tests="the right subject in the wording of another relation's edits",
    gold="usually unknown, so the rows are decision-only",
    pitfalls="swaps can be ungrammatical or near-synonyms: subjects keep their type, and pairs of "
    "relations must be known not to touch",
    needs="relations that the table knows, several for a type of subject",
    share=0.1,
    propose=propose,
)
