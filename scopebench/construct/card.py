"""The card of a built benchmark: the README that the Hub and `load_dataset` read.

The `configs:` block of its front matter is load-bearing: without it `datasets` merges all configs
into one without a word.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from importlib import resources
from string import Template
from typing import Any, Final

from scopebench.construct.card_curated import curated_text
from scopebench.construct.curated import KINDS
from scopebench.construct.drops import REASONS
from scopebench.construct.manifest import parquet_path
from scopebench.construct.markdown import table
from scopebench.construct.options import BuildOptions

STARTER_LICENCE: Final = "Apache-2.0"
STARTER_NAME: Final = "scopebench-starter"
CITED_YEAR: Final = 2026
DEFAULTS: Final = BuildOptions()

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_LARGEST: Final = "1M<n<10M"

_EFFECTIVE_INDEX: Final = {
    "own": "The effective index of a query is all edits of its data set without its "
    "`hidden_edit_ids`.",
    "shared": "The effective index of an `original` query is the split `index` of its data set's "
    "edits, that of a `withheld` query the split `withheld`, from which every hidden edit is gone.",
}
_DELETED: Final = (
    " That of a `curated` query is the split `curated` of its data set's edits: the rest of "
    "`index` is written and then deleted before the population is asked."
)
_OWN_IDS: Final = (
    "- Ids of entities and properties that start with `SB-` are this project's own and mean "
    "nothing in\n  Wikidata; all others are Wikidata's.\n"
)
_ASSIGN: Final = {
    "subject": "whole clusters, so that the share is exact where cluster sizes allow it",
    "query": "independent draws, one for each fact",
}


def render_card(
    manifest: Mapping[str, Any], facts: Mapping[str, str] | None = None, *, examples: bool = True
) -> str:
    """Return the card of the benchmark a manifest describes.

    Args:
        manifest: The manifest.
        facts: Measured facts to print, by name, such as what a model knows before any edit.
        examples: Whether to show a row of each kind; a card that is published apart from the data
            leaves them out where the licence of the data is not its own.
    """
    configs = manifest["configs"]
    cells = [name for name, config in configs.items() if "condition" in config]
    edits = [name for name, config in configs.items() if "condition" not in config]
    template = resources.files("scopebench.construct").joinpath("card.md").read_text("utf-8")
    return Template(template).substitute(
        front_matter=_front_matter(manifest),
        name=manifest["name"],
        version=manifest["version"],
        limited=_limited(manifest),
        counts=_counts(configs),
        load="path/to/this/folder",
        example_config=cells[0],
        example_edits=edits[0],
        effective_index=_EFFECTIVE_INDEX[manifest["options"]["withhold"]]
        + (_DELETED if manifest["options"]["curated_size"] else ""),
        kinds=_kinds(manifest, examples=examples),
        curated=curated_text(manifest["datasets"]),
        flags=_flags(manifest["datasets"]),
        own_ids=_OWN_IDS if manifest["name"] == STARTER_NAME else "",
        many_valued=_many_valued(manifest["datasets"]),
        rebuild=_rebuild(manifest),
        year=CITED_YEAR,
        method=_method(manifest),
        clusters=_clusters(manifest["datasets"]),
        drops=_drops(manifest["datasets"]),
        facts=_facts(facts),
        sources=_sources(manifest["datasets"]),
    )


def _front_matter(manifest: Mapping[str, Any]) -> str:
    from huggingface_hub import DatasetCardData

    configs = [
        {
            "config_name": name,
            "data_files": [
                {"split": split, "path": parquet_path(name, split)} for split in config["splits"]
            ],
        }
        for name, config in manifest["configs"].items()
    ]
    rows = sum(
        split.get("queries", split.get("edits", 0))
        for config in manifest["configs"].values()
        for split in config["splits"].values()
    )
    licence = _licence(manifest)
    data = DatasetCardData(
        pretty_name=manifest["name"],
        language=["en"],
        task_categories=["question-answering"],
        size_categories=[next((name for limit, name in _SIZES if rows < limit), _LARGEST)],
        tags=["knowledge-editing", "selective-prediction", "scopebench"],
        configs=configs,
        license=licence,
        license_name=None if licence != "other" else "as-each-source",
    )
    return str(data.to_yaml(line_break="\n"))


def _licence(manifest: Mapping[str, Any]) -> str:
    """Return the Hub's name of the one licence of all sources, or `other`."""
    licences = {
        source["licence"]
        for dataset in manifest["datasets"].values()
        for source in dataset["sources"]
    }
    return STARTER_LICENCE.lower() if licences == {STARTER_LICENCE} else "other"


def _limited(manifest: Mapping[str, Any]) -> str:
    if not manifest["limited"]:
        return ""
    return (
        "\n**This is a limited build** of at most "
        f"{manifest['options']['limit']} edits a data set: for trying things out, not for "
        "reporting.\n"
    )


def _counts(configs: Mapping[str, Any]) -> str:
    columns = ("queries", "in_scope", "out_of_scope", "decision_only", "dev", "test", "edits")
    return table(
        ["config", "split", *(column.replace("_", " ") for column in columns)],
        (
            [f"`{name}`", f"`{split}`", *(counts.get(column, "") for column in columns)]
            for name, config in configs.items()
            for split, counts in config["splits"].items()
        ),
    )


def _kinds(manifest: Mapping[str, Any], *, examples: bool) -> str:
    """List the kinds that some cell holds, with what they test, one example and their yields."""
    found = {
        kind
        for config in manifest["configs"].values()
        if "condition" in config
        for counts in config["splits"].values()
        for kind in counts["kinds"]
    }
    shown = {
        kind: entry["example"]
        for dataset in manifest["datasets"].values()
        for kind, entry in ((dataset["curated"] or {}).get("kinds", {})).items()
        if examples and entry["example"] is not None
    }
    header = ["kind", "scope", "what it tests", "how its gold is known", "what can be wrong"]
    return table(
        [*header, "example"] if examples else header,
        (
            [
                f"`{kind.name}`",
                kind.scope,
                kind.tests,
                kind.gold,
                kind.pitfalls,
                *([_example(shown.get(kind.name))] if examples else []),
            ]
            for kind in KINDS
            if kind.name in found
        ),
    )


def _example(example: Mapping[str, Any] | None) -> str:
    if example is None:
        return ""
    gold = "decision-only" if example["answers"] is None else example["answers"][0]
    scope = "in" if example["in_scope"] else "out"
    return f"{_one_line(example['question'])} *({scope}; {_one_line(gold)})*"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _flags(datasets: Mapping[str, Any]) -> str:
    """Count what the checks flagged among the rows of `original` and `withheld`."""
    rows = [
        [name, population, f"`{check}`", entry["meaning"], entry["count"]]
        for name, dataset in datasets.items()
        for population, found in dataset["flags"].items()
        for check, entry in found.items()
    ]
    return table(["data set", "split", "check", "meaning", "rows"], rows) if rows else "None."


def _many_valued(datasets: Mapping[str, Any]) -> str:
    """Count the facts with several true objects and the rows that rest on them."""
    populations = ("original", "withheld", "curated")
    rows = [
        [
            name,
            found["facts"],
            *(f"{found[part]['rows']} / {found[part]['decision_only']}" for part in populations),
        ]
        for name, found in ((name, dataset["many_valued"]) for name, dataset in datasets.items())
    ]
    return table(["data set", "facts", *(f"`{part}`" for part in populations)], rows)


def _method(manifest: Mapping[str, Any]) -> str:
    options = manifest["options"]
    return (
        f"Seed {options['seed']}; a share of {options['fraction']} of the queries is hidden in "
        f"`withheld`, chosen as {_ASSIGN[options['assign']]}. With a query's own edit every edit "
        "that could assert the same fact is hidden. The same queries, clusters, folds and hidden "
        "queries stand under every condition, and the same inputs, options and version give the "
        "same bytes."
    )


def _clusters(datasets: Mapping[str, Any]) -> str:
    return table(
        ["data set", "groups", "edits read", "edits in the index", "clusters", "largest", "links"],
        (
            [
                name,
                dataset["groups"]["used"],
                dataset["edits"]["read"],
                dataset["edits"]["index"],
                dataset["clusters"]["count"],
                dataset["clusters"]["largest"],
                ", ".join(dataset["clusters"]["links"]),
            ]
            for name, dataset in datasets.items()
        ),
    )


def _drops(datasets: Mapping[str, Any]) -> str:
    rows: list[list[object]] = []
    for name, dataset in datasets.items():
        drops = dataset["drops"]
        stages = {
            "index": drops["edits"],
            "all queries": drops["queries"],
            "outcome gold": drops["outcome_gold"],
            **drops["conditions"],
        }
        for stage, reasons in stages.items():
            for reason, entry in reasons.items():
                rows.append([name, stage, f"`{reason}`", REASONS[reason], entry["count"]])
        if dataset["bad_records"]["count"]:
            count = dataset["bad_records"]["count"]
            rows.append([name, "source", "bad record", "the parser could not use it", count])
    if not rows:
        return "Nothing was left out."
    return table(["data set", "left out of", "reason", "meaning", "count"], rows)


def _rebuild(manifest: Mapping[str, Any]) -> str:
    """Return the command that builds this folder again."""
    options = manifest["options"]
    if manifest["name"] == STARTER_NAME:
        sources = []
    else:
        sources = [
            "--source " + shlex.quote(f"{name}={source['file']}")
            for name, dataset in manifest["datasets"].items()
            for source in dataset["sources"]
        ]
    sources += [
        "--columns " + shlex.quote(f"{name}={mapping['file']}")
        for name, mapping in manifest["columns"].items()
    ]
    flags = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in options.items()
        if value is not None and value != getattr(DEFAULTS, name)
    ]
    return " ".join(["scopebench build", *sources, *flags, "--out benchmark"])


def _facts(facts: Mapping[str, str] | None) -> str:
    if not facts:
        return ""
    return f"\n## Measured\n\n{table(['what', 'value'], facts.items())}\n"


def _sources(datasets: Mapping[str, Any]) -> str:
    return table(
        ["data set", "file", "schema", "licence", "SHA-256"],
        (
            [name, source["file"], source["schema"], source["licence"], f"`{source['sha256']}`"]
            for name, dataset in datasets.items()
            for source in dataset["sources"]
        ),
    )
