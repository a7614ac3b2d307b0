"""Editor: one submission, its numbers by population and kind, and where it fires wrongly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
import pandas as pd

from scopebench.report.page.model import Column, Facts, Group, Note, Row, Table
from scopebench.report.page.numbers import count
from scopebench_leaderboard.board import ALL
from scopebench_leaderboard.details import wrong_fires_of
from scopebench_leaderboard.figures import kinds_figure, number
from scopebench_leaderboard.metrics import METRICS
from scopebench_leaderboard.render import render, render_blocks
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.trust import anew_words, mark_words, warning_words
from scopebench_leaderboard.tabs.wording import (
    LACKING,
    TELLING,
    label_of,
    lacking_words,
    metric_value,
    submission_choices,
    submission_of,
    whole,
    write_words,
)
from scopebench_leaderboard.views import populations_of, scores_of

FIELDS: Final = ("submission", "kind")
KIND_METRICS: Final = (
    ("false_fire", "out_of_scope"),
    ("miss", "in_scope"),
    ("accuracy", "n_scorable"),
)
"""Shares by kind, each with the column that counts the rows it is over."""
POOLED_METRICS: Final = (
    *("scope_accuracy", "false_fire", "miss", "wrong_edit", "accuracy", "gain"),
    *("headroom", "capture", "credit", "masked", "auroc", "fpr_at_95_tpr", "augrc"),
)
PAGE_SIZE: Final = 12


def controls() -> Sequence[Any]:
    """Make the choice of a submission, of the charts' metric and of the kind browsed."""
    with gr.Row(elem_classes="controls"):
        submission = gr.Dropdown(label="Submission", scale=3, min_width=260)
        kind = gr.Dropdown(label="Wrong fires of kind", scale=2, min_width=180, filterable=False)
    return submission, kind


def settle(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return what the controls show."""
    asked = submission_of(page)
    fires, _ = _fires(page, asked)
    kinds = sorted(dict.fromkeys(fires["kind"])) if len(fires) else []
    return (
        {"choices": submission_choices(page, asked), "value": asked},
        {
            "choices": [("all", ""), *((kind, kind) for kind in kinds)],
            "value": page.link.kind if page.link.kind in kinds else "",
        },
    )


def view(page: Page) -> str:
    """Return a submission's page."""
    asked = submission_of(page)
    row = page.row(asked)
    scores = page.cached("scores", lambda: scores_of(page.board, asked), asked)
    kinds = _kinds(scores)
    warning = warning_words(row)
    return render_blocks(
        Note(warning, "bad") if warning else None,
        _facts(row),
        _pooled_table(page, scores),
        kinds_figure(
            kinds,
            [(METRICS[name], over) for name, over in KIND_METRICS],
            f"By kind of question, {TELLING}: where it fires and should not, where it should and "
            "does not, and what it gets right.",
        )
        if len(kinds)
        else None,
        title=label_of(row),
        lead=_lead(row),
    ) + _fires_html(page, asked)


def _lead(row: Mapping[str, Any]) -> str:
    gradient = "without gradients" if row["gradient_free"] else "with gradients"
    lacking = lacking_words(row)
    return (
        f"Writes edits {gradient}. Its rows were checked against the benchmark itself."
        f" {_trust(row)}"
        + (f" {lacking.capitalize()}: {LACKING[:1].lower()}{LACKING[1:]}" if lacking else "")
    )


def _trust(row: Mapping[str, Any]) -> str:
    """Return what is known of whether its answers were really generated, bad news aside."""
    told = ""
    if row["reproduction"] == "reproduced":
        told = f"Reproduced by {row['verified_by']}, {row['verified_date']}. {mark_words(row)}"
    elif row["reproduction"] == "not tried":
        told = "Nobody has tried to reproduce it yet."
    anew = anew_words(row)
    return " ".join(filter(None, [told, f"Its answers were {anew}." if anew else ""]))


def _facts(row: Mapping[str, Any]) -> Facts:
    parameters = number(row["model_parameters"])
    items = (
        ("submission", row["submission_id"]),
        ("parameters", row["params"] or "none"),
        ("model", f"{row['model']} @ {str(row['model_revision'])[:12]}"),
        ("model size", "not told" if parameters is None else f"{count(parameters)} parameters"),
        ("encoder", row["encoder"] or "none"),
        ("benchmark", f"{row['benchmark']} {row['benchmark_version']}"),
        ("protocol", row["protocol_id"]),
        ("write, per edit", write_words(row, "not told")),
        ("rows", count(number(row["n"]) or 0)),
    )
    return Facts("What was run", tuple((name, str(value)) for name, value in items), folded=True)


def _pooled_table(page: Page, scores: pd.DataFrame) -> Table:
    """Return metrics down and populations across, so that definitions stand beside numbers."""
    rows = {
        str(row["population"]): row
        for row in scores.to_dict("records")
        if (row["dataset"], row["condition"], row["kind"]) == (ALL, ALL, ALL)
    }
    names = [name for name in populations_of(page.board, page.choice) if name in rows]
    counted = Row("rows", tuple(whole(rows[name]["n"]) for name in names))
    metrics = tuple(
        Row(
            METRICS[metric].label,
            tuple(
                metric_value(METRICS[metric], rows[name], _reason(rows[name], metric))
                for name in names
            ),
            METRICS[metric].definition,
        )
        for metric in POOLED_METRICS
    )
    return Table(
        caption="All cells together",
        head="",
        columns=tuple(Column(name) for name in names),
        groups=(Group("", (counted, *metrics)),),
    )


def _reason(row: Mapping[Any, Any], metric: str) -> str:
    told = row.get("undefined")
    reasons = json.loads(told) if isinstance(told, str) and told else {}
    return str(reasons.get(metric, ""))


def _kinds(scores: pd.DataFrame) -> pd.DataFrame:
    pooled = (scores["dataset"] == ALL) & (scores["condition"] == ALL) & (scores["kind"] != ALL)
    rows = scores[pooled & (scores["population"] == TELLING)]
    return rows.assign(out_of_scope=rows["n"] - rows["in_scope"])


def _fires(page: Page, submission_id: str) -> tuple[pd.DataFrame, int]:
    return page.cached(
        "fires", lambda: wrong_fires_of(page.results, submission_id, limit=600), submission_id
    )


def _fires_html(page: Page, submission_id: str) -> str:
    fires, total = _fires(page, submission_id)
    sampled = len(fires)
    if page.link.kind and len(fires):
        fires = fires[fires["kind"] == page.link.kind]
    pages = max(-(-len(fires) // PAGE_SIZE), 1)
    at = min(page.link.part_number, pages)
    part = fires.iloc[(at - 1) * PAGE_SIZE : at * PAGE_SIZE]
    return render(
        "fires.html.jinja",
        fires=[_fire(row) for row in part.to_dict("records")],
        total=total,
        sampled=sampled,
        found=len(fires),
        kind=page.link.kind,
        at=at,
        pages=pages,
    )


def _fire(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a wrong fire as the report page's own macro reads it: nulls are None."""
    plain = {str(key): None if _null(value) else value for key, value in row.items()}
    plain["answers"] = None if plain["answers"] is None else str(plain["answers"]).split(" | ")
    return plain


def _null(value: object) -> bool:
    return value is None or value is pd.NA or value != value


TAB: Final = Tab("editor", "Editor", FIELDS, controls, settle, view)
