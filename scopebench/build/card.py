"""The card of a built benchmark: the README that the Hub and `load_dataset` read.

The `configs:` block of its front matter is load-bearing: without it `datasets` merges all configs
into one without a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from string import Template
from typing import Any, Final

from scopebench.build.direct import KIND as DIRECT
from scopebench.build.drops import REASONS
from scopebench.build.manifest import parquet_path

STARTER_LICENCE: Final = "Apache-2.0"

KINDS: Final[dict[str, str]] = {
    DIRECT: "the edit's own question; out of scope where `withheld` hides its fact",
}
"""What each kind of query means."""

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
_ASSIGN: Final = {
    "subject": "whole clusters, so that the share is exact where cluster sizes allow it",
    "query": "independent draws, one for each fact",
}


def render_card(manifest: Mapping[str, Any], facts: Mapping[str, str] | None = None) -> str:
    """Return the card of the benchmark a manifest describes.

    Args:
        manifest: The manifest.
        facts: Measured facts to print, by name, such as what a model knows before any edit.
    """
    configs = manifest["configs"]
    cells = [name for name, config in configs.items() if "condition" in config]
    edits = [name for name, config in configs.items() if "condition" not in config]
    template = resources.files("scopebench.build").joinpath("card.md").read_text("utf-8")
    return Template(template).substitute(
        front_matter=_front_matter(manifest),
        name=manifest["name"],
        version=manifest["version"],
        limited=_limited(manifest),
        counts=_counts(configs),
        load="path/to/this/folder",
        example_config=cells[0],
        example_edits=edits[0],
        effective_index=_EFFECTIVE_INDEX[manifest["options"]["withhold"]],
        kinds=_kinds(configs[name] for name in cells),
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


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _counts(configs: Mapping[str, Any]) -> str:
    columns = ("queries", "in_scope", "out_of_scope", "decision_only", "dev", "test", "edits")
    return _table(
        ["config", "split", *(column.replace("_", " ") for column in columns)],
        (
            [f"`{name}`", f"`{split}`", *(counts.get(column, "") for column in columns)]
            for name, config in configs.items()
            for split, counts in config["splits"].items()
        ),
    )


def _kinds(cells: Iterable[Mapping[str, Any]]) -> str:
    found = {
        kind for cell in cells for counts in cell["splits"].values() for kind in counts["kinds"]
    }
    return "\n".join(f"| `{kind}` | {KINDS[kind]} |" for kind in sorted(found))


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
    return _table(
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
    return _table(["data set", "left out of", "reason", "meaning", "count"], rows)


def _facts(facts: Mapping[str, str] | None) -> str:
    if not facts:
        return ""
    return f"\n## Measured\n\n{_table(['what', 'value'], facts.items())}\n"


def _sources(datasets: Mapping[str, Any]) -> str:
    return _table(
        ["data set", "file", "schema", "licence", "SHA-256"],
        (
            [name, source["file"], source["schema"], source["licence"], f"`{source['sha256']}`"]
            for name, dataset in datasets.items()
            for source in dataset["sources"]
        ),
    )
