"""WikiUpdate: facts that really changed, with times and Wikipedia passages (Wu et al. 2024)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Edit, Interval
from scopebench.sources.akew import akew_fields, is_akew_single
from scopebench.sources.fields import Fields, shown
from scopebench.sources.probes import canonical_probes
from scopebench.sources.schema import Origin, Parsed, Schema

_DATE: Final = re.compile(
    r"\+?(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})(?:T[0-9:.]+Z?)?)?)?"
)
_TIMES: Final = ("time_true", "time_new")
_COUNTERFACT_KEYS: Final = ("pararel_idx", "paraphrase_prompts", "neighborhood_prompts")


def _is_wikiupdate(record: Mapping[str, Any]) -> bool:
    if not is_akew_single(record):
        return False
    timed = any(key in record["requested_rewrite"] for key in _TIMES)
    return timed or not any(key in record for key in _COUNTERFACT_KEYS)


def _parse(record: Fields, origin: Origin) -> Parsed:
    rewrite = record.child("requested_rewrite")
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        time_true=_interval(rewrite, "time_true"),
        time_new=_interval(rewrite, "time_new"),
        source=origin.source,
        **akew_fields(rewrite),
    )
    return Parsed((edit,), canonical_probes(record, edit))


def _interval(rewrite: Fields, key: str) -> Interval | None:
    if rewrite.value(key, "an object or null") is None:
        return None
    span = rewrite.child(key)
    return Interval(start=_date(span, "start_time"), end=_date(span, "end_time"))


def _date(span: Fields, key: str) -> str | None:
    """Return a date in ISO 8601.

    Wikidata's own notation is understood: a leading plus, midnight after the day, and 00 for a
    month or day that is not known, which is left out.
    """
    if span.value(key, "a date or null") is None:
        return None
    text = span.text(key)
    found = _DATE.fullmatch(text)
    if not found:
        raise span.fault(key, f"expected YYYY, YYYY-MM or YYYY-MM-DD, found {shown(text)}")
    year, month, day = (found[part] for part in ("year", "month", "day"))
    known_month = month not in (None, "00")
    known_day = known_month and day not in (None, "00")
    try:
        datetime.date(int(year), int(month) if known_month else 1, int(day) if known_day else 1)
    except ValueError as error:
        raise span.fault(key, f"expected a date, found {shown(text)} ({error})") from error
    return "-".join([year, *([month] if known_month else []), *([day] if known_day else [])])


SCHEMAS: Final = (
    Schema(
        name="akew-wikiupdate",
        dataset="wikiupdate",
        summary="AKEW's WikiUpdate.json: all three conditions, with times",
        matches=_is_wikiupdate,
        parse=_parse,
    ),
)
