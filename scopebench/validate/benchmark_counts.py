"""Checks that the counts in the manifest are those of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scopebench.construct.curated import KINDS
from scopebench.construct.manifest import (
    FILE,
    INDEX,
    cell_config,
    count_queries,
    edits_config,
    parquet_path,
)
from scopebench.records import CONDITIONS, Population
from scopebench.validate.benchmark_files import Tables
from scopebench.validate.finding import CheckInfo, Finding

COUNT_CHECKS: Final[dict[str, CheckInfo]] = {
    "count_mismatch": CheckInfo("error", "a count in the manifest is not that of the file"),
}

_Counts = Iterator[tuple[tuple[str, ...], int | None]]
"""Where in the manifest a count stands, and what it should be."""


def check_counts(tables: Tables, manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the counts of one data set that are not those of its files.

    Left out are counts of tables that cannot be read, and those of what a build read, made and
    dropped, of which the files keep nothing.
    """
    for path, value in (*_of_splits(tables), *_of_dataset(tables, manifest)):
        stated = _at(manifest, path)
        if stated != value or isinstance(stated, bool):
            reason = f"it says {stated}, there are {'none' if value is None else value}"
            yield Finding("count_mismatch", FILE, None, ".".join(path), reason)


def _of_splits(tables: Tables) -> _Counts:
    edits = edits_config(tables.name)
    counted: dict[tuple[str, str], dict[str, Any]] = {}
    if tables.index is not None:
        counted[edits, INDEX] = {"edits": len(tables.index)}
    for population, reduced in tables.reduced.items():
        counted[edits, population] = {"edits": len(reduced)}
    for (condition, population), queries in tables.queries.items():
        counted[cell_config(tables.name, condition), population] = count_queries(queries)
    for (config, split), counts in counted.items():
        for key, value in counts.items():
            yield ("configs", config, "splits", split, key), value


def _of_dataset(tables: Tables, manifest: Mapping[str, Any]) -> _Counts:
    """Yield what the section on the data set should say."""
    section = ("datasets", tables.name)
    if tables.index is not None:
        yield (*section, "edits", "index"), len(tables.index)
    populations: tuple[Population, ...] = ("withheld", "curated")
    for population in populations:
        path = (*section, "edits", f"{population}_index")
        if population in tables.reduced:
            yield path, len(tables.reduced[population])
        elif population == "withheld" and not _is_listed(tables, population, manifest):
            yield (
                path,
                None,
            )  # a build that leaves `curated` empty still says what it deleted for it
    asked = tables.queries.get(("structured", "withheld"))
    if asked is not None:
        hidden = sum(bool(query.hidden_edit_ids) for query in asked)
        yield (*section, "withheld", "hidden"), hidden
        yield (*section, "withheld", "kept"), len(asked) - hidden
    for condition in CONDITIONS:
        rows = tables.queries.get((condition, "curated"))
        for kind in KINDS if rows is not None else ():
            number = sum(query.kind == kind.name for query in rows or ())
            yield (*section, "curated", "kinds", kind.name, "in_mix", condition), number


def _is_listed(tables: Tables, population: Population, manifest: Mapping[str, Any]) -> bool:
    return parquet_path(edits_config(tables.name), population) in manifest["files"]


def _at(value: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a place in the manifest, None where there is no such place."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
