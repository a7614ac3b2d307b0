"""A team's own edits as a source: CSV, a spreadsheet, JSON or parquet (docs/own_edits.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scopebench.errors import DataError
from scopebench.records import SourceRef
from scopebench.sources.case import BadRecord, Case, Source
from scopebench.sources.fields import RECORD_FIX, shown
from scopebench.sources.own_columns import (
    OWN_COLUMNS,
    Column,
    ColumnMap,
    missing_for,
    plain,
    read_columns,
)
from scopebench.sources.own_record import own_id, parse_own, tidy
from scopebench.sources.own_tables import Table, open_table
from scopebench.sources.read import SOURCES, OnBadRecord, all_bad, check_paths
from scopebench.sources.schema import Origin

__all__ = [
    "OWN_COLUMNS",
    "OWN_SCHEMA",
    "Column",
    "columns_with_values",
    "ignored_columns",
    "missing_for",
    "read_columns",
    "read_own",
]

OWN_SCHEMA: Final = "own-"
"""How the schemas of one's own edits begin."""

_NAME: Final = re.compile(r"[a-z0-9_]{1,64}")

_RESERVED: Final = frozenset({"all", "rippleedits", "starter", "zsre"})
"""Names that mean something else: the pool of all data sets, the starter, published data sets."""


def read_own(
    dataset: str,
    paths: Sequence[Path],
    *,
    columns: Mapping[str, str] | None = None,
    on_bad_record: OnBadRecord = "fail",
) -> Source:
    """Read a team's own edits.

    Args:
        dataset: The name to give the data set: lower-case letters, digits and underscores.
        paths: The files. Case ids of the second and later ones are `<k>.<id>`, k = 2, 3, ...
        columns: Our names of columns to the files' names (`read_columns`); `-` leaves one out.
        on_bad_record: `fail` raises for the first record that cannot be used; `skip` lists it.

    Raises:
        DataError: If the name is taken or unfit, a file is missing, damaged, of no known form,
            without a required column or without a usable record, two files have one name, a name
            of a column may be misspelt, or a record is bad and `on_bad_record` is `fail`.
    """
    _check_name(dataset)
    check_paths(dataset, paths)
    chosen = ColumnMap.of(columns)
    schemas: dict[str, str] = {}
    files: dict[str, str] = {}
    cases: list[Case] = []
    bad: list[BadRecord] = []
    names: set[str] = set()
    taken: dict[str, tuple[Path, int]] = {}
    for k, path in enumerate(paths, start=1):
        table = open_table(path, chosen)
        reader = _Reader(table, dataset, "" if k == 1 else f"{k}.", chosen, taken)
        before = len(cases), len(bad)
        for number, row in enumerate(table, start=1):
            try:
                cases.append(reader.case(number, row))
            except DataError as error:
                if on_bad_record == "fail":
                    raise
                place = error.record or f"#{number}"
                bad.append(BadRecord(path.name, place, error.field, error.what))
        if len(cases) == before[0]:
            raise _no_record(path, bad[before[1] :])
        schemas[path.name] = table.form
        files[path.name] = table.sha256
        names.update(plain(name) for name in table.names)
    _check_mapped(chosen, names, paths)
    return Source(dataset, schemas, files, tuple(cases), tuple(bad))


def ignored_columns(
    paths: Sequence[Path], *, columns: Mapping[str, str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return, by base name of a file, its columns that `read_own` does not read.

    Raises:
        DataError: If a file cannot be read as `read_own` reads it.
    """
    chosen = ColumnMap.of(columns)
    ignored: dict[str, tuple[str, ...]] = {}
    for path in paths:
        table = open_table(path, chosen)
        if not table.names:  # JSON names its columns record by record
            for row in table:
                table.note(row)
        ignored[path.name] = tuple(n for n in table.names if chosen.place(n) is None)
    return ignored


def columns_with_values(source: Source) -> frozenset[str]:
    """Return our names of the columns under which some edit of a source holds something.

    Columns of ids are left out, since no kind waits for one.
    """
    found: set[str] = set()
    for case in source.cases:
        for probe in case.probes:
            found.add(probe.field.partition("[")[0])
        for edit in case.edits:
            old, was, now = edit.target_true, edit.time_true, edit.time_new
            held = {
                "relation": edit.relation_id,
                "old": old,
                "old_aliases": old and old.aliases,
                "new_aliases": edit.target_new.aliases,
                "question": edit.question,
                "evidence": edit.evidence_unstructured,
                "triples": edit.evidence_triples,
                "old_start": was and was.start,
                "old_end": was and was.end,
                "new_start": now and now.start,
                "new_end": now and now.end,
            }
            found.update(name for name, value in held.items() if value)
    return frozenset(found | ({"subject", "prompt", "new"} if source.cases else set()))


@dataclass(frozen=True)
class _Reader:
    """Turns the rows of one file into cases.

    Attributes:
        table: The file.
        dataset: The data set's name.
        prefix: Put before its case ids.
        columns: The names of its columns.
        taken: The place of every case id met so far, in this file and those before.
    """

    table: Table
    dataset: str
    prefix: str
    columns: ColumnMap
    taken: dict[str, tuple[Path, int]]

    def case(self, number: int, row: Any) -> Case:
        path = self.table.path
        record = f"#{number}"
        try:
            fields = tidy(self.table.cells(row), str(path), record)
            name = own_id(fields, number)
            # The id is the middle one of the three parts of an edit id.
            case_id = self.prefix + name.replace("/", "_")
            here = (path, number)
            there = self.taken.setdefault(case_id, here)
            if there != here:
                what = f"expected an id used once, found that of record #{there[1]} of {there[0]}"
                raise fields.fault("id", what)
            if fields.has("id"):
                record = name
            source = SourceRef(file=path.name, record=name, sha256=self.table.sha256)
            return parse_own(fields, Origin(self.dataset, case_id, source))
        except DataError as error:
            raise self._placed(error, record) from error

    def _placed(self, error: DataError, record: str) -> DataError:
        """Return an error of a row with its place, the field under their name as well."""
        field = error.field
        if field is not None:
            ours = re.split(r"[.\[]", field, maxsplit=1)[0]
            theirs = self.columns.mapped.get(ours, ours)
            field = field if theirs == ours else f"{field} (column {shown(theirs)})"
        return DataError(
            error.what,
            file=self.table.path,
            record=record,
            field=field,
            fix=error.fix or RECORD_FIX,
        )


def _check_name(dataset: str) -> None:
    fix = "give another name, such as --source mine=PATH"
    if not _NAME.fullmatch(dataset):
        raise DataError(
            f"expected a name of 1 to 64 lower-case letters, digits and underscores, found "
            f"{shown(dataset)}",
            fix=fix,
        )
    if dataset in SOURCES or dataset in _RESERVED:
        raise DataError(f"the name {dataset!r} is not free for one's own edits", fix=fix)


def _check_mapped(chosen: ColumnMap, names: set[str], paths: Sequence[Path]) -> None:
    for ours, theirs in chosen.mapped.items():
        if plain(theirs) not in names:
            raise DataError(
                f"the mapping names the column {shown(theirs)}, which is in no file",
                file=", ".join(str(path) for path in paths),
                field=ours,
                fix="correct the name in the mapping file, or take the line out",
            )


def _no_record(path: Path, bad: Sequence[BadRecord]) -> DataError:
    if not bad:
        return DataError("the file holds no records", file=path, fix="name a file of edits")
    return all_bad(path, bad)
