"""Numbers as they are shown: percent and points are shown, shares are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from scopebench.records.report import Estimate
from scopebench.report.page.model import Value

NOTHING: Final = "–"
MINUS: Final = "\N{MINUS SIGN}"
UNTOLD: Final = "the report gives no reason"
SMALLEST_P: Final = 0.0001

Form = Callable[[float], str]


def percent(share: float) -> str:
    """Return a share as percent: 0.7874 is `78.7%`."""
    return _signed(f"{_whole(share * 100, 1):.1f}%")


def points(difference: float) -> str:
    """Return a difference of shares in percentage points, signed: 0.042 is `+4.20`."""
    shown = _whole(difference * 100, 2)
    return _signed(f"{shown:+.2f}") if shown else "0.00"


def decimal(value: float) -> str:
    """Return a value that is no share of rows, such as an area under a curve."""
    return _signed(f"{_whole(value, 3):.3f}")


def count(value: float) -> str:
    """Return a count with its thousands set apart: `1,689`."""
    return f"{value:,.0f}"


def probability(p: float) -> str:
    """Return a p-value with three decimals, four below 0.1, and never as 0."""
    if p < SMALLEST_P:
        return f"< {SMALLEST_P}"
    return f"{p:.3f}" if p >= 0.1 else f"{p:.4f}"


def interval_text(low: float, high: float, form: Form) -> str:
    """Return an interval in words, so that no minus sign is taken for a dash: `-1.2 to +3.4`."""
    return f"{form(low).removesuffix('%')} to {form(high).removesuffix('%')}"


def number(
    value: float | None, form: Form, *, key: str = "", undefined: Mapping[str, str] | None = None
) -> Value:
    """Return a number as it is shown, or a dash with the reason.

    Args:
        value: The number.
        form: How it is shown.
        key: Its dotted key in `undefined`.
        undefined: Reasons by key.
    """
    if value is None:
        return missing(reason_for(key, undefined or {}))
    return Value(text=form(value), exact=value)


def estimate(
    value: Estimate, form: Form, *, key: str = "", undefined: Mapping[str, str] | None = None
) -> Value:
    """Return a number with its interval, or a dash with the reason; see `number`."""
    if value.value is None:
        return missing(reason_for(key, undefined or {}))
    if value.low is None or value.high is None:
        why = reason_for(f"{key}.interval", undefined or {})
        return Value(text=form(value.value), exact=value.value, reason=why)
    return Value(
        text=form(value.value),
        interval=interval_text(value.low, value.high, form),
        method=value.method,
        exact=value.value,
    )


def missing(reason: str) -> Value:
    """Return a dash that carries its reason."""
    return Value(text=NOTHING, reason=reason)


def words(text: str) -> Value:
    """Return a text as an entry of a table."""
    return Value(text=text)


def reason_for(key: str, undefined: Mapping[str, str]) -> str:
    """Return why a number is null: its own reason, else one of a part of it or of its parent."""
    if key in undefined:
        return undefined[key]
    related = [
        reason
        for other, reason in undefined.items()
        if other.startswith(f"{key}.") or key.startswith(f"{other}.")
    ]
    return related[0] if related else UNTOLD


def _whole(value: float, digits: int) -> float:
    """Return a value rounded, without the sign of a negative zero."""
    return round(value, digits) + 0.0


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
