"""Ranking: one row a submission, with intervals and rank bands, searched and filtered."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
import pandas as pd

from scopebench.report.page.numbers import reason_for
from scopebench_leaderboard.board import Part
from scopebench_leaderboard.figures import number
from scopebench_leaderboard.metrics import METRICS, RANKED
from scopebench_leaderboard.render import render
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.trust import (
    ANEW,
    DIFFERS,
    REPRODUCED,
    anew_words,
    differs_words,
    mark_words,
)
from scopebench_leaderboard.tabs.wording import (
    LACKING,
    cell_choices,
    cell_of,
    cell_words,
    lacking_words,
    metric_choices,
    metric_value,
    parts_of,
    population_choices,
    population_of,
    short_id,
    write_words,
)
from scopebench_leaderboard.views import (
    kind_column,
    kinds_of,
    models_of,
    ranking,
)

PAGE_SIZE: Final = 50
FIELDS: Final = (
    *("q", "population", "metric", "cell"),
    *("models", "gradient", "verified", "columns"),
)
ALWAYS: Final = ("scope_accuracy", "capture", "false_fire", "miss", "auroc", "accuracy")
"""Metrics in every table, beside the one ranked by."""

KIND_METRICS: Final = ("scope_accuracy", "false_fire", "miss", "accuracy", "auroc")
GRADIENT: Final = {"free": True, "based": False}
_DEFAULT_METRIC: Final = "scope_accuracy"


def controls() -> Sequence[Any]:
    """Make the search box and the filters."""
    with gr.Row(elem_classes="controls"):
        search = gr.Textbox(
            label="Search",
            placeholder="editor, version, parameters, model or id",
            max_length=100,
            scale=3,
            min_width=220,
        )
        population = gr.Dropdown(label="Population", scale=3, min_width=220, filterable=False)
        metric = gr.Dropdown(label="Ranked by", scale=3, min_width=220, filterable=False)
    with gr.Accordion("Filters and columns", open=False):
        with gr.Row():
            cell = gr.Dropdown(label="Data set and condition", min_width=220, filterable=False)
            models = gr.Dropdown(label="Models", multiselect=True, min_width=220)
            columns = gr.Dropdown(label="Columns by kind", min_width=180, filterable=False)
        with gr.Row():
            gradient = gr.Radio(
                label="Writing an edit",
                choices=[("any", ""), ("without gradients", "free"), ("with gradients", "based")],
                value="",
                min_width=300,
            )
            verified = gr.Checkbox(label="Only reproduced by a maintainer", min_width=220)
    return search, population, metric, cell, models, gradient, verified, columns


def settle(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return what the controls show."""
    link, board, choice = page.link, page.board, page.choice
    kind_names = [("none", ""), *((METRICS[name].label, name) for name in KIND_METRICS)]
    return (
        {"value": link.q},
        {"choices": population_choices(page), "value": population_of(page)},
        {"choices": metric_choices(), "value": metric_of(page)},
        {"choices": cell_choices(page), "value": cell_of(page)},
        {"choices": models_of(board, choice), "value": chosen_models(page)},
        {"value": link.gradient if link.gradient in GRADIENT else ""},
        {"value": link.verified == "yes"},
        {"choices": kind_names, "value": kind_metric_of(page)},
    )


def view(page: Page) -> str:
    """Return the table of one page of the ranking."""
    link = page.link
    frame = table_of(page)
    pages = max(math.ceil(len(frame) / PAGE_SIZE), 1)
    at = min(link.part_number, pages)
    part = frame.iloc[(at - 1) * PAGE_SIZE : at * PAGE_SIZE]
    metric = metric_of(page)
    shown = ALWAYS if metric in ALWAYS else (metric, *ALWAYS)
    kinds = _kinds(page, frame)
    undefined = _undefined(page) if len(part) else {}
    rows = [
        _row(page, row, shown, kinds, undefined.get(row["submission_id"], {}))
        for row in part.to_dict("records")
    ]
    return render(
        "ranking.html.jinja",
        columns=[_column(name, metric) for name in shown],
        kinds=[_kind_label(kind_metric_of(page), kind) for kind in kinds],
        rows=rows,
        reasons=_reasons(rows),
        lacking=LACKING,
        reproduced=REPRODUCED,
        differs=DIFFERS,
        anew=ANEW,
        total=len(frame),
        at=at,
        pages=pages,
        where=_where(page),
        ranked=METRICS[metric],
        rejected=page.board.rejected.to_dict("records"),
    )


def _kinds(page: Page, frame: pd.DataFrame) -> list[str]:
    """Return the kinds that have a column of their own: those some entry has a number for."""
    metric = kind_metric_of(page)
    known = kinds_of(page.board, page.choice, population_of(page)) if metric else []
    columns = {kind: kind_column(metric, kind) for kind in known}
    return [
        kind
        for kind, column in columns.items()
        if column in frame and not frame[column].isna().all()
    ]


def table_of(page: Page) -> pd.DataFrame:
    """Return the whole ranking that a page asks for, as it is downloaded."""
    link = page.link
    dataset, condition = parts_of(cell_of(page))

    def make() -> pd.DataFrame:
        return ranking(
            page.board,
            page.choice,
            population=population_of(page),
            dataset=dataset,
            condition=condition,
            metric=metric_of(page),
            search=link.q,
            models=chosen_models(page),
            gradient_free=GRADIENT.get(link.gradient),
            verified_only=link.verified == "yes",
            kind_metric=kind_metric_of(page),
        )

    return page.cached("ranking", make, *key_of(page))


def key_of(page: Page) -> tuple[str, ...]:
    """Return all that a ranking depends on, beside the board."""
    link = page.link
    return (
        *(page.choice.protocol_id, page.choice.benchmark_digest, population_of(page)),
        *(cell_of(page), metric_of(page), link.q, ",".join(chosen_models(page))),
        *(link.gradient, link.verified, kind_metric_of(page)),
    )


def metric_of(page: Page) -> str:
    """Return the metric ranked by."""
    return page.one_of(page.link.metric, RANKED, _DEFAULT_METRIC)


def kind_metric_of(page: Page) -> str:
    """Return the metric of the columns by kind; empty: none."""
    return page.link.columns if page.link.columns in KIND_METRICS else ""


def chosen_models(page: Page) -> list[str]:
    """Return the models asked for that there are."""
    known = set(models_of(page.board, page.choice))
    return [name for name in page.link.models.split(",") if name in known]


def _column(name: str, ranked: str) -> dict[str, Any]:
    metric = METRICS[name]
    better = {True: "higher is better", False: "lower is better"}.get(
        bool(metric.higher_is_better), ""
    )
    return {
        "label": metric.label,
        "definition": f"{metric.definition} {better.capitalize()}.",
        "go": {"tab": "ranking", "metric": name},
        "sort": ("descending" if metric.higher_is_better else "ascending")
        if name == ranked
        else None,
    }


def _kind_label(metric: str, kind: str) -> dict[str, str]:
    found = METRICS[metric]
    return {"label": kind, "definition": f"{found.label} over the rows of {kind}"}


def _undefined(page: Page) -> dict[str, dict[str, str]]:
    """Return why numbers of the rows shown are null, by name, of each submission."""
    part = Part(population_of(page), *parts_of(cell_of(page)))
    told = page.board.part(part, ("undefined",))["undefined"].astype(object)
    ids = page.board.submissions["submission_id"].iloc[told.index.to_numpy()]
    return {key: json.loads(text or "{}") for key, text in zip(ids, told, strict=True)}


def _reasons(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return why numbers are dashes, each once, in the order they are met."""
    values = (value for row in rows for value in row["values"])
    return list(dict.fromkeys(value.reason for value in values if value.reason))


def _row(
    page: Page,
    row: Mapping[Any, Any],
    shown: Sequence[str],
    kinds: Sequence[str],
    undefined: Mapping[str, str],
) -> dict[str, Any]:
    metric = METRICS[kind_metric_of(page)] if kinds else None
    return {
        **{
            name: row[name]
            for name in ("editor", "editor_version", "params", "model", "rank", "reproduction")
        },
        "told": mark_words(row),
        "differs": differs_words(row),
        "anew": anew_words(row),
        "rank_reason": row.get("rank_reason") or "",
        "id": short_id(row["submission_id"]),
        "lacking": lacking_words(row),
        "values": [metric_value(METRICS[name], row, reason_for(name, undefined)) for name in shown],
        "kinds": [
            metric.show(number(row[kind_column(metric.name, kind)])) for kind in kinds if metric
        ],
        "write": write_words(row),
        "go": {"tab": "editor", "submission": row["submission_id"]},
        "href": page.link.at(tab="editor", submission=str(row["submission_id"])).query,
    }


def _where(page: Page) -> str:
    return f"{population_of(page)}, {cell_words(cell_of(page))}"


TAB: Final = Tab("ranking", "Ranking", FIELDS, controls, settle, view)
