"""WikiFactDiff: changes between two Wikidata dumps, in its flat form (Ammar Khodja et al. 2024).

A substitute for WikiUpdate that goes under its own name: it has no ids, times or evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit
from scopebench.sources.fields import Fields
from scopebench.sources.flat import parse_flat
from scopebench.sources.schema import Origin, Schema


def _is_flat(record: Mapping[str, Any]) -> bool:
    body = record.get("en")
    return isinstance(body, dict) and {"src", "alt"} <= body.keys()


def _parse(record: Fields, origin: Origin) -> tuple[Edit, ...]:
    return parse_flat(record, origin, sentence="src", new="alt", old="old")


SCHEMAS: Final = (
    Schema(
        name="wikifactdiff-flat",
        dataset="wikifactdiff",
        summary="the flat English form of WikiFactDiff: structured only, no relation ids",
        matches=_is_flat,
        parse=_parse,
        wrapper="en",
    ),
)
