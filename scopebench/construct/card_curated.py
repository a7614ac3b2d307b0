"""The part of a card that tells of `curated`: yields, checks, leaks and static policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scopebench.construct.curated import KINDS
from scopebench.construct.leak import ENOUGH_ROWS, POOLED_LIMIT
from scopebench.construct.markdown import number, table


def curated_text(datasets: Mapping[str, Any]) -> str:
    """Return the sections on `curated`: yields, checks, leaks and static policies."""
    built = {
        name: data["curated"]
        for name, data in datasets.items()
        if data["curated"] and data["curated"]["policies"]
    }
    if not built:
        return ""
    return "\n\n".join(
        [
            "## The population `curated`",
            "Out-of-scope questions a deployment would meet, each balanced by an in-scope one of "
            "the same wording where there is one. The edits of the split `curated` are in force "
            "when it is asked; the rest of `index` is written first and then deleted.",
            "Drafts of each kind proposed, those that passed every check, and rows in the mix "
            "(`structured`, or the condition named):",
            _yields(built),
            *_columns(datasets),
            *_one_entity(built),
            "What the checks found among the drafts. `manifest.json` names examples.",
            _checks(built),
            "Leak test: AUROC of TF-IDF and logistic regression that see only the question, "
            "cross-validated by cluster; 0.5 is a coin, and the mix keeps the pooled one at or "
            f"below {POOLED_LIMIT:.2f}, and that of a kind with at least {ENOUGH_ROWS} rows where "
            "it can. A kind of one label is set against all rows of the other, a kind of both "
            "within itself. "
            "Values well below 0.5 belong to rows whose partner in wording lies in another part "
            "of the cross-validation: training saw that wording with the other label alone.",
            *_leaking(built),
            _leaks(built),
            "What static decisions lose on it, from the labels alone, as shares of decisions that "
            "are right. `wrong fire plays gold` is how often a fire on another edit of the asked "
            "relation would play the right answer by chance, over rows out of scope.",
            _policies(built),
        ]
    )


def _yields(built: Mapping[str, Any]) -> str:
    rows = []
    for kind in KINDS:
        row: list[object] = [f"`{kind.name}`"]
        for section in built.values():
            entry = section["kinds"][kind.name]
            told = f"{entry['proposed']} / {entry['passed']} / {_in_mix(entry['in_mix'])}"
            row.append(told if entry["proposed"] else f"none: needs {kind.needs}")
        rows.append(row)
    return table(["kind", *built], rows)


def _in_mix(counts: Mapping[str, int]) -> str:
    """Return the rows under `structured`, or under the first condition that has any."""
    if counts.get("structured", 0) or not any(counts.values()):
        return str(counts.get("structured", 0))
    condition = next(name for name, count in counts.items() if count)
    return f"{counts[condition]} ({condition})"


def _one_entity(built: Mapping[str, Any]) -> list[str]:
    """Say how many near names were not made pairs."""
    counts = {name: section["one_entity"]["count"] for name, section in built.items()}
    if not any(counts.values()):
        return []
    told = ", ".join(f"{count} in {name}" for name, count in counts.items() if count)
    return [
        "Near names of one relation that are no `near_name` pair, because they may be one entity's "
        f"in two spellings: {told}. `manifest.json` names them."
    ]


def _columns(datasets: Mapping[str, Any]) -> list[str]:
    """Say, of one's own edits, which columns would allow the kinds that are missing."""
    rows = [
        [name, f"`{kind}`", ", ".join(f"`{column}`" for column in columns)]
        for name, dataset in datasets.items()
        for kind, columns in (dataset["missing_columns"] or {}).items()
    ]
    if not rows:
        return []
    return [
        "Kinds that the columns given do not allow, or only without gold:",
        table(["data set", "kind", "columns that would allow it"], rows),
    ]


def _checks(built: Mapping[str, Any]) -> str:
    first = next(iter(built.values()))
    return table(
        ["check", "meaning", "effect", *built],
        (
            [
                f"`{check}`",
                entry["meaning"],
                entry["effect"].replace("_", " "),
                *(_found(section["checks"][check]) for section in built.values()),
            ]
            for check, entry in first["checks"].items()
        ),
    )


def _found(entry: Mapping[str, Any]) -> str:
    """Return the count of a check, by what became of the rows where that differs."""
    effects = entry["by_effect"]
    if len(effects) < 2:
        return str(entry["count"])
    parts = (f"{count} {effect.replace('_', ' ')}" for effect, count in effects.items())
    return f"{entry['count']} ({', '.join(parts)})"


def _leaking(built: Mapping[str, Any]) -> list[str]:
    """Warn of data sets whose wording gives the label away."""
    names = [name for name, section in built.items() if not section["leak_passed"]]
    kinds = {
        f"`{kind}` of {name}": None
        for name, section in built.items()
        for found in section["leaking_kinds"].values()
        for kind in found
    }
    told = []
    if names:
        told.append(
            f"**The leak test fails for {', '.join(names)}**: no balanced mix of these rows passes "
            "it. Compare editors there with the AUROC below in mind."
        )
    if kinds:
        told.append(
            f"Above the limit with enough rows to measure: {', '.join(kinds)}. Compare editors on "
            "these kinds with the AUROC below in mind."
        )
    return told


def _leaks(built: Mapping[str, Any]) -> str:
    columns = {
        f"{name} {condition}": leak
        for name, section in built.items()
        for condition, leak in section["leak"].items()
    }
    measured = {name for leak in columns.values() for name in leak["by_kind"]}
    kinds = [kind.name for kind in KINDS if kind.name in measured]
    rows = [["pooled", *(number(leak["pooled"]) for leak in columns.values())]]
    for kind in kinds:
        rows.append(
            [f"`{kind}`", *(number(leak["by_kind"].get(kind)) for leak in columns.values())]
        )
    return table(["kind", *columns], rows)


def _policies(built: Mapping[str, Any]) -> str:
    rows = []
    for name, section in built.items():
        collisions = section["wrong_fire_plays_gold"].values()
        mean = sum(collisions) / len(collisions) if collisions else None
        for condition, shares in section["policies"].items():
            rows.append([name, condition, *(number(share) for share in shares.values())])
            rows[-1].append(number(mean) if condition == "structured" else "")
    header = ["data set", "condition", "oracle", "always fire", "always abstain"]
    return table([*header, "oracle over the better", "wrong fire plays gold"], rows)
