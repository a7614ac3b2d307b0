"""Reads a built benchmark, from its parquet files alone and verified against its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scopebench.construct.manifest import (
    FILE,
    FORMAT,
    FORMAT_VERSION,
    INDEX,
    cell_config,
    edits_config,
    parquet_path,
)
from scopebench.construct.tables import read_records
from scopebench.construct.writer import sha256_of
from scopebench.errors import DataError
from scopebench.records import CONDITIONS, POPULATIONS, Condition, Edit, Population, Query

_REBUILD = "build the benchmark again or fetch it anew"


@dataclass(frozen=True)
class DatasetSplits:
    """The index and queries of one data set.

    Attributes:
        index: The edits in the index when each population is asked.
        queries: The queries of each condition and population, in stored order.
        written: The edits written for each population before some of them are deleted, in the
            index's order; a population that is not named here has nothing deleted.
    """

    index: Mapping[Population, tuple[Edit, ...]]
    queries: Mapping[tuple[Condition, Population], tuple[Query, ...]]
    written: Mapping[Population, tuple[Edit, ...]] = field(default_factory=dict)

    @property
    def deleted(self) -> Mapping[Population, tuple[Edit, ...]]:
        """The edits written and then deleted before each population is asked, in order."""
        deleted: dict[Population, tuple[Edit, ...]] = {}
        for population, index in self.index.items():
            kept = {edit.edit_id for edit in index}
            deleted[population] = tuple(
                edit for edit in self.written.get(population, ()) if edit.edit_id not in kept
            )
        return deleted


@dataclass(frozen=True)
class Benchmark:
    """A built benchmark.

    Attributes:
        name: Its name.
        version: The package version that built it.
        manifest: Its manifest, as JSON values.
        files: SHA-256 of every parquet file, by relative path.
        datasets: Its data sets, by name.
    """

    name: str
    version: str
    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    datasets: Mapping[str, DatasetSplits]


def read_benchmark(folder: Path, *, verify: bool = True) -> Benchmark:
    """Read a folder written by a build.

    Args:
        folder: The folder.
        verify: Whether to compare every parquet file with its SHA-256 in the manifest first.

    Raises:
        DataError: If the folder is no built benchmark, or a file is missing or not the one built.
    """
    manifest = read_manifest(folder)
    files = _listed_files(folder, manifest, verify=verify)
    return Benchmark(
        name=manifest["name"],
        version=manifest["version"],
        manifest=manifest,
        files=files,
        datasets={
            dataset: _read_dataset(folder, dataset, files) for dataset in manifest["datasets"]
        },
    )


def benchmark_files(folder: Path) -> Mapping[str, str]:
    """Return the SHA-256 of every parquet file by relative path, verified and not parsed.

    Raises:
        DataError: If the folder is no built benchmark, or a file is missing or not the one built.
    """
    return _listed_files(folder, read_manifest(folder), verify=True)


def _listed_files(folder: Path, manifest: Mapping[str, Any], *, verify: bool) -> dict[str, str]:
    files: dict[str, str] = manifest["files"]
    for path, digest in files.items():
        if not (folder / path).is_file():
            raise DataError("the file is missing", file=folder / path, fix=_REBUILD)
        if verify and sha256_of(folder / path) != digest:
            raise DataError(
                "the SHA-256 is not the one in the manifest", file=folder / path, fix=_REBUILD
            )
    return files


def _read_dataset(folder: Path, dataset: str, files: Mapping[str, str]) -> DatasetSplits:
    path_of_index = parquet_path(edits_config(dataset), INDEX)
    if path_of_index not in files:
        raise DataError(f"{path_of_index} is not listed", file=folder / FILE, field="files")
    edits = read_records(folder / path_of_index, Edit)
    index: dict[Population, tuple[Edit, ...]] = dict.fromkeys(POPULATIONS, edits)
    parts: tuple[Population, ...] = ("withheld", "curated")
    for population in parts:
        path = parquet_path(edits_config(dataset), population)
        if path in files:
            index[population] = _part_of(edits, read_records(folder / path, Edit), folder / path)
    queries = {
        (condition, population): read_records(folder / path, Query)
        for condition in CONDITIONS
        for population in POPULATIONS
        if (path := parquet_path(cell_config(dataset, condition), population)) in files
    }
    held = {population for _, population in queries}
    return DatasetSplits(
        index={population: index[population] for population in POPULATIONS if population in held},
        queries=queries,
        # What `withheld` lacks was never written; what `curated` lacks was written and deleted.
        written={"curated": edits} if "curated" in held else {},
    )


def _part_of(index: Sequence[Edit], part: tuple[Edit, ...], path: Path) -> tuple[Edit, ...]:
    """Return a part of the index, checked to be one."""
    known = {edit.edit_id for edit in index}
    for edit in part:
        if edit.edit_id not in known:
            raise DataError(
                f"the edit is not in {INDEX}.parquet", file=path, record=edit.edit_id, fix=_REBUILD
            )
    return part


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check the manifest.

    Raises:
        DataError: If it is missing, not JSON, of another format or of another version of it.
    """
    path = folder / FILE
    fix = "give a folder written by `scopebench build`"
    if not path.is_file():
        raise DataError(f"there is no {FILE}: not a built benchmark", file=folder, fix=fix)
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"not readable as JSON ({error})", file=path, fix=fix) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DataError("not the manifest of a built benchmark", file=path, fix=fix)
    if manifest.get("format_version") != FORMAT_VERSION:
        raise DataError(
            f"format version {manifest.get('format_version')!r} cannot be read, only "
            f"{FORMAT_VERSION}",
            file=path,
            field="format_version",
            fix="build it again with this version of scopebench",
        )
    fields = {"name": str, "version": str, "files": dict, "datasets": dict, "configs": dict}
    for key, kind in fields.items():
        if not isinstance(manifest.get(key), kind):
            raise DataError("the field is missing or of another type", file=path, field=key)
    return manifest
