"""The Hub's own eval-result entries: one file per metric, through the library's serialiser.

The Hub shows one number per entry as it stands, so shares are written in percent with their unit in
the notes; a file of its own per metric and variant is what the Hub's documentation asks for
(huggingface/hub-docs, `docs/hub/eval-results.md`). Nothing is sent: the files are for the model
repository's owner to review and push.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scopebench.errors import DataError
from scopebench.hub.exports.hub_ids import check_dataset_id, check_revision, file_part
from scopebench.hub.exports.metrics import (
    OF_AN_EDITOR,
    Metric,
    Reading,
    interval_words,
    percent,
    read_metric,
)
from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.repeat import one_line
from scopebench.hub.exports.runs import Pooled, ScoredRun, pooled, read_whole_run

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry


def render(
    paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
) -> Rendered:
    """Return `.eval_results/<name>.yaml` for every metric of an editor that has a value.

    Raises:
        DataError: If no dataset id is given, or the run is limited or lacks the population.
    """
    if options.dataset_id is None:
        raise DataError(
            "an eval result names the dataset it is about",
            field="--dataset-id",
            fix="give the benchmark's dataset repository, ORG/NAME",
        )
    check_dataset_id(options.dataset_id)
    check_revision(options.dataset_revision)
    run = read_whole_run(paths, options, told)
    return render_run(run, options, options.dataset_id)


def render_run(run: ScoredRun, options: ExportOptions, dataset_id: str) -> Rendered:
    """Return the files of a run that is read and computed."""
    from huggingface_hub import constants, eval_result_entries_to_yaml
    from huggingface_hub.utils import yaml_dump  # type: ignore[attr-defined]

    population = options.one_population
    numbers = pooled(run, population)
    files, left_out = {}, []
    for metric in OF_AN_EDITOR:
        reading = read_metric(metric, numbers)
        if reading.estimate.value is None:
            left_out.append(f"{metric.name}: {reading.reason}")
            continue
        entry = _entry(run, metric, reading, numbers, options, dataset_id)
        variant = f"{file_part(run.result.editor.name)}-{population}-{run.matcher}"
        name = f"{constants.EVAL_RESULTS_FOLDER}/scopebench-{variant}-{metric.name}.yaml"
        files[name] = yaml_dump(eval_result_entries_to_yaml([entry]), sort_keys=False)
    return Rendered(files, tuple(left_out))


def _entry(
    run: ScoredRun,
    metric: Metric,
    reading: Reading,
    numbers: Pooled,
    options: ExportOptions,
    dataset_id: str,
) -> EvalResultEntry:
    from huggingface_hub import EvalResultEntry

    assert reading.estimate.value is not None
    return EvalResultEntry(
        dataset_id=dataset_id,
        task_id=f"{options.one_population}_{metric.name}",
        value=percent(reading.estimate.value),
        dataset_revision=options.dataset_revision,
        notes=_notes(run, metric, reading, numbers, options.one_population),
    )


def _notes(
    run: ScoredRun, metric: Metric, reading: Reading, numbers: Pooled, population: str
) -> str:
    result = run.result
    interval = interval_words(reading.estimate)
    parts = (
        f"{metric.title} ({metric.unit}, {metric.direction})",
        f"editor {result.editor.name} {result.editor.version} on {result.model.id}",
        f"95% interval {interval}" if interval else f"no interval: {reading.reason}",
        f"population {population}, {numbers.router.n} rows in {numbers.router.n_clusters} clusters",
        f"{run.matcher} matcher",
        f"protocol {result.protocol.protocol_id}",
        f"benchmark {run.benchmark_words}",
    )
    return one_line("; ".join(parts))
