"""From plain data to the HTML of a part of a page: every text is escaped, no script is written.

The blocks (tables, figures, notes) are those of the report page, and so are the macros that draw
them; templates of the leaderboard's own stand in `templates/`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined

from scopebench.report.console import printable
from scopebench.report.page.html import letter
from scopebench.report.page.model import Block
from scopebench.report.page.numbers import decimal
from scopebench.report.page.words import dataset_words

REPORT_MACROS: Final = "blocks.html.jinja"
_PAGE_BEGINS: Final = "<!doctype html>"


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
    environment = Environment(
        loader=ChoiceLoader(
            [
                DictLoader({REPORT_MACROS: _report_macros()}),
                PackageLoader("scopebench_leaderboard", "templates"),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters.update(
        letter=letter, decimal=decimal, dataset=dataset_words, part=_part, exact=_exact
    )
    return environment


def _report_macros() -> str:
    """Return the macros of the report page, which stand before the page itself."""
    page = files("scopebench.report.page").joinpath("page.html.jinja").read_text(encoding="utf-8")
    return page.partition(_PAGE_BEGINS)[0]


def _shown(value: Any) -> Any:
    """Write out what cannot be seen in text from data; drawings of our own pass."""
    return printable(value) if type(value) is str else value


def _part(block: object) -> str:
    return type(block).__name__.lower()


def _exact(value: float) -> str:
    return f"{value:.6g}"
