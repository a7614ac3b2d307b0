"""Numbers as they are shown, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.records.report import Estimate
from scopebench.report.page.numbers import (
    NOTHING,
    UNTOLD,
    count,
    decimal,
    estimate,
    interval_text,
    number,
    percent,
    points,
    probability,
    reason_for,
)


def test_the_papers_numbers() -> None:
    assert percent(1330 / 1689) == "78.7%"
    assert points(0.0420) == "+4.20"
    assert points(0.0025) == "+0.25"
    assert count(1689) == "1,689"
    assert decimal(0.956) == "0.956"


def test_signs_are_minus_signs_and_zero_has_none() -> None:
    assert points(-0.1587) == "−15.87"
    assert points(0.0) == points(-0.0) == points(0.00001) == points(-0.00001) == "0.00"
    assert decimal(-0.0001) == "0.000"
    assert percent(-4.355) == "−435.5%"


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1.0, "1.000"),
        (0.125, "0.125"),
        (0.0625, "0.0625"),
        (0.0019, "0.0019"),
        (0.00096, "0.0010"),
        (0.0005, "0.0005"),
        (1e-9, "< 0.0001"),
        (0.0, "< 0.0001"),
    ],
)
def test_p_values_are_never_zero(p: float, shown: str) -> None:
    assert probability(p) == shown


@given(st.floats(min_value=0, max_value=1))
def test_no_p_value_is_shown_as_zero(p: float) -> None:
    assert float(probability(p).removeprefix("< ")) > 0


def test_an_interval_is_in_words() -> None:
    assert interval_text(-0.012, 0.034, points) == "−1.20 to +3.40"
    assert interval_text(0.7686, 0.8878, percent) == "76.9 to 88.8"


def test_a_null_carries_its_reason() -> None:
    value = number(None, percent, key="auroc", undefined={"auroc": "all queries are in scope"})
    assert (value.text, value.reason, value.exact) == (NOTHING, "all queries are in scope", None)


def test_a_missing_interval_carries_its_reason() -> None:
    one = Estimate(value=1.0, low=None, high=None, method=None)
    value = estimate(one, decimal, key="auroc", undefined={"auroc.interval": "no variance"})
    assert (value.text, value.interval, value.reason) == ("1.000", None, "no variance")


def test_reasons_are_found_by_part_and_by_parent() -> None:
    assert reason_for("headroom", {"headroom.low": "one cluster"}) == "one cluster"
    assert reason_for("statics.static_cv.value", {"statics": "no folds"}) == "no folds"
    assert reason_for("accuracy", {"accuracy_other": "x"}) == UNTOLD
