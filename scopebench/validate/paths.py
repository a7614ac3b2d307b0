"""Tells what a path is and validates it."""

from __future__ import annotations

from pathlib import Path

from scopebench.construct.manifest import FILE as MANIFEST_FILE
from scopebench.errors import DataError
from scopebench.run.folder import RESULT_FILE
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE
from scopebench.validate.finding import PathKind, Validation


def kind_of_path(path: Path) -> PathKind:
    """Tell a raw file, a built benchmark and a run folder apart.

    Raises:
        DataError: If the path is missing, or a folder that is neither.
    """
    if path.is_file():
        return "raw"
    if not path.is_dir():
        what = "neither a file nor a folder" if path.exists() else "no such file or folder"
        raise DataError(what, file=path, fix="check the path")
    if (path / MANIFEST_FILE).is_file():
        return "benchmark"
    tables = (path / OUTCOMES_FILE).is_file() and (path / DECISIONS_FILE).is_file()
    if tables or (path / RESULT_FILE).is_file():
        return "run"
    raise DataError(
        f"a folder with neither {MANIFEST_FILE} nor {RESULT_FILE}",
        file=path,
        fix="give a source file, a folder written by `scopebench build`, or a run folder",
    )


def validate_path(
    path: Path, *, benchmark: Path | None = None, columns: Path | None = None
) -> Validation:
    """Validate a raw source file, a built benchmark or a run folder.

    Args:
        path: The path.
        benchmark: For a run folder, the benchmark its rows are compared with.
        columns: For a file of one's own edits, the mapping file of its columns.

    Raises:
        DataError: If the path is missing, of no known form, or not readable at all.
    """
    kind = kind_of_path(path)
    if benchmark is not None and kind != "run":
        raise DataError(
            "a benchmark to compare with is given, but the path is no run folder",
            file=path,
            fix="leave --benchmark out",
        )
    if columns is not None and kind != "raw":
        raise DataError(
            "columns are mapped, but the path is no file of one's own edits",
            file=path,
            fix="leave --columns out",
        )
    if kind == "raw":
        from scopebench.validate.source import validate_source

        return validate_source(path, columns)
    if kind == "benchmark":
        from scopebench.validate.benchmark import validate_benchmark

        return validate_benchmark(path)
    from scopebench.validate.run import validate_run

    return validate_run(path, benchmark)
