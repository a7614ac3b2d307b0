"""zsRE: questions with a changed answer, in KnowEdit's form and in that of MEND's evaluation.

Levy et al. 2017 (zsRE); Mitchell et al. 2022 (MEND); Yao et al. 2023 (EasyEdit, which adds another
name of the subject or a question for the inverse relation); Zhang et al. 2024 (KnowEdit). Records
have no id: their position is it. An edit's template is its question with a slot for the subject.

Not read: `loc`, a question of Natural Questions that has nothing to do with the edit; the inverse
question, since the inverse of these relations seldom has one answer; `pred`, an old model's guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit
from scopebench.sources.case import Probe
from scopebench.sources.facts import fact_object, template_around
from scopebench.sources.fields import Fields, shown
from scopebench.sources.knowedit import knowedit_probes
from scopebench.sources.probes import alias, paraphrase
from scopebench.sources.schema import Origin, Parsed, Schema

_KNOWEDIT_KEYS: Final = frozenset({"subject", "prompt", "target_new", "rephrase_prompt"})
_MEND_KEYS: Final = frozenset({"subject", "src", "alt", "answers"})


def _is_knowedit(record: Mapping[str, Any]) -> bool:
    return (
        record.keys() >= _KNOWEDIT_KEYS
        and bool({"portability", "locality"} & record.keys())
        and "case_id" not in record
    )


def _is_mend(record: Mapping[str, Any]) -> bool:
    return record.keys() >= _MEND_KEYS


def _parse_knowedit(record: Fields, origin: Origin) -> Parsed:
    edit = _edit(record, origin, asked="prompt", new="target_new", old="ground_truth")
    probes = (*_rephrased(record, "rephrase_prompt", edit), *knowedit_probes(record, edit))
    return Parsed((edit,), probes)


def _parse_mend(record: Fields, origin: Origin) -> Parsed:
    edit = _edit(record, origin, asked="src", new="alt", old="answers")
    return Parsed((edit,), (*_rephrased(record, "rephrase", edit), *_renamed(record, edit)))


def _edit(record: Fields, origin: Origin, *, asked: str, new: str, old: str) -> Edit:
    """Read the edit; where several old answers are right, they stand as aliases of the first.

    Raises:
        DataError: If a field is missing, empty or mistyped, the subject is not in the question, or
            the new object is one of the old ones.
    """
    subject = record.text("subject")
    target_new = fact_object(record.text(new))
    answers = record.answers(old)
    if not answers:
        raise record.fault(old, "expected the old object, found an empty one")
    target_true = fact_object(answers[0], answers[1:])
    if target_new.text.casefold() in {answer.casefold() for answer in answers}:
        raise record.fault(
            new, f"expected an object other than the old ones, found {shown(target_new.text)}"
        )
    return Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=subject,
        prompt=template_around(record, asked, subject),
        question=record.text(asked),
        target_new=target_new,
        target_true=target_true,
        source=origin.source,
    )


def _rephrased(record: Fields, key: str, edit: Edit) -> tuple[Probe, ...]:
    record.value(key, "a string")
    text = record.text_or_none(key)
    # A few lack the question mark and are questions all the same.
    return () if text is None else (paraphrase(edit, record.dotted(key), text, "question"),)


def _renamed(record: Fields, edit: Edit) -> tuple[Probe, ...]:
    key = "alter_subject_question"
    text, name = record.text_or_none(key), record.text_or_none("alternative_subject")
    if text is None:
        return ()
    return (alias(edit, record.dotted(key), text, "question", subject=name),)


SCHEMAS: Final = (
    Schema(
        name="knowedit-zsre",
        dataset="zsre",
        summary="KnowEdit's zsRE: structured only",
        matches=_is_knowedit,
        parse=_parse_knowedit,
        has_ids=False,
    ),
    Schema(
        name="mend-zsre",
        dataset="zsre",
        summary="MEND's zsre_mend_eval.json and EasyEdit's extensions of it: structured only",
        matches=_is_mend,
        parse=_parse_mend,
        has_ids=False,
    ),
)
