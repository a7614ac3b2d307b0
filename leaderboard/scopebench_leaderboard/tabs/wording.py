"""Names and sentences that several tabs use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from scopebench.report.page.model import Value
from scopebench.report.page.numbers import NOTHING, count, interval_text
from scopebench.report.page.words import dataset_words
from scopebench_leaderboard.board import ALL
from scopebench_leaderboard.figures import cell_name, number
from scopebench_leaderboard.metrics import METRICS, RANKED, Metric
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.views import populations_of, ranking

MOST_LISTED: Final = 300
"""Submissions a list to choose from holds; others are reached from the ranking, or by their id."""

TELLING: Final = "curated"
ID_SHOWN: Final = 8
SHORTEST_WRITE: Final = 0.01
"""Milliseconds below which a write is shown as shorter: a clock tells no more."""

LACKING: Final = (
    "An action that the protocol allows and this run has no outcome of. Fewer legal actions are "
    "another fixed rule and another oracle: its headroom, capture and gain are over these, and do "
    "not compare with those of runs with all actions."
)


def population_of(page: Page) -> str:
    """Return the population asked for, else the most telling one there is."""
    return page.one_of(page.link.population, populations_of(page.board, page.choice), TELLING)


def population_choices(page: Page) -> list[str]:
    """Return the populations to choose from."""
    return populations_of(page.board, page.choice)


def cell_choices(page: Page) -> list[tuple[str, str]]:
    """Return the cells of the board, all of them together first."""
    return [(cell_words(cell), cell) for cell in _cells(page)]


def cell_of(page: Page) -> str:
    """Return the cell asked for; empty: all together."""
    return page.one_of(page.link.cell, _cells(page))


def parts_of(cell: str) -> tuple[str, str]:
    """Return the data set and the condition of a cell, both `all` for all of them."""
    dataset, _, condition = cell.partition("/")
    return (dataset, condition) if condition else (ALL, ALL)


def cell_words(cell: str) -> str:
    """Return a cell's name as a reader sees it."""
    return cell_name(*parts_of(cell))


def _cells(page: Page) -> list[str]:
    found = {
        f"{part.dataset}/{part.condition}": None
        for part in page.board.parts
        if ALL not in (part.dataset, part.condition)
    }
    return ["", *found]


def labelled(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return data sets or conditions to choose from, `all` in words."""
    return [("all" if name == ALL else dataset_words(name), name) for name in names]


def metric_choices(names: Sequence[str] = RANKED) -> list[tuple[str, str]]:
    """Return metrics to choose from, each with its better direction."""
    arrows = {True: "higher is better", False: "lower is better", None: "no direction"}
    return [
        (f"{METRICS[name].label} ({arrows[METRICS[name].higher_is_better]})", name)
        for name in names
    ]


def submissions_of(page: Page) -> pd.DataFrame:
    """Return the submissions of the chosen protocol and benchmark."""
    frame = page.board.submissions
    same = (frame["protocol_id"] == page.choice.protocol_id) & (
        frame["benchmark_digest"] == page.choice.benchmark_digest
    )
    return frame[same]


def submission_of(page: Page) -> str:
    """Return the submission asked for, else the one that decides best."""
    known = set(submissions_of(page)["submission_id"])
    return page.link.submission if page.link.submission in known else best_of(page)[0]


def best_of(page: Page) -> list[str]:
    """Return the submissions by how well they decide on the most telling population."""
    population = page.one_of("", populations_of(page.board, page.choice), TELLING)

    def make() -> list[str]:
        return list(ranking(page.board, page.choice, population=population)["submission_id"])

    return page.cached("best", make, page.choice.protocol_id, page.choice.benchmark_digest)


def submission_choices(page: Page, *asked: str) -> list[tuple[str, str]]:
    """Return submissions to choose from: the first `MOST_LISTED`, and those asked for."""
    frame = submissions_of(page)
    listed = pd.concat(
        [frame.head(MOST_LISTED), frame[frame["submission_id"].isin(asked)]]
    ).drop_duplicates("submission_id")
    return [(label_of(row), str(row["submission_id"])) for row in listed.to_dict("records")]


def label_of(row: Mapping[Any, Any]) -> str:
    """Return a submission's name: editor, version, model and the start of its id."""
    return (
        f"{row['editor']} {row['editor_version']} · {row['model']} · "
        f"{short_id(row['submission_id'])}"
    )


def metric_value(metric: Metric, row: Mapping[Any, Any], reason: str = "") -> Value:
    """Return a metric of a row of a frame as it is shown, with its interval or the reason."""
    value = number(row.get(metric.name))
    if value is None:
        return Value(text=NOTHING, reason=reason or "not defined on these rows")
    low, high = (number(row.get(f"{metric.name}_{end}")) for end in ("low", "high"))
    interval = None
    if low is not None and high is not None:
        interval = interval_text(low, high, metric.show)
    return Value(text=metric.show(value), interval=interval, exact=value)


def short_id(submission_id: object) -> str:
    """Return the start of a submission's id, by which it is told from its likes."""
    return str(submission_id)[:ID_SHOWN]


def lacking_words(row: Mapping[Any, Any]) -> str:
    """Return which actions are not legal in a submission, `without recite`; empty: none lacks."""
    lacking = row.get("lacking")
    return f"without {lacking}" if isinstance(lacking, str) and lacking else ""


def write_words(row: Mapping[Any, Any], nothing: str = NOTHING) -> str:
    """Return the time to install one edit, or what stands for none."""
    write = number(row.get("write_ms_per_edit"))
    if write is None:
        return nothing
    return "<0.01 ms" if write < SHORTEST_WRITE else f"{write:.3g} ms"


def whole(value: object) -> Value:
    """Return a count of a frame."""
    found = number(value)
    return Value(text=NOTHING) if found is None else Value(text=count(found), exact=found)
