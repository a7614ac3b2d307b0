"""RippleEdits: edits with the facts they change and leave alone, in KnowEdit's flattened form.

Cohen et al. 2023 (RippleEdits); Zhang et al. 2024 (KnowEdit), which keeps the sentences and drops
ids, relation names and condition queries. Records have no id: their position is it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit, FactObject
from scopebench.sources.facts import check_change, fact_object, template_around
from scopebench.sources.fields import Fields
from scopebench.sources.knowedit import knowedit_probes
from scopebench.sources.schema import Origin, Parsed, Schema

_KEYS: Final = frozenset({"subject", "prompt", "target_new", "portability", "locality"})
_FOREIGN_KEYS: Final = ("case_id", "rephrase_prompt")
"""Fields of CounterFact's flat form and of KnowEdit's zsRE."""


def _is_knowedit(record: Mapping[str, Any]) -> bool:
    return record.keys() >= _KEYS and not any(key in record for key in _FOREIGN_KEYS)


def _parse(record: Fields, origin: Origin) -> Parsed:
    for key in _FOREIGN_KEYS:
        if record.has(key):
            raise record.fault(key, "expected RippleEdits' fields, as the file began, found others")
    subject = record.text("subject")
    new, old = fact_object(record.text("target_new")), _old_object(record)
    if old is not None:
        check_change(record, "target_new", new, old)
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=subject,
        prompt=template_around(record, "prompt", subject),
        target_new=new,
        target_true=old,
        source=origin.source,
    )
    return Parsed((edit,), knowedit_probes(record, edit))


def _old_object(record: Fields) -> FactObject | None:
    """Return the old object; facts of RippleEdits' RECENT are new and have none."""
    if not record.has("ground_truth"):
        return None
    answers = record.answers("ground_truth")
    if not answers:
        raise record.fault("ground_truth", "expected the old object, found an empty one")
    return fact_object(answers[0], answers[1:])


SCHEMAS: Final = (
    Schema(
        name="knowedit-rippleedits",
        dataset="rippleedits",
        summary="KnowEdit's flattened RippleEdits (wiki_counterfact, wiki_recent): structured only",
        matches=_is_knowedit,
        parse=_parse,
        has_ids=False,
    ),
)
