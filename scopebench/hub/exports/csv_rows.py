"""Every number as CSV: one row per part and metric, with its interval or the reason for none.

Numbers are shares as they are stored, in full precision. A text that a spreadsheet would run as a
formula gets an apostrophe before it (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.repeat import one_line
from scopebench.hub.exports.runs import ScoredRun, pooled, read_runs
from scopebench.records import Cell, Estimate, RouterRow, Rows, Static

RUN_COLUMNS: Final = (
    "run",
    "editor",
    "editor_version",
    "model",
    "model_revision",
    "benchmark",
    "benchmark_sha256",
    "protocol_id",
    "limited",
    "matcher",
)
PART_COLUMNS: Final = ("population", "dataset", "condition", "kind", "stratum")
COUNT_COLUMNS: Final = ("n", "n_scorable", "n_clusters")
VALUE_COLUMNS: Final = ("metric", "value", "low", "high", "method", "reason")
COLUMNS: Final = (*RUN_COLUMNS, *PART_COLUMNS, *COUNT_COLUMNS, *VALUE_COLUMNS)

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def render(
    paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
) -> Rendered:
    """Return one CSV file of all runs.

    Raises:
        DataError: If the runs cannot stand side by side, or lack the population asked for.
    """
    return render_runs(read_runs(paths, options, told), options)


def render_runs(runs: list[ScoredRun], options: ExportOptions) -> Rendered:
    """Return the CSV file of runs that are read and computed."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for run in runs:
        if options.population is not None:
            pooled(run, options.population)
        for row in rows_of(run):
            if options.population in (None, row["population"]):
                writer.writerow({name: cell(row[name]) for name in COLUMNS})
    return Rendered({"": text.getvalue()})


def cell(value: str | float | int | bool | None) -> str:
    """Return a value as a cell that no spreadsheet runs; null is the empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = one_line(value)
        return f"'{plain}" if value.startswith(_FORMULA) or plain.startswith(_FORMULA) else plain
    return repr(value)


def rows_of(run: ScoredRun) -> Iterator[dict[str, Any]]:
    """Yield the rows of a run: headroom of every part, then the editor's decisions."""
    report, result = run.report, run.result
    about = {
        "run": run.name,
        "editor": result.editor.name,
        "editor_version": result.editor.version,
        "model": result.model.id,
        "model_revision": result.model.revision,
        "benchmark": f"{result.benchmark.name} {result.benchmark.version}",
        "benchmark_sha256": run.benchmark_hash,
        "protocol_id": result.protocol.protocol_id,
        "limited": run.limited,
        "matcher": run.matcher,
    }
    parts: tuple[Cell | RouterRow, ...] = (
        *report.pooled,
        *report.cells,
        *report.strata,
        *report.kinds,
        *report.router,
    )
    for part in parts:
        names = (*PART_COLUMNS, *COUNT_COLUMNS)
        labels = {name: getattr(part, name) for name in names}
        for numbers in _metrics(part):
            yield {**about, **labels, **numbers}


def _metrics(part: Cell | RouterRow) -> Iterator[dict[str, Any]]:
    """Yield name, value, interval and reason of every number of a part, in the record's order."""
    about = {*Rows.model_fields, "n_clusters", "undefined"}
    for name in type(part).model_fields:
        if name not in about:
            yield from _numbers(name, getattr(part, name), part.undefined)


def _numbers(name: str, value: Any, undefined: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(f"{name}.{key}", inner, undefined)
    elif isinstance(value, Static):
        yield from _numbers(f"{name}.value", value.value, undefined)
        yield from _numbers(f"{name}.headroom", value.headroom, undefined)
    elif isinstance(value, Estimate):
        why = name if value.value is None else f"{name}.interval"
        yield _row(name, undefined.get(why), **value.model_dump())
    else:
        yield _row(name, undefined.get(name) if value is None else None, value=value)


def _row(name: str, reason: str | None, **numbers: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("value", "low", "high", "method"))
    return {"metric": name, **empty, **numbers, "reason": reason}
