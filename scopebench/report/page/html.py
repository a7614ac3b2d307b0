"""The page as one HTML file that asks nothing of the network."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Final

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scopebench.report.console import printable
from scopebench.report.page.model import Page
from scopebench.report.page.numbers import decimal
from scopebench.report.page.words import dataset_words

_PACKAGE: Final = "scopebench.report.page"


def to_html(page: Page) -> str:
    """Return the page as HTML; equal pages give equal bytes."""
    template = environment().get_template("page.html.jinja")
    return template.render(page=page, style=asset("page.css"), script=asset("page.js"))


def environment(*loaders: BaseLoader) -> Environment:
    """Return what fills in templates, every text escaped: the macros of this page, and others.

    Args:
        loaders: Where other templates are; `blocks.html.jinja` is found for them too.
    """
    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader(_PACKAGE, package_path="")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters.update(part=_part, exact=_exact, letter=letter, decimal=decimal)
    made.filters.update(dataset=dataset_words)
    return made


def letter(position: int) -> str:
    """Return the sign of the position-th footnote: a, b, ..., z, aa, ab, ..."""
    signs = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        signs = chr(ord("a") + rest) + signs
    return signs


def _shown(value: Any) -> Any:
    """Write out what cannot be seen in text from data; drawings of our own pass."""
    return printable(value) if type(value) is str else value


def _part(block: object) -> str:
    """Return the kind of a block, by which the template chooses its form."""
    return type(block).__name__.lower()


def _exact(value: float) -> str:
    return f"{value:.6g}"


def asset(name: str) -> Markup:
    """Return a file beside this module as it is."""
    return Markup(files(_PACKAGE).joinpath(name).read_text(encoding="utf-8"))  # noqa: S704
