"""The board's one parquet file: several tables, a row group each, read one at a time.

A row group holds the rows of one table: `submissions`, `rejected`, `mixes` of a population, or
`scores` of one part of every submission that has it; and once more `whole`, every part of a few
submissions, since a table needs one part of all and a page all of one. The columns of the other
tables are null there, which costs nothing. Which table and part a row group holds stands in the
file's metadata, so a page reads just what it shows, and a board is replaced as a whole or not at
all.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from scopebench.errors import DataError
from scopebench_leaderboard.columns import (
    LIKENESS_SCHEMA,
    MARK_SCHEMA,
    MIX_SCHEMA,
    PART_COLUMNS,
    REJECTED_SCHEMA,
    SCORE_SCHEMA,
    SUBMISSION_SCHEMA,
    part_schema,
)

FORMAT_VERSION: Final = 3
BLOCK: Final = 64
"""Submissions of one row group of `whole`."""
REBUILD: Final = "rebuild the board from its results folder"

_METADATA: Final = b"scopebench_board"
_ENTRY: Final = pa.field("entry", pa.int32())

Key = tuple[str, ...]
"""The name of a table and, for `scores`, `mixes` and `whole`, the part, population or block."""

SUBMISSIONS: Final[Key] = ("submissions",)
REJECTED: Final[Key] = ("rejected",)

SCHEMAS: Final[dict[str, pa.Schema]] = {
    "submissions": pa.schema([*SUBMISSION_SCHEMA, *MARK_SCHEMA, *LIKENESS_SCHEMA]),
    "rejected": REJECTED_SCHEMA,
    "mixes": pa.schema([_ENTRY, *(field for field in MIX_SCHEMA if field.name != "population")]),
    "scores": pa.schema([_ENTRY, *SCORE_SCHEMA]),
    "whole": pa.schema([_ENTRY, *part_schema()]),
}
"""The columns of each table; `entry` is the row number of the submission."""


def _whole_schema() -> pa.Schema:
    """Return the columns of the file: those of every table, once, and the name of the table."""
    fields = {field.name: field for schema in SCHEMAS.values() for field in schema}
    return pa.schema([pa.field("table", pa.string()), *fields.values()])


@dataclass(frozen=True)
class Head:
    """What a board's file says of itself.

    Attributes:
        revision: Hash over all that is shown.
        code_version: The code that computed the numbers.
        benchmarks: Digests of the benchmarks that were at hand.
        groups: The table and part of each row group.
    """

    revision: str
    code_version: str
    benchmarks: tuple[str, ...]
    groups: tuple[Key, ...]


class DamagedBoard(DataError):
    """A part of a board's file cannot be read."""


class BoardFile:
    """An open board file; a board that replaces it leaves what is open as it was.

    Args:
        path: The parquet file.

    Raises:
        DataError: If it is missing, damaged or of another format.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise DataError("there is no board", file=path, fix=REBUILD)
        try:
            self._file = pq.ParquetFile(path, memory_map=True, page_checksum_verification=True)
            told = json.loads((self._file.metadata.metadata or {})[_METADATA])
        except (pa.ArrowInvalid, OSError, KeyError, ValueError) as error:
            raise DataError(f"not a board ({error})", file=path, fix=REBUILD) from error
        if told.get("format_version") != FORMAT_VERSION:
            raise DataError("a board of another version", file=path, fix=REBUILD)
        self._path = path
        self._lock = threading.Lock()  # the reader of a parquet file serves one thread at a time
        self.head = Head(
            revision=told["revision"],
            code_version=told["code_version"],
            benchmarks=tuple(told["benchmarks"]),
            groups=tuple(tuple(key) for key in told["groups"]),
        )
        self._places = {key: at for at, key in enumerate(self.head.groups)}

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """Return one table, or one part of it; one that is not there is empty.

        Raises:
            DamagedBoard: If the bytes are not those that were written.
        """
        schema = SCHEMAS[key[0]]
        names = list(schema.names if columns is None else columns)
        at = self._places.get(key)
        if at is None:
            return pa.schema([schema.field(name) for name in names]).empty_table()
        try:
            with self._lock:
                table = self._file.read_row_group(at, columns=names, use_threads=False)
        except (pa.ArrowInvalid, OSError) as error:
            raise DamagedBoard(f"damaged ({error})", file=self._path, fix=REBUILD) from error
        return table.select(names)


def write_board_file(
    path: Path, head: Mapping[str, Any], tables: Iterable[tuple[Key, pa.Table]]
) -> None:
    """Write a board's file, atomically.

    Args:
        path: The file.
        head: `revision`, `code_version` and `benchmarks`.
        tables: The tables by key; those without rows are left out.
    """
    partial = path.with_name(path.name + ".partial")
    whole = _whole_schema()
    groups: list[Key] = []
    with pq.ParquetWriter(
        partial,
        whole,
        compression="zstd",
        write_statistics=False,
        use_dictionary=_texts(whole),
        write_page_checksum=True,
    ) as writer:
        for key, table in tables:
            if table.num_rows:
                writer.write_table(_widened(key, table, whole), row_group_size=table.num_rows)
                groups.append(key)
        told = {**head, "format_version": FORMAT_VERSION, "groups": groups}
        writer.add_key_value_metadata({_METADATA: json.dumps(told).encode()})
    partial.replace(path)


def _texts(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if pa.types.is_string(field.type)]


def _widened(key: Key, table: pa.Table, whole: pa.Schema) -> pa.Table:
    """Return a table with the columns of the file."""
    labels = dict(zip(("table", *PART_COLUMNS), key, strict=False))
    columns = []
    for field in whole:
        if field.name in table.column_names:
            columns.append(table[field.name].cast(field.type))
        elif field.name in labels:
            columns.append(pa.repeat(pa.scalar(labels[field.name], field.type), table.num_rows))
        else:
            columns.append(pa.nulls(table.num_rows, field.type))
    return pa.table(columns, schema=whole)
