"""The editor's certainty: risk by coverage, score distributions, wrong fires one by one."""

from __future__ import annotations

import numpy as np

from scopebench.report.page.charts.curves import risk_panel
from scopebench.report.page.charts.histogram import score_panel
from scopebench.report.page.charts.svg import line, rectangle, sign
from scopebench.report.page.content import RunView
from scopebench.report.page.model import Block, Figure, Fires, Legend, Note, Panel, Section
from scopebench.report.page.numbers import count
from scopebench.report.page.words import population_name, population_order


def scores_section(view: RunView) -> Section:
    """Risk by coverage, and the scores of in- and out-of-scope queries."""
    blocks: list[Block] = []
    names = population_order(set(view.risk_curves))
    if names:
        curves = [(name, view.risk_curves[name]) for name in names]
        panels = [
            risk_panel(population_name(n), c.coverage, c.risk, c.generalised_risk)
            for n, c in curves
        ]
        blocks.append(
            Figure(
                "Risk by coverage: keep the rows with the highest scores, and see on how many of "
                "them the card that fires does not govern the query. Equal scores enter together.",
                tuple(panels),
                (
                    Legend(sign(line(0, 8, 22, 8, "line")), "risk, as a share of rows kept"),
                    Legend(
                        sign(line(0, 8, 22, 8, "line dashed")), "the same, as a share of all rows"
                    ),
                ),
            )
        )
    drawn = _score_panels(view)
    if drawn:
        blocks.append(
            Figure(
                "Scope scores, each side as shares of its own rows. Where the sides overlap, no "
                "threshold can tell them apart.",
                drawn,
                (
                    Legend(sign(rectangle(4, 3, 14, 10, "bar-in")), "in scope, upward"),
                    Legend(sign(rectangle(4, 3, 14, 10, "bar-out")), "out of scope, downward"),
                ),
            )
        )
    return Section(
        key="scores",
        title="Scores",
        lead="How far the editor's own certainty, its scope score, tells right fires from wrong.",
        blocks=tuple(blocks) or (Note("The table holds no scope scores."),),
    )


def _score_panels(view: RunView) -> tuple[Panel, ...]:
    finite = np.isfinite(view.scores)
    if not finite.any():
        return ()
    span = (float(view.scores[finite].min()), float(view.scores[finite].max()))
    names = np.asarray(view.populations, dtype=object)
    return tuple(
        score_panel(population_name(name), view.scores[rows], view.in_scope[rows], span)
        for name in population_order(set(view.populations))
        if (rows := finite & (names == name)).any()
    )


def fires_section(view: RunView) -> Section:
    """A sample of wrong fires with the card that fired."""
    total = view.wrong_fires_total
    shown = len(view.wrong_fires)
    if shown:
        of = f"{count(shown)} of {count(total)}" if total is not None else count(shown)
        block: Block = Fires(
            f"{of} wrong fires, drawn from the kinds in turn", tuple(view.wrong_fires)
        )
    elif total == 0:
        block = Note(f"{view.editor} fires on no query with a card that does not govern it.")
    else:
        block = Note("The table holds no questions and cards to show.")
    return Section(
        key="fires",
        title="Wrong fires, one by one",
        lead="A false fire answers a query that no edit governs; a wrong edit answers an in-scope "
        "query from another card. Some are right all the same, by luck.",
        blocks=(block,),
    )
