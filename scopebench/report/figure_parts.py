"""What the figures of a paper share: sizes, marks, grids of cells, intervals, legends.

Every mark is told by its shape, fill or hatch as well as by its colour (Okabe and Ito's colours,
https://jfly.uni-koeln.de/color/). A number that is null is drawn as `n/a`, never as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from scopebench.records import POPULATIONS
from scopebench.records.report import Cell, Estimate

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Line = Literal["-", "--", "-.", ":", ""]
Cells = Mapping[tuple[str, str], Cell]  # by place and population

SINGLE_COLUMN: Final = 3.3  # inches
DOUBLE_COLUMN: Final = 6.9
DPI: Final = 300
LANE: Final = 0.1  # inches; a row is divided into lanes, one for each run or action
RING_LANE: Final = 0.15  # holds a ring
LEAST_ROW: Final = 0.17
MARGINS: Final = 0.75
SHORTEST: Final = 1.4
LEAST_SPAN: Final = 0.02  # two points: an axis of differences that are all 0 still has a scale
LEGEND_ROW: Final = 0.15
NAME_HEAD: Final = 17  # characters kept of a long name, at its beginning and at its end
NAME_TAIL: Final = 10

ALL: Final = "all"
NO_VALUE: Final = "n/a"
INK: Final = "black"
GREY: Final = "#595959"
BAND: Final = "#F3F3F3"
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "p")
LINES: Final[tuple[Line, ...]] = ("-", "--", "-.", ":")
HATCHES: Final = ("", "/////", ".....", "xxxxx", "-----")
STYLE: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 7.5,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.05,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 7,
    "grid.color": "#D9D9D9",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "savefig.dpi": DPI,
    "svg.fonttype": "none",
    "svg.hashsalt": "scopebench",
    "text.parse_math": False,  # a `$` in the name of a data set is a `$`
    "xtick.labelsize": 6.5,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 6.5,
    "ytick.major.size": 0,
}
POINT: Final[dict[str, Any]] = {"markersize": 4.0, "markeredgewidth": 0, "zorder": 4}
RING: Final[dict[str, Any]] = {
    "markersize": 7.2,
    "markerfacecolor": "white",
    "markeredgewidth": 0.9,
    "zorder": 3,
}


@dataclass(frozen=True)
class Mark:
    """How one of several runs or actions looks."""

    colour: str
    marker: str
    line: Line
    hatch: str

    @classmethod
    def of(cls, i: int) -> Self:
        """Return the look of the i-th; marks of up to 56 differ in colour or in shape."""
        return cls(
            colour=COLOURS[i % len(COLOURS)],
            marker=MARKERS[i % len(MARKERS)],
            line=LINES[i % len(LINES)],
            hatch=HATCHES[i % len(HATCHES)],
        )


@dataclass(frozen=True)
class Grid:
    """Small multiples with one row per cell.

    Attributes:
        figure: The figure.
        panels: Its axes, by position of the run (0 where runs share a panel) and population.
        places: The cells, from the top.
        lanes: Lanes of each row.
    """

    figure: Figure
    panels: Mapping[tuple[int, str], Axes]
    places: tuple[str, ...]
    lanes: int

    def lane(self, cells: Cells, population: str, lane: int) -> Iterable[tuple[float, Cell]]:
        """Yield the cells of a population and where their lane is."""
        for i, place in enumerate(self.places):
            if (place, population) in cells:
                yield offset(i, lane, self.lanes), cells[place, population]


def offset(row: int, lane: int, lanes: int) -> float:
    """Return where a lane of a row is, in rows from the top."""
    return row + (lane - (lanes - 1) / 2) * 0.8 / lanes


def by_place(cells: Iterable[Cell], name: str | None = None) -> dict[tuple[str, str], Cell]:
    """Return the cells over all their rows, by name (dataset and condition) and population."""
    found = {}
    for cell in cells:
        if cell.stratum == cell.kind == ALL:
            parts = [part for part in (cell.dataset, cell.condition) if part != ALL]
            found[name or " ".join(parts) or ALL, cell.population] = cell
    return found


def grid(
    tables: Sequence[Cells], *, lanes: int, lane: float = LANE, titles: Sequence[str] = ("",)
) -> Grid | None:
    """Return empty panels for the cells, or None where there are no cells.

    Args:
        tables: The cells of each run.
        lanes: Lanes of each row.
        lane: Height of a lane in inches.
        titles: What to write above each row of panels; one row of panels for each.
    """
    places = tuple(dict.fromkeys(place for cells in tables for place, _ in cells))
    populations = ordered(population for cells in tables for _, population in cells)
    if not places:
        return None
    height = len(places) * max(LEAST_ROW, lanes * lane) + MARGINS
    figure = new_figure(len(populations), height * len(titles))
    axes = figure.subplots(len(titles), len(populations), squeeze=False, sharex=True, sharey=True)
    panels = {}
    for i, title in enumerate(titles):
        for j, population in enumerate(populations):
            panels[i, population] = axes[i][j]
            above = f"{title}\n" if title and j == 0 else ""  # free to run over its neighbours
            axes[i][j].set_title(above + clean(population))
            rows_of(axes[i][j], [clean(place) for place in places])
    return Grid(figure, panels, places, lanes)


def new_figure(columns: int, height: float) -> Figure:
    """Return a figure as wide as one column of the page, or as two for several panels."""
    from matplotlib.figure import Figure

    width = SINGLE_COLUMN if columns == 1 else DOUBLE_COLUMN
    return Figure(figsize=(width, max(SHORTEST, height)), layout="constrained")


def rows_of(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel from the top, every other one on a band."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for i in range(1, len(names), 2):
        axes.axhspan(i - 0.5, i + 0.5, color=BAND, linewidth=0, zorder=0)


def absent(
    axes: Axes, y: float, text: str = NO_VALUE, *, colour: str = GREY, right: bool = False
) -> None:
    """Write `n/a` into a lane, at the left of the panel or at its right."""
    axes.text(
        0.99 if right else 0.01,
        y,
        text,
        transform=axes.get_yaxis_transform(),
        ha="right" if right else "left",
        va="center_baseline",
        color=colour,
        fontsize=5.5,
        style="italic",
    )


def interval(axes: Axes, y: float, estimate: Estimate, mark: Mark) -> None:
    """Draw a point with its interval; a point without an interval is open."""
    if estimate.value is None:
        absent(axes, y, colour=mark.colour)
        return
    face = "white"
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [y, y], "-", color=mark.colour)
        face = mark.colour
    axes.plot(estimate.value, y, mark.marker, color=mark.colour, markerfacecolor=face, zorder=3)


def span(estimates: Iterable[Estimate]) -> tuple[float, float]:
    """Return an axis that holds all values, their intervals and 0, with room at its ends."""
    ends = [
        end
        for estimate in estimates
        for end in (estimate.value, estimate.low, estimate.high)
        if end is not None
    ]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.06 * max(high - low, LEAST_SPAN)
    return low - room, max(high, low + LEAST_SPAN) + room


def percent(value: float, _: object = None) -> str:
    """Return a share in percent, as the label of a tick."""
    return f"{round(100 * value, 6) + 0.0:g}".replace("-", "−")


def x_in_percent(axes: Axes, low: float, high: float, label: str) -> None:
    """Give a panel an x axis of shares, shown in percent."""
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(percent)
    axes.set_xlabel(label)
    axes.label_outer()


def handle(label: str, mark: str, colour: str, line: Line = "", **look: Any) -> Line2D:
    """Return a legend's entry: a marker, a line or both."""
    from matplotlib.lines import Line2D

    return Line2D([], [], marker=mark, color=colour, linestyle=line, label=label, **look)


def legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Put a legend above the panels, in as many columns as fit; the figure grows with its rows."""
    longest = max(len(str(entry.get_label())) for entry in handles)
    columns = max(1, min(len(handles), int(figure.get_figwidth() / (0.45 + 0.055 * longest))))
    rows = math.ceil(len(handles) / columns)
    figure.set_figheight(figure.get_figheight() + (rows - 1) * LEGEND_ROW)
    figure.legend(
        handles=list(handles),
        loc="outside upper center",
        ncols=columns,
        handlelength=2.2,
        columnspacing=1.4,
    )


def ordered(populations: Iterable[str]) -> list[str]:
    """Return each population once: the benchmark's own in their order, then any others."""
    found = set(populations)
    own = [name for name in POPULATIONS if name in found]
    return own + sorted(found - set(own))


def clean(name: str) -> str:
    """Return a name fit to be drawn: no control characters, and its middle left out if long."""
    name = "".join(char if char.isprintable() else " " for char in name)
    if name.startswith("_"):
        name = f" {name}"  # matplotlib leaves names in `_` out of a legend
    if len(name) <= NAME_HEAD + 1 + NAME_TAIL:
        return name
    return f"{name[:NAME_HEAD]}…{name[-NAME_TAIL:]}"
