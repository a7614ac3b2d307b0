"""Overview: the claim in one sentence, the figure it rests on, and who leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    short_id,
    submissions_of,
)
from scopebench_leaderboard.views import populations_of, ranking

DRAWN: Final = 8
"""Submissions in the figure."""

LEADERS: Final = 5
PLAIN: Final = "original"
"""The population of the usual benchmarks: only what was edited is asked."""

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
    counted = counting(headrooms)
    metric = METRICS[LEAD_METRIC]
    leaders = [
        {
            "rank": row["rank"],
            "editor": row["editor"],
            "version": row["editor_version"],
            "model": row["model"],
            "id": short_id(row["submission_id"]),
            "value": metric_value(metric, row),
            "go": {"tab": "editor", "submission": row["submission_id"]},
            "href": page.link.at(tab="editor", submission=row["submission_id"]).query,
        }
        for row in ranked.head(LEADERS).to_dict("records")
    ]
    return render(
        "overview.html.jinja",
        claim=claim(counted),
        claim_over=claim_over(counted),
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


def counting(headrooms: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the submissions that the claim is over, by population.

    They are those that a maintainer reproduced, where each population has one; else all.

    Args:
        headrooms: Columns headroom and verified over the submissions, by population.
    """
    known = {name: frame.dropna(subset=["headroom"]) for name, frame in headrooms.items()}
    known = {name: frame for name, frame in known.items() if not frame.empty}
    reproduced = {
        name: frame[frame["verified"].to_numpy(dtype=bool)] for name, frame in known.items()
    }
    return known if any(frame.empty for frame in reproduced.values()) else reproduced


def claim(counted: Mapping[str, pd.DataFrame]) -> str:
    """Return what the board shows, in one sentence, from the median headroom of a population.

    A median: one submission, whatever it holds, cannot make the sentence its own.

    Args:
        counted: As of `counting`.
    """
    typical = {name: float(frame["headroom"].median()) for name, frame in counted.items()}
    name = telling(counted)
    if name is None:
        return "Knowing when an edit does not apply: what a perfect decision is worth, measured."
    where = {
        "curated": "ask what no edit governs as well",
        "withheld": "take away half of the edits",
    }[name]
    plain = typical[PLAIN]
    little = "nothing" if round(plain, 4) == 0 else f"{points(plain)} points"
    return (
        f"Ask only about edited facts, and the best possible decision gains {little} over one "
        f"fixed rule; {where}, and it gains {points(typical[name])} points."
    )


def claim_over(counted: Mapping[str, pd.DataFrame]) -> str:
    """Return what the figures of `claim` are over, in one sentence; empty where it has none."""
    name = telling(counted)
    if name is None:
        return ""
    all_reproduced = all(frame["verified"].all() for frame in counted.values())
    whose = " reproduced by a maintainer" if all_reproduced else ""
    told = [f"{len(counted[each])} on {each}" for each in (PLAIN, name)]
    n = len(counted[name])
    if n == len(counted[PLAIN]):
        if n == 1:
            return f"Each figure is of the one submission{whose}."
        return f"Each figure is the median of {n} submissions{whose}."
    return f"Each figure is a median of submissions{whose}: {' and '.join(told)}."


def telling(counted: Mapping[str, pd.DataFrame]) -> str | None:
    """Return the population whose median headroom is set against that of `original`, or None."""
    others = [name for name in ("curated", "withheld") if name in counted]
    if PLAIN not in counted or not others:
        return None
    return max(others, key=lambda name: float(counted[name]["headroom"].median()))


def _figure(ranked: pd.DataFrame, headrooms: dict[str, pd.DataFrame]) -> object:
    names = {
        key: f"{row['editor']} · {row['model']} · {short_id(key)}"
        for row in ranked.head(DRAWN).to_dict("records")
        for key in (str(row["submission_id"]),)
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
    differing = int(frame["differs"].sum())
    return [
        ("submissions", str(len(frame))),
        ("editors", str(frame["editor"].nunique())),
        ("models", str(frame["model"].nunique())),
        *(
            (state, str(int((frame["reproduction"] == state).sum())))
            for state in ("reproduced", "not reproduced", "not tried")
        ),
        *([("differ from others", str(differing))] if differing else []),
    ]


TAB: Final = Tab("overview", "Overview", (), bare, unset, view)
