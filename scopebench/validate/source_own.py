"""A team's own edits, read as `build` reads them, and findings on them in the file's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from scopebench.errors import DataError
from scopebench.sources.case import Source
from scopebench.sources.detect import identify
from scopebench.sources.fields import shown
from scopebench.sources.own import read_columns, read_own
from scopebench.sources.own_columns import ColumnMap, plain
from scopebench.sources.own_tables import open_table
from scopebench.sources.stream import RecordFile
from scopebench.validate.finding import Finding

BLANK: Final = "it holds a blank answer"

_OWN: Final = "own"
"""The data set that one's own edits are read as; it is in no finding."""

_JSON_BEGINS: Final = (b"[", b"{")
_BOM: Final = b"\xef\xbb\xbf"
_HEAD: Final = 1 << 16
"""Bytes in which the first character of a file is looked for, as a build does."""

_COLUMN_OF: Final = {"target_new": "new", "target_true": "old"}
"""The columns behind an edit's objects."""

_TELLING: Final = {"subject", "new"}
"""Keys by which a record is one's own edit, if a faulty one."""


def published(path: Path) -> str | None:
    """Return the published data set whose form a file has, None where it holds one's own edits.

    Raises:
        DataError: If it begins like JSON and is damaged, without a record, or neither.
    """
    if not _begins_like_json(path):
        return None
    try:
        return identify(path)[0]
    except DataError:
        if _looks_own(path):
            return None
        raise


@dataclass(frozen=True)
class OwnFile:
    """A file of one's own edits.

    Attributes:
        source: What it holds.
        columns: Our names of columns to the file's, where they are mapped.
        nameless: The numbers of the rows without an id, as texts.
        blanks: Findings of lists of aliases with a blank entry, which reading leaves out.
    """

    source: Source
    columns: Mapping[str, str]
    nameless: frozenset[str]
    blanks: tuple[Finding, ...]

    @classmethod
    def read(cls, path: Path, columns: Path | None) -> OwnFile:
        """Read a file, with the mapping file of its columns if there is one.

        Raises:
            DataError: If it cannot be read as one's own edits, or the mapping file is none.
        """
        mapped = None if columns is None else read_columns(columns)
        source = read_own(_OWN, [path], columns=mapped, on_bad_record="skip")
        chosen = ColumnMap.of(mapped)
        nameless: dict[str, bool] = {}
        blanks: list[Finding] = []
        for number, cells in _rows(path, chosen):
            own_id = _id(cells)
            # Of a row's number and an equal id, the first is taken; the other is a bad record.
            nameless.setdefault(own_id or str(number), own_id is None)
            for field in blank_lists(cells):
                record = own_id or f"#{number}"
                blanks.append(Finding("empty_alias", path.name, record, field, BLANK))
        unnamed = frozenset(name for name, without_id in nameless.items() if without_id)
        plain_file = cls(source, chosen.mapped, unnamed, ())
        return replace(plain_file, blanks=tuple(map(plain_file.named, blanks)))

    def named(self, finding: Finding) -> Finding:
        """Return a finding with the file's own columns, and its records by their id or `#row`."""
        return replace(
            finding,
            record=None if finding.record is None else self._record(finding.record),
            field=None if finding.field is None else self._field(finding.field),
            other_records=tuple(map(self._record, finding.other_records)),
        )

    def _record(self, record: str) -> str:
        return f"#{record}" if record in self.nameless else record

    def _field(self, field: str) -> str:
        first = re.split(r"[.\[ ]", field, maxsplit=1)[0]
        ours = _COLUMN_OF.get(first, first)
        told = ours + field[len(first) :]
        theirs = self.columns.get(ours, ours)
        if theirs == ours or "(column " in told:
            return told
        return f"{told} (column {shown(theirs)})"


def blank_lists(value: Any, path: str = "", key: str = "") -> Iterator[str]:
    """Yield the dotted names of lists called something like `alias` that hold a blank text."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from blank_lists(child, f"{path}.{name}" if path else str(name), str(name))
    elif isinstance(value, list):
        if "alias" in key and any(isinstance(item, str) and not item.strip() for item in value):
            yield path
        for number, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from blank_lists(item, f"{path}[{number}]", key)


def _begins_like_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False  # whoever reads it says why it cannot be read
    return head.removeprefix(_BOM).lstrip().startswith(_JSON_BEGINS)


def _looks_own(path: Path) -> bool:
    """Whether a record has the keys of one's own edits."""
    try:
        return any(
            isinstance(record, dict) and {plain(key) for key in record} >= _TELLING
            for record in RecordFile.open(path)
        )
    except DataError:
        return False  # what is wrong with it is told by the search for a published form


def _rows(path: Path, columns: ColumnMap) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows that are such, by their numbers, with the cells by our names."""
    table = open_table(path, columns)
    for number, row in enumerate(table, start=1):
        try:
            cells = table.cells(row)
        except DataError:
            continue  # a bad record, which reading the file has found
        yield number, cells


def _id(cells: Mapping[str, Any]) -> str | None:
    """Return a row's id as it is read, None where it has none."""
    value = cells.get("id")
    if value is None or value != value:  # NaN, in a column of numbers with gaps
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split()) or None
