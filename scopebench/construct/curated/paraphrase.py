"""`paraphrase`: the edit's fact in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from scopebench.construct.curated.direct import positive
from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.relations import relation_of, relations
from scopebench.construct.text import normalise
from scopebench.construct.wording import template_around
from scopebench.records import Edit, Form

_SENTENCE_END: Final = re.compile(r"[.!?]['\")\]]*\s+|\n+")

CONTINUATIONS: Final = (("counterfact", "rephrase_prompt"),)
"""Data sets and fields that hold topical continuations more often than paraphrases (1,135 of 1,380
in EasyEdit's flat CounterFact): theirs are taken only where their wording is known to ask the
edit's relation."""


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the paraphrases of edits in force."""
    for edit_id, n, question, form in paraphrases(pool):
        direct = pool.kept.get(edit_id)
        if direct is not None:
            yield positive(pool, direct, KIND.name, question, form, n=n)


def paraphrases(pool: Pool) -> Iterator[tuple[str, str, str, Form]]:
    """Yield edit id, number, text and form of every paraphrase that can be trusted."""
    for direct in pool.directs:
        edit = direct.edit
        if edit.question is not None:
            yield edit.edit_id, "cloze", edit.cloze, "cloze"
    for _, n, probe in pool.probes("paraphrase"):
        direct_or_none = pool.by_id.get(probe.edit_id or "")
        if direct_or_none is None:
            continue
        edit = direct_or_none.edit
        text = without_lead_in(probe.question, edit.subject)
        if text is None or normalise(text) in (normalise(edit.asked), normalise(edit.cloze)):
            continue
        if asks_the_same(text, edit, pool, strict=(edit.dataset, probe.field) in CONTINUATIONS):
            form: Form = "question" if text.rstrip().endswith("?") else "cloze"
            yield edit.edit_id, str(n), text, form


def without_lead_in(text: str, subject: str) -> str | None:
    """Return a paraphrase without the unrelated sentences before it.

    CounterFact's canonical paraphrases open with text about something else ("...goes still and
    dies. X, a native"). All sentences before the one that names the subject first are cut. None:
    the subject is not in it.
    """
    start = text.find(subject)
    if start < 0:
        return None
    begin = 0
    for end in _SENTENCE_END.finditer(text, 0, start):
        begin = end.end()
    # "..., St. X" : an end inside a name would leave nothing but the name before the verb.
    return text[begin:].strip()


def asks_the_same(text: str, edit: Edit, pool: Pool, *, strict: bool) -> bool:
    """Whether a paraphrase asks the edit's relation, as far as its wording tells."""
    template = template_around(text, edit.subject)
    if template is None:
        return False
    relation = pool.world.relation_of(edit)
    asked = relation_of(template)
    if asked is None:
        return not strict
    meanings = {asked, *relations()[asked].narrower} if asked in relations() else {asked}
    return relation.removeprefix("id:") in meanings


KIND = Kind(
    name="paraphrase",
    scope="in",
    tests="whether the edit is found under other words",
    gold="the new object, by construction",
    pitfalls="unrelated lead-in sentences are stripped; topical continuations, whose wording is "
    "not known to ask the edit's relation, are rejected",
    needs="paraphrases, or a question beside the cloze",
    share=1.0,
    propose=propose,
)
