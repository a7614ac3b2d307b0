"""Spreadsheets (`.xlsx`), read row by row by openpyxl and guarded first.

A workbook is a zip archive of XML, so a small file may hold a huge one. Before anything is parsed,
every member is counted through in pieces; what would not fit in bounded memory is refused. Not read
through `pandas.read_excel`, which holds the whole sheet and tells neither merged cells nor formulas
nor where a cell stands.
"""

from __future__ import annotations

import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Final

from scopebench.errors import DataError, MissingDependency
from scopebench.sources.fields import shown

MOST_BYTES: Final = 256 << 20
"""Unpacked bytes of a workbook: 200,000 edits take about a fifth of it."""

MOST_STRING_BYTES: Final = 64 << 20
"""Unpacked bytes of any part but a sheet: the table of texts is held whole."""

MOST_RATIO: Final = 200
"""How often larger a part may be than its packed form, beyond the first MiB: sheets of real data
reach about 20, a bomb of one repeated cell 1000."""

MOST_TAGS_A_ROW: Final = 200_000
"""XML tags of one row, which is held whole: Excel's 16,384 columns take about 100,000."""

MOST_TAGS: Final = 4_000_000
"""XML tags of any part but a sheet."""

MOST_COLUMNS: Final = 1000
MOST_ROWS: Final = 1_048_576
"""Rows of a sheet, as in Excel."""

_PIECE: Final = 1 << 20
_ROW_END: Final = re.compile(rb"</(?:\w+:)?row\s*>")
_MERGED: Final = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=[\"']([A-Z0-9:]{2,32})[\"']")
_NAMED: Final = re.compile(rb"\sr=[\"']([A-Z]{1,8})[0-9]")

_SHEETS: Final = "xl/worksheets/"
_WHOLE: Final = re.compile(r"(?:#,##)?0")
_DECIMALS: Final = re.compile(r"(?:#,##)?0\.(0+)")
_SPLIT: Final = "take the rows that are edits into a file of their own, or save them as CSV UTF-8"


@dataclass(frozen=True)
class SheetCell:
    """One cell of a sheet.

    Attributes:
        place: Where it stands: `edits!C5`.
        kind: openpyxl's data type: `n` number, `s` text, `b` boolean, `d` date, `f` formula,
            `e` error.
        value: Its value; None: empty.
        number_format: How it is shown, in Excel's words; None: not told.
    """

    place: str
    kind: str
    value: Any
    number_format: str | None

    def text(self) -> str | None:
        """Return what is written in it; None where it is empty.

        A number is written with the decimals that its format shows (`4810.0` shown as `0` is 4810).

        Raises:
            DataError: If it holds a boolean, a date, a formula, an error, or a number shown as
                something else, such as a percentage.
        """
        if self.value is None:
            return None
        if self.kind == "s" or (self.kind == "n" and isinstance(self.value, str)):
            return str(self.value)
        if self.kind == "n":
            return self._number()
        found, fix = _NOT_TEXT.get(self.kind, ("what is neither text nor number", _AS_TEXT))
        raise DataError(f"the cell {self.place} holds {found}, {shown(str(self.value))}", fix=fix)

    def _number(self) -> str:
        style = (self.number_format or "General").strip()
        number = Decimal(format(self.value, ".15g"))  # the digits that Excel shows
        if style in ("General", "@"):
            return format(number.normalize(), "f")
        if _WHOLE.fullmatch(style):
            return format(round(number), "d")
        if decimals := _DECIMALS.fullmatch(style):
            return format(round(number, len(decimals[1])), "f")
        raise DataError(
            f"the cell {self.place} holds the number {number}, shown in the format {shown(style)}",
            fix="give the cell the format Text and write the value as it is to be read",
        )


_AS_TEXT: Final = "write it as text"
_NOT_TEXT: Final = {
    "b": ("a boolean", "write a text, such as 'yes, with an apostrophe before it"),
    "d": (
        "a date",
        "write it as text: give the column the format Text and type 2021-03-04, or put an "
        "apostrophe before it",
    ),
    "f": ("a formula", "copy the column and paste it as values"),
    "e": ("an error", "correct the cell, or empty it"),
}


@dataclass(frozen=True)
class _Part:
    """What counting through a part of a workbook found.

    Attributes:
        merged: The merged ranges it names.
        width: The last column that it names a cell of; 0: its cells have no names.
    """

    merged: tuple[str, ...] = ()
    width: int = 0


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook.

    Attributes:
        path: The file.
        title: The sheet's name.
        merged: Its merged ranges, such as `A2:A4`.
        width: Columns to read.
    """

    path: Path
    title: str
    merged: tuple[str, ...]
    width: int

    def rows(self) -> Iterator[tuple[SheetCell, ...]]:
        """Yield the rows that are not empty, each up to its last cell that is not.

        Raises:
            DataError: If the sheet is damaged or has more rows than are read.
        """
        with _workbook(self.path) as book:
            sheet = book[self.title]
            sheet.reset_dimensions()  # what the file says of its size may be wrong
            rows = sheet.iter_rows(max_col=self.width, max_row=MOST_ROWS + 1)
            before = None
            for number, row in enumerate(rows, start=1):
                if number > MOST_ROWS:
                    what = f"the sheet {shown(self.title)} has more than {MOST_ROWS} rows"
                    raise DataError(what, file=self.path, fix=_SPLIT)
                if row is before:  # one empty row stands for all in a gap, which may be long
                    continue
                before = row
                cells = tuple(_cell(self.title, number, at, cell) for at, cell in _filled(row))
                if cells:
                    yield _padded(cells, self.title, number)

    def merged_over(self, columns: set[int]) -> str | None:
        """Return the first merged range, `edits!A2:A4`, that lies over one of some columns."""
        for merged in self.merged:
            first, _, last = merged.partition(":")
            if any(_column(first) <= column <= _column(last or first) for column in columns):
                return f"{self.title}!{merged}"
        return None


def open_sheet(path: Path, name: str | None = None) -> Sheet:
    """Check a workbook and find a sheet of it.

    Args:
        path: The file.
        name: The sheet's name; None: the first that is a table of cells.

    Raises:
        DataError: If it is no workbook, damaged, locked by a password or too large, or has no such
            sheet.
        MissingDependency: If openpyxl is not installed.
    """
    parts = _scanned(path)
    with _workbook(path) as book:
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if not sheets:
            raise DataError("the workbook has no sheet of cells", file=path, fix="add one")
        title = next(iter(sheets)) if name is None else name
        if title not in sheets:
            known = ", ".join(shown(found) for found in list(sheets)[:8])
            raise DataError(
                f"the workbook has no sheet {shown(title)}; it has {known}",
                file=path,
                fix='name one of them in the mapping file: sheet = "..."',
            )
        member = str(getattr(sheets[title], "_worksheet_path", "")).lstrip("/")
    part = parts.get(member, _Part())
    if part.width > MOST_COLUMNS:
        what = f"the sheet {shown(title)} has more than {MOST_COLUMNS} columns"
        raise DataError(what, file=path, fix=_SPLIT)
    return Sheet(path, title, part.merged, part.width or MOST_COLUMNS)


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    """Open a workbook for reading; whatever its contents make the library raise is one error."""
    try:
        import openpyxl
    except ImportError as error:
        raise MissingDependency("openpyxl", "xlsx") from error
    book = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions that hold no cell
            book = openpyxl.load_workbook(path, read_only=True, keep_links=False)
            yield book
    except (DataError, GeneratorExit, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise DataError(
            f"the workbook cannot be read: {shown(' '.join(str(error).split()))}",
            file=path,
            fix="save it again as .xlsx, or as CSV UTF-8",
        ) from error
    finally:
        if book is not None:
            book.close()


def _scanned(path: Path) -> dict[str, _Part]:
    """Count through every member."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_sizes(path, members)
            if "[Content_Types].xml" not in archive.NameToInfo:
                raise _refusal(path, "it is a zip archive and no workbook", "save it as .xlsx")
            found = {}
            for member in members:
                if member.filename.endswith((".xml", ".rels")):
                    with archive.open(member) as part:
                        found[member.filename] = _scan(path, member.filename, part)
            return found
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError) as error:
        raise _refusal(
            path,
            f"the workbook cannot be unpacked: {shown(str(error))}",
            "save it again as .xlsx, without a password",
        ) from error


def _check_sizes(path: Path, members: list[zipfile.ZipInfo]) -> None:
    total = sum(member.file_size for member in members)
    if total > MOST_BYTES or len(members) > 10_000:
        what = (
            f"the workbook unpacks to {total >> 20} MiB in {len(members)} parts, more than is read"
        )
        raise _refusal(path, what, _SPLIT)
    for member in members:
        beyond = member.file_size - (1 << 20)
        if beyond > 0 and beyond > MOST_RATIO * member.compress_size:
            what = f"its part {shown(member.filename)} unpacks to {member.file_size >> 20} MiB of "
            raise _refusal(path, what + "repeated bytes, as no table does", _SPLIT)
        is_sheet = member.filename.startswith(_SHEETS)
        if not is_sheet and member.file_size > MOST_STRING_BYTES:
            what = f"its part {shown(member.filename)} unpacks to {member.file_size >> 20} MiB"
            raise _refusal(path, f"{what}, more than is read", _SPLIT)


def _scan(path: Path, name: str, part: IO[bytes]) -> _Part:
    """Count the tags of a part and look for merged ranges and the last column."""
    merged: dict[str, None] = {}
    letters: set[bytes] = set()
    tags = in_row = 0
    rest = b""
    while piece := part.read(_PIECE):
        whole, closed, rest = (rest + piece).rpartition(b">")
        whole += closed
        if b"\x00" in piece or b"<!DOCTYPE" in whole or b"<!ENTITY" in whole:
            what = f"its part {shown(name)} is not XML as spreadsheets write it"
            raise _refusal(path, what, "save it again as .xlsx")
        rows = [row.count(b"<") for row in _ROW_END.split(whole)]
        rows[0] += in_row
        in_row = rows[-1]
        if (name.startswith(_SHEETS) and max(rows) > MOST_TAGS_A_ROW) or len(rest) > MOST_TAGS:
            what = f"a row of {shown(name)} has more than {MOST_TAGS_A_ROW} tags"
            raise _refusal(path, what, _SPLIT)
        tags += whole.count(b"<")
        if not name.startswith(_SHEETS) and tags > MOST_TAGS:
            raise _refusal(path, f"its part {shown(name)} has more than {MOST_TAGS} tags", _SPLIT)
        merged.update((found.decode(), None) for found in _MERGED.findall(whole))
        letters.update(_NAMED.findall(whole))
    return _Part(tuple(merged), max((_column(found.decode()) for found in letters), default=0))


def _refusal(path: Path, what: str, fix: str) -> DataError:
    return DataError(what, file=path, fix=fix)


def _filled(row: Any) -> Iterator[tuple[int, Any]]:
    """Yield the cells of a row that hold something, with their columns from 1."""
    from openpyxl.cell.read_only import EMPTY_CELL

    for at, cell in enumerate(row, start=1):
        if cell is EMPTY_CELL or cell.value is None:
            continue
        if not isinstance(cell.value, str) or cell.value.strip():
            yield at, cell


def _cell(title: str, number: int, at: int, cell: Any) -> SheetCell:
    place = f"{title}!{_letters(at)}{number}"
    return SheetCell(place, cell.data_type, _plain(cell.value), cell.number_format)


def _padded(cells: tuple[SheetCell, ...], title: str, number: int) -> tuple[SheetCell, ...]:
    """Return cells with empty ones in the gaps, so that each stands at its column."""
    by_column = {_column(cell.place.rpartition("!")[2]): cell for cell in cells}
    return tuple(
        by_column.get(at) or SheetCell(f"{title}!{_letters(at)}{number}", "n", None, None)
        for at in range(1, max(by_column) + 1)
    )


def _plain(value: Any) -> Any:
    """Return a value, a formula of a range as its text."""
    return getattr(value, "text", value)


def _column(place: str) -> int:
    """Return the column of `C5`, from 1."""
    number = 0
    for letter in place.rstrip("0123456789"):
        number = number * 26 + ord(letter) - 64
    return number


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
