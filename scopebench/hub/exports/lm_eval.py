"""A task folder for lm-evaluation-harness: the YAML file, its functions and its rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from scopebench.hub.exports.base_model import BaseModelTask, read_task, template
from scopebench.hub.exports.hub_ids import check_dataset_id, check_revision
from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.write import MARK

_METRIC: Final = """\
  - metric: {name}
    aggregation: mean
    higher_is_better: {higher}
"""


def render(
    paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
) -> Rendered:
    """Return the task folder of a built benchmark.

    Raises:
        DataError: If the folder is no built benchmark, or nothing in it is out of scope.
    """
    if options.dataset_id is not None:
        check_dataset_id(options.dataset_id)
    check_revision(options.dataset_revision)
    told(f"reading {paths[0]}")
    task = read_task(paths[0], options)
    name = task_name(options)
    values = {"mark": MARK, "name": name, "population": options.one_population}
    return Rendered(
        {
            **task.files("lm-eval"),
            f"{name}.yaml": _yaml(task, name),
            "utils.py": template("lm_eval_utils.py.txt"),
            "README.md": template("lm_eval_readme.md.txt").format(**values, **_counts(task)),
        }
    )


def task_name(options: ExportOptions) -> str:
    """Return the task's name, in both harnesses."""
    return f"scopebench_{options.one_population}_base_model"


def _counts(task: BaseModelTask) -> dict[str, object]:
    return {name: task.about[name] for name in ("queries", "scorable", "clusters", "prompts")}


def _yaml(task: BaseModelTask, name: str) -> str:
    metrics = [("known", "true"), ("known_paper", "true"), ("refused", "false")]
    metrics += [(f"known_{kind}", "true") for kind in task.kinds]
    return template("lm_eval_task.yaml.txt").format(
        name=name,
        max_new_tokens=task.about["max_new_tokens"],
        # JSON is YAML: a kind's name, which comes from the benchmark, cannot end its own scalar.
        metrics="".join(
            _METRIC.format(name=json.dumps(metric), higher=higher) for metric, higher in metrics
        ),
    )
