"""A table as CSV or JSON that opens as data anywhere and runs as a formula nowhere."""

from __future__ import annotations

import json
import math
from typing import Any, Final

import pandas as pd

_STARTS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Their full-width forms too: spreadsheets with East Asian settings take them for the same."""


def to_csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV, its index left out.

    A text that a spreadsheet would take for a formula (it starts with `=`, `+`, `-`, `@`, a tab or
    a line end) gets an apostrophe before it, as OWASP's page "CSV Injection" says; so do column
    names. Numbers stay numbers, nulls are empty, lists are JSON.
    """
    safe = pd.DataFrame(
        {
            at: frame.iloc[:, at].astype(object).map(_cell, na_action="ignore")
            for at in range(frame.shape[1])
        },
        index=frame.index,
    )
    safe.columns = pd.Index([_cell(name) for name in frame.columns])
    # Lines end as RFC 4180 has it; and a writer quotes a cell for the line ends it writes only.
    text: str = safe.to_csv(index=False, lineterminator="\r\n")
    return text


def to_json(frame: pd.DataFrame) -> str:
    """Return a table as a JSON array of one object a row; a null or not finite number is null."""
    names = [str(name) for name in frame.columns]
    columns = [[_plain(value) for value in frame.iloc[:, at]] for at in range(frame.shape[1])]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return json.dumps(rows, ensure_ascii=False, allow_nan=False)


def _cell(value: Any) -> Any:
    plain = _plain(value)
    if isinstance(plain, (list, dict)):
        plain = json.dumps(plain, ensure_ascii=False)
    if isinstance(plain, str) and plain.startswith(_STARTS_A_FORMULA):
        return f"'{plain}"
    return plain


def _plain(value: Any) -> Any:
    """Return a value of a frame as JSON has it."""
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, bool, int, float)) else str(value)
