"""Every number as CSV, against `run.json`, and cells that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.hub.exports import ExportOptions, Rendered, render
from scopebench.hub.exports.csv_rows import COLUMNS, PART_COLUMNS, cell, render_runs
from scopebench.hub.exports.runs import ScoredRun


def read(rendered: Rendered) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(rendered.files[""], newline="")))
    assert all(set(row) == set(COLUMNS) for row in rows)
    return rows


def flat(name: str, value: Any) -> dict[str, Any]:
    """Return the numbers under a field of `run.json`, by dotted name."""
    if isinstance(value, dict) and "method" not in value:
        found: dict[str, Any] = {}
        for key, inner in value.items():
            if key not in ("choice", "hindsight"):
                found |= flat(f"{name}.{key}", inner)
        return found
    return {name: value["value"] if isinstance(value, dict) else value}


def test_every_number_of_every_part_is_there_once(folders: dict[str, Path]) -> None:
    rows = read(render("csv", [folders["inlay"]], ExportOptions()))
    stored = json.loads((folders["inlay"] / "run.json").read_text())
    about = {*PART_COLUMNS, "n", "n_scorable", "n_clusters", "undefined"}
    expected: dict[tuple[str, ...], Any] = {}
    for part in (
        *stored["pooled"],
        *stored["cells"],
        *stored["strata"],
        *stored["kinds"],
        *stored["router"],
    ):
        place = tuple(part[name] for name in PART_COLUMNS)
        for name, value in part.items():
            if name not in about:
                for metric, number in flat(name, value).items():
                    # Cells and router rows both have `accuracy`, by action and as a whole.
                    expected[(*place, metric)] = number
    found = {(*(row[name] for name in PART_COLUMNS), row["metric"]): row["value"] for row in rows}
    assert len(found) == len(rows) == len(expected)
    for key, number in expected.items():
        assert found[key] == ("" if number is None else repr(number)), key


def test_every_null_has_a_reason(folders: dict[str, Path]) -> None:
    rows = read(render("csv", [folders["base"]], ExportOptions()))
    nulls = [row for row in rows if row["value"] == ""]
    assert nulls
    assert all(row["reason"] for row in nulls)


def test_editors_stand_side_by_side_and_one_population_is_kept(folders: dict[str, Path]) -> None:
    paths = [folders["inlay"], folders["base"], folders["limited"]]
    rows = read(render("csv", paths, ExportOptions(population="curated", matcher="paper")))
    assert list(dict.fromkeys(row["run"] for row in rows)) == ["inlay", "base", "static"]
    assert {row["population"] for row in rows} == {"curated"}
    assert {row["matcher"] for row in rows} == {"paper"}
    assert {row["run"] for row in rows if row["limited"] == "true"} == {"static"}


def test_an_interval_and_its_missing_one(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run(
        {"miss": (0.25, 0.125, 0.5), "auroc": (1.0, None, None)},
        undefined={"auroc.interval": "all alike"},
    )
    rows = {row["metric"]: row for row in read(render_runs([run], ExportOptions()))}
    names = ("value", "low", "high", "method", "reason")
    assert [rows["miss"][name] for name in names] == ["0.25", "0.125", "0.5", "by hand", ""]
    assert [rows["auroc"][name] for name in names] == ["1.0", "", "", "", "all alike"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'=1"),
        (" =1", "'=1"),
        ("＝1", "'＝1"),
        ("a=b", "a=b"),
        (-0.5, "-0.5"),
        (None, ""),
        (True, "true"),
        (0.1, "0.1"),
    ],
)
def test_a_cell_is_never_a_formula(value: Any, shown: str) -> None:
    assert cell(value) == shown


@given(st.text())
def test_no_text_becomes_a_formula_or_a_second_line(text: str) -> None:
    shown = cell(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert len(shown.splitlines()) <= 1


def test_a_hostile_editor_is_one_cell(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run(editor='=cmd|"/c calc"!A1\n,evil')
    rows = read(render_runs([run], ExportOptions()))
    assert {row["editor"] for row in rows} == {'\'=cmd|"/c calc"!A1 ,evil'}
