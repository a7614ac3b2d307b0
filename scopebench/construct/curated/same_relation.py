"""`same_relation`: the edited relation of another subject."""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.construct.curated.draft import Draft, unedited
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.templates import Templates
from scopebench.records import Hop


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield neighbourhood prompts whose subject their wording tells."""
    templates = asked_templates(pool)
    for case, n, probe in pool.probes("neighbour"):
        edit = pool.world.edits.get(probe.edit_id or "")
        if edit is None or edit.edit_id not in pool.world.in_force or probe.before is None:
            continue
        fit = templates.fit(probe.question)
        subject = probe.subject or (None if fit is None else fit.subject)
        if subject is None:
            continue
        relation = pool.world.relation_of(edit)
        hop = Hop(
            subject=subject,
            subject_id=probe.subject_id,
            relation=relation.removeprefix("id:") if relation.startswith("id:") else edit.prompt,
            object=probe.before[0],
        )
        yield unedited(
            KIND.name, f"{edit.case}/{n}", probe, hop, case=case, near=edit.edit_id, anchor=edit
        )


def asked_templates(pool: Pool) -> Templates:
    """Return every template that an edit of the data set is asked with."""
    return Templates(edit.prompt for edit in pool.world.edits.values())


KIND = Kind(
    name="same_relation",
    scope="out",
    tests="the right relation, another subject",
    gold="given by the source; in CounterFact it is the edited subject's old object",
    pitfalls="6.5% of CounterFact's ask a fact that another edit sets; the gold says little about "
    "retrieval, since an unedited model has it",
    needs="neighbourhood or locality prompts",
    share=1.0,
    propose=propose,
)
