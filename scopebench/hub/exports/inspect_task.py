"""A task folder for Inspect (inspect_ai): the task file and its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scopebench.hub.exports.base_model import read_task, template
from scopebench.hub.exports.hub_ids import check_dataset_id, check_revision
from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.write import MARK


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
    counts = {name: task.about[name] for name in ("queries", "scorable", "clusters", "prompts")}
    readme = template("inspect_readme.md.txt").format(
        mark=MARK, population=options.one_population, **counts
    )
    return Rendered(
        {
            **task.files("inspect"),
            # Nothing of the benchmark stands in the code: it is the same file for all.
            "scopebench_task.py": template("inspect_task.py.txt"),
            "README.md": readme,
        }
    )
