"""Validates a built benchmark from its files alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scopebench.build.reader import read_manifest
from scopebench.validate.benchmark_files import check_files, read_tables
from scopebench.validate.benchmark_labels import LABEL_CHECKS, check_counts, check_labels
from scopebench.validate.benchmark_rows import ROW_CHECKS, check_rows
from scopebench.validate.finding import CheckInfo, Validation

CHECKS: Final[dict[str, CheckInfo]] = {
    "missing_file": CheckInfo("error", "a file of the manifest is not there"),
    "hash_mismatch": CheckInfo("error", "a file is not the one that was built"),
    "bad_table": CheckInfo("error", "a table cannot be read, or a row is no record"),
    "unlisted_file": CheckInfo("warning", "a parquet file is not in the manifest"),
    **LABEL_CHECKS,
    **ROW_CHECKS,
}
"""What is looked for in a built benchmark."""


def validate_benchmark(folder: Path) -> Validation:
    """Validate a folder written by a build.

    Raises:
        DataError: If its manifest is not one that this version reads.
    """
    manifest = read_manifest(folder)
    files = manifest["files"]
    found = list(check_files(folder, files))
    tables = []
    for dataset in manifest["datasets"]:
        read, faults = read_tables(folder, dataset, files)
        tables.append(read)
        found.extend(faults)
        found.extend(check_counts(read, manifest))
        found.extend(check_rows(read))
    found.extend(check_labels(tables))
    return Validation.of(folder, "benchmark", CHECKS, found)
