from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.dates import every_date, first_day, in_words, last_day, overlaps
from scopebench.records import Interval


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [
        ("2016", datetime.date(2016, 1, 1), datetime.date(2016, 12, 31)),
        ("2016-02", datetime.date(2016, 2, 1), datetime.date(2016, 2, 29)),
        ("2016-02-03", datetime.date(2016, 2, 3), datetime.date(2016, 2, 3)),
    ],
)
def test_a_coarse_date_spans_its_days(date, first, last):
    assert (first_day(date), last_day(date)) == (first, last)


UNTIL = datetime.date(2024, 6, 30)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2012-05-15", "2017-05-14", ["2013", "2014", "2015", "2016"]),
        ("2012", "2014", ["2013"]),  # begins somewhere in 2012 and ends somewhere in 2014
        ("2012-05-15", "2012-09-10", ["2012-06", "2012-07", "2012-08"]),
        ("2021-01-04", "2021-01-04", ["2021-01-04"]),  # known on that day alone
        ("2012-05-15", "2012-05-20", []),  # no whole month
        ("2012", "2013", []),  # could have begun and ended on any day of two years
        ("2021-10-10", None, ["2022", "2023"]),  # 2024 is not over at the assumed end
        (None, "2010", []),
    ],
)
def test_dates_that_surely_lie_inside(start, end, expected):
    assert every_date(Interval(start=start, end=end), until=UNTIL) == expected


@pytest.mark.parametrize(
    ("date", "words"), [("2015", "2015"), ("2015-03", "March 2015"), ("2015-03-04", "4 March 2015")]
)
def test_dates_in_words(date, words):
    assert in_words(date) == words


def test_overlap_leaves_unknown_ends_open():
    assert overlaps("2015", Interval(start="2015-12-31", end=None))
    assert not overlaps("2015", Interval(start="2016-01-01", end=None))
    assert overlaps("2015", Interval(start=None, end="2015"))
    assert not overlaps("2015", Interval(start=None, end="2014-12-31"))


_DAYS = st.dates(min_value=datetime.date(1900, 1, 1), max_value=datetime.date(2030, 12, 31))


@given(_DAYS, _DAYS)
def test_every_date_found_lies_inside(one, other):
    start, end = sorted((one, other))
    span = Interval(start=start.isoformat(), end=end.isoformat())
    found = every_date(span, until=UNTIL)
    assert all(start <= first_day(date) and last_day(date) <= end for date in found)
    assert found or end - start < datetime.timedelta(days=61)
