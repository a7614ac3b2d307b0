"""One query, described for a person: question, gold, label, cards, twin, outcomes."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from rich.table import Table
from rich.text import Text

from scopebench.construct.checks.rows import findings
from scopebench.construct.checks.world import World
from scopebench.construct.reader import Benchmark
from scopebench.errors import DataError
from scopebench.records import Condition, Edit, Query
from scopebench.report.console import console, printable
from scopebench.scoring.match import judge
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)


def describe_query(query_id: str, benchmark: Benchmark, run_dir: Path | None) -> dict[str, Any]:
    """Return all that is known of a query, as JSON values.

    Args:
        query_id: The query.
        benchmark: The benchmark to look in.
        run_dir: A run folder whose decisions and outcomes are added, if given.

    Raises:
        DataError: If the benchmark has no such query.
    """
    found = _find(query_id, benchmark)
    query = next(iter(found.values()))
    governing = dict.fromkeys(key for row in found.values() for key in row.governing_edit_ids)
    edits = {
        edit.edit_id: edit
        for index in benchmark.datasets[query.dataset].index.values()
        for edit in index
    }
    near = () if query.near_edit_id is None else (query.near_edit_id,)
    described: dict[str, Any] = {
        "query": query.model_dump(mode="json"),
        "conditions": list(found),
        "rows": _groups(found),
        "governing_edits": _dump_edits(tuple(governing), edits),
        "hidden_edits": _dump_edits(query.hidden_edit_ids, edits),
        "near_edits": _dump_edits(near, edits),
        "twin": None if query.twin_id is None else _twin(query.twin_id, benchmark),
        "checks": _checks(query, benchmark),
    }
    if run_dir is not None:
        described["decisions"] = _rows(run_dir / DECISIONS_FILE, DECISIONS_SCHEMA, query_id)
        outcomes = _rows(run_dir / OUTCOMES_FILE, OUTCOMES_SCHEMA, query_id)
        described["outcomes"] = [_judged(outcome, found) for outcome in outcomes]
    return described


def _judged(outcome: dict[str, Any], found: dict[Condition, Query]) -> dict[str, Any]:
    """Return an outcome with the verdicts of today: a run may hold those of an earlier matcher."""
    query = found.get(outcome["condition"])
    if query is None:
        return outcome
    verdict = judge(outcome["text"], query.answers, question=query.question)
    return {**outcome, **verdict._asdict()}


def print_query(described: dict[str, Any]) -> None:
    """Print a description for a person."""
    screen = console()
    query = described["query"]
    table = Table.grid(padding=(0, 2))
    labels: dict[str, str] = {}
    for row in described["rows"]:
        # A side fact has another label where the card's paragraph states it.
        where = "" if len(described["rows"]) == 1 else f" ({', '.join(row['conditions'])})"
        labels.update({f"{name}{where}": told for name, told in _labels(row["query"]).items()})
    rows = {
        "query": query["query_id"],
        "kind": f"{query['kind']}, in {query['population']}",
        "question": query["question"],
        **labels,
        "hidden": ", ".join(query["hidden_edit_ids"]) or "nothing",
        "conditions": ", ".join(described["conditions"]),
        "twin": _told_twin(described["twin"]),
        "date": query["date"] or "the present",
        "cluster, fold": f"{query['cluster']}, {query['fold']}",
        "read from": f"{query['source']['file']}, record {query['source']['record']}",
    }
    for name, value in rows.items():
        table.add_row(name, Text(printable(str(value))))
    for check in described["checks"]:
        table.add_row(f"check {check['check']}", Text(printable(check["reason"])))
    cards = {
        edit["edit_id"]: (part, edit)
        for part in ("near", "hidden", "governing")
        for edit in described[f"{part}_edits"]
    }
    for part, edit in reversed(cards.values()):
        old = edit["target_true"]["text"] if edit["target_true"] else "unknown"
        told = f"{edit['subject']} | {edit['prompt']} | {old} -> {edit['target_new']['text']}"
        table.add_row(f"{part} edit", Text(printable(f"{edit['edit_id']}: {told}")))
    for decision in described.get("decisions", ()):
        score = decision["scope_score"]
        told = f"{decision['action']}, nearest {decision['edit_id']}"
        table.add_row(
            f"decided ({decision['condition']})",
            Text(told if score is None else f"{told}, scope score {score:.3f}"),
        )
    for outcome in described.get("outcomes", ()):
        if outcome["legal"]:
            verdict = {True: "right", False: "wrong", None: "not scorable"}[outcome["correct"]]
            table.add_row(
                f"{outcome['action']} ({outcome['condition']})",
                Text(printable(f"{outcome['text']!r}: {verdict}")),
            )
    screen.print(table)


def _groups(found: dict[Condition, Query]) -> list[dict[str, Any]]:
    """Return the query as each group of conditions has it, one row where all have the same."""
    groups: list[dict[str, Any]] = []
    for condition, query in found.items():
        row = query.model_dump(mode="json")
        same = next((group for group in groups if group["query"] == row), None)
        if same is None:
            groups.append({"conditions": [condition], "query": row})
        else:
            same["conditions"].append(condition)
    return groups


def _labels(query: dict[str, Any]) -> dict[str, str]:
    """Return what may differ between conditions, in words."""
    gold = "unknown (decision-only)" if query["answers"] is None else ", ".join(query["answers"])
    return {
        "gold": gold,
        "scope": "in scope" if query["governing_edit_ids"] else "out of scope",
        "governed by": ", ".join(query["governing_edit_ids"]) or "no edit",
        "hops": " -> ".join(map(_told_hop, query["hops"])) or "not told",
    }


def _twin(twin_id: str, benchmark: Benchmark) -> dict[str, Any] | None:
    """Return the twin in whichever population holds it, as it is first asked."""
    for dataset in benchmark.datasets.values():
        for queries in dataset.queries.values():
            for query in queries:
                if query.query_id == twin_id:
                    return query.model_dump(mode="json")
    return None


def _checks(query: Query, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Run the checks of one row again, so that each flag comes with its reason."""
    splits = benchmark.datasets[query.dataset]
    whole = splits.index["original"]
    in_force = {edit.edit_id for edit in splits.index[query.population]}
    deleted = [edit.edit_id for edit in whole if edit.edit_id not in in_force]
    world = World.of(whole, deleted)
    return [
        {"check": found.check, "reason": found.reason, "edit_ids": list(found.edit_ids)}
        for found in findings(query, world)
    ]


def _told_twin(twin: dict[str, Any] | None) -> str:
    return "none" if twin is None else f"{twin['query_id']}: {twin['question']}"


def _told_hop(hop: dict[str, Any]) -> str:
    told = f"{hop['subject'] or '?'} | {hop['relation'] or '?'} | {hop['object'] or '?'}"
    return f"{told} (set by {', '.join(hop['edit_ids'])})" if hop["edit_ids"] else told


def _find(query_id: str, benchmark: Benchmark) -> dict[Condition, Query]:
    """Return the query under each condition that has it."""
    found: dict[Condition, Query] = {}
    known: set[str] = set()
    for dataset in benchmark.datasets.values():
        for (condition, _), queries in dataset.queries.items():
            for query in queries:
                known.add(query.query_id)
                if query.query_id == query_id:
                    found[condition] = query
    if not found:
        near = difflib.get_close_matches(query_id, sorted(known), n=1)
        hint = f"did you mean {near[0]}?" if near else "ids are in the column query_id"
        raise DataError(f"no query is called {query_id!r}", fix=hint)
    return found


def _dump_edits(edit_ids: list[str] | tuple[str, ...], edits: dict[str, Edit]) -> list[Any]:
    return [edits[edit_id].model_dump(mode="json") for edit_id in edit_ids if edit_id in edits]


def _rows(path: Path, schema: Any, query_id: str) -> list[dict[str, Any]]:
    table = read_table(path, schema)
    rows: list[dict[str, Any]] = table.filter(pc.equal(table["query_id"], query_id)).to_pylist()
    return rows
