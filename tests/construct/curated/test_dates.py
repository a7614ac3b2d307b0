from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.curated.dates import first_day, in_words, inside, last_day, overlaps
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


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2012-05-15", "2017-05-14", "2015"),  # 2013, 2014, 2015, 2016: the middle, rounded up
        ("2012", "2014", "2013"),  # begins somewhere in 2012 and ends somewhere in 2014
        ("2012-05-15", "2013-02-10", "2012-06"),
        ("2012-05-15", "2012-05-20", "2012-05-16"),
        ("2021-01-04", "2021-01-04", "2021-01-04"),  # known on that day alone
        ("2012", "2013", None),  # could have begun and ended on any day of two years
    ],
)
def test_a_date_inside_is_as_coarse_as_certain(start, end, expected):
    assert inside(Interval(start=start, end=end)) == expected


def test_an_open_end_needs_an_assumed_one():
    span = Interval(start="2019-10-10", end=None)
    assert inside(span) is None
    assert inside(span, until=datetime.date(2024, 6, 30)) == "2022"
    assert inside(Interval(start=None, end="2010")) is None


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
def test_a_found_date_lies_inside(one, other):
    start, end = sorted((one, other))
    found = inside(Interval(start=start.isoformat(), end=end.isoformat()))
    if found is None:
        assert datetime.timedelta(0) < end - start <= datetime.timedelta(days=2)
    else:
        assert start <= first_day(found) <= last_day(found) <= end
