"""AKEW's form of single edits, shared by its CounterFact and WikiUpdate (Wu et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from scopebench.records import FactObject, Triple
from scopebench.sources.facts import (
    EVIDENCE_KEYS,
    check_change,
    fact_object,
    labelled_object,
    paragraph,
    template,
    triples,
)
from scopebench.sources.fields import Fields

AKEW_KEYS: Final = ("question", "answer_new", "answer_true", *EVIDENCE_KEYS)
"""Fields by which AKEW's single edits differ from CounterFact's own."""


class AkewFields(TypedDict):
    """The fields of an `Edit` that AKEW gives for every single edit."""

    subject: str
    relation_id: str
    prompt: str
    question: str
    target_new: FactObject
    target_true: FactObject
    evidence_unstructured: str | None
    evidence_triples: tuple[Triple, ...] | None


def is_akew_single(record: Mapping[str, Any]) -> bool:
    """Whether a record holds one edit with fields that only AKEW has."""
    rewrite = record.get("requested_rewrite")
    return isinstance(rewrite, dict) and any(key in rewrite for key in AKEW_KEYS)


def akew_fields(rewrite: Fields) -> AkewFields:
    """Read `requested_rewrite`.

    Raises:
        DataError: If a field is missing or not as described.
    """
    new, old = _answer(rewrite, "new"), _answer(rewrite, "true")
    check_change(rewrite, "answer_new", new, old)
    return AkewFields(
        subject=rewrite.text("subject"),
        relation_id=rewrite.text("relation_id"),
        prompt=template(rewrite, "prompt"),
        question=rewrite.text("question"),
        target_new=new,
        target_true=old,
        evidence_unstructured=paragraph(rewrite),
        evidence_triples=triples(rewrite),
    )


def _answer(rewrite: Fields, which: str) -> FactObject:
    """Return the answer, with its label in `target_*` as an alias where the two differ."""
    named = labelled_object(rewrite, f"target_{which}")
    key = f"answer_{which}"
    # AKEW's description spells the list of aliases both ways.
    spellings = (f"{key}_aliases", f"{key}_alias")
    spelled = next((name for name in spellings if name in rewrite.values), spellings[0])
    aliases = (named.text, *rewrite.texts(spelled))
    return fact_object(rewrite.text(key), aliases, named.entity_id)
