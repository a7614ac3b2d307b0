"""WikiFactDiff: changes between two Wikidata dumps, in its flat form (Ammar Khodja et al. 2024).

A substitute for WikiUpdate that goes under its own name: it has no ids or evidence, and of times
only the two that hold for every record, the dates of the dumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Interval
from scopebench.sources.fields import Fields
from scopebench.sources.flat import FlatNames, parse_flat
from scopebench.sources.schema import Origin, Parsed, Schema

OLD_DUMP: Final = "2021-01-04"
"""Date of the earlier of the two Wikidata dumps compared (Ammar Khodja et al. 2024)."""

NEW_DUMP: Final = "2023-02-27"
"""Date of the later one."""

_NAMES: Final = FlatNames(
    sentence="src",
    new="alt",
    old="old",
    rephrase="rephrase",
    locality="loc",
    locality_answer="loc_ans",
)


def _is_flat(record: Mapping[str, Any]) -> bool:
    body = record.get("en")
    return isinstance(body, dict) and {"src", "alt"} <= body.keys()


def _parse(record: Fields, origin: Origin) -> Parsed:
    """Parse a record.

    The old fact is known to hold on the day of the earlier dump and the new one on that of the
    later; the intervals are those days, the part of each fact's validity that is known.
    """
    return parse_flat(
        record,
        origin,
        _NAMES,
        time_true=Interval(start=OLD_DUMP, end=OLD_DUMP),
        time_new=Interval(start=NEW_DUMP, end=NEW_DUMP),
    )


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
