"""The lines of `scopebench score` that the README quotes, as the terminal shows them."""

from __future__ import annotations

import io
from typing import Final

from rich.console import Console

from scopebench.records import RunResult
from scopebench.report.numbers import headroom_table, run_title

WIDTH: Final = 120
"""Wide enough for the table; a terminal's own width changes nothing of the lines quoted."""

_QUOTED: Final = ("pooled", "known to it")


def excerpt(result: RunResult) -> str:
    """Return the heading of the table of headroom and its rows over all cells."""
    file = io.StringIO()
    screen = Console(width=WIDTH, file=file, highlight=False, color_system=None)
    screen.print(headroom_table(result, run_title(result)))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    rule = next(place for place, line in enumerate(lines) if line.lstrip().startswith("─"))
    rows = [line for line in lines[rule + 1 :] if line.lstrip().startswith(_QUOTED)]
    return "\n".join((*lines[: rule + 1], *rows))
