from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scopebench.audit.answers import Verdict, sheet_verdicts, typed_verdict
from scopebench.audit.rows import Row
from scopebench.errors import DataError, UsageError
from scopebench.records import Query, SourceRef

PATH = Path("sheet.csv")
SHEET = "aabbccddeeff/20/3"


def a_row(n: int = 1, answers: tuple[str, ...] | None = ("Ona Tarsk",)) -> Row:
    query = Query(
        query_id=f"mine/{n}/0/direct/curated",
        dataset="mine",
        population="curated",
        kind="direct",
        question="Who owns Brel Mill?",
        form="question",
        answers=answers,
        pre_edit_answers=None,
        governing_edit_ids=(),
        cluster="1",
        fold="dev",
        source=SourceRef(file="f", record="1", sha256="ab"),
    )
    return Row(query, ("structured",))


SAMPLE = {row.key: row for row in (a_row(1), a_row(2, None))}
FIRST, SECOND = SAMPLE


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("r", Verdict("right", "right", "fine")),
        ("w", Verdict("wrong", "right", "fine")),
        ("d", Verdict("doubtful", "right", "fine")),
        ("g", Verdict("right", "wrong", "fine")),
        ("WGB  two   owners\n", Verdict("wrong", "wrong", "bad", "two owners")),
        ("hb", Verdict("right", "doubtful", "bad")),
        ("r its note", Verdict("right", "right", "fine", "its note")),
    ],
)
def test_keys(typed: str, verdict: Verdict) -> None:
    assert typed_verdict(typed, a_row()) == verdict


def test_a_row_without_gold_has_none_to_judge() -> None:
    assert typed_verdict("r", a_row(answers=None)) == Verdict("right", None, "fine")
    with pytest.raises(UsageError, match="no gold to judge"):
        typed_verdict("g", a_row(answers=None))


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("", "is no answer"),
        ("x", "'x' is no answer; type one or several of: r all right"),
        ("wd", "contradict"),
        ("gh", "contradict"),
        ("rw", "type it alone"),
        ("r " + "a" * 2001, "at most 2000 characters"),
    ],
)
def test_what_cannot_be_typed(typed: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        typed_verdict(typed, a_row())


def line(**cells: Any) -> dict[str, Any]:
    right = {"label_is": "right", "gold_is": "right", "question_is": "fine", "note": ""}
    return {"sheet": SHEET, "row": FIRST, **right, **cells}


def test_a_sheet_may_be_filled_in_in_part() -> None:
    empty = line(row=SECOND, label_is="", gold_is=" ", question_is=None, note="later")
    found = sheet_verdicts([line(label_is=" Wrong ", note="a\nb"), empty], SAMPLE, SHEET, PATH)
    assert found == {FIRST: Verdict("wrong", "right", "fine", "a b")}


def test_a_row_without_gold_leaves_its_cell_empty() -> None:
    found = sheet_verdicts([line(row=SECOND, gold_is="")], SAMPLE, SHEET, PATH)
    assert found == {SECOND: Verdict("right", None, "fine")}


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([line(row="mine/9/0/direct/curated@structured")], "#1, field row: expected a row of the"),
        ([line(), line()], "#2, field row: mine/1/0/direct/curated@structured is answered in rec"),
        ([line(sheet="0000ccddeeff/20/3")], "another benchmark (0000ccddeeff, this one is aabbcc"),
        ([line(sheet="aabbccddeeff/20/4")], "a row of the sample --sample 20 --seed 4; give these"),
        ([line(sheet="")], "field sheet: expected aabbccddeeff/20/3, found ''"),
        ([line(label_is="yes")], "label_is: expected right, wrong or doubtful, found 'yes'"),
        ([line(question_is="right")], "question_is: expected fine or bad, found 'right'"),
        ([line(gold_is="")], "gold_is: expected an answer, as other columns of the row hold one"),
        ([line(label_is="")], "label_is: expected an answer"),
        ([line(row=SECOND)], "gold_is: the row has no gold to judge; empty the cell"),
        ([line(label_is=True)], "label_is: expected text, found bool"),
        ([line(note="a" * 2001)], "note: expected at most 2000 characters"),
    ],
)
def test_a_sheet_at_fault_is_refused_in_one_line(lines: list[dict[str, Any]], what: str) -> None:
    with pytest.raises(DataError) as caught:
        sheet_verdicts(lines, SAMPLE, SHEET, PATH)
    assert str(caught.value).startswith("file sheet.csv, record #")
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)
