"""`refilled`: the question of an edit that was written and then deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scopebench.construct.curated.aliases import bearers, is_own
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.paraphrase import paraphrases
from scopebench.construct.curated.pool import Pool
from scopebench.construct.wording import relation_asked, template_around
from scopebench.records import Edit, Form, Hop
from scopebench.sources.case import Probe


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield deleted edits with nothing like them in force, in every wording they have."""
    yield from of_deleted(pool, KIND.name, {})
    for edit, n, probe in _probes_of(pool, KIND.name, "entailed", "composed"):
        draft = _as_asked(pool, KIND.name, edit, n, probe, edit.subject, None)
        hops = None if draft is None else _facts_asked(pool, edit, probe)
        if draft is not None and hops is not None:
            # What followed from the edit has an old answer that no source tells: decision-only.
            yield replace(draft, answers=None, pre_edit_answers=None, hops=hops)


def _facts_asked(pool: Pool, edit: Edit, probe: Probe) -> tuple[Hop, ...] | None:
    """Return the facts that a probe of a deleted edit asks in the world before it.

    A composed one goes on from the old object to a fact that its source does not name; where that
    object is an edited subject itself, nothing is known of it (None).
    """
    old = edit.target_true
    if probe.role == "composed":
        if old is None or pool.world.of_subject(old.text, old.entity_id):
            return None
        first = pool.hop_of(edit, object=old.text, edit_ids=())
        return first, Hop(subject=old.text, subject_id=old.entity_id, relation=None)
    template = template_around(probe.question, edit.subject)
    relation = relation_asked(probe, template) or template
    return (Hop(subject=edit.subject, subject_id=edit.subject_id, relation=relation),)


def of_deleted(pool: Pool, kind: str, near: Mapping[str, str]) -> Iterator[Draft]:
    """Yield the questions of the edits deleted for a kind, in every wording they have.

    Args:
        pool: The material.
        kind: The kind the edits were deleted for.
        near: By deleted edit, the edit in force that it is made to be confused with.
    """
    chosen = {key: pool.by_id[key].edit for key in pool.by_id if pool.deleted.get(key) == kind}
    for edit in chosen.values():
        yield _negative(pool, kind, edit, edit.asked, edit.form, "asked", near.get(edit.edit_id))
    for edit_id, n, question, form in paraphrases(pool):
        edit_or_none = chosen.get(edit_id)
        if edit_or_none is not None:
            yield _negative(pool, kind, edit_or_none, question, form, n, near.get(edit_id))
    names = bearers(pool)
    for edit, number, probe in _probes_of(pool, kind, "alias"):
        if probe.subject is None or not is_own(probe.subject, edit, names):
            continue
        draft = _as_asked(pool, kind, edit, number, probe, probe.subject, near.get(edit.edit_id))
        if draft is not None:
            yield draft


def _probes_of(pool: Pool, kind: str, *roles: str) -> Iterator[tuple[Edit, int, Probe]]:
    """Yield the probes of some roles beside the edits deleted for a kind."""
    for _, n, probe in pool.probes(*roles):
        edit_id = probe.edit_id or ""
        if pool.deleted.get(edit_id) == kind and edit_id in pool.by_id:
            yield pool.by_id[edit_id].edit, n, probe


def _as_asked(
    pool: Pool,
    kind: str,
    edit: Edit,
    n: int,
    probe: Probe,
    subject: str | None,
    near: str | None,
) -> Draft | None:
    """Return a probe of a deleted edit as a draft; None where it does not name its subject once."""
    if subject is None or template_around(probe.question, subject) is None:
        return None
    draft = _negative(pool, kind, edit, probe.question, probe.form, str(n), near)
    hop = draft.hops[0].model_copy(update={"subject": subject})
    return replace(draft, hops=(hop,), wording=wording_of(probe.question, [subject]))


def _negative(
    pool: Pool, kind: str, edit: Edit, question: str, form: Form, n: str, near: str | None
) -> Draft:
    before = None if edit.target_true is None else edit.target_true.answers
    old = None if edit.target_true is None else edit.target_true.text
    return Draft(
        kind=kind,
        name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{n}",
        question=question,
        form=form,
        answers=before,
        pre_edit_answers=before,
        hops=(pool.hop_of(edit, object=old, edit_ids=()),),
        near_edit_id=near,
        anchor=edit.edit_id,
        wording=wording_of(question, [edit.subject]),
        source=edit.source,
        hidden_edit_ids=pool.layout.units[edit.edit_id],
    )


KIND = Kind(
    name="refilled",
    scope="out",
    tests="the memory's state and not similarity: the edit was written and then deleted",
    gold="the old object: what held when the edit was not there; it may be outdated in the world",
    pitfalls="every edit that could assert the same fact is deleted with it; a model that does not "
    "know the fact is wrong either way",
    needs="old objects, else the rows are decision-only",
    share=1.0,
    propose=propose,
)
