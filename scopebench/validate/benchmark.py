"""Validates a built benchmark from its files alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scopebench.construct.reader import read_manifest
from scopebench.construct.writer import CARD
from scopebench.validate.benchmark_counts import COUNT_CHECKS, check_counts
from scopebench.validate.benchmark_files import check_files, read_tables
from scopebench.validate.benchmark_golds import GOLD_CHECKS, check_golds
from scopebench.validate.benchmark_labels import LABEL_CHECKS, check_labels
from scopebench.validate.benchmark_rows import ROW_CHECKS, check_rows
from scopebench.validate.finding import CheckInfo, Finding, Validation

CHECKS: Final[dict[str, CheckInfo]] = {
    "missing_file": CheckInfo("error", "a file of the manifest is not there"),
    "hash_mismatch": CheckInfo("error", "a file is not the one that was built"),
    "bad_table": CheckInfo("error", "a table cannot be read, or a row is no record"),
    "unlisted_file": CheckInfo("warning", "a parquet file is not in the manifest"),
    "missing_card": CheckInfo("warning", "the card that says what the benchmark holds is missing"),
    **COUNT_CHECKS,
    **LABEL_CHECKS,
    **GOLD_CHECKS,
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
    if not (folder / CARD).is_file():
        found.append(Finding("missing_card", CARD, None, None, "every build writes one"))
    tables = []
    for dataset in manifest["datasets"]:
        read, faults = read_tables(folder, dataset, files)
        tables.append(read)
        found.extend(faults)
        found.extend(check_counts(read, manifest))
        found.extend(check_golds(read))
        found.extend(check_rows(read))
    found.extend(check_labels(tables))
    return Validation.of(folder, "benchmark", CHECKS, found)
