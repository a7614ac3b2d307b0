"""What every verb prints on a terminal: rows as tables, and no escape sequence obeyed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.report.console import (
    NOTHING,
    WIDTH_WITHOUT_TERMINAL,
    console,
    print_build,
    print_rows,
    printable,
)


def test_rows_are_printed_with_a_dash_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"name": "inlay", "legal": True, "actions": ["reason", "abstain"], "n": 0},
        {"name": "base", "legal": False, "actions": (), "n": None},
    ]
    print_rows(rows, title="Editors")
    captured = capsys.readouterr()
    assert captured.err == ""
    title, *lines = (line.strip() for line in captured.out.splitlines() if line.strip())
    assert title == "Editors"
    cells = [line.split() for line in lines]
    assert cells[0] == ["name", "legal", "actions", "n"]
    assert cells[-2:] == [
        ["inlay", "yes", "reason,", "abstain", "0"],
        ["base", "no", NOTHING],
    ]


def test_values_are_shown_as_they_are_and_not_read_as_markup(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rows([{"name": "[red]sea[/red]", "path": "[/x]"}], title="Sets")
    assert ["[red]sea[/red]", "[/x]"] in [
        line.split() for line in capsys.readouterr().out.splitlines()
    ]


def test_without_a_terminal_tables_are_not_cut_to_a_small_window(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert console().width == WIDTH_WITHOUT_TERMINAL
    print_rows([{"key": "a" * 50, "value": "b" * 50}], title="Wide")
    assert f"{'a' * 50} {'b' * 50}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Lisbon", "Lisbon"),
        ("Zürich 東京", "Zürich 東京"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2Jcleared", r"\x1b[2Jcleared"),
        ("bell\x07 and \x9b31m", r"bell\x07 and \x9b31m"),
        ("evil\u202ecod.exe", r"evil\u202ecod.exe"),
        ("joined\u200dup", r"joined\u200dup"),
    ],
)
def test_escape_sequences_are_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_whatever_the_text_no_control_character_is_left(text: str) -> None:
    shown = printable(text)
    assert all(unicodedata.category(char) not in {"Cc", "Cf"} or char in "\n\t" for char in shown)
    assert printable(shown) == shown


def built(**described: object) -> dict[str, object]:
    no_drops: dict[str, object] = {"edits": {}, "queries": {}, "outcome_gold": {}}
    dataset = {
        "drops": no_drops,
        "bad_records": {"count": 0},
        "curated": None,
        "missing_columns": None,
    }
    splits = {
        "original": {"queries": 12, "in_scope": 12, "out_of_scope": 0},
        "withheld": {"queries": 12, "in_scope": 6, "out_of_scope": 6},
    }
    return {
        "name": "towns",
        "configs": {
            "toy_structured": {"splits": splits},
            "toy_edits": {"splits": {"index": {"edits": 9}}},
        },
        "datasets": {"toy": dataset | described},
    }


def told(manifest: dict[str, object], capsys: pytest.CaptureFixture[str]) -> str:
    print_build(manifest, Path("out"))
    return capsys.readouterr().out


def test_a_build_tells_what_it_wrote_and_what_is_next(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(built(), capsys)
    rows = [line.split() for line in out.splitlines()]
    assert ["toy_structured", "withheld", "12", "6", "6"] in rows
    assert ["toy_edits", "index", "9", NOTHING, NOTHING] in rows
    assert "Written: out (what was left out, and why: out/manifest.json)" in out
    assert "Next: scopebench score --editor inlay --benchmark out --out runs/inlay" in out
    assert "left out 3" not in out


def test_a_build_tells_what_it_left_out_and_could_not_make(
    capsys: pytest.CaptureFixture[str],
) -> None:
    drops = {
        "edits": {"no object": {"count": 3}},
        "queries": {},
        "outcome_gold": {"pays a refusal": {"count": 2}},
    }
    out = told(
        built(
            drops=drops,
            bad_records={"count": 4},
            curated={"policies": [], "leak_passed": False},
            missing_columns={"near_name": ["subject_id"]},
        ),
        capsys,
    )
    assert (
        "toy: left out 3 edits (no object), 2 outcome gold (pays a refusal), 4 bad records" in out
    )
    assert "toy: no `curated`" in out
    assert "toy: the wording of `curated` gives the label away" in out
    assert "toy: near_name cannot be made, or not scored; columns that would allow it" in out
