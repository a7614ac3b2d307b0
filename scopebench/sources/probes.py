"""Probes beside a single edit, in the fields that several schemas share."""

from __future__ import annotations

import re

from scopebench.records import Edit, Form
from scopebench.sources.case import Probe
from scopebench.sources.facts import fact_object
from scopebench.sources.fields import Fields


def form_of(text: str) -> Form:
    """Tell a question from a cloze by its question mark."""
    return "question" if text.endswith("?") else "cloze"


def old_answers(edit: Edit) -> tuple[str, ...] | None:
    """Return the answers before the edit, None where the old object is not known."""
    return None if edit.target_true is None else edit.target_true.answers


def paraphrase(edit: Edit, field: str, text: str, form: Form | None = None) -> Probe:
    """Return the edit asked in other words, unrelated sentences in the text included."""
    return Probe(
        role="paraphrase",
        field=field,
        question=text,
        form=form or form_of(text),
        edit_id=edit.edit_id,
        subject=edit.subject,
        subject_id=edit.subject_id,
        relation_id=edit.relation_id,
        before=old_answers(edit),
        after=edit.target_new.answers,
    )


def neighbour(edit: Edit, field: str, text: str, answers: tuple[str, ...] | None) -> Probe:
    """Return the edit's relation asked of another subject, which the source does not name apart."""
    return Probe(
        role="neighbour",
        field=field,
        question=text,
        form=form_of(text),
        edit_id=edit.edit_id,
        relation_id=edit.relation_id,
        before=answers,
        after=answers,
    )


def alias(
    edit: Edit,
    field: str,
    text: str,
    form: Form,
    *,
    subject: str | None,
    after: tuple[str, ...] | None = None,
    objects: tuple[tuple[str, ...], ...] = (),
) -> Probe:
    """Return the edit asked under another name of its subject; `after` defaults to its object."""
    return Probe(
        role="alias",
        field=field,
        question=text,
        form=form,
        edit_id=edit.edit_id,
        subject=subject,
        subject_id=edit.subject_id,
        relation_id=edit.relation_id,
        before=old_answers(edit),
        after=after or edit.target_new.answers,
        objects=objects,
    )


def canonical_probes(record: Fields, edit: Edit) -> tuple[Probe, ...]:
    """Read the fields that CounterFact's canonical form and its extensions hold beside an edit.

    All are optional: `paraphrase_prompts` and `neighborhood_prompts` (Meng et al. 2022), and
    EasyEdit's `unrelated_relation` and `alternative_subject` (Yao et al. 2023). The answer of a
    neighbourhood prompt is the edit's old object, by CounterFact's construction.
    `attribute_prompts` and `generation_prompts` have no answer of their own and are not read.

    Raises:
        DataError: If one of them is mistyped.
    """
    old = old_answers(edit)
    return (
        *(paraphrase(edit, *item) for item in record.numbered_texts("paraphrase_prompts")),
        *(neighbour(edit, *item, old) for item in record.numbered_texts("neighborhood_prompts")),
        *_unrelated_relation(record, edit),
        *_alternative_subjects(record, edit),
    )


def _unrelated_relation(record: Fields, edit: Edit) -> tuple[Probe, ...]:
    if not record.has("unrelated_relation"):
        return ()
    other = record.child("unrelated_relation")
    question = other.text("question")
    answers = fact_object(other.text("object")).answers
    probe = Probe(
        role="other_relation",
        field=other.dotted("question"),
        question=question,
        form=form_of(question),
        edit_id=edit.edit_id,
        subject=edit.subject,
        subject_id=edit.subject_id,
        relation=other.text("relation_id"),
        before=answers,
        after=answers,
    )
    return (probe,)


def _alternative_subjects(record: Fields, edit: Edit) -> tuple[Probe, ...]:
    key = "alternative_subject"
    if isinstance(record.values.get(key), list):
        names = record.numbered_texts(key)
    else:
        name = record.text_or_none(key)
        names = () if name is None else ((record.dotted(key), name),)
    question = edit.question
    if question is not None and edit.subject in question:
        return tuple(
            alias(edit, field, _renamed(question, edit.subject, name), "question", subject=name)
            for field, name in names
        )
    return tuple(
        alias(edit, field, edit.prompt.replace("{}", name), "cloze", subject=name)
        for field, name in names
    )


def _renamed(question: str, subject: str, name: str) -> str:
    """Return a question with another name wherever the subject stands as a whole word."""
    whole = re.compile(rf"(?<!\w){re.escape(subject)}(?!\w)")
    renamed, count = whole.subn(lambda _: name, question)
    return renamed if count else question.replace(subject, name, 1)
