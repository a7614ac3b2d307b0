"""Data: what the benchmark asks, by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import gradio as gr
import pandas as pd

from scopebench_leaderboard.board import ALL
from scopebench_leaderboard.details import submission_folder
from scopebench_leaderboard.queries import queries_of
from scopebench_leaderboard.render import render
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.wording import (
    labelled,
    population_choices,
    population_of,
    submissions_of,
)
from scopebench_leaderboard.views import conditions_of, datasets_of, kinds_of, populations_of

FIELDS: Final = ("q", "population", "kind", "dataset", "condition")
PAGE_SIZE: Final = 25


def controls() -> Sequence[Any]:
    """Make the search box and the filters."""
    with gr.Row(elem_classes="controls"):
        search = gr.Textbox(
            label="Search",
            placeholder="words of the question, an answer or the id",
            max_length=100,
            scale=3,
            min_width=220,
        )
        population = gr.Dropdown(label="Population", scale=3, min_width=220, filterable=False)
        kind = gr.Dropdown(label="Kind", scale=2, min_width=160)
    with gr.Row(elem_classes="controls"):
        dataset = gr.Dropdown(label="Data set", min_width=160, filterable=False)
        condition = gr.Dropdown(label="Condition", min_width=160, filterable=False)
    return search, population, kind, dataset, condition


def settle(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return what the controls show."""
    link, board, choice = page.link, page.board, page.choice
    datasets, conditions = datasets_of(board, choice), conditions_of(board, choice)
    return (
        {"value": link.q},
        {"choices": population_choices(page), "value": population_of(page)},
        {
            "choices": [("all", ""), *((kind, kind) for kind in _kinds(page))],
            "value": kind_of(page),
        },
        {"choices": labelled(datasets), "value": page.one_of(link.dataset, datasets, ALL)},
        {"choices": labelled(conditions), "value": page.one_of(link.condition, conditions, ALL)},
    )


def view(page: Page) -> str:
    """Return one page of the queries that fit."""
    at = page.link.part_number
    frame, total = _queries(page, at)
    pages = max(-(-total // PAGE_SIZE), 1)
    if at > pages:
        at = pages
        frame, total = _queries(page, at)
    return render(
        "queries.html.jinja",
        rows=[_plain(row) for row in frame.to_dict("records")],
        total=total,
        at=at,
        pages=pages,
        benchmark=submissions_of(page).iloc[0].to_dict(),
        shares=_counts(page),
    )


def kind_of(page: Page) -> str:
    """Return the kind asked for; empty: all."""
    return page.link.kind if page.link.kind in _kinds(page) else ""


def _kinds(page: Page) -> list[str]:
    known = (
        kind
        for population in populations_of(page.board, page.choice)
        for kind in kinds_of(page.board, page.choice, population)
    )
    return sorted(dict.fromkeys(known))


def _queries(page: Page, at: int) -> tuple[pd.DataFrame, int]:
    link = page.link
    chosen = {
        "kind": kind_of(page),
        "dataset": "" if link.dataset == ALL else link.dataset,
        "condition": "" if link.condition == ALL else link.condition,
        "population": population_of(page),
        "search": link.q,
    }
    source = _source(page)
    return page.cached(
        "queries",
        lambda: queries_of(source, **chosen, offset=(at - 1) * PAGE_SIZE, limit=PAGE_SIZE),
        str(source),
        *chosen.values(),
        str(at),
    )


def _source(page: Page) -> Path:
    """Return the run that holds the most of the benchmark."""
    frame = submissions_of(page).sort_values(
        "n", ascending=False, kind="stable", na_position="last"
    )
    return submission_folder(page.results, str(frame["submission_id"].iloc[0]))


def _counts(page: Page) -> list[tuple[str, int]]:
    """Return how many queries there are of each kind of the population shown."""
    source, population = _source(page), population_of(page)

    def make() -> list[tuple[str, int]]:
        return [
            (kind, queries_of(source, kind=kind, population=population, limit=1)[1])
            for kind in kinds_of(page.board, page.choice, population)
        ]

    return page.cached("counts", make, str(source), population)


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        str(key): None if value is None or value is pd.NA or value != value else value
        for key, value in row.items()
    }


TAB: Final = Tab("data", "Data", FIELDS, controls, settle, view)
