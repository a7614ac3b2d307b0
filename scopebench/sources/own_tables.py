"""Files of a team's own edits, read row by row: CSV, a spreadsheet, JSON or parquet.

The content tells the form; an extension that says otherwise is an error, so that nothing is read
as what it is not. Memory does not grow with the file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

from scopebench.errors import DataError
from scopebench.sources.fields import RECORD_FIX, kind_of, shown
from scopebench.sources.own_columns import SHEET, ColumnMap
from scopebench.sources.own_sheet import Sheet, SheetCell, open_sheet
from scopebench.sources.stream import Layout, RecordFile

_HEAD: Final = 1 << 16
"""Bytes, or characters, that the form, the delimiter and the header are told from."""

_BATCH_ROWS: Final = 1024
"""Rows of a parquet file that are held at a time."""

_DELIMITERS: Final = (",", ";", "\t")

_EXTENSIONS: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}

_MAGIC: Final = ((b"PAR1", "parquet"), (b"PK\x03\x04", "xlsx"))

_FOREIGN: Final = (
    (
        b"\xd0\xcf\x11\xe0",
        "an old spreadsheet, or one with a password",
        "save it as .xlsx without a password, or as CSV UTF-8",
    ),
    (b"\x1f\x8b", "a compressed file", "unpack it first"),
    (b"\xff\xfe", "UTF-16 text", "save the file as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save the file as UTF-8"),
)

_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
"""How the `surrogateescape` decoder marks a byte that is not UTF-8."""


class Table(Protocol):
    """An opened file of rows."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def sha256(self) -> str:
        """SHA-256 of its bytes, in hex."""
        ...

    @property
    def form(self) -> str:
        """Its form, as the manifest names it: `own-csv`, ..."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows as the file gives them; raises `DataError` where it is damaged."""
        ...

    def cells(self, row: Any) -> dict[str, Any]:
        """Return the values of a row by our column names; raises `DataError` for a bad row."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Their names of all columns; those of JSON are known once all rows were noted."""
        ...

    def note(self, row: Any) -> None:
        """Take note of the names in a row, where rows have names."""
        ...


def open_table(path: Path, columns: ColumnMap) -> Table:
    """Check a file, hash it and tell its form.

    Raises:
        DataError: If it is missing, unreadable, empty, of another form, or without the required
            columns.
    """
    sha256, head = _begin(path)
    for magic, what, fix in _FOREIGN:
        if head.startswith(magic):
            what = f"expected CSV, .xlsx, JSON or parquet, found {what}"
            raise DataError(what, file=path, fix=fix)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise DataError("the file is empty", file=path, fix="name a file of edits")
    is_json = text[:1] in (b"{", b"[")
    found = next((form for magic, form in _MAGIC if head.startswith(magic)), None)
    found = found or ("json" if is_json else "csv")
    named = _EXTENSIONS.get(path.suffix.lower(), found)
    if named != found:
        raise DataError(
            f"its name says {named}, but it begins like {found}",
            file=path,
            fix="give it the extension of its form, or save it again",
        )
    if columns.sheet is not None and found != "xlsx":
        raise DataError(
            "the mapping names a sheet, and the file is no spreadsheet",
            file=path,
            field=SHEET,
            fix="take the line out of the mapping file",
        )
    if found == "xlsx":
        return SheetTable(path, sha256, columns, open_sheet(path, columns.sheet))
    if found == "parquet":
        return ParquetTable(path, sha256, columns)
    if found == "csv":
        return CsvTable(path, sha256, columns)
    layout: Layout = "array" if text.startswith(b"[") else "lines"
    form = "own-json" if layout == "array" else "own-jsonl"
    return JsonTable(path, sha256, columns, RecordFile(path, sha256, layout, written=True), form)


def _begin(path: Path) -> tuple[str, bytes]:
    """Return a file's SHA-256 and first bytes."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD)
                file.seek(0)
                return hashlib.file_digest(file, "sha256").hexdigest(), head
        what = "expected a file, found a folder or device" if path.exists() else "no such file"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        what = f"it cannot be read ({reason})"
    raise DataError(what, file=path, fix="check the path")


@dataclass(frozen=True)
class JsonTable:
    """A JSON array of objects, or JSON Lines; a row is an object, whose keys may differ."""

    path: Path
    sha256: str
    columns: ColumnMap
    records: RecordFile
    form: str
    _met: dict[str, None] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """See `Table`."""
        return tuple(self._met)

    def note(self, row: Any) -> None:
        """See `Table`."""
        if isinstance(row, dict):
            self._met.update(dict.fromkeys(row))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.records)

    def cells(self, row: Any) -> dict[str, Any]:
        """See `Table`."""
        if not isinstance(row, dict):
            raise DataError(f"expected an object, found {kind_of(row)}", fix=RECORD_FIX)
        self.note(row)
        cells: dict[str, Any] = {}
        for theirs, ours in _placed(tuple(row), self.columns):
            if ours is not None:
                cells[ours] = row[theirs]
        self.columns.require(cells, row)
        return cells


@dataclass(frozen=True)
class CsvTable:
    """A CSV file with a header; a row is its list of texts."""

    path: Path
    sha256: str
    columns: ColumnMap
    form: str = "own-csv"

    def __post_init__(self) -> None:
        _check_header(self.path, self.names, self.columns)

    @cached_property
    def delimiter(self) -> str:
        """The delimiter under which the header names most of our columns, then most columns."""

        def score(delimiter: str) -> tuple[int, int]:
            names = self._header(delimiter)
            known = sum(map(self._known, names))
            return known, len(names)

        return max(_DELIMITERS, key=score)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """See `Table`."""
        names = self._header(self.delimiter)
        for name in names:
            if _NOT_UTF8.search(name) or "\x00" in name:
                raise DataError(
                    f"expected a line of column names in UTF-8, found {shown(name)}",
                    file=self.path,
                    record="header",
                    fix="save the file as CSV UTF-8",
                )
        return names

    @cached_property
    def _read(self) -> tuple[tuple[int, str, str], ...]:
        placed = enumerate(_placed(self.names, self.columns))
        return tuple((n, theirs, ours) for n, (theirs, ours) in placed if ours is not None)

    def __iter__(self) -> Iterator[list[str]]:
        with self._open() as file:
            rows = csv.reader(file, delimiter=self.delimiter, strict=True)
            number = -1  # the header comes first
            try:
                for row in rows:
                    if any(cell.strip() for cell in row):
                        number += 1
                        if number:
                            yield row
            except csv.Error as error:
                raise DataError(
                    f"it cannot be read as CSV near line {rows.line_num}: {error}",
                    file=self.path,
                    record=f"#{number + 1}",
                    fix="look for a quote that is not closed or not doubled; a cell has at most "
                    f"{csv.field_size_limit()} characters",
                ) from error

    def note(self, row: Any) -> None:
        """See `Table`; the header names all columns."""

    def cells(self, row: Any) -> dict[str, Any]:
        """See `Table`."""
        if len(row) != len(self.names):
            raise DataError(
                f"expected {len(self.names)} cells, as in the header, found {len(row)}",
                fix=f"put cells that hold {self.delimiter!r} in double quotes",
            )
        cells = {}
        for n, theirs, ours in self._read:
            wrong = None if row[n].isascii() else _NOT_UTF8.search(row[n])
            if wrong:
                raise DataError(
                    f"byte 0x{ord(wrong[0]) - 0xDC00:02x} is not UTF-8 text",
                    field=shown(theirs)[1:-1],
                    fix="save the file as CSV UTF-8",
                )
            cells[ours] = row[n]
        return cells

    def _known(self, name: str) -> bool:
        try:
            return self.columns.place(name) is not None
        except DataError:
            return False

    def _header(self, delimiter: str) -> tuple[str, ...]:
        with self._open() as file:
            sample = file.read(_HEAD)
        try:
            for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                if any(cell.strip() for cell in row):
                    return tuple(cell.strip() for cell in row)
        except csv.Error:  # not text, which `names` says of the other delimiters' header
            return ()
        return ()

    def _open(self) -> io.TextIOWrapper:
        return self.path.open("r", encoding="utf-8-sig", errors="surrogateescape", newline="")


@dataclass(frozen=True)
class SheetTable:
    """One sheet of a spreadsheet, with a header; a row is its cells."""

    path: Path
    sha256: str
    columns: ColumnMap
    sheet: Sheet
    form: str = "own-xlsx"

    def __post_init__(self) -> None:
        _check_header(self.path, [name for name in self.names if name], self.columns)
        merged = self.sheet.merged_over({n + 1 for n, _, _ in self._read})
        if merged is not None:
            raise DataError(
                f"the cells {merged} are merged",
                file=self.path,
                fix="unmerge them and write the value into each row",
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """See `Table`; columns without a name are empty."""
        header = next(self.sheet.rows(), ())
        try:
            return tuple((cell.text() or "").strip() for cell in header)
        except DataError as error:
            raise DataError(error.what, file=self.path, record="header", fix=error.fix) from error

    @cached_property
    def _read(self) -> tuple[tuple[int, str, str], ...]:
        named = [(n, name) for n, name in enumerate(self.names) if name]
        placed = _placed([name for _, name in named], self.columns)
        return tuple(
            (n, theirs, ours)
            for (n, _), (theirs, ours) in zip(named, placed, strict=True)
            if ours is not None
        )

    def __iter__(self) -> Iterator[tuple[SheetCell, ...]]:
        rows = self.sheet.rows()
        next(rows, None)  # the header
        return rows

    def note(self, row: Any) -> None:
        """See `Table`; the header names all columns."""

    def cells(self, row: Any) -> dict[str, Any]:
        """See `Table`."""
        for n, cell in enumerate(row):
            if cell.value is not None and not (n < len(self.names) and self.names[n]):
                raise DataError(
                    f"the cell {cell.place} stands in a column without a name",
                    fix="name the column in the first row, or empty it",
                )
        cells: dict[str, Any] = {}
        for n, theirs, ours in self._read:
            if n < len(row):
                try:
                    cells[ours] = row[n].text()
                except DataError as error:
                    field = shown(theirs)[1:-1]
                    raise DataError(error.what, field=field, fix=error.fix) from error
        return cells


@dataclass(frozen=True)
class ParquetTable:
    """A parquet file, read by batches of rows, only the columns that are asked for."""

    path: Path
    sha256: str
    columns: ColumnMap
    form: str = "own-parquet"

    def __post_init__(self) -> None:
        _check_header(self.path, self.names, self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """See `Table`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return tuple(pq.read_schema(self.path).names)
        except (pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error

    @cached_property
    def _read(self) -> dict[str, str]:
        placed = _placed(self.names, self.columns)
        return {theirs: ours for theirs, ours in placed if ours is not None}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(_BATCH_ROWS, columns=list(self._read)):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise self._damaged(error) from error

    def note(self, row: Any) -> None:
        """See `Table`; the header names all columns."""

    def cells(self, row: Any) -> dict[str, Any]:
        """See `Table`."""
        return {ours: row[theirs] for theirs, ours in self._read.items()}

    def _damaged(self, error: Exception) -> DataError:
        return DataError(
            f"the parquet file cannot be read: {shown(' '.join(str(error).split()))}",
            file=self.path,
            fix="write the file again",
        )


def _check_header(path: Path, names: Sequence[str], columns: ColumnMap) -> None:
    try:
        columns.require((ours for _, ours in _placed(names, columns) if ours), names)
    except DataError as error:
        raise DataError(
            error.what, file=path, record="header", field=error.field, fix=error.fix
        ) from error


def _placed(names: Sequence[str], columns: ColumnMap) -> list[tuple[str, str | None]]:
    """Return each name with our name of it.

    Raises:
        DataError: If two are the same column of ours, or one is a misspelt name of ours.
    """
    placed = [(theirs, columns.place(theirs)) for theirs in names]
    first: dict[str, str] = {}
    for theirs, ours in placed:
        if ours is None:
            continue
        if ours in first:
            raise DataError(
                f"two columns are {ours}: {shown(first[ours])} and {shown(theirs)}",
                fix="rename one, or leave it out",
            )
        first[ours] = theirs
    return placed
