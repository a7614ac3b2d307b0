"""Overview: the claim in one sentence, the figure it rests on, and who leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pandas as pd

from scopebench.report.page.numbers import points
from scopebench.report.page.words import POPULATION_WORDS
from scopebench_leaderboard.board import Part
from scopebench_leaderboard.figures import Dot, headroom_figure, number
from scopebench_leaderboard.links import Link
from scopebench_leaderboard.metrics import METRICS
from scopebench_leaderboard.render import render
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab, bare, unset
from scopebench_leaderboard.tabs.wording import (
    metric_value,
    population_of,
    submissions_of,
)
from scopebench_leaderboard.views import populations_of, ranking

DRAWN: Final = 8
"""Submissions in the figure."""

LEADERS: Final = 5
LEAD_METRIC: Final = "scope_accuracy"


def view(page: Page) -> str:
    """Return the overview."""
    return page.cached("overview", lambda: _view(page), page.choice.protocol_id, _digest(page))


def _digest(page: Page) -> str:
    return page.choice.benchmark_digest


def _view(page: Page) -> str:
    population = population_of(replace(page, link=Link()))
    ranked = ranking(page.board, page.choice, population=population, metric=LEAD_METRIC)
    headrooms = {name: _headrooms(page, name) for name in populations_of(page.board, page.choice)}
    metric = METRICS[LEAD_METRIC]
    leaders = [
        {
            "rank": row["rank"],
            "editor": row["editor"],
            "version": row["editor_version"],
            "model": row["model"],
            "value": metric_value(metric, row),
            "go": {"tab": "editor", "submission": row["submission_id"]},
            "href": page.link.at(tab="editor", submission=row["submission_id"]).query,
        }
        for row in ranked.head(LEADERS).to_dict("records")
    ]
    return render(
        "overview.html.jinja",
        claim=claim(headrooms),
        figure=_figure(ranked, headrooms),
        leaders=leaders,
        metric=metric,
        population=population,
        facts=_facts(page),
    )


def _headrooms(page: Page, population: str) -> pd.DataFrame:
    frame = page.board.part(Part(population), METRICS["headroom"].columns)
    joined = submissions_of(page).join(frame, how="inner")
    return joined.dropna(subset=["headroom"])


def claim(headrooms: dict[str, pd.DataFrame]) -> str:
    """Return what the board shows, in one sentence, from the largest headroom of a population.

    Args:
        headrooms: Column headroom over the submissions, by population.
    """
    most = {
        name: float(frame["headroom"].max()) for name, frame in headrooms.items() if not frame.empty
    }
    plain = most.get("original")
    other = [name for name in ("curated", "withheld") if name in most]
    if plain is None or not other:
        return "Knowing when an edit does not apply: what a perfect decision is worth, measured."
    best = max(other, key=lambda name: most[name])
    where = {
        "curated": "ask what no edit governs as well",
        "withheld": "take away half of the edits",
    }[best]
    little = "nothing" if round(plain, 4) == 0 else f"at most {points(plain)} points"
    return (
        f"Ask only about edited facts, and the best possible decision gains {little} over one "
        f"fixed rule; {where}, and it gains up to {points(most[best])} points."
    )


def _figure(ranked: pd.DataFrame, headrooms: dict[str, pd.DataFrame]) -> object:
    names = {
        str(row["submission_id"]): f"{row['editor']} · {row['model']}"
        for row in ranked.head(DRAWN).to_dict("records")
    }
    panels: list[tuple[str, Sequence[Dot]]] = []
    for population, frame in headrooms.items():
        rows = frame.set_index("submission_id")
        dots = [
            Dot(
                names[key],
                *(number(rows.at[key, f"headroom{end}"]) for end in ("", "_low", "_high")),
            )
            for key in names
            if key in rows.index
        ]
        panels.append((population, dots))
    told = "; ".join(
        f"{name}: {POPULATION_WORDS[name]}" for name in headrooms if name in POPULATION_WORDS
    )
    return headroom_figure(
        panels,
        "What a perfect decision per query is worth: oracle minus one fixed rule, in points, for "
        f"the {len(names)} submissions that decide best. {told.capitalize()}.",
    )


def _facts(page: Page) -> list[tuple[str, str]]:
    frame = submissions_of(page)
    return [
        ("submissions", str(len(frame))),
        ("editors", str(frame["editor"].nunique())),
        ("models", str(frame["model"].nunique())),
        ("reproduced by a maintainer", str(int(frame["verified"].sum()))),
    ]


TAB: Final = Tab("overview", "Overview", (), bare, unset, view)
