"""KnowEdit's lists of questions beside an edit, shared by its RippleEdits and zsRE.

Zhang et al. 2024 (KnowEdit), which flattens the criteria of Cohen et al. 2023 (RippleEdits):
`portability` holds what an edit changes, `locality` what it leaves alone. `Forgetfulness` asks for
another value of a relation that may have several, so that neither firing nor staying silent is
wrong; it is read for those values alone. A question whose answers are all blank is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.records import Edit
from scopebench.sources.case import Probe, ProbeRole
from scopebench.sources.fields import Fields
from scopebench.sources.probes import alias, form_of

Objects = tuple[tuple[str, ...], ...]
"""Accepted answers by the object they name."""


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
        *_other_values(locality, edit),
    )


def _aliases(portability: Fields, edit: Edit) -> Iterator[Probe]:
    wording = edit.prompt
    for field, text, objects in _asked(portability, "Subject_Aliasing"):
        name = _filled(wording, text)
        yield alias(
            edit, field, text, form_of(text), subject=name, after=_flat(objects), objects=objects
        )


def _consequences(
    portability: Fields, criterion: str, role: ProbeRole, edit: Edit
) -> Iterator[Probe]:
    for field, text, objects in _asked(portability, criterion):
        yield _probe(role, edit, field, text, objects, lasting=False)


def _untouched(locality: Fields, edit: Edit) -> Iterator[Probe]:
    for field, text, objects in _asked(locality, "Relation_Specificity"):
        yield _probe("other_relation", edit, field, text, objects, lasting=True)


def _other_values(locality: Fields, edit: Edit) -> Iterator[Probe]:
    for field, text, objects in _asked(locality, "Forgetfulness"):
        yield other_values(edit, field, text, objects)


def other_values(edit: Edit, field: str, text: str, objects: Objects) -> Probe:
    """Return what tells further true objects of an edit's fact."""
    return _probe("other_value", edit, field, text, objects, lasting=True)


def _probe(
    role: ProbeRole,
    edit: Edit,
    field: str,
    text: str,
    objects: Objects,
    *,
    lasting: bool,
) -> Probe:
    """Return a question; `lasting` answers hold before the edit too."""
    named = edit.subject in text
    answers = _flat(objects)
    return Probe(
        role=role,
        field=field,
        question=text,
        form=form_of(text),
        edit_id=edit.edit_id,
        subject=edit.subject if named else None,
        subject_id=edit.subject_id if named else None,
        before=answers if lasting else None,
        after=answers,
        objects=objects,
    )


def _asked(group: Fields, criterion: str) -> Iterator[tuple[str, str, Objects]]:
    """Yield field, text and answers by object of each question that has an answer."""
    for item in group.children(criterion) if group.has(criterion) else ():
        text, objects = item.text("prompt"), item.answer_groups("ground_truth")
        if objects:
            yield item.dotted("prompt"), text, objects


def _flat(objects: Objects) -> tuple[str, ...]:
    """Return the answers of several objects in one list, without repeats."""
    return tuple(dict.fromkeys(answer for group in objects for answer in group))


def _filled(template: str, text: str) -> str | None:
    """Return what stands in the template's slot, None where the wording is another."""
    head, tail = template.split("{}")
    long_enough = len(text) > len(head) + len(tail)
    if not (long_enough and text.startswith(head) and text.endswith(tail)):
        return None
    return text[len(head) : len(text) - len(tail)].strip() or None
