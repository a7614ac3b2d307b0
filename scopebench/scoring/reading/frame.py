"""Read a user's CSV or parquet file column by column, with one clear line for every fault.

Everything in a CSV file is read as text and converted here, value by value of those that differ;
no type is guessed, so `0.50`, `true` and an id of digits each mean what the column says they mean.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from scopebench.errors import DataError
from scopebench.scoring.matrix import Codes, Flags, Floats, Strings

CSV: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
PARQUET: Final = (".parquet", ".pq")
PICKLES: Final = (".pkl", ".pickle", ".pkl.gz", ".joblib")

_DELIMITERS: Final = (",", ";", "\t")
_BLOCK: Final = 1 << 24  # bytes; the longest record that can be read
_SHOWN: Final = 60  # characters of a value or name that a message shows
_WORDS: Final = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Text:
    """A column of text: n positions in its k distinct values, which are sorted.

    Attributes:
        codes: Position in `names` of each record, shape (n,).
        names: The distinct values, trimmed and in order, shape (k,); an empty cell is "".
    """

    codes: Codes
    names: Strings

    @property
    def values(self) -> Strings:
        """The value of each record, shape (n,)."""
        return self.names[self.codes]

    @property
    def empty(self) -> Flags:
        """Whether the cell is empty, shape (n,)."""
        return np.asarray(self.names == "", dtype=bool)[self.codes]

    def take(self, records: Codes) -> Text:
        """Return the column at these records, with only the names that stand there."""
        used, codes = np.unique(self.codes[records], return_inverse=True)
        return Text(codes, self.names[used])


@dataclass(frozen=True)
class Numbers:
    """A column read as numbers.

    Attributes:
        values: The numbers, shape (n,); NaN where the cell is empty or holds no finite number.
        given: Whether the cell holds anything, shape (n,).
    """

    values: Floats
    given: Flags

    @property
    def bad(self) -> Flags:
        """Whether the cell holds something that is not a finite number, shape (n,)."""
        return np.asarray(self.given & np.isnan(self.values), dtype=bool)


@dataclass(frozen=True)
class Frame:
    """The columns of a file that were asked for.

    Attributes:
        path: The file.
        columns: The columns, by name.
        id_columns: The columns that name a record in an error.
        texts: The columns read as text so far, kept because sorting them costs the most.
    """

    path: Path
    columns: dict[str, pa.ChunkedArray]
    id_columns: tuple[str, ...] = ()
    texts: dict[str, Text] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return 0 if not self.columns else len(next(iter(self.columns.values())))

    def text(self, name: str) -> Text:
        """Read a column as text.

        Raises:
            DataError: If it holds nested values, bytes that are not UTF-8 or control characters.
        """
        if name not in self.texts:
            try:
                self.texts[name] = _text(self.columns[name])
            except pa.ArrowException as error:
                raise self.error(f"cannot be read as text ({first_line(error)})", name) from error
            self._check_printable(name, self.texts[name])
        return self.texts[name]

    def required_text(self, name: str) -> Text:
        """Read a column as text that must not be empty in any record."""
        column = self.text(name)
        self.refuse(column.empty, name, "is empty", fix="fill every cell, or drop the column")
        return column

    def numbers(self, name: str, *, low: float, high: float) -> Floats:
        """Read a column as numbers from `low` to `high`; NaN where the cell is empty.

        `true` and `false` are 1 and 0.

        Raises:
            DataError: If a cell holds anything else.
        """
        column = as_numbers(self.columns[name])
        if column is None:
            raise self.error(f"expected numbers, found {self.columns[name].type}", name)
        self.refuse(column.bad, name, "is not a finite number", fix="empty cells mean no value")
        outside = (column.values < low) | (column.values > high)
        self.refuse(outside, name, f"is outside {low:g} to {high:g}")
        return column.values

    def flags(self, name: str, *, empty: bool | None) -> Flags:
        """Read a column of true and false, 1 and 0; an empty cell is `empty`, or wrong if null."""
        values = self.numbers(name, low=0, high=1)
        self.refuse(~np.isnan(values) & (values != 0) & (values != 1), name, "is not true or false")
        if empty is None:
            self.refuse(np.isnan(values), name, "is empty", fix="write true or false")
        return np.asarray(np.nan_to_num(values, nan=float(bool(empty))) == 1, dtype=bool)

    def refuse(
        self,
        wrong: Flags,
        name: str,
        what: str,
        *,
        records: Codes | None = None,
        quote: bool = True,
        fix: str = "",
    ) -> None:
        """Raise for the first place where a mask is true.

        Args:
            wrong: The mask, over records or over the places of `records`.
            name: The column at fault.
            what: What is wrong.
            records: The record each place of the mask stands for; null: the place itself.
            quote: Whether the cell's value is put before what is wrong.
            fix: What to do about it.
        """
        at = np.flatnonzero(wrong)
        if len(at):
            record = int(at[0] if records is None else records[at[0]])
            cell = self._cell(name, record) if quote else ""
            raise self.error(f"{cell}{what}", name, record=record, fix=fix)

    def error(self, what: str, name: str, *, record: int | None = None, fix: str = "") -> DataError:
        """Return an error that names the file, the record and the column."""
        return DataError(
            what,
            file=self.path,
            record=None if record is None else self.record(record),
            field=shown(name),
            fix=fix or None,
        )

    def record(self, at: int) -> str:
        """Return a record's name: its id columns, or its number where there are none."""
        values = [_cell_text(self.columns[name][at]) for name in self.id_columns if name in self]
        return " ".join(shown(value) for value in values if value) or f"number {at + 1}"

    def _cell(self, name: str, record: int) -> str:
        if name not in self.columns:
            return ""
        value = _cell_text(self.columns[name][record])
        return f"'{shown(value)}' " if value else ""

    def _check_printable(self, name: str, column: Text) -> None:
        control = pc.match_substring_regex(pa.array(column.names, pa.string()), r"\p{Cc}")
        wrong = control.to_numpy(zero_copy_only=False).astype(bool)[column.codes]
        self.refuse(wrong, name, "holds a control character", fix="remove it")


@dataclass(frozen=True)
class TableFile:
    """A file whose column names are known and whose columns can be read.

    Attributes:
        path: The file.
        columns: The column names, trimmed, in the order of the file.
        raw: The names as they stand in the file.
        delimiter: What parts the cells of a CSV file; None: parquet.
    """

    path: Path
    columns: tuple[str, ...]
    raw: tuple[str, ...]
    delimiter: str | None

    def read(self, names: Sequence[str], *, id_columns: Sequence[str] = ()) -> Frame:
        """Read the columns that the file has among `names`.

        Raises:
            DataError: If the file is damaged, not UTF-8 or has no records.
        """
        wanted = {raw: name for raw, name in zip(self.raw, self.columns, strict=True)}
        wanted = {raw: name for raw, name in wanted.items() if name in set(names)}
        try:
            table = self._read(list(wanted))
        except (pa.ArrowException, OSError, EOFError) as error:
            raise _unreadable(self.path, error) from error
        if table.num_rows == 0:
            raise DataError("the table has no records", file=self.path)
        columns = {wanted[raw]: table.column(raw) for raw in wanted}
        return Frame(self.path, columns, id_columns=tuple(id_columns))

    def _read(self, raw: list[str]) -> pa.Table:
        if self.delimiter is None:
            table = pq.ParquetFile(self.path).read(columns=raw)
            table.validate(full=True)  # else text that is not UTF-8 fails far from here
            return table
        return pa_csv.read_csv(
            self.path,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK),
            parse_options=pa_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                include_columns=raw, column_types={name: pa.string() for name in raw}
            ),
        )


def open_table(path: Path) -> TableFile:
    """Look at a file and its column names.

    Raises:
        DataError: If the file is missing, of no kind that is read, damaged, or repeats a column.
    """
    name = path.name.lower()
    if name.endswith(PICKLES):
        raise DataError(
            "a pickle can run code when it is opened, so it is not read",
            file=path,
            fix="convert it: pandas.read_pickle(path).to_parquet('table.parquet')",
        )
    if not name.endswith((*CSV, *PARQUET)):
        raise DataError("the suffix is none of " + ", ".join((*CSV, *PARQUET)), file=path)
    if not path.is_file():
        raise DataError("no such file" if not path.exists() else "not a file", file=path)
    try:
        if name.endswith(PARQUET):
            raw, delimiter = list(pq.ParquetFile(path).schema_arrow.names), None
        else:
            raw, delimiter = _header(path)
    except (pa.ArrowException, OSError, EOFError, zlib.error, UnicodeError, csv.Error) as error:
        raise _unreadable(path, error) from error
    columns = tuple(column.strip() for column in raw)
    repeated = [column for column, count in Counter(columns).items() if column and count > 1]
    if repeated:
        raise DataError("the column stands twice", file=path, field=shown(repeated[0]))
    return TableFile(path, columns, tuple(raw), delimiter)


def as_numbers(column: pa.ChunkedArray) -> Numbers | None:
    """Read a column as numbers, `true` and `false` as 1 and 0; None where it is of another kind."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return _numbers_in_text(column) if _is_text(kind) else None
    values = column.cast(pa.float64(), safe=False).to_numpy().astype(float)
    return Numbers(_finite(values), ~column.is_null().to_numpy())


def shown(value: str) -> str:
    """Return a value as a message can show it: one line, without control characters, short."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "..."


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, shortened."""
    return shown(next(iter(str(error).splitlines()), type(error).__name__))


def _header(path: Path) -> tuple[list[str], str]:
    """Return the column names of a CSV file and the delimiter that parts most of them."""
    name = path.name.lower()
    opened: Any = gzip.open if name.endswith(".gz") else Path.open
    with opened(path, "rb") as file:
        line = file.readline(_BLOCK).decode("utf-8-sig")
    line = line.splitlines()[0] if line.strip() else ""
    if not line:
        raise DataError("the file is empty", file=path)
    choices = ("\t",) if name.endswith((".tsv", ".tsv.gz")) else _DELIMITERS
    rows = [next(csv.reader([line], delimiter=choice, strict=True)) for choice in choices]
    best = max(range(len(choices)), key=lambda at: len(rows[at]))
    return rows[best], choices[best]


def _text(column: pa.ChunkedArray) -> Text:
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        column = pc.binary_join(column.cast(pa.list_(pa.string())), "|")
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    filled = pc.fill_null(column.cast(pa.string()), "")
    encoded = filled.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):  # where pyarrow cannot combine without a copy
        encoded = encoded.unify_dictionaries().combine_chunks()
    trimmed = pc.utf8_trim_whitespace(encoded.dictionary).to_numpy(zero_copy_only=False)
    names, places = np.unique(trimmed.astype(object), return_inverse=True)
    return Text(places[encoded.indices.to_numpy()].astype(np.int64), names)


def _numbers_in_text(column: pa.ChunkedArray) -> Numbers:
    text = _text(column)
    lowered = pd.Series(text.names, dtype=object).str.lower()
    numbers = pd.to_numeric(lowered, errors="coerce").fillna(lowered.map(_WORDS))
    return Numbers(_finite(numbers.to_numpy(np.float64))[text.codes], ~text.empty)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _cell_text(value: Any) -> str:
    plain = value.as_py()
    return "" if plain is None else str(plain).strip()


def _unreadable(path: Path, error: BaseException) -> DataError:
    text = str(error)
    if isinstance(error, UnicodeError) or "UTF8" in text or "UTF-8" in text:
        return DataError("not UTF-8 text", file=path, fix="save the file as UTF-8")
    if "straddling" in text:
        return DataError(
            f"a record is longer than {_BLOCK >> 20} MiB, or a quote is never closed", file=path
        )
    return DataError(
        f"cannot be read ({first_line(error)})", file=path, fix="write it again as CSV or parquet"
    )
