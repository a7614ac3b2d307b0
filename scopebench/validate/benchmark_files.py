"""Reads a built benchmark file by file, so that one damaged file hides nothing about the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from scopebench.construct.manifest import (
    FILE,
    INDEX,
    cell_config,
    edits_config,
    parquet_path,
)
from scopebench.construct.tables import AnyRecord, read_records
from scopebench.construct.writer import sha256_of
from scopebench.errors import DataError
from scopebench.records import CONDITIONS, POPULATIONS, Condition, Edit, Population, Query
from scopebench.validate.finding import Finding

Cell = tuple[Condition, Population]


@dataclass
class Tables:
    """What could be read of one data set.

    Attributes:
        name: The data set's name.
        index: Its whole index; None: not readable.
        reduced: The index of each population that has a smaller one of its own.
        queries: The queries of each cell.
    """

    name: str
    index: tuple[Edit, ...] | None = None
    reduced: dict[Population, tuple[Edit, ...]] = field(default_factory=dict)
    queries: dict[Cell, tuple[Query, ...]] = field(default_factory=dict)

    def in_force(self, population: Population) -> tuple[Edit, ...]:
        """Return the edits that are in the index when a population is asked."""
        return self.reduced.get(population, self.index or ())

    def path(self, cell: Cell) -> str:
        """Return the relative path of a cell's file."""
        condition, population = cell
        return parquet_path(cell_config(self.name, condition), population)


def check_files(folder: Path, files: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield files that are missing, changed, or there without being listed."""
    for path, digest in files.items():
        parts = PurePosixPath(path).parts
        inside = ".." not in parts and not PurePosixPath(path).is_absolute()
        if not inside or not (folder / path).is_file():
            yield Finding("missing_file", path, None, None, f"{FILE} lists it, it is not there")
        elif sha256_of(folder / path) != digest:
            yield Finding("hash_mismatch", path, None, None, f"its SHA-256 is not that in {FILE}")
    for found in sorted(folder.rglob("*.parquet")):
        path = found.relative_to(folder).as_posix()
        if path not in files:
            yield Finding("unlisted_file", path, None, None, f"{FILE} does not list it")


def read_tables(
    folder: Path, dataset: str, files: Mapping[str, Any]
) -> tuple[Tables, list[Finding]]:
    """Read the tables of one data set that are listed and there; return those that cannot be."""
    reader = _Reader(folder, files)
    config = edits_config(dataset)
    tables = Tables(dataset, index=reader.read(parquet_path(config, INDEX), Edit))
    if parquet_path(config, INDEX) not in files:
        reason = f"{FILE} lists no index of {dataset}"
        reader.faults.append(
            Finding("missing_file", parquet_path(config, INDEX), None, None, reason)
        )
    for population in POPULATIONS:
        edits = reader.read(parquet_path(config, population), Edit)
        if edits is not None:
            tables.reduced[population] = edits
        for condition in CONDITIONS:
            queries = reader.read(tables.path((condition, population)), Query)
            if queries is not None:
                tables.queries[condition, population] = queries
    return tables, reader.faults


@dataclass
class _Reader:
    """Reads the listed tables of a folder and keeps the faults."""

    folder: Path
    files: Mapping[str, Any]
    faults: list[Finding] = field(default_factory=list)

    def read(self, path: str, kind: type[AnyRecord]) -> tuple[AnyRecord, ...] | None:
        """Return a table's records, None where it is not listed, not there or not readable."""
        if path not in self.files or not (self.folder / path).is_file():
            return None
        try:
            return read_records(self.folder / path, kind)
        except DataError as error:
            self.faults.append(Finding("bad_table", path, error.record, error.field, error.what))
            return None
