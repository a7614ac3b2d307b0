"""CounterFact: its canonical form, EasyEdit's flat form and AKEW's form with evidence.

Meng et al. 2022 (ROME); Wang et al. 2023 (EasyEdit); Wu et al. 2024 (AKEW).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit
from scopebench.sources.akew import AKEW_KEYS, akew_fields, is_akew_single
from scopebench.sources.facts import check_change, labelled_object, template
from scopebench.sources.fields import Fields
from scopebench.sources.flat import FlatNames, parse_flat
from scopebench.sources.probes import canonical_probes
from scopebench.sources.schema import Origin, Parsed, Schema

_FLAT: Final = FlatNames(
    sentence="prompt",
    new="target_new",
    old="ground_truth",
    rephrase="rephrase_prompt",
    locality="locality_prompt",
    locality_answer="locality_ground_truth",
)


def _is_akew(record: Mapping[str, Any]) -> bool:
    # Only WikiUpdate has times.
    return is_akew_single(record) and not {"time_true", "time_new"} & set(
        record["requested_rewrite"]
    )


def _is_canonical(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("requested_rewrite"), dict) and not is_akew_single(record)


def _is_flat(record: Mapping[str, Any]) -> bool:
    return {"case_id", "prompt", "target_new"} <= record.keys()


def _parse_akew(record: Fields, origin: Origin) -> Parsed:
    fields = akew_fields(record.child("requested_rewrite"))
    edit = Edit(edit_id=origin.edit_id(0), dataset=origin.dataset, source=origin.source, **fields)
    return Parsed((edit,), canonical_probes(record, edit))


def _parse_canonical(record: Fields, origin: Origin) -> Parsed:
    rewrite = record.child("requested_rewrite")
    for key in AKEW_KEYS:
        if rewrite.has(key):
            raise rewrite.fault(
                key, "expected CounterFact's own fields, as the file began, found one of AKEW's"
            )
    new, old = labelled_object(rewrite, "target_new"), labelled_object(rewrite, "target_true")
    check_change(rewrite, "target_new", new, old)
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=rewrite.text("subject"),
        relation_id=rewrite.text("relation_id"),
        prompt=template(rewrite, "prompt"),
        target_new=new,
        target_true=old,
        source=origin.source,
    )
    return Parsed((edit,), canonical_probes(record, edit))


def _parse_flat(record: Fields, origin: Origin) -> Parsed:
    return parse_flat(record, origin, _FLAT)


SCHEMAS: Final = (
    Schema(
        name="akew-counterfact",
        dataset="counterfact",
        summary="AKEW's CounterFact.json: all three conditions",
        matches=_is_akew,
        parse=_parse_akew,
    ),
    Schema(
        name="counterfact",
        dataset="counterfact",
        summary="the canonical counterfact.json: structured only",
        matches=_is_canonical,
        parse=_parse_canonical,
    ),
    Schema(
        name="counterfact-flat",
        dataset="counterfact",
        summary="EasyEdit's counterfact-{train,val,edit}.json: structured only, no relation ids",
        matches=_is_flat,
        parse=_parse_flat,
    ),
)
