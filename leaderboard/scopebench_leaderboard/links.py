"""What a link to the board says: the tab, what is chosen, and every filter.

A page is a function of its link alone, so what a reader sees can be sent to somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final
from urllib.parse import urlencode

TABS: Final = (
    "overview",
    "ranking",
    "headroom",
    "editor",
    "compare",
    "data",
    "submit",
    "about",
)
LONGEST: Final = 200
"""Characters of a parameter that are read."""

_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Link:
    """The parameters of a page, all texts; empty: not given.

    Attributes:
        tab: One of `TABS`.
        board: Protocol and benchmark, see `site.choice_key`.
        population: A population.
        cell: Data set and condition of a cell, parted by a slash.
        dataset: A data set.
        condition: A condition.
        metric: What is ranked by.
        kind: A kind of query.
        columns: Metric of the per-kind columns.
        models: Models, parted by commas.
        q: Words to search for.
        gradient: `free` or `based`; empty: both.
        verified: `yes`: only verified submissions.
        submission: The submission shown, or the first of two.
        second: The second submission compared.
        pi: Share of out-of-scope traffic, in percent.
        part: Part of a long table, from 1; `page` is a parameter of Gradio's own.
    """

    tab: str = "overview"
    board: str = ""
    population: str = ""
    cell: str = ""
    dataset: str = ""
    condition: str = ""
    metric: str = ""
    kind: str = ""
    columns: str = ""
    models: str = ""
    q: str = ""
    gradient: str = ""
    verified: str = ""
    submission: str = ""
    second: str = ""
    pi: str = ""
    part: str = ""

    @property
    def query(self) -> str:
        """The link as the query of an address, without what is not given."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return "?" + urlencode({name: value for name, value in given.items() if value})

    @property
    def part_number(self) -> int:
        """The part, 1 where none or nonsense is given."""
        return max(int(self.part), 1) if self.part.isascii() and self.part.isdecimal() else 1

    def at(self, **changes: str) -> Link:
        """Return the link with some parameters changed, back at the first part."""
        return replace(self, **{"part": "", **changes})


def read_link(parameters: Mapping[str, Any]) -> Link:
    """Read a link from the parameters of an address; what is strange or too long is cut.

    Names and values are checked where they are used: a link only ever holds short texts.
    """
    known = {field.name for field in fields(Link)}
    given = {
        name: _UNSEEN.sub("", str(value))[:LONGEST].strip()
        for name, value in parameters.items()
        if name in known
    }
    if given.get("tab") not in TABS:
        given["tab"] = TABS[0]
    return Link(**given)
