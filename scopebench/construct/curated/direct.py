"""`direct`: the edit's own question, its edit in force."""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.direct import Direct
from scopebench.records import Form


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the question of every edit in force."""
    for direct in pool.kept.values():
        edit = direct.edit
        yield positive(pool, direct, KIND.name, edit.asked, edit.form, n="0")


def positive(pool: Pool, direct: Direct, kind: str, question: str, form: Form, *, n: str) -> Draft:
    """Return a question that asks the fact of an edit in force."""
    edit = direct.edit
    before = None if edit.target_true is None else edit.target_true.answers
    governing = [other.edit_id for other in direct.governing]
    return Draft(
        kind=kind,
        name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{n}",
        question=question,
        form=form,
        answers=edit.target_new.answers,
        pre_edit_answers=before,
        hops=(pool.hop_of(edit, object=edit.target_new.text, edit_ids=governing),),
        near_edit_id=edit.edit_id,
        anchor=edit.edit_id,
        wording=wording_of(question, [edit.subject]),
        source=edit.source,
    )


KIND = Kind(
    name="direct",
    scope="in",
    tests="the plain case: the edit asked as its data set asks it",
    gold="the new object, by construction",
    pitfalls="an old object that passes for the new one makes it decision-only",
    needs="any edit",
    share=1.0,
    propose=propose,
)
