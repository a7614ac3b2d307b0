"""KnowEdit's lists of questions beside an edit, shared by its RippleEdits and zsRE.

Zhang et al. 2024 (KnowEdit), which flattens the criteria of Cohen et al. 2023 (RippleEdits):
`portability` holds what an edit changes, `locality` what it leaves alone. `Forgetfulness` is not
read: it asks for another value of a relation that may have several, so that neither firing nor
staying silent is wrong. A question whose answers are all blank is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.records import Edit
from scopebench.sources.case import Probe, ProbeRole
from scopebench.sources.fields import Fields
from scopebench.sources.probes import alias, form_of


def knowedit_probes(record: Fields, edit: Edit) -> tuple[Probe, ...]:
    """Read `portability` and `locality`, whose lists may be absent.

    The other name in a `Subject_Aliasing` question is told where the question has the edit's own
    wording. Of the rest, the subject is told where it is the edit's.

    Raises:
        DataError: If one of the two is missing, or something in them is mistyped.
    """
    portability, locality = record.child("portability"), record.child("locality")
    return (
        *_aliases(portability, edit),
        *_consequences(portability, "Logical_Generalization", "entailed", edit),
        *_consequences(portability, "Reasoning", "composed", edit),
        *_untouched(locality, edit),
    )


def _aliases(portability: Fields, edit: Edit) -> Iterator[Probe]:
    wording = edit.prompt
    for field, text, answers in _asked(portability, "Subject_Aliasing"):
        name = _filled(wording, text)
        yield alias(edit, field, text, form_of(text), subject=name, after=answers)


def _consequences(
    portability: Fields, criterion: str, role: ProbeRole, edit: Edit
) -> Iterator[Probe]:
    for field, text, answers in _asked(portability, criterion):
        yield _probe(role, edit, field, text, after=answers)


def _untouched(locality: Fields, edit: Edit) -> Iterator[Probe]:
    for field, text, answers in _asked(locality, "Relation_Specificity"):
        yield _probe("other_relation", edit, field, text, before=answers, after=answers)


def _probe(
    role: ProbeRole,
    edit: Edit,
    field: str,
    text: str,
    *,
    before: tuple[str, ...] | None = None,
    after: tuple[str, ...],
) -> Probe:
    named = edit.subject in text
    return Probe(
        role=role,
        field=field,
        question=text,
        form=form_of(text),
        edit_id=edit.edit_id,
        subject=edit.subject if named else None,
        subject_id=edit.subject_id if named else None,
        before=before,
        after=after,
    )


def _asked(group: Fields, criterion: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield field, text and answers of each question that has an answer."""
    for item in group.children(criterion) if group.has(criterion) else ():
        text, answers = item.text("prompt"), item.answers("ground_truth")
        if answers:
            yield item.dotted("prompt"), text, answers


def _filled(template: str, text: str) -> str | None:
    """Return what stands in the template's slot, None where the wording is another."""
    head, tail = template.split("{}")
    long_enough = len(text) > len(head) + len(tail)
    if not (long_enough and text.startswith(head) and text.endswith(tail)):
        return None
    return text[len(head) : len(text) - len(tail)].strip() or None
