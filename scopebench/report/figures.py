"""Figures of reports for a paper: one or several runs, one or two columns wide."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from scopebench.errors import MissingDependency
from scopebench.records.report import Cell, Estimate, MixRow, Report, RouterRow
from scopebench.report import figure_parts as parts
from scopebench.report.figure_parts import ALL, GREY, INK, NO_VALUE, POINT, RING, Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

Format = Literal["png", "svg", "pdf"]
Reports = Mapping[str, Report]
Kinds = Mapping[tuple[str, str], RouterRow]  # by population and kind

POOLED: Final = "pooled"
CURVE: Final = "curve"
OBSERVED: Final = "observed"
NEGATIVES: Final = ("withheld", "curated")  # populations with queries that no edit governs
MIX_MARKERS: Final = ("*", "D", "P", "X", "p", "h", "v", "<", ">")
METADATA: Final[Mapping[Format, Mapping[str, None]]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def write_figures(
    reports: Reports, folder: Path, *, formats: Sequence[Format] = ("png", "svg")
) -> list[Path]:
    """Write each figure that the reports hold numbers for, once a format.

    The figures: `oracle_vs_static` (as the paper's Figure 4), `action_success` (Figure 5),
    `headroom`, `mix` (H(pi)) and `false_fire_by_kind`. Equal reports and the same version of
    matplotlib give equal bytes.

    Args:
        reports: Reports by the name of their run, in the order to draw them.
        folder: Where to write `<figure>.<format>`; made where it is missing.
        formats: `png` at 300 dots an inch, `svg` with its text as text, `pdf`.

    Returns:
        The files written, figure by figure; none for a figure without numbers.

    Raises:
        MissingDependency: matplotlib is not installed.
        OSError: The folder cannot be written; the command line makes one line of it.
    """
    try:
        from matplotlib import style
    except ImportError as error:
        raise MissingDependency("matplotlib", "figures") from error
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    with style.context(parts.STYLE, after_reset=True):
        for name, (title, draw) in _FIGURES.items():
            for form in formats:
                figure = draw(reports)  # anew: saving a figure settles its layout
                if figure is not None:
                    path = folder / f"{name}.{form}"
                    _save(figure, path, form, title)
                    written.append(path)
    return written


def _save(figure: Figure, path: Path, form: Format, title: str) -> None:
    part = path.with_name(f".{path.name}.part")
    figure.savefig(part, format=form, metadata={**METADATA[form], "Title": title})
    part.replace(path)


def _oracle_vs_static(reports: Reports) -> Figure | None:
    tables = [parts.by_place(report.cells) for report in reports.values()]
    grid = parts.grid(tables, lanes=len(tables), lane=parts.RING_LANE)
    if grid is None:
        return None
    for (_, population), axes in grid.panels.items():
        for lane, cells in enumerate(tables):
            for y, cell in grid.lane(cells, population, lane):
                _static_and_oracle(axes, y, cell, Mark.of(lane))
        parts.x_in_percent(axes, 0, 1, "right (%)")
    shapes = [
        parts.handle("static policy", "o", GREY, **POINT),
        parts.handle("oracle", "o", GREY, **RING),
    ]
    parts.legend(grid.figure, [*shapes, *_runs(reports)])
    return grid.figure


def _static_and_oracle(axes: Axes, y: float, cell: Cell, mark: Mark) -> None:
    """Draw a filled point, a ring and what lies between them: the headroom."""
    ends = {"static": cell.static_fixed, "oracle": cell.oracle}
    known = [value for value in ends.values() if value is not None]
    axes.plot(known, [y] * len(known), "-", color=mark.colour, linewidth=0.8)
    for value, look in ((cell.oracle, RING), (cell.static_fixed, POINT)):
        if value is not None:
            axes.plot(value, y, mark.marker, color=mark.colour, clip_on=False, **look)
    if not known:
        parts.absent(axes, y, colour=mark.colour)
    elif len(known) < len(ends):
        name = next(name for name, value in ends.items() if value is None)
        text = f"{name} {NO_VALUE}"
        parts.absent(axes, y, text, colour=mark.colour, right=known[0] < 0.5)


def _action_success(reports: Reports) -> Figure | None:
    tables = [parts.by_place(report.cells) for report in reports.values()]
    actions = list(dict.fromkeys(name for report in reports.values() for name in report.actions))
    titles = [parts.clean(run) for run in reports] if len(reports) > 1 else [""]
    grid = parts.grid(tables, lanes=len(actions), titles=titles)
    if grid is None:
        return None
    marks = {action: Mark.of(i) for i, action in enumerate(actions)}
    for (run, population), axes in grid.panels.items():
        for lane, (action, mark) in enumerate(marks.items()):
            for y, cell in grid.lane(tables[run], population, lane):
                _success(axes, y, cell.accuracy.get(action), mark)
        parts.x_in_percent(axes, 0, 1, "right (%)")
    parts.legend(
        grid.figure,
        [
            parts.handle(parts.clean(action), mark.marker, mark.colour, mark.line)
            for action, mark in marks.items()
        ],
    )
    return grid.figure


def _success(axes: Axes, y: float, value: float | None, mark: Mark) -> None:
    if value is None:
        parts.absent(axes, y, colour=mark.colour)
        return
    axes.plot([0, value], [y, y], mark.line, color=mark.colour, linewidth=0.8)
    axes.plot(value, y, mark.marker, color=mark.colour, clip_on=False, zorder=3)


def _headroom(reports: Reports) -> Figure | None:
    tables = [
        {**parts.by_place(report.pooled, POOLED), **parts.by_place(report.cells)}
        for report in reports.values()
    ]
    grid = parts.grid(tables, lanes=len(tables))
    if grid is None:
        return None
    low, high = parts.span(cell.headroom for cells in tables for cell in cells.values())
    for (_, population), axes in grid.panels.items():
        axes.axvline(0, color=INK, linewidth=0.8)
        if grid.places[0] == POOLED and len(grid.places) > 1:
            axes.axhline(0.5, color=INK, linewidth=0.6)
        for lane, cells in enumerate(tables):
            for y, cell in grid.lane(cells, population, lane):
                parts.interval(axes, y, cell.headroom, Mark.of(lane))
        parts.x_in_percent(axes, low, high, "headroom (points)")
    if len(reports) > 1:
        parts.legend(grid.figure, _runs(reports))
    return grid.figure


def _mix(reports: Reports) -> Figure | None:
    rows = {run: report.mixes for run, report in reports.items()}
    told = [row for mixes in rows.values() for row in mixes]
    populations = parts.ordered(row.population for row in told)
    if not populations:
        return None
    names = sorted({row.name for row in told} - {CURVE}, key=lambda name: (name != OBSERVED, name))
    figure = parts.new_figure(len(populations), 2.3)
    panels = figure.subplots(1, len(populations), squeeze=False, sharey=True)[0]
    for axes, population in zip(panels, populations, strict=True):
        axes.set_title(parts.clean(population))
        axes.axhline(0, color=INK, linewidth=0.8)
        for i, mixes in enumerate(rows.values()):
            here = [row for row in mixes if row.population == population]
            _curve(axes, [row for row in here if row.name == CURVE], Mark.of(i))
            _mix_points(axes, [row for row in here if row.name != CURVE], names, Mark.of(i))
        axes.set_ylim(*parts.span(row.headroom for row in told))
        axes.yaxis.set_major_formatter(parts.percent)
        parts.x_in_percent(axes, 0, 1, "out-of-scope traffic, π (%)")
    panels[0].set_ylabel("headroom H(π) (points)")
    lines = [
        parts.handle(parts.clean(run), "", Mark.of(i).colour, Mark.of(i).line)
        for i, run in enumerate(reports)
    ]
    points = [
        parts.handle(parts.clean(name), _mix_marker(i), GREY, markersize=6)
        for i, name in enumerate(names)
        if any(row.name == name and row.headroom.value is not None for row in told)
    ]
    entries = [*(lines if len(reports) > 1 else []), *points]
    if entries:
        parts.legend(figure, entries)
    return figure


def _curve(axes: Axes, rows: Sequence[MixRow], mark: Mark) -> None:
    """Draw H(pi) with its band; the line breaks where it is null."""
    placed = [(row.out_of_scope, row.headroom) for row in rows if row.out_of_scope is not None]
    placed.sort(key=lambda point: point[0])
    if rows and all(estimate.value is None for _, estimate in placed):
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": GREY, "style": "italic"}
        axes.text(0.5, 0.5, NO_VALUE, transform=axes.transAxes, **look)
        return
    shares = [share for share, _ in placed]
    values, lows, highs = (
        [math.nan if (end := getattr(estimate, name)) is None else end for _, estimate in placed]
        for name in ("value", "low", "high")
    )
    axes.plot(shares, values, mark.line, color=mark.colour, marker=".", markersize=3)
    axes.fill_between(shares, lows, highs, color=mark.colour, alpha=0.15, linewidth=0)
    for share, estimate in placed:
        if estimate.value is None:
            axes.text(
                share,
                0.02,
                NO_VALUE,
                transform=axes.get_xaxis_transform(),
                ha="center",
                color=GREY,
                fontsize=5.5,
                style="italic",
            )


def _mix_points(axes: Axes, rows: Sequence[MixRow], names: Sequence[str], mark: Mark) -> None:
    """Draw the mixes that have a name on the curve, and name those that are null."""
    absent = []
    for row in rows:
        if row.out_of_scope is None or row.headroom.value is None:
            absent.append(f"{parts.clean(row.name)} {NO_VALUE}")
            continue
        axes.plot(
            row.out_of_scope,
            row.headroom.value,
            _mix_marker(names.index(row.name)),
            color=mark.colour,
            markeredgecolor=INK,
            markeredgewidth=0.5,
            markersize=6,
            clip_on=False,
            zorder=3,
        )
    axes.text(
        0.03,
        0.97,
        "\n".join(absent),
        transform=axes.transAxes,
        va="top",
        color=GREY,
        fontsize=5.5,
        style="italic",
    )


def _mix_marker(i: int) -> str:
    return MIX_MARKERS[i % len(MIX_MARKERS)]


def _false_fire_by_kind(reports: Reports) -> Figure | None:
    tables = [
        {(row.population, row.kind): row for row in report.router if _may_misfire(row)}
        for report in reports.values()
    ]
    kinds = {
        population: _worst_first(tables, population)
        for population in parts.ordered(population for table in tables for population, _ in table)
    }
    if not kinds:
        return None
    lanes, counts = len(tables), [len(names) for names in kinds.values()]
    row = max(parts.LEAST_ROW, lanes * parts.LANE)
    figure = parts.new_figure(1, sum(counts) * row + len(kinds) * 0.2 + parts.MARGINS)
    panels = figure.subplots(len(kinds), squeeze=False, sharex=True, height_ratios=counts)[:, 0]
    _, high = parts.span(row.false_fire for table in tables for row in table.values())
    for axes, (population, names) in zip(panels, kinds.items(), strict=True):
        axes.set_title(parts.clean(population))
        parts.rows_of(axes, [_with_count(tables, population, kind) for kind in names])
        for lane, table in enumerate(tables):
            for i, kind in enumerate(names):
                if (population, kind) in table:
                    y = parts.offset(i, lane, lanes)
                    _bar(axes, y, table[population, kind].false_fire, 0.8 / lanes, Mark.of(lane))
        parts.x_in_percent(axes, 0, high, "false fires (% of out-of-scope queries)")
    if lanes > 1:
        parts.legend(figure, _bars(reports))
    return figure


def _may_misfire(row: RouterRow) -> bool:
    """Return whether a row is of one kind, over all its cells, with queries out of scope."""
    everywhere = row.stratum == row.dataset == row.condition == ALL
    return everywhere and row.kind != ALL and row.population in NEGATIVES and row.in_scope != row.n


def _worst_first(tables: Sequence[Kinds], population: str) -> list[str]:
    """Return the kinds in the order of the first run's false fires, then the second's, and on."""
    kinds = {kind for table in tables for own, kind in table if own == population}

    def place(kind: str) -> tuple[tuple[float, ...], str]:
        rows = (table.get((population, kind)) for table in tables)
        rates = (None if row is None else row.false_fire.value for row in rows)
        return tuple(1.0 if rate is None else -rate for rate in rates), kind

    return sorted(kinds, key=place)


def _with_count(tables: Sequence[Kinds], population: str, kind: str) -> str:
    """Return a kind with its out-of-scope queries, one count where all runs agree."""
    rows = [table[population, kind] for table in tables if (population, kind) in table]
    counts = sorted({row.n - row.in_scope for row in rows if row.in_scope is not None})
    name = parts.clean(kind.replace("_", " "))
    return f"{name} ({'/'.join(map(str, counts))})" if counts else name


def _bar(axes: Axes, y: float, estimate: Estimate, height: float, mark: Mark) -> None:
    if estimate.value is None:
        parts.absent(axes, y, colour=mark.colour)
        return
    axes.barh(y, estimate.value, height, **_filled(mark))
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [y, y], "|-", color=INK, linewidth=0.8)


def _filled(mark: Mark) -> dict[str, Any]:
    from matplotlib.colors import to_rgb

    tint = [0.35 * part + 0.65 for part in to_rgb(mark.colour)]  # opaque: no grid shines through
    return {"facecolor": tint, "edgecolor": mark.colour, "hatch": mark.hatch, "linewidth": 0.7}


def _bars(reports: Reports) -> list[Patch]:
    from matplotlib.patches import Patch

    return [Patch(label=parts.clean(run), **_filled(Mark.of(i))) for i, run in enumerate(reports)]


def _runs(reports: Reports) -> list[Line2D]:
    """Return a legend's entries of several runs; one run needs none."""
    marks = [(parts.clean(run), Mark.of(i)) for i, run in enumerate(reports)]
    entries = [parts.handle(run, mark.marker, mark.colour) for run, mark in marks]
    return entries if len(entries) > 1 else []


_FIGURES: Final[Mapping[str, tuple[str, Callable[[Reports], Figure | None]]]] = {
    "oracle_vs_static": ("Share right of the static policy and of the oracle", _oracle_vs_static),
    "action_success": ("Share right of each action", _action_success),
    "headroom": ("Oracle minus static policy, with 95% intervals", _headroom),
    "mix": ("Headroom by share of out-of-scope traffic, with 95% intervals", _mix),
    "false_fire_by_kind": ("False fires by kind, with 95% intervals", _false_fire_by_kind),
}
