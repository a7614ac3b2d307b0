"""Dates of year, month or day precision, and a date that surely lies inside an interval."""

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


def inside(span: Interval, *, until: datetime.date | None = None) -> str | None:
    """Return a date that lies wholly inside an interval, as coarse as possible.

    The middle one of the whole years is taken, else the first whole month, else the
    day after the first.

    Args:
        span: The interval; its start must be known.
        until: The end to assume where it has none; without it there is no date.

    Returns:
        An ISO date of year, month or day precision; None where none surely lies inside.
    """
    if span.start is None:
        return None
    begin = last_day(span.start)
    if span.end is not None:
        end = first_day(span.end)
    elif until is not None:
        end = until
    else:
        return None
    if span.start == span.end:
        return span.start
    years = [
        year
        for year in range(begin.year, end.year + 1)
        if begin <= datetime.date(year, 1, 1) and datetime.date(year, 12, 31) <= end
    ]
    if years:
        return str(years[len(years) // 2])
    month = begin.replace(day=1)
    while month <= end:
        text = f"{month.year}-{month.month:02}"
        if begin <= month and last_day(text) <= end:
            return text
        month = last_day(text) + datetime.timedelta(days=1)
    day = begin + datetime.timedelta(days=1)  # on the first day both objects may have held
    return day.isoformat() if day < end else None


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
