"""RippleEdits: edits with the facts they change and leave alone, in KnowEdit's flattened form.

Cohen et al. 2023 (RippleEdits); Zhang et al. 2024 (KnowEdit), which keeps the sentences and drops
ids, relation names and condition queries. Records have no id: their position is it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit
from scopebench.sources.case import Probe
from scopebench.sources.facts import check_change, fact_object, template_around
from scopebench.sources.fields import Fields
from scopebench.sources.knowedit import knowedit_probes, other_values
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
    objects = _old_objects(record)
    new = fact_object(record.text("target_new"))
    old = fact_object(objects[0][0], objects[0][1:]) if objects else None
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
    probes = (*knowedit_probes(record, edit), *_further_objects(record, edit, objects[1:]))
    return Parsed((edit,), probes)


def _old_objects(record: Fields) -> tuple[tuple[str, ...], ...]:
    """Return the answers of each old object; facts of RippleEdits' RECENT are new and have none."""
    if not record.has("ground_truth"):
        return ()
    objects = record.answer_groups("ground_truth")
    if not objects:
        raise record.fault("ground_truth", "expected the old object, found an empty one")
    return objects


def _further_objects(
    record: Fields, edit: Edit, objects: tuple[tuple[str, ...], ...]
) -> tuple[Probe, ...]:
    """Return the old objects after the first as other values of the edit's fact."""
    if not objects:
        return ()
    return (other_values(edit, record.dotted("ground_truth"), edit.cloze, objects),)


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
