"""A model card: legacy `model-index` metadata, and a section that shows the same with intervals.

`model-index` holds one bare number per metric, so the interval and the protocol id go into its
`metric_args`, and the section says everything in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scopebench.hub.exports.hub_ids import check_dataset_id, check_revision, file_part
from scopebench.hub.exports.metrics import (
    HEADROOM,
    OF_AN_EDITOR,
    Metric,
    Reading,
    percent,
    read_metric,
)
from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.repeat import one_line, score_command
from scopebench.hub.exports.runs import Pooled, ScoredRun, pooled, read_whole_run
from scopebench.hub.exports.write import MARK

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]|~$])")
# A colon, an at sign or "www." would make a link of a name.
_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", ":": "&#58;", "@": "&#64;"})
_BARE_LINK: Final = re.compile(r"(?i)\b(www)\.")

_WORDS: Final = """\
{mark}

## Scope decision (ScopeBench)

How well the editor {editor} {version}, beside the frozen model {model}, decides *whether a stored
edit applies* to a query. Population `{population}`, {rows} rows in {clusters} clusters, {inside} of
them in scope; `{matcher}` matcher. Numbers are in percent or percentage points.

{table}

{setting}

To repeat it, with `BENCHMARK` the folder of the benchmark named above:

```sh
{commands}
```
"""


def render(
    paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
) -> Rendered:
    """Return a model card of one run.

    Raises:
        DataError: If the run is limited or lacks the population, or a Hub name is none.
    """
    if options.dataset_id is not None:
        check_dataset_id(options.dataset_id)
    check_revision(options.dataset_revision)
    return render_run(read_whole_run(paths, options, told), options)


def render_run(run: ScoredRun, options: ExportOptions) -> Rendered:
    """Return the model card of a run that is read and computed."""
    from huggingface_hub import ModelCardData

    numbers = pooled(run, options.one_population)
    readings = [(metric, read_metric(metric, numbers)) for metric in (HEADROOM, *OF_AN_EDITOR)]
    results = [
        _eval_result(run, metric, reading, options)
        for metric, reading in readings
        if reading.estimate.value is not None
    ]
    data = ModelCardData(model_name=one_line(run.result.model.id), eval_results=results)
    text = f"---\n{data.to_yaml()}\n---\n\n{_section(run, readings, numbers, options)}"
    return Rendered({"": text})


def _eval_result(
    run: ScoredRun, metric: Metric, reading: Reading, options: ExportOptions
) -> EvalResult:
    from huggingface_hub import EvalResult

    result, found = run.result, reading.estimate
    assert found.value is not None
    interval = {
        end: None if bound is None else percent(bound)
        for end, bound in (("low", found.low), ("high", found.high))
    }
    return EvalResult(
        task_type="text-generation",
        task_name="Scope decision of a knowledge editor",
        dataset_type=options.dataset_id or file_part(result.benchmark.name),
        dataset_name=one_line(f"ScopeBench: {result.benchmark.name} {result.benchmark.version}"),
        dataset_split=options.one_population,
        dataset_revision=options.dataset_revision,
        metric_type=metric.name,
        metric_name=f"{metric.title} ({metric.unit})",
        metric_value=percent(found.value),
        metric_args={
            "editor": one_line(f"{result.editor.name} {result.editor.version}"),
            "matcher": run.matcher,
            "protocol_id": result.protocol.protocol_id,
            "benchmark_sha256": run.benchmark_hash,
            **interval,
        },
    )


def _section(
    run: ScoredRun,
    readings: Sequence[tuple[Metric, Reading]],
    numbers: Pooled,
    options: ExportOptions,
) -> str:
    result = run.result
    return _WORDS.format(
        mark=MARK,
        editor=escape(result.editor.name),
        version=escape(result.editor.version),
        model=escape(result.model.id),
        population=options.one_population,
        rows=numbers.router.n,
        clusters=numbers.router.n_clusters,
        inside=numbers.router.in_scope,
        matcher=run.matcher,
        table=_metric_table(readings),
        setting=_table([("setting", "value"), *_setting(run, options)]),
        commands=_commands(run, options),
    )


def _metric_table(readings: Sequence[tuple[Metric, Reading]]) -> str:
    rows = [("metric", "value", "95% interval", "better", "how, or why not")]
    for metric, reading in readings:
        found = reading.estimate
        bounds = (found.low, found.high)
        low, high = (None if bound is None else percent(bound) for bound in bounds)
        rows.append(
            (
                f"{metric.title} ({metric.unit})",
                "–" if found.value is None else f"{percent(found.value):.2f}",
                "–" if low is None or high is None else f"{low:.2f} to {high:.2f}",
                metric.better or "–",
                escape(reading.reason or found.method or "–"),
            )
        )
    return _table(rows)


def _setting(run: ScoredRun, options: ExportOptions) -> list[tuple[str, str]]:
    result = run.result
    told = {
        "protocol id": result.protocol.protocol_id,
        "matcher": f"{run.matcher} ({result.protocol.matcher})",
        "prompts": result.protocol.prompts,
        "decoding": result.protocol.decoding,
        "static policy": result.protocol.static_rule,
        "benchmark": f"{result.benchmark.name} {result.benchmark.version}",
        "benchmark sha256": run.benchmark_hash,
        "dataset": _dataset_words(options),
        "model revision": result.model.revision,
        "encoder": "none" if result.encoder is None else result.encoder.id,
        "editor parameters": json.dumps(result.editor.params, sort_keys=True, ensure_ascii=False),
        "run id": result.run_id,
    }
    return [(name, escape(value)) for name, value in told.items()]


def _dataset_words(options: ExportOptions) -> str:
    if options.dataset_id is None:
        return "not named"
    return f"{options.dataset_id} at {options.dataset_revision or 'no fixed revision'}"


def _commands(run: ScoredRun, options: ExportOptions) -> str:
    lines = [score_command(run.result)]
    if not run.result.protocol.decoding.startswith("greedy"):
        lines.append("# add --temperature and --draws as the decoding above says")
    lines.append("scopebench headroom RUN --benchmark BENCHMARK")
    lines.append(
        f"scopebench export RUN --format model-card --population {options.one_population} "
        f"--matcher {run.matcher} --out CARD.md"
    )
    return "\n".join(lines)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escape(text: str) -> str:
    """Return a text that Markdown shows as it stands: no markup, link or HTML, one line."""
    plain = one_line(text).translate(_HTML)
    return _MARKDOWN.sub(r"\\\1", _BARE_LINK.sub(r"\1&#46;", plain))
