"""Headroom explorer: oracle against static cell by cell, and under the reader's own traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
import pandas as pd

from scopebench.report.page.model import Column, Group, Note, Row, Table
from scopebench.report.page.numbers import percent, points
from scopebench.report.page.words import STATIC_WORDS
from scopebench_leaderboard.figures import cell_name, cells_figure, mix_figure, number
from scopebench_leaderboard.metrics import METRICS, Metric
from scopebench_leaderboard.render import render_blocks
from scopebench_leaderboard.site import Page
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.wording import (
    label_of,
    metric_value,
    submission_choices,
    submission_of,
    whole,
)
from scopebench_leaderboard.views import at_mix, curve, headroom_cells, populations_of

FIELDS: Final = ("submission", "pi")
USUAL_SHARE: Final = 50.0
"""Share of out-of-scope traffic, in percent, before a reader sets their own."""


def controls() -> Sequence[Any]:
    """Make the choice of a submission and the slider."""
    with gr.Row(elem_classes="controls"):
        submission = gr.Dropdown(label="Submission", scale=3, min_width=260)
        share = gr.Slider(
            0,
            100,
            value=USUAL_SHARE,
            step=1,
            label="Your traffic: percent of questions that no edit governs",
            scale=4,
            min_width=260,
        )
    return submission, share


def settle(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return what the controls show."""
    asked = submission_of(page)
    return (
        {"choices": submission_choices(page, asked), "value": asked},
        {"value": share_of(page)},
    )


def view(page: Page) -> str:
    """Return what headroom is in every cell, and under the reader's traffic."""
    asked = submission_of(page)
    share = share_of(page) / 100
    key = (page.choice.protocol_id, page.choice.benchmark_digest, asked)
    cells = page.cached("cells", lambda: _cells(page, asked), *key)
    curves = page.cached("curves", lambda: _curves(page, asked), *key)
    return render_blocks(
        Note(sentence(curves, share)),
        mix_figure(
            curves,
            share,
            "H(π): headroom where a share π of the traffic is out of scope, in points. The "
            "benchmark's mix is a choice; yours is another.",
        ),
        _mix_table(curves, share),
        cells_figure(
            cells, "Every cell: what the fixed rule gets right, and what the oracle would."
        ),
        _cell_table(cells),
        title=f"What a perfect decision is worth beside {label_of(page.row(asked))}",
        lead=METRICS["headroom"].definition
        + " It depends on the submission because the actions are executed with the cards that its "
        "editor finds.",
    )


def sentence(curves: Sequence[tuple[str, pd.DataFrame]], share: float) -> str:
    """Say what headroom is at a share of out-of-scope traffic, in every population that has it."""
    parts = []
    for population, frame in curves:
        found = at_mix(frame, share) if len(frame) else {}
        headroom, editor, static = (
            found.get(name) for name in ("headroom", "editor", "static_fixed")
        )
        if headroom is None:
            continue
        gained = "" if editor is None or static is None else f", {points(editor - static)} gained"
        parts.append(f"{points(headroom)} on {population}{gained}")
    if not parts:
        return "H(π) is not defined here: no population has scorable rows both in and out of scope."
    return f"At {percent(share)} out of scope, headroom in points: {'; '.join(parts)}."


def share_of(page: Page) -> float:
    """Return the share of out-of-scope traffic asked for, in percent."""
    try:
        asked = float(page.link.pi)
    except ValueError:
        return USUAL_SHARE
    return asked if 0 <= asked <= 100 else USUAL_SHARE


def _cells(page: Page, submission_id: str) -> pd.DataFrame:
    frame = headroom_cells(page.board, page.choice)
    return frame[frame["submission_id"] == submission_id]


def _curves(page: Page, submission_id: str) -> list[tuple[str, pd.DataFrame]]:
    found = [
        (population, curve(page.board, submission_id, population))
        for population in populations_of(page.board, page.choice)
    ]
    return [(population, frame) for population, frame in found if len(frame) > 1]


def _mix_table(curves: Sequence[tuple[str, pd.DataFrame]], share: float) -> Table | None:
    names = ("static_fixed", "editor", "oracle", "headroom")
    rows = []
    for population, frame in curves:
        found = at_mix(frame, share)
        rows.append(Row(population, tuple(metric_value(_MIX[name], found) for name in names)))
    if not rows:
        return None
    return Table(
        caption=f"Your traffic: {percent(share)} out of scope",
        head="population",
        columns=tuple(Column(_MIX[name].label, _MIX[name].definition) for name in names),
        groups=(Group("", tuple(rows)),),
    )


def _cell_table(cells: pd.DataFrame) -> Table:
    statics = ("static_fixed", "static_cv", "static_cell", "static_const")
    groups = []
    for population in dict.fromkeys(cells["population"]):
        rows = cells[cells["population"] == population].to_dict("records")
        groups.append(Group(str(population), tuple(_cell_row(row, statics) for row in rows)))
    return Table(
        caption="Every cell in numbers",
        head="cell",
        columns=(
            Column("rows", "Rows with outcome gold."),
            *(Column(name, f"Static: {STATIC_WORDS[name]}.") for name in statics),
            Column("oracle", METRICS["oracle"].definition),
            Column("headroom", METRICS["headroom"].definition),
        ),
        groups=tuple(groups),
        folded=True,
    )


def _cell_row(row: Mapping[Any, Any], statics: Sequence[str]) -> Row:
    reason = str(row.get("reason") or "")
    share = METRICS["static_fixed"]
    found = [
        metric_value(share, {share.name: number(row.get(name))}, reason)
        for name in (*statics, "oracle")
    ]
    return Row(
        cell_name(str(row["dataset"]), str(row["condition"])),
        (whole(row["n_scorable"]), *found, metric_value(METRICS["headroom"], row, reason)),
    )


_MIX: Final = {
    **{name: METRICS[name] for name in ("static_fixed", "oracle", "headroom")},
    "editor": Metric(
        "editor",
        "editor",
        "Share right when the editor's action is taken, under this mix.",
        None,
        "percent",
        False,
    ),
}

TAB: Final = Tab("headroom", "Headroom", FIELDS, controls, settle, view)
