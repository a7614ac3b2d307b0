"""Headroom where traffic is mixed otherwise than in the benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from scopebench.records.report import MixRow
from scopebench.report.page.charts.curves import MixPoint, mix_panel
from scopebench.report.page.charts.svg import line, mark, rectangle, sign
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Block,
    Column,
    Figure,
    Group,
    Legend,
    Note,
    Row,
    Section,
    Table,
)
from scopebench.report.page.numbers import estimate, number, percent, points, reason_for
from scopebench.report.page.sections.common import populations
from scopebench.report.page.words import ORACLE, STATIC_FIXED, population_name


def mix_section(view: RunView) -> Section:
    """Headroom as a function of the share of out-of-scope traffic."""
    report = view.report
    panels, groups, notes = [], [], []
    for population in populations(report):
        rows = [row for row in report.mixes if row.population == population]
        if not rows:
            continue
        curve = [point for row in rows if row.name == "curve" and (point := _mix_point(row))]
        named = [point for row in rows if row.name != "curve" and (point := _mix_point(row))]
        if curve:
            panels.append(mix_panel(population_name(population), curve, named))
        else:
            notes.append(_no_curve(population, rows))
        groups.append(Group(population_name(population), tuple(_mix_row(row) for row in rows)))
    blocks: tuple[Block, ...] = (Note("No mix can be computed from this table."),)
    if groups:
        figure = Figure("Headroom over static_fixed, in points.", tuple(panels), _mix_legend())
        blocks = (*([figure] if panels else []), *notes, _mix_table(tuple(groups)))
    return Section(
        key="mix",
        title="Headroom under other traffic",
        lead="The benchmark's mix of in- and out-of-scope queries is a choice. H(π) is the "
        "headroom where a share π of the traffic is out of scope, the rows weighted to that.",
        blocks=blocks,
    )


def _no_curve(population: str, rows: Iterable[MixRow]) -> Note:
    """Say why no curve is drawn: the reason of the first mix without headroom."""
    reasons = (reason_for("headroom", row.undefined) for row in rows if row.headroom.value is None)
    return Note(
        f"No curve for {population_name(population)}: {next(reasons, 'no other mix was computed')}."
    )


def _mix_legend() -> tuple[Legend, ...]:
    return (
        Legend(sign(rectangle(0, 3, 22, 10, "band") + line(0, 8, 22, 8, "line")), "H(π), interval"),
        Legend(sign(line(0, 8, 22, 8, "line dashed")), "the editor's gain"),
        Legend(sign(mark(6, 11, 8, 5)), "observed mix"),
        Legend(sign(mark(9, 11, 8, 5)), "deployment mix"),
    )


def _mix_point(row: MixRow) -> MixPoint | None:
    value = row.headroom.value
    if value is None or row.out_of_scope is None:
        return None
    known = row.editor is not None and row.static_fixed is not None
    return MixPoint(
        name="" if row.name == "curve" else row.name,
        share=row.out_of_scope,
        headroom=value,
        low=row.headroom.low,
        high=row.headroom.high,
        gain=(row.editor or 0.0) - (row.static_fixed or 0.0) if known else None,
    )


def _mix_table(groups: tuple[Group, ...]) -> Table:
    return Table(
        caption="Every mix",
        head="mix",
        columns=(
            Column("π", "Share of out-of-scope traffic."),
            Column("static_fixed", STATIC_FIXED),
            Column("static_const", "Best single action under this mix, in hindsight."),
            Column("editor", "Share right when the editor's action is taken."),
            Column("oracle", ORACLE),
            Column("headroom", "Oracle minus static_fixed, in points."),
        ),
        groups=groups,
        folded=True,
    )


def _mix_row(row: MixRow) -> Row:
    why = row.undefined
    shares = (
        ("out_of_scope", row.out_of_scope),
        ("static_fixed", row.static_fixed),
        ("static_const", row.static_const),
        ("editor", row.editor),
        ("oracle", row.oracle),
    )
    return Row(
        head=row.name,
        values=(
            *(number(value, percent, key=key, undefined=why) for key, value in shares),
            estimate(row.headroom, points, key="headroom", undefined=why),
        ),
        marked=row.name != "curve",
    )
