"""Dates of year, month or day precision, and those that surely lie inside an interval."""

from __future__ import annotations

import calendar
import datetime
from typing import Final

from scopebench.records import Interval

_MONTHS: Final = tuple(calendar.month_name)


def first_day(date: str) -> datetime.date:
    """Return the first day of an ISO date of any precision."""
    parts = [int(part) for part in date.split("-")]
    return datetime.date(*(parts + [1] * (3 - len(parts))))


def last_day(date: str) -> datetime.date:
    """Return the last day of an ISO date of any precision."""
    parts = [int(part) for part in date.split("-")]
    if len(parts) == 1:
        return datetime.date(parts[0], 12, 31)
    if len(parts) == 2:
        return datetime.date(parts[0], parts[1], calendar.monthrange(parts[0], parts[1])[1])
    return first_day(date)


def every_date(span: Interval, *, until: datetime.date) -> list[str]:
    """Return the dates at which what held in an interval surely held.

    Years that lie wholly inside it, or whole months where there is no such year; the one date of an
    interval of one date.

    Args:
        span: The interval; without a start there are no dates.
        until: The end to assume where it has none.
    """
    if span.start is None:
        return []
    if span.start == span.end:
        return [span.start]
    begin = last_day(span.start)
    end = until if span.end is None else first_day(span.end)
    years = [str(year) for year in range(begin.year, end.year + 1)]
    months = [f"{year}-{month:02}" for year in years for month in range(1, 13)]
    for dates in (years, months):
        found = [date for date in dates if begin <= first_day(date) and last_day(date) <= end]
        if found:
            return found
    return []


def in_words(date: str) -> str:
    """Return an ISO date as it is said: 2015, March 2015, 4 March 2015."""
    parts = [int(part) for part in date.split("-")]
    if len(parts) == 1:
        return str(parts[0])
    if len(parts) == 2:
        return f"{_MONTHS[parts[1]]} {parts[0]}"
    return f"{parts[2]} {_MONTHS[parts[1]]} {parts[0]}"


def overlaps(date: str, span: Interval) -> bool:
    """Whether a date of any precision may lie in an interval, its unknown ends being open."""
    if span.start is not None and last_day(date) < first_day(span.start):
        return False
    return not (span.end is not None and first_day(date) > last_day(span.end))
