"""A report as rows of the board's tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from scopebench.records import ACTIONS, LEGAL_ACTIONS, Cell, Estimate, Report, RouterRow, RunResult
from scopebench.records.report import MixRow, Rows
from scopebench.run.rejudged import judged_now
from scopebench_leaderboard.benchmarks import benchmark_digest
from scopebench_leaderboard.columns import MIX_SCHEMA, PART_COLUMNS, STATICS, part_schema
from scopebench_leaderboard.metrics import METRICS

PARAMS_SHOWN = 160
"""Characters kept of an editor's parameters in one line."""


def score_table(report: Report, paper: Report) -> pa.Table:
    """Return one row a part of a run, with its headroom, its decisions and the reasons for nulls.

    Args:
        report: Under the strict matcher.
        paper: The same rows under the paper's matcher.
    """
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for cell in _cells(report):
        rows.setdefault(_part(cell), _labels(cell)).update(_cell(cell))
    for router in report.router:
        rows.setdefault(_part(router), _labels(router)).update(_router(router))
    for cell in _cells(paper):
        if (row := rows.get(_part(cell))) is not None:
            row.update(_estimate("headroom_paper", cell.headroom))
    for router in paper.router:
        if (row := rows.get(_part(router))) is not None:
            row.update(_estimate("accuracy_paper", router.accuracy))
    told: list[Cell | RouterRow] = [*_cells(report), *report.router]
    for each in told:
        row = rows[_part(each)]
        row["undefined"] = {**row.get("undefined", {}), **each.undefined}
    for row in rows.values():
        row["undefined"] = json.dumps(row["undefined"], sort_keys=True, ensure_ascii=False)
    return _table(rows.values(), part_schema())


def mix_table(report: Report) -> pa.Table:
    """Return one row a point of H(pi) and population."""
    return _table(map(_mix, report.mixes), MIX_SCHEMA)


def submission_row(result: RunResult, n: int) -> dict[str, Any]:
    """Return what a run says of itself, beside its numbers.

    The numbers are of today's matcher whichever the run was made with, and so is the protocol.

    Args:
        result: The contents of its `run.json`.
        n: The rows of its decisions table.
    """
    editor, model = result.editor, result.model
    stored, protocol = result.protocol.matcher, judged_now(result).protocol
    written, seconds = result.edits_written, result.timings.get("write")
    return {
        "editor": editor.name,
        "editor_version": editor.version,
        "params": params_text(editor.params),
        "model": model.id,
        "model_revision": model.revision,
        "model_dtype": model.dtype,
        "model_parameters": model.parameters,
        "encoder": None if result.encoder is None else result.encoder.id,
        "benchmark": result.benchmark.name,
        "benchmark_version": result.benchmark.version,
        "benchmark_digest": benchmark_digest(result.benchmark.files),
        "protocol_id": protocol.protocol_id,
        "matcher": protocol.matcher,
        "stored_matcher": None if stored == protocol.matcher else stored,
        "prompts": protocol.prompts,
        "decoding": protocol.decoding,
        "seed": result.seeds.get("run"),
        "static_rule": protocol.static_rule,
        "gradient_free": not editor.needs_gradients,
        "write_ms_per_edit": 1000 * seconds / written if written and seconds is not None else None,
        "edits_written": written,
        "run_id": result.run_id,
        "schema_version": result.schema_version,
        "n": n,
    }


def lacking_actions(report: Report) -> str:
    """Return the actions that no query of a condition may take, though the protocol allows them.

    Fewer legal actions are another fixed rule and another oracle. `LEGAL_ACTIONS` are allowed;
    conditions that were not run, or have no outcome gold, tell nothing.

    Returns:
        `recite`, or `reason in extracted, abstain`; a condition is named where the action is
        lacking in some of those that were run only. Empty: nothing lacks.
    """
    legal: dict[str, set[str]] = {}
    for cell in report.cells:
        if cell.n_scorable:
            told = {action for action, share in cell.accuracy.items() if share is not None}
            legal.setdefault(cell.condition, set()).update(told)
    texts = []
    for action in ACTIONS:
        allowing = [
            condition
            for condition, allowed in LEGAL_ACTIONS.items()
            if condition in legal and action in allowed
        ]
        without = [condition for condition in allowing if action not in legal[condition]]
        if without:
            texts.append(action if without == allowing else f"{action} in {' and '.join(without)}")
    return ", ".join(texts)


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters in one line of bounded length, by name."""
    text = ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, default=str)}"
        for name, value in sorted(params.items())
    )
    return text if len(text) <= PARAMS_SHOWN else text[: PARAMS_SHOWN - 1] + "…"


def _cells(report: Report) -> Iterable[Cell]:
    return chain(report.pooled, report.cells, report.strata, report.kinds)


def _part(rows: Rows) -> tuple[str, ...]:
    return tuple(getattr(rows, name) for name in PART_COLUMNS)


def _labels(rows: Rows) -> dict[str, Any]:
    return {name: getattr(rows, name) for name in (*PART_COLUMNS, "n", "n_scorable")}


def _estimate(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _cell(cell: Cell) -> dict[str, Any]:
    row: dict[str, Any] = {
        "n_clusters": cell.n_clusters,
        "static_fixed": cell.static_fixed,
        "oracle": cell.oracle,
        "coverage": cell.coverage,
        **_estimate("headroom", cell.headroom),
    }
    for action in ACTIONS:
        row[f"accuracy_{action}"] = cell.accuracy.get(action)
        row[f"unique_wins_{action}"] = cell.unique_wins.get(action)
    for name in STATICS:
        if (static := cell.statics.get(name)) is not None:
            row[name] = static.value
            row.update(_estimate(f"headroom_over_{name}", static.headroom))
    return row


def _router(router: RouterRow) -> dict[str, Any]:
    row: dict[str, Any] = {
        "n_clusters": router.n_clusters,
        "in_scope": router.in_scope,
        "margin_in": router.margin_in,
        "margin_out": router.margin_out,
    }
    for name in METRICS:
        value = getattr(router, name, None)
        if isinstance(value, Estimate):
            row.update(_estimate(name, value))
        elif value is not None:
            row[name] = value
    return row


def _mix(row: MixRow) -> dict[str, Any]:
    names = ("population", "name", "out_of_scope", "static_fixed", "static_const", "oracle")
    told = {name: getattr(row, name) for name in names}
    return {**told, "accuracy": row.editor, **_estimate("headroom", row.headroom)}


def _table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    whole = list(rows)
    return pa.table(
        {name: [row.get(name) for row in whole] for name in schema.names}, schema=schema
    )
