"""Editors side by side on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.scoring.across import Scored, compare_editors
from scopebench.scoring.families import EDITORS_BY_CELL, EDITORS_POOLED, EDITORS_SCOPE
from scopebench.scoring.matrix import DecisionTable
from scopebench.scoring.reading.run_tables import run_rows

Build = Callable[..., Any]


def scored(tables: Build, rows: list[Any]) -> Scored:
    found = run_rows(*tables(rows))
    return found.matrices["strict"], found.decisions


def editors(tables: Build, row: Build) -> dict[str, Scored]:
    """`always` recites; `never` abstains; reciting is right on a and b, abstaining on c."""
    codes = {"a": "100", "b": "110", "c": "001", "d": "000"}
    governing = {"a": ("e1",), "b": ("e1",), "c": (), "d": ()}
    return {
        name: scored(
            tables,
            [
                row(code, query_id=q, action=action, governing=governing[q], population="curated")
                for q, code in codes.items()
            ],
        )
        for name, action in (("always", "recite"), ("never", "abstain"))
    }


def test_two_editors_by_hand(tables: Build, row: Build) -> None:
    found = compare_editors(editors(tables, row), n_resamples=200)
    assert [r.family for r in found] == [EDITORS_POOLED, EDITORS_SCOPE, EDITORS_BY_CELL]
    accuracy, scope, cell = found
    assert (accuracy.first, accuracy.second) == ("always", "never")
    assert (accuracy.first_only, accuracy.second_only) == (2, 1)
    assert accuracy.difference.value == 1 / 4
    assert (scope.first_only, scope.second_only, scope.p_sign_flip) == (2, 2, 1)
    assert (cell.dataset, cell.condition) == ("trains", "structured")


def test_every_pair_of_three_is_tested(tables: Build, row: Build) -> None:
    two = editors(tables, row)
    found = compare_editors({**two, "again": two["always"]}, n_resamples=200)
    pairs = [(r.first, r.second) for r in found if r.family == EDITORS_POOLED]
    assert pairs == [("always", "never"), ("always", "again"), ("never", "again")]
    assert [r.difference.value for r in found if (r.first, r.second) == ("always", "again")] == [
        0,
        0,
        0,
    ]


def test_one_editor_is_compared_with_nobody(tables: Build, row: Build) -> None:
    assert compare_editors({"always": editors(tables, row)["always"]}) == ()


def test_other_rows_are_refused_by_name(tables: Build, row: Build) -> None:
    first = scored(tables, [row("100", query_id="a"), row("100", query_id="b")])
    other = scored(tables, [row("100", query_id="a"), row("100", query_id="c")])
    fewer = scored(tables, [row("100", query_id="a")])
    with pytest.raises(DataError, match="record b structured: one and two were not scored"):
        compare_editors({"one": first, "two": other})
    with pytest.raises(DataError, match="record b structured: one and two were not scored"):
        compare_editors({"one": first, "two": fewer})


def test_an_editor_that_does_not_tell_its_decisions_is_listed_as_skipped(
    tables: Build, row: Build
) -> None:
    two = editors(tables, row)
    found = compare_editors(
        {"always": two["always"], "silent": (two["never"][0], DecisionTable())}, n_resamples=200
    )
    assert {r.skipped for r in found} == {"silent does not tell its decisions"}
