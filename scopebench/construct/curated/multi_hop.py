"""`multi_hop`: a question through several facts of which an edit in force sets at least one."""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.paths import Walked, compose, sets, walk
from scopebench.construct.curated.pool import Pool, link_hop
from scopebench.construct.wording import template_around
from scopebench.records import Hop
from scopebench.sources.case import Case, Link, Probe


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the source's multi-hop questions, composed ones, and compositions it gives by text."""
    for case, n, probe in pool.probes("chain"):
        walked = None if not probe.path_after else walk(probe.path_after, pool.world)
        if walked is None or not walked.edits or probe.after is None:
            continue
        # An edit of the case that is not in force leaves the path before the edit in place.
        if all(sets_or_same(pool, case, link, probe) for link in probe.path_after):
            yield of_chain(pool, KIND.name, case, n, probe, walked, probe.after)
    yield from _composed(pool)
    yield from _told(pool)


def sets_or_same(pool: Pool, case: Case, link: Link, probe: Probe) -> bool:
    """Whether a link after the edits holds: set by an edit in force, or by none of its case."""
    hop = link_hop(link)
    if any(edit.edit_id in pool.world.in_force for edit in pool.world.of_fact(hop)):
        return True
    return not any(
        edit.subject == link.subject and edit.relation_id == link.relation_id and sets(edit, link)
        for edit in case.edits
    )


def of_chain(
    pool: Pool,
    kind: str,
    case: Case,
    n: int,
    probe: Probe,
    walked: Walked,
    answers: tuple[str, ...],
) -> Draft:
    """Return a multi-hop question of a source as a draft."""
    relations = " ".join(hop.relation or "?" for hop in walked.hops)
    anchor = walked.edits[0] if walked.edits else case.edits[0]
    return Draft(
        kind=kind,
        name=f"{case.case_id}/{n}",
        question=probe.question,
        form=probe.form,
        answers=answers,
        pre_edit_answers=probe.before,
        hops=walked.hops,
        near_edit_id=walked.edits[0].edit_id if walked.edits else None,
        anchor=anchor.edit_id,
        wording=f"chain {relations}",
        source=case.edits[0].source,
    )


def _composed(pool: Pool) -> Iterator[Draft]:
    """Yield "the R2 of the R1 of S" where an edit in force sets R1 of S."""
    for direct in pool.kept.values():
        edit = direct.edit
        if edit.subject_id is None or edit.target_new.entity_id is None:
            continue
        relation = pool.world.relation_of(edit).removeprefix("id:")
        first = Link(
            edit.subject,
            edit.subject_id,
            relation,
            None,
            edit.target_new.text,
            edit.target_new.entity_id,
            edit.question,
            edit.cloze,
            edit.target_new.answers,
        )
        for second in pool.links_from.get(edit.target_new.entity_id, ()):
            composed = compose(first, second)
            if composed is None or pool.world.of_fact(link_hop(second)):
                continue
            governing = tuple(other.edit_id for other in direct.governing)
            hop = pool.hop_of(edit, object=edit.target_new.text, edit_ids=governing)
            yield Draft(
                kind=KIND.name,
                name=f"{edit.case}/{composed.name}",
                question=composed.question,
                form="question",
                answers=second.answers,
                pre_edit_answers=None,
                hops=(hop, link_hop(second)),
                near_edit_id=edit.edit_id,
                anchor=edit.edit_id,
                wording=composed.wording,
                source=edit.source,
            )


def _told(pool: Pool) -> Iterator[Draft]:
    """Yield compositions that a source gives by text and answer alone (RippleEdits' reasoning).

    Their second fact is about the edit's new object; where that is itself an edited subject it is
    not known what holds, and the row is left out.
    """
    for _, n, probe in pool.probes("composed"):
        direct = pool.kept.get(probe.edit_id or "")
        if direct is None or probe.after is None:
            continue
        edit = direct.edit
        new = edit.target_new
        template = template_around(probe.question, edit.subject)
        if template is None or pool.world.of_subject(new.text, new.entity_id):
            continue
        governing = tuple(other.edit_id for other in direct.governing)
        yield Draft(
            kind=KIND.name,
            name=f"{edit.case}/{n}",
            question=probe.question,
            form=probe.form,
            answers=probe.after,
            pre_edit_answers=probe.before,
            hops=(
                pool.hop_of(edit, object=new.text, edit_ids=governing),
                Hop(subject=new.text, subject_id=new.entity_id, relation=None),
            ),
            near_edit_id=edit.edit_id,
            anchor=edit.edit_id,
            wording=wording_of(probe.question, [edit.subject]),
            source=edit.source,
        )


KIND = Kind(
    name="multi_hop",
    scope="in",
    tests="whether an edit is used inside a question that does not ask it alone; the row says of "
    "each hop which edit sets it",
    gold="the answer at the end of the path after the edits, aliases included",
    pitfalls="most groups hold one edit, so whole-query abstaining is wrong; a path that another "
    "case's edit contradicts is dropped (17% of AKEW's MQuAKE-CF)",
    needs="multi-hop questions with their paths",
    share=1.0,
    propose=propose,
)
