"""The out-of-scope queries of a built benchmark, as a harness asks a model without any edit.

What `abstain` is worth on an out-of-scope query is what the unedited model knows: this is the part
of the benchmark that needs no editor, so other harnesses can ask it. Every such query is
kept: one without outcome gold is asked too, and only its refusals are counted, since harnesses that
drop or never credit their negatives report on a part of the benchmark (field survey, section 2.2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from scopebench.construct.reader import Benchmark, read_benchmark
from scopebench.errors import DataError
from scopebench.hub.exports.options import AbstainPrompt, ExportOptions
from scopebench.records import Query
from scopebench.run.provenance import digest
from scopebench.scoring.match import MATCHER_VERSIONS

QUERIES_FILE: Final = "queries.jsonl"
ABOUT_FILE: Final = "about.json"


@dataclass(frozen=True)
class BaseModelTask:
    """What the task folders of all harnesses are made from.

    Attributes:
        rows: One mapping per query, in the benchmark's order.
        about: What the numbers depend on, as JSON values.
    """

    rows: tuple[Mapping[str, Any], ...]
    about: Mapping[str, Any]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds with outcome gold, in order of name."""
        return tuple(sorted({row["kind"] for row in self.rows if row["scorable"]}))

    def files(self, harness: str) -> dict[str, str]:
        """Return the two data files of a harness's task folder, by name."""
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)
        about = json.dumps({"harness": harness, **self.about}, ensure_ascii=False, indent=1) + "\n"
        return {QUERIES_FILE: "".join(lines), ABOUT_FILE: about}


def read_task(folder: Path, options: ExportOptions) -> BaseModelTask:
    """Read the queries of one population that no edit governs under some condition, each once.

    Conditions differ in how edits are presented, and an unedited model sees none: a query that is
    out of scope under several is asked once.

    Raises:
        DataError: If the folder is no built benchmark, or its population has no such query.
    """
    if options.prompt is None:
        raise ValueError("a task for a harness needs a prompt")
    benchmark = read_benchmark(folder)
    queries = _out_of_scope(benchmark, options.one_population)
    if not queries:
        raise DataError(
            f"no query of population {options.one_population!r} is out of scope",
            file=folder,
            fix="give another --population, or build with `scopebench build`, which makes curated",
        )
    rows = tuple(_row(query, options.prompt) for query in queries)
    return BaseModelTask(rows, _about(benchmark, options, options.prompt, rows))


def template(name: str) -> str:
    """Return a file of a task folder that is the same for every benchmark."""
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _out_of_scope(benchmark: Benchmark, population: str) -> list[Query]:
    queries = {
        query.query_id: query
        for splits in benchmark.datasets.values()
        for (_, of), rows in splits.queries.items()
        if of == population
        for query in rows
        if not query.in_scope
    }
    return list(queries.values())


def _row(query: Query, prompt: AbstainPrompt) -> dict[str, Any]:
    answers = list(query.answers or ())
    return {
        "query_id": query.query_id,
        "dataset": query.dataset,
        "kind": query.kind,
        "cluster": query.cluster,
        "fold": query.fold,
        "form": query.form,
        "question": query.question,
        "prompt": prompt.render(query.question, query.form),
        "scorable": query.answers is not None,
        "answers": answers,
        "target": answers[0] if answers else "",
    }


def _about(
    benchmark: Benchmark,
    options: ExportOptions,
    prompt: AbstainPrompt,
    rows: tuple[Mapping[str, Any], ...],
) -> dict[str, Any]:
    return {
        "benchmark": {
            "name": benchmark.name,
            "version": benchmark.version,
            "sha256": digest(dict(benchmark.files)),
        },
        "population": options.one_population,
        "dataset": {"id": options.dataset_id, "revision": options.dataset_revision},
        "prompts": prompt.name,
        "max_new_tokens": prompt.max_new_tokens,
        "matchers": dict(MATCHER_VERSIONS),
        "queries": len(rows),
        "scorable": sum(row["scorable"] for row in rows),
        "clusters": len({row["cluster"] for row in rows}),
    }
