"""The export formats by name; a format's module is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from scopebench.errors import DataError
from scopebench.hub.exports.options import ExportOptions, Rendered, Renderer


@dataclass(frozen=True)
class ExportFormat:
    """One export format.

    Attributes:
        summary: What it is, in a few words.
        reads: One run folder, several, or a built benchmark.
        writes: Whether `--out` is a file or a folder.
        renderer: `package.module:callable`, a `Renderer`.
    """

    summary: str
    reads: Literal["run", "runs", "benchmark"]
    writes: Literal["file", "folder"]
    renderer: str


_HERE: Final = "scopebench.hub.exports"

FORMATS: Final = {
    "hf-eval-results": ExportFormat(
        "`.eval_results/*.yaml` for a model repository on the Hub",
        "run",
        "folder",
        f"{_HERE}.hf_eval_results:render",
    ),
    "model-card": ExportFormat(
        "a model card: `model-index` and a section with intervals",
        "run",
        "file",
        f"{_HERE}.model_card:render",
    ),
    "lm-eval": ExportFormat(
        "a task folder for lm-evaluation-harness", "benchmark", "folder", f"{_HERE}.lm_eval:render"
    ),
    "inspect": ExportFormat(
        "a task folder for Inspect", "benchmark", "folder", f"{_HERE}.inspect_task:render"
    ),
    "csv": ExportFormat(
        "every number, one row per part and metric", "runs", "file", f"{_HERE}.csv_rows:render"
    ),
    "latex": ExportFormat(
        "a booktabs table, editors as rows", "runs", "file", f"{_HERE}.latex:render"
    ),
}
"""Every format by name."""


def render(
    name: str,
    paths: Sequence[Path],
    options: ExportOptions,
    told: Callable[[str], None] = lambda text: None,
) -> Rendered:
    """Return the files of an export; nothing is written.

    Args:
        name: One of `FORMATS`.
        paths: Run folders or a built benchmark, as the format reads them.
        options: What is asked for.
        told: Called with what is being done.

    Raises:
        DataError: If the paths are not what the format reads, or do not hold what is asked for.
    """
    asked = FORMATS[name]
    if asked.reads != "runs" and len(paths) > 1:
        kind = "run folder" if asked.reads == "run" else "built benchmark"
        raise DataError(
            f"{name} is about one {kind}, {len(paths)} were given",
            file=paths[1],
            fix="export them one by one",
        )
    module, _, function = asked.renderer.partition(":")
    renderer = cast(Renderer, getattr(importlib.import_module(module), function))
    return renderer(tuple(paths), options, told)
