"""The page as plain data: sections of tables, figures and notes, rendered to HTML or Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scopebench.report.page.content import WrongFire


@dataclass(frozen=True)
class Value:
    """One entry of a table.

    Attributes:
        text: As it is shown.
        interval: Its interval as it is shown, if it has one.
        method: How the interval was computed.
        reason: Why there is no value, or no interval; None where nothing is missing.
        exact: The stored number, for machines.
    """

    text: str
    interval: str | None = None
    method: str | None = None
    reason: str | None = None
    exact: float | int | None = None


@dataclass(frozen=True)
class Column:
    """A column: its heading, what it means, and whether it holds words."""

    label: str
    definition: str = ""
    words: bool = False


@dataclass(frozen=True)
class Row:
    """A row: its heading, a note under that, and one value per column."""

    head: str
    values: tuple[Value, ...]
    note: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Group:
    """Rows under a common heading; an empty heading is not shown."""

    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        caption: What it shows, in a few words; unique in its section.
        head: Heading of the first column.
        columns: The other columns.
        groups: The rows.
        notes: Said below it.
        folded: Whether it is behind its caption until asked for.
    """

    caption: str
    head: str
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()
    folded: bool = False

    def values(self) -> Iterator[Value]:
        """Yield every value, row by row."""
        for group in self.groups:
            for row in group.rows:
                yield from row.values

    @property
    def defined(self) -> bool:
        """Whether rows carry notes, such as definitions."""
        return any(row.note for group in self.groups for row in group.rows)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why values are missing, each reason once, in the order of appearance."""
        return tuple(dict.fromkeys(value.reason for value in self.values() if value.reason))

    @property
    def methods(self) -> tuple[str, ...]:
        """How intervals were computed, each method once, in the order of appearance."""
        return tuple(dict.fromkeys(value.method for value in self.values() if value.method))


@dataclass(frozen=True)
class Legend:
    """One entry of a legend: a drawn sign (SVG) and what it stands for."""

    sign: str
    label: str


@dataclass(frozen=True)
class Panel:
    """One drawing of a figure: its title, and a complete SVG element."""

    title: str
    svg: str


@dataclass(frozen=True)
class Figure:
    """Panels of one chart, and how to read them."""

    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[Legend, ...] = ()


@dataclass(frozen=True)
class Note:
    """A paragraph; `plain` news, or `bad` news that must not be missed."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Facts:
    """Names and values, such as hashes; values are shown in a fixed-width font."""

    caption: str
    items: tuple[tuple[str, str], ...]
    folded: bool = False


@dataclass(frozen=True)
class Commands:
    """Lines to give to a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Fires:
    """A sample of wrong fires, to be browsed."""

    caption: str
    fires: tuple[WrongFire, ...]


Block = Table | Figure | Note | Facts | Commands | Fires


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        key: Anchor, unique on the page.
        title: Its heading.
        lead: What it shows, in a sentence or two.
        blocks: What it holds.
    """

    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class KeyFigure:
    """A number of the first screen, with its definition and a drawn interval (SVG or empty)."""

    label: str
    value: Value
    definition: str
    ruler: str = ""


@dataclass(frozen=True)
class Part:
    """The sections of one run, or those that all runs share (then without a name)."""

    name: str
    about: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Page:
    """The whole page.

    Attributes:
        title: What it is about, in a few words.
        about: Editor, model, benchmark and protocol, where there is one run.
        claim: What it shows, in one sentence.
        confidence: Level of all intervals, as it is shown.
        key_figures: The numbers of the first screen, where there is one run.
        summary: The first screen, where there are several; then the parts are folded.
        parts: What all runs share, then each run.
    """

    title: str
    about: str
    claim: str
    confidence: str
    key_figures: tuple[KeyFigure, ...]
    parts: tuple[Part, ...]
    summary: tuple[Block, ...] = ()
