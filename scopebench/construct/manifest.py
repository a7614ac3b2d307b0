"""The manifest of a built benchmark: what is in it, what is not, and from what it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import pyarrow as pa

import scopebench
from scopebench.construct.assign import DEV_SHARE
from scopebench.construct.curated.manifest import curated_section, flag_counts
from scopebench.construct.curated.roles import DELETED_SHARE
from scopebench.construct.direct import MANY_VALUED
from scopebench.construct.drops import summarise
from scopebench.construct.leak import ENOUGH_ROWS, POOLED_LIMIT
from scopebench.construct.near import NEAR_NAME_JACCARD
from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import DatasetPlan
from scopebench.records import Condition, Population, Query
from scopebench.sources.case import Source
from scopebench.sources.own import OWN_SCHEMA, columns_with_values, missing_for

FORMAT: Final = "scopebench-benchmark"
FORMAT_VERSION: Final = 2
FILE: Final = "manifest.json"
INDEX: Final = "index"


def cell_config(dataset: str, condition: Condition) -> str:
    """Return the config that holds the queries of a cell."""
    return f"{dataset}_{condition}"


def edits_config(dataset: str) -> str:
    """Return the config that holds the edits of a data set."""
    return f"{dataset}_edits"


def parquet_path(config: str, split: str) -> str:
    """Return the path of a split's file inside a built benchmark."""
    return f"{config}/{split}.parquet"


def make_manifest(
    plans: Sequence[DatasetPlan],
    options: BuildOptions,
    *,
    name: str,
    files: Mapping[str, str],
    licences: Mapping[str, Mapping[str, str]],
    columns: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    """Return the manifest as JSON values.

    Args:
        plans: What was built, in the order of the data sets.
        options: The options in force.
        name: The benchmark's name.
        files: SHA-256 of every parquet file, by relative path.
        licences: Licence of each source file in words, by data set and base name.
        columns: File and SHA-256 of the mapping of columns of each data set read with one.
    """
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": name,
        "version": scopebench.__version__,
        "limited": options.limit is not None,
        "options": asdict(options),
        "columns": dict(columns),
        "seeds": {"build": options.seed},
        "constants": {
            "dev_share": DEV_SHARE,
            "near_name_jaccard": NEAR_NAME_JACCARD,
            "deleted_share": DELETED_SHARE,
            "leak_limit": POOLED_LIMIT,
            "leak_rows": ENOUGH_ROWS,
        },
        "written_with": {"pyarrow": pa.__version__},
        "datasets": {plan.dataset: _dataset(plan, licences[plan.dataset]) for plan in plans},
        "configs": {key: value for plan in plans for key, value in _configs(plan).items()},
        "files": dict(sorted(files.items())),
    }


def _dataset(plan: DatasetPlan, licences: Mapping[str, str]) -> dict[str, Any]:
    source = plan.source
    read = sum(len(case.edits) for case in plan.cases)
    contradictory = [d.edit_id for d in plan.edit_drops if d.reason == "contradictory_edit"]
    withheld = plan.withheld_index
    return {
        "sources": [
            {
                "file": file,
                "schema": source.schemas[file],
                "sha256": source.files[file],
                "licence": licences[file],
            }
            for file in source.files
        ],
        "edits": {
            "read": read,
            "index": len(plan.index),
            "withheld_index": None if withheld is None else len(withheld),
            "curated_index": None if plan.curated is None else len(plan.curated.index),
        },
        "groups": _groups(plan),
        "clusters": _clusters(plan),
        "withheld": _withheld(plan),
        "drops": {
            "edits": summarise(plan.edit_drops),
            "queries": summarise(plan.query_drops),
            "outcome_gold": summarise(plan.gold_drops),
            "conditions": {
                condition: summarise(drops) for condition, drops in plan.condition_drops.items()
            },
        },
        "contradictory_edit_ids": contradictory,
        "many_valued": _many_valued(plan),
        "flags": {
            population: flag_counts(tally) for population, tally in sorted(plan.flags.items())
        },
        "curated": None if plan.curated is None else curated_section(plan.curated),
        "missing_columns": _missing_columns(source),
        "bad_records": {
            "count": len(source.bad_records),
            "records": [asdict(bad) for bad in source.bad_records],
        },
    }


def _many_valued(plan: DatasetPlan) -> dict[str, Any]:
    """Count the facts with several true objects, and the rows whose gold rests on one."""
    rows = {
        population: {"rows": len(found), "decision_only": sum(q.answers is None for q in found)}
        for population in ("original", "withheld", "curated")
        for found in [_flagged(plan, population)]
    }
    return {"facts": plan.several, **rows}


def _flagged(plan: DatasetPlan, population: Population) -> list[Query]:
    """Return the rows of a population flagged `many_valued`, under the first condition."""
    first: dict[str, Query] = {}
    for (_, asked), queries in plan.queries.items():
        if asked == population:
            for query in queries:
                first.setdefault(query.query_id, query)
    return [query for query in first.values() if MANY_VALUED in query.flags]


def _missing_columns(source: Source) -> dict[str, list[str]] | None:
    """Return, for one's own edits, the columns that each missing kind needs; None for others."""
    if not all(schema.startswith(OWN_SCHEMA) for schema in source.schemas.values()):
        return None
    found = missing_for(columns_with_values(source))
    return {kind: list(columns) for kind, columns in found.items()}


def _groups(plan: DatasetPlan) -> dict[str, Any]:
    """Count the cases used by the edits they hold, before any edit was dropped."""
    sizes = Counter(len(case.edits) for case in plan.cases)
    return {
        "read": len(plan.source.cases),
        "used": len(plan.cases),
        "by_edits": {str(size): sizes[size] for size in sorted(sizes)},
    }


def _clusters(plan: DatasetPlan) -> dict[str, Any]:
    """Count the clusters of the index and their edits; a giant one makes intervals wide."""
    sizes = Counter(plan.layout.clusters[edit.edit_id] for edit in plan.index)
    return {
        "links": list(plan.layout.links),
        "count": len(sizes),
        "of_one_edit": sum(size == 1 for size in sizes.values()),
        "largest": max(sizes.values()),
        "largest_share": round(max(sizes.values()) / sizes.total(), 6),
    }


def _withheld(plan: DatasetPlan) -> dict[str, int]:
    """Count the hidden and kept queries of `withheld` over all conditions' common queries."""
    asked = len(plan.queries["structured", "withheld"])
    return {"hidden": len(plan.layout.hidden), "kept": asked - len(plan.layout.hidden)}


def _configs(plan: DatasetPlan) -> dict[str, Any]:
    configs: dict[str, Any] = {}
    for (condition, population), queries in plan.queries.items():
        config = configs.setdefault(
            cell_config(plan.dataset, condition),
            {"dataset": plan.dataset, "condition": condition, "splits": {}},
        )
        config["splits"][population] = count_queries(queries)
    splits = {INDEX: {"edits": len(plan.index)}}
    if plan.withheld_index is not None:
        splits["withheld"] = {"edits": len(plan.withheld_index)}
    if plan.curated is not None and plan.curated.queries:
        splits["curated"] = {"edits": len(plan.curated.index)}
    configs[edits_config(plan.dataset)] = {"dataset": plan.dataset, "splits": splits}
    return configs


def count_queries(queries: Sequence[Query]) -> dict[str, Any]:
    """Return the counts of one split, each over its queries."""
    kinds = Counter(query.kind for query in queries)
    return {
        "queries": len(queries),
        "in_scope": sum(query.in_scope for query in queries),
        "out_of_scope": sum(not query.in_scope for query in queries),
        "decision_only": sum(query.answers is None for query in queries),
        "clusters": len({query.cluster for query in queries}),
        "dev": sum(query.fold == "dev" for query in queries),
        "test": sum(query.fold == "test" for query in queries),
        "kinds": {kind: kinds[kind] for kind in sorted(kinds)},
    }
