"""The sheet of a sample, to be filled in: written and read as CSV, JSON Lines or `.xlsx`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from scopebench.audit.answers import FILLED_IN
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, MissingDependency
from scopebench.sources.own_sheet import open_sheet

NEEDED: Final = ("sheet", "row")
"""Columns that a filled-in sheet must have, beside those filled in."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_LONGEST_CELL: Final = 32_000
"""Characters of a cell of a spreadsheet, which holds 32,767."""

_LARGEST_FILE: Final = 64 << 20
_FORMS: Final = ".csv, .jsonl or .xlsx"


def write_sheet(rows: Sequence[dict[str, str]], path: Path) -> None:
    """Write a sheet with empty columns to be filled in; its extension tells the form.

    Raises:
        DataError: If there is no such form, or the file is there already or cannot be written.
        MissingDependency: If openpyxl is needed and not installed.
    """
    writers: dict[str, Callable[[Sequence[dict[str, str]]], bytes]] = {
        ".csv": _as_csv,
        ".jsonl": _as_lines,
        ".xlsx": _as_workbook,
    }
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise DataError("no form of a sheet", file=path, fix=f"name it {_FORMS}")
    data = writer([{**row, **dict.fromkeys(FILLED_IN, "")} for row in rows])
    with clear_disk_errors(path, DataError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as file:  # a sheet may hold hours of somebody's work
                file.write(data)
        except FileExistsError as error:
            raise DataError(
                "the file is there already", file=path, fix="give another --out, or move it away"
            ) from error


def read_sheet(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a filled-in sheet, values by name of column.

    Raises:
        DataError: If it is missing, too large, not of its form, or lacks a column.
    """
    readers: dict[str, Callable[[Path], Iterator[dict[str, Any]]]] = {
        ".csv": _from_csv,
        ".jsonl": _from_lines,
        ".xlsx": _from_workbook,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise DataError("no form of a sheet", file=path, fix=f"give a {_FORMS} file")
    if not path.is_file():
        raise DataError("no such file", file=path, fix="check the path")
    if path.stat().st_size > _LARGEST_FILE:
        raise DataError("larger than any sheet", file=path, fix="give the sheet that was filled in")
    return reader(path)


def _as_csv(rows: Sequence[dict[str, str]]) -> bytes:
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        for row in rows:
            # A spreadsheet would run such a text as a formula (OWASP, "CSV Injection").
            writer.writerow({k: f"'{v}" if v.startswith(_FORMULA) else v for k, v in row.items()})
    return text.getvalue().encode("utf-8-sig")  # the mark by which Excel knows UTF-8


def _as_lines(rows: Sequence[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _as_workbook(rows: Sequence[dict[str, str]]) -> bytes:
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError as error:
        raise MissingDependency("openpyxl", "xlsx") from error
    book = Workbook(write_only=True)
    sheet = book.create_sheet("audit")
    sheet.freeze_panes = "A2"

    def cell(text: str) -> Any:
        made = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", text)[:_LONGEST_CELL])
        made.data_type = "s"  # also where the text begins like a formula
        return made

    if rows:
        sheet.append([cell(name) for name in rows[0]])
    for row in rows:
        sheet.append([cell(text) for text in row.values()])
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def _from_csv(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8 text", file=path, fix="save it as CSV UTF-8") from error
    header = text.partition("\n")[0]
    # Spreadsheets of some countries save with semicolons.
    delimiter = max(",;\t", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        _check_names(names, path)
        for number, row in enumerate(rows, start=1):
            if any(cell.strip() for cell in row):
                yield _named(names, row, path, number)
    except csv.Error as error:
        raise DataError(f"not CSV ({error})", file=path, fix="save it as CSV UTF-8") from error


def _named(names: Sequence[str], row: Sequence[str], path: Path, number: int) -> dict[str, str]:
    if len(row) != len(names):
        what = f"expected {len(names)} cells, as in the header, found {len(row)}"
        raise DataError(what, file=path, record=f"#{number}", fix="save it as CSV UTF-8")
    return dict(zip(names, row, strict=True))


def _from_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                what = "the line is not JSON"
                raise DataError(what, file=path, record=f"#{number}", fix="correct it") from error
            if not isinstance(row, dict):
                what = "the line is no JSON object"
                raise DataError(what, file=path, record=f"#{number}", fix="correct it")
            _check_names(row, path, record=f"#{number}")
            yield row


def _from_workbook(path: Path) -> Iterator[dict[str, Any]]:
    rows = open_sheet(path).rows()
    header = next(rows, ())
    names = [(cell.text() or "").strip() for cell in header]
    _check_names(names, path)
    wanted = {*NEEDED, *FILLED_IN}
    for row in rows:
        yield {n: cell.text() for n, cell in zip(names, row, strict=False) if n in wanted}


def _check_names(names: Any, path: Path, record: str = "header") -> None:
    needed = NEEDED if record != "header" else (*NEEDED, *FILLED_IN[:3])
    missing = [name for name in needed if name not in names]
    if missing:
        raise DataError(
            f"there is no column {', '.join(missing)}",
            file=path,
            record=record,
            fix="fill in a sheet written by `scopebench audit BENCH --out SHEET`",
        )
