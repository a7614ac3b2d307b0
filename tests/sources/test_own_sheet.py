"""Spreadsheets as a source of one's own edits."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Edit
from scopebench.sources.own import ignored_columns, read_columns, read_own
from scopebench.sources.own_sheet import SheetCell, _column, _letters, open_sheet

openpyxl = pytest.importorskip("openpyxl")

HEADER = ["subject", "prompt", "new", "old", "old_start", "Ticket"]
ROW = ["Brel Mill", "{} is run by", "Ona Tarsk", "Per Lund", "1998", "T-7"]

Change = Callable[[Any], None]


def workbook(
    path: Path, *rows: list[Any], change: Change | None = None, title: str = "edits"
) -> Path:
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    if change is not None:
        change(book)
    book.save(path)
    return path


def the_edit(path: Path, **columns: str) -> Edit:
    (case,) = read_own("mine", [path], columns=columns).cases
    return case.edits[0]


def refused(path: Path, **columns: str) -> str:
    with pytest.raises(DataError) as caught:
        read_own("mine", [path], columns=columns)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_sheet_is_read_like_a_csv_file(tmp_path: Path) -> None:
    path = workbook(tmp_path / "e.xlsx", [], HEADER, ROW, [None] * 6, [" ", ""], ROW)
    source = read_own("mine", [path])
    assert source.schemas == {"e.xlsx": "own-xlsx"}
    assert [case.case_id for case in source.cases] == ["1", "2"]
    (edit,) = source.cases[0].edits
    assert (edit.subject, edit.prompt, edit.target_new.text) == (
        "Brel Mill",
        "{} is run by",
        "Ona Tarsk",
    )
    assert edit.target_true is not None and edit.target_true.text == "Per Lund"
    assert edit.time_true is not None and edit.time_true.start == "1998"
    assert ignored_columns([path]) == {"e.xlsx": ("Ticket",)}


def test_the_first_sheet_or_the_one_the_mapping_names(tmp_path: Path) -> None:
    def more(book: Any) -> None:
        other = book.create_sheet("Mills 2021")
        other.append(["Entity", "prompt", "new"])
        other.append(["Brel Hill", "{} is run by", "Mika Roe"])

    path = workbook(tmp_path / "e.xlsx", HEADER, ROW, change=more)
    assert the_edit(path).subject == "Brel Mill"
    mapping = tmp_path / "columns.toml"
    mapping.write_text('sheet = "Mills 2021"\nsubject = "Entity"\n')
    assert the_edit(path, **read_columns(mapping)).subject == "Brel Hill"
    assert "has no sheet 'Mills'; it has 'edits', 'Mills 2021'; name one" in refused(
        path, sheet="Mills"
    )
    csv = tmp_path / "e.csv"
    csv.write_text("subject,prompt,new\na,{} is,b\n")
    assert "field sheet: the mapping names a sheet, and the file is no spreadsheet" in refused(
        csv, sheet="edits"
    )


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (4810, "General", "4810"),
        (4810.0, "0", "4810"),
        (4810.0, "General", "4810"),
        (4810, "#,##0", "4810"),
        (0.5, "0.00", "0.50"),
        (0.5, "General", "0.5"),
        (1234.5, "#,##0.00", "1234.50"),
        (0.1 + 0.2, "General", "0.3"),
        (-3, "General", "-3"),
        (10**15, "General", "1000000000000000"),
        (1.5e-7, "General", "0.00000015"),
        ("4810", "@", "4810"),
        ("0.50", "General", "0.50"),
        ("=SUM", "@", "=SUM"),
    ],
)
def test_numbers_are_taken_as_they_are_written(
    tmp_path: Path, value: Any, number_format: str, text: str
) -> None:
    def change(book: Any) -> None:
        cell = book.active["C2"]
        cell.value, cell.number_format = value, number_format
        if isinstance(value, str):
            cell.data_type = "s"

    path = workbook(tmp_path / "e.xlsx", HEADER, list(ROW), change=change)
    assert the_edit(path).target_new.text == text


def test_numbers_of_csv_and_json_are_taken_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("subject,prompt,new\na,{} is,0.50\nb,{} is,4810\nc,{} is,1e5\n")
    news = [case.edits[0].target_new.text for case in read_own("m", [tmp_path / "e.csv"]).cases]
    assert news == ["0.50", "4810", "1e5"]
    numbers = ["4810", "0.50", "4810.0", "-7", "1e5", "12345678901234567890.125"]
    lines = [
        f'{{"subject": "s{n}", "prompt": "{{}} is", "new": {x}}}' for n, x in enumerate(numbers)
    ]
    (tmp_path / "e.jsonl").write_text("\n".join(lines))
    news = [case.edits[0].target_new.text for case in read_own("m", [tmp_path / "e.jsonl"]).cases]
    assert news == ["4810", "0.50", "4810", "-7", "1e5", "12345678901234567890.125"]
    row = {"subject": "s", "prompt": "{} is", "new": "x", "new_aliases": 7, "old_start": 1998.0}
    (tmp_path / "e.json").write_text(json.dumps([{**row, "old": [0.5]}]))
    assert "field old: expected a string, found a list" in refused(tmp_path / "e.json")
    (tmp_path / "e.json").write_text(json.dumps([{**row, "old": 0.5}]))
    edit = the_edit(tmp_path / "e.json")
    assert edit.target_new.aliases == ("7",)
    assert edit.target_true is not None and edit.target_true.text == "0.5"
    assert edit.time_true is not None and edit.time_true.start == "1998"


@pytest.mark.parametrize(
    ("value", "number_format", "what"),
    [
        (True, "General", "the cell edits!C2 holds a boolean, 'True'; write a text"),
        (
            datetime.datetime(2021, 3, 4),  # noqa: DTZ001  cells have no zone
            "yyyy-mm-dd",
            "the cell edits!C2 holds a date, '2021-03-04 00:00:00'; write it as text: give",
        ),
        (
            "=A2&B2",
            "General",
            "the cell edits!C2 holds a formula, '=A2&B2'; copy the column and pas",
        ),
        ("#REF!", "General", "the cell edits!C2 holds an error, '#REF!'; correct the cell"),
        (0.05, "0%", "the cell edits!C2 holds the number 0.05, shown in the format '0%'; give the"),
        (5, '"EUR" 0', "the cell edits!C2 holds the number 5, shown in the format"),
    ],
)
def test_cells_that_are_neither_text_nor_number(
    tmp_path: Path, value: Any, number_format: str, what: str
) -> None:
    def change(book: Any) -> None:
        cell = book.active["C2"]
        cell.value, cell.number_format = value, number_format

    path = workbook(tmp_path / "e.xlsx", HEADER, list(ROW), change=change)
    message = refused(path)
    assert message.startswith("file e.xlsx, record #1, field new: ")
    assert what in message
    source = read_own(
        "mine", [workbook(path, HEADER, ROW, ROW, change=change)], on_bad_record="skip"
    )
    assert (len(source.cases), len(source.bad_records)) == (1, 1)


def test_columns_that_are_not_read_may_hold_anything(tmp_path: Path) -> None:
    def change(book: Any) -> None:
        book.active["F2"] = datetime.date(2021, 3, 4)
        book.active.merge_cells("F2:G9")

    assert the_edit(workbook(tmp_path / "e.xlsx", HEADER, list(ROW), change=change))


def test_merged_cells_are_named(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "e.xlsx", HEADER, ROW, ROW, change=lambda book: book.active.merge_cells("A2:A3")
    )
    assert "the cells edits!A2:A3 are merged; unmerge them and write the value" in refused(path)


def test_a_value_without_a_column_is_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "e.xlsx", HEADER, [*ROW, None, "lost"])
    assert "the cell edits!H2 stands in a column without a name; name the column" in refused(path)


def test_a_missing_column_is_told_as_of_any_file(tmp_path: Path) -> None:
    path = workbook(tmp_path / "e.xlsx", ["Entity", "prompt", "new"], ["a", "{} is", "b"])
    assert "record header: there is no column for subject; found 'Entity', 'prompt', 'new'" in (
        refused(path)
    )


# --- hostile files -----------------------------------------------------------------------------


def repacked(path: Path, member: str, data: bytes) -> Path:
    """Put other bytes in the place of one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = data
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"
HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = b"</sheetData></worksheet>"


@pytest.mark.parametrize(
    ("member", "data", "what"),
    [
        (
            SHEET,
            HEAD + b"<row><c/></row>" * 2_000_000 + TAIL,
            "of repeated bytes, as no table does",
        ),
        ("xl/media/a.bin", bytes(65 << 20), "unpacks to 65 MiB of repeated bytes"),
        (SHEET, b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + HEAD + TAIL, "is not XML as spreadsheets"),
        (SHEET, HEAD.decode().encode("utf-16"), "is not XML as spreadsheets write it"),
        (SHEET, HEAD + b"<row>", "the workbook cannot be read: "),
        (SHEET, b"nothing", "the workbook cannot be read: "),
        (SHEET, HEAD + TAIL, "there is no column for subject"),
        ("xl/workbook.xml", b"<a/>", "the workbook has no sheet of cells"),
        ("[Content_Types].xml", b"<a/>", "the workbook cannot be read: "),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,
)
def test_hostile_workbooks_are_refused(tmp_path: Path, member: str, data: bytes, what: str) -> None:
    path = repacked(workbook(tmp_path / "e.xlsx", HEADER, ROW), member, data)
    assert what in refused(path)


def test_files_that_are_no_workbook(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "e.xlsx", "w") as archive:
        archive.writestr("a.txt", "a")
    assert "it is a zip archive and no workbook; save it as .xlsx" in refused(tmp_path / "e.xlsx")
    (tmp_path / "e.csv").write_bytes((tmp_path / "e.xlsx").read_bytes())
    assert "its name says csv, but it begins like xlsx" in refused(tmp_path / "e.csv")
    whole = workbook(tmp_path / "w.xlsx", HEADER, ROW).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    assert "the workbook cannot be unpacked: " in refused(tmp_path / "cut.xlsx")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    assert "found an old spreadsheet, or one with a password; save it as .xlsx" in refused(
        tmp_path / "old.xls"
    )


def test_a_row_as_wide_as_memory_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    """One row of two million cells that differ, so that no ratio gives it away."""
    cells = b"".join(b'<c r="A%d"><v>%d</v></c>' % (n, n * 7919 % 10**6) for n in range(500_000))
    path = workbook(tmp_path / "e.xlsx", HEADER, ROW)
    repacked(path, SHEET, HEAD + b"<row>" + cells + b"</row>" + TAIL)
    assert "has more than 200000 tags" in refused(path)


def test_a_bomb_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = workbook(tmp_path / "e.xlsx", HEADER, ROW)
    row = b"<row>" + b"<c/>" * 16_000 + b"</row>"
    repacked(path, SHEET, HEAD + row * 1500 + TAIL)
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from scopebench.errors import DataError\n"
        "from scopebench.sources.own_sheet import open_sheet\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    open_sheet(Path(sys.argv[1]))\n"
        "except DataError:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 64 * 1024  # KiB; the sheet unpacks to 96 MB


def test_rows_far_below_and_columns_far_right(tmp_path: Path) -> None:
    def far(book: Any) -> None:
        book.active["ALN2"] = "x"

    assert "has more than 1000 columns" in refused(
        workbook(tmp_path / "e.xlsx", HEADER, ROW, change=far)
    )
    path = workbook(tmp_path / "e.xlsx", HEADER, ROW)
    header = "".join(
        f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("subject", "prompt", "new")
    ).encode()
    below = b'<row r="99999999999"><c t="inlineStr"><is><t>x</t></is></c></row>'
    repacked(path, SHEET, HEAD + b"<row>" + header + b"</row>" + below + TAIL)
    assert "holds no records" in refused(path) or "more than 1048576 rows" in refused(path)


@given(st.integers(1, 16_384))
def test_letters_of_columns(column: int) -> None:
    assert _column(f"{_letters(column)}12") == column
    assert _letters(column) == openpyxl.utils.get_column_letter(column)


def test_an_empty_cell_holds_no_text() -> None:
    assert SheetCell("edits!A1", "n", None, None).text() is None


def test_a_library_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scopebench.errors import MissingDependency

    path = workbook(tmp_path / "e.xlsx", HEADER, ROW)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingDependency, match=r"pip install 'scopebench\[xlsx\]'"):
        open_sheet(path)
