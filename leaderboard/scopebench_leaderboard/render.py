"""From plain data to the HTML of a part of a page: every text is escaped, no script is written.

The blocks (tables, figures, notes) are those of the report page, and so are the macros that draw
them; templates of the leaderboard's own stand in `templates/`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader

from scopebench.report.page.html import environment
from scopebench.report.page.model import Block


def render(template: str, **values: Any) -> str:
    """Return a template of this package with values filled in, each escaped."""
    return _environment().get_template(template).render(**values)


def render_blocks(*blocks: Block | None, title: str = "", lead: str = "") -> str:
    """Return blocks of the report page one after the other; None is left out."""
    shown = [block for block in blocks if block is not None]
    return render("blocks_only.html.jinja", blocks=shown, title=title, lead=lead)


def notice(text: str, *, tone: str = "plain") -> str:
    """Return one paragraph, for empty and error states; `tone` is plain or bad."""
    return render("notice.html.jinja", text=text, tone=tone)


@cache
def _environment() -> Environment:
    return environment(PackageLoader("scopebench_leaderboard", "templates"))
