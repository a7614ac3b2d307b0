"""Compare: two submissions on the same rows, with paired tests and the rows they differ on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
import pandas as pd

from scopebench.records import Comparison
from scopebench.report.page.model import Column, Group, Row, Table
from scopebench.report.page.numbers import estimate, number, points, probability
from scopebench_leaderboard.board import ALL
from scopebench_leaderboard.details import Compared, compare
from scopebench_leaderboard.figures import cell_name
from scopebench_leaderboard.render import notice, render, render_blocks
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.wording import (
    best_of,
    label_of,
    population_choices,
    submission_choices,
    submission_of,
    whole,
)

FIELDS: Final = ("submission", "second", "population", "kind")
PAGE_SIZE: Final = 12
MOST_ROWS: Final = 600
DIFFERS: Final = {
    "answer": "only one of them answers rightly",
    "decision": "only one decides rightly",
    "both": "only one answers and only one decides rightly",
}


def controls() -> Sequence[Any]:
    """Make the choices of two submissions and of the rows shown."""
    with gr.Row(elem_classes="controls"):
        first = gr.Dropdown(label="First", scale=3, min_width=260)
        second = gr.Dropdown(label="Second", scale=3, min_width=260)
    with gr.Row(elem_classes="controls"):
        population = gr.Dropdown(label="Rows of population", min_width=220, filterable=False)
        kind = gr.Dropdown(
            label="Rows where",
            choices=[("they differ at all", ""), *((text, key) for key, text in DIFFERS.items())],
            value="",
            min_width=220,
            filterable=False,
        )
    return first, second, population, kind


def settle(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return what the controls show."""
    first, second = pair_of(page)
    listed = submission_choices(page, first, second)
    known = population_choices(page)
    return (
        {"choices": listed, "value": first},
        {"choices": listed, "value": second},
        {
            "choices": [("all", ""), *((name, name) for name in population_choices(page))],
            "value": page.link.population if page.link.population in known else "",
        },
        {"value": page.link.kind if page.link.kind in DIFFERS else ""},
    )


def view(page: Page) -> str:
    """Return the tests and the discordant rows of two submissions."""
    first, second = pair_of(page)
    if first == second:
        return notice("Choose two different submissions to compare them.")
    found = compared(page, first, second)
    names = [label_of(page.row(key)) for key in (first, second)]
    return render_blocks(
        _tests(found, names, "Paired tests, all cells together", by_cell=False),
        _tests(found, names, "Paired tests, cell by cell", by_cell=True),
        title="Two editors on the same rows",
        lead=f"First: {names[0]}. Second: {names[1]}. The difference is first minus second, in "
        "points. The primary test flips the signs of whole clusters of subjects; McNemar's counts "
        "rows. p-values are corrected within each family by Holm.",
    ) + _rows_html(page, found)


def compared(page: Page, first: str, second: str) -> Compared:
    """Return the comparison of two submissions, computed once."""

    def make() -> Compared:
        return page.site.comparing.run(compare, page.results, first, second, limit=MOST_ROWS)

    return page.cached("compare", make, first, second)


def pair_of(page: Page) -> tuple[str, str]:
    """Return the two submissions asked for, else the two that decide best."""
    first, best = submission_of(page), best_of(page)
    if page.link.second in best:
        return first, page.link.second
    return first, next((key for key in best if key != first), first)


def _tests(found: Compared, names: Sequence[str], caption: str, *, by_cell: bool) -> Table | None:
    rows = [
        row for row in found.comparisons if ((row.dataset, row.condition) != (ALL, ALL)) == by_cell
    ]
    if not rows:
        return None
    return Table(
        caption=caption,
        folded=by_cell,
        head="over",
        columns=(
            Column("rows", "Rows compared."),
            Column("difference", f"{names[0]} minus {names[1]}, in points."),
            Column("p", "Cluster sign-flip test, two-sided, corrected by Holm in its family."),
            Column("first only", "Rows that only the first gets right."),
            Column("second only", "Rows that only the second gets right."),
            Column("McNemar p", "Exact test over rows, two-sided."),
            Column("detectable", "Difference that would be found with power 0.8, in points."),
        ),
        groups=tuple(
            Group(family, tuple(_test_row(row) for row in rows if row.family == family))
            for family in dict.fromkeys(row.family for row in rows)
        ),
    )


def _test_row(row: Comparison) -> Row:
    name = row.population
    if row.dataset != ALL or row.condition != ALL:
        name = f"{row.population}, {cell_name(row.dataset, row.condition)}"
    why = row.undefined
    return Row(
        name,
        (
            whole(row.n),
            estimate(row.difference, points, key="difference", undefined=why),
            number(row.p_holm, probability, key="p_holm", undefined=why),
            whole(row.first_only),
            whole(row.second_only),
            number(row.p_mcnemar, probability, key="p_mcnemar", undefined=why),
            number(row.detectable, points, key="detectable", undefined=why),
        ),
    )


def _rows_html(page: Page, found: Compared) -> str:
    rows = found.discordant
    if page.link.population:
        rows = rows[rows["population"] == page.link.population]
    if page.link.kind in DIFFERS:
        rows = rows[rows["differs"] == page.link.kind]
    pages = max(-(-len(rows) // PAGE_SIZE), 1)
    at = min(page.link.part_number, pages)
    part = rows.iloc[(at - 1) * PAGE_SIZE : at * PAGE_SIZE]
    return render(
        "discordant.html.jinja",
        rows=[_plain(row) for row in part.to_dict("records")],
        total=found.n_discordant,
        listed=len(found.discordant),
        found=len(rows),
        names=(found.first, found.second),
        at=at,
        pages=pages,
    )


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    plain = {
        str(key): None if value is None or value is pd.NA or value != value else value
        for key, value in row.items()
    }
    return {**plain, "how": how_they_differ(plain)}


def how_they_differ(row: Mapping[str, Any]) -> str:
    """Return in what two submissions differ on a row, in words.

    Args:
        row: `differs`, and for a row of `both` also `first_right` and `first_decided`.
    """
    if row["differs"] != "both":
        return DIFFERS[row["differs"]]
    if bool(row["first_right"]) == bool(row["first_decided"]):
        return "only one does both rightly"
    return "one answers rightly, the other decides rightly"


TAB: Final = Tab("compare", "Compare", FIELDS, controls, settle, view)
