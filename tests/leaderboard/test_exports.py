"""What leaves the board as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench_leaderboard.exports import to_csv, to_json

FRAME = pd.DataFrame(
    {
        "editor": ["=cmd|' /C calc'!A0", "plain", None],
        "gain": [-0.25, float("nan"), float("inf")],
        "n": pd.array([1, None, 3], dtype="Int64"),
        "free": [True, False, True],
        "ids": [["a", "b"], [], None],
    }
)


def test_formulas_get_an_apostrophe_and_numbers_stay_numbers() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(FRAME), newline="")))
    assert rows == [
        ["editor", "gain", "n", "free", "ids"],
        ["'=cmd|' /C calc'!A0", "-0.25", "1", "True", '["a", "b"]'],
        ["plain", "", "", "False", "[]"],
        ["", "", "3", "True", ""],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_every_start_of_a_formula_is_met(start: str) -> None:
    text = to_csv(pd.DataFrame({f"{start}name": pd.Categorical([f"{start}1+1"])}))
    header, row = list(csv.reader(io.StringIO(text, newline="")))
    assert header == [f"'{start}name"]
    assert row == [f"'{start}1+1"]


def test_json_has_null_for_what_is_no_number() -> None:
    assert json.loads(to_json(FRAME)) == [
        {"editor": "=cmd|' /C calc'!A0", "gain": -0.25, "n": 1, "free": True, "ids": ["a", "b"]},
        {"editor": "plain", "gain": None, "n": None, "free": False, "ids": []},
        {"editor": None, "gain": None, "n": 3, "free": True, "ids": None},
    ]


def test_an_empty_table_keeps_its_columns() -> None:
    empty = FRAME.head(0)
    assert to_csv(empty) == "editor,gain,n,free,ids\r\n"
    assert to_json(empty) == "[]"


@given(st.lists(st.one_of(st.text(), st.floats(), st.integers(-(2**53), 2**53)), max_size=5))
def test_no_text_cell_starts_a_formula(values: list[object]) -> None:
    text = to_csv(pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    cells = [row[0] if row else "" for row in csv.reader(io.StringIO(text, newline=""))][1:]
    assert len(cells) == len(values)  # no text ends a row either
    for cell in cells:
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            assert np.isfinite(float(cell))  # a number, and nothing else
