"""Put the page together from run views, as HTML or as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scopebench.errors import DataError
from scopebench.records.report import Comparison
from scopebench.report.page.content import RunView
from scopebench.report.page.headline import claim, key_figures
from scopebench.report.page.html import to_html
from scopebench.report.page.markdown import to_markdown
from scopebench.report.page.model import Page, Part
from scopebench.report.page.sections.compare import side_section, tests_section
from scopebench.report.page.sections.decisions import decisions_section, policies_section
from scopebench.report.page.sections.headroom import (
    actions_section,
    headroom_section,
    oracle_section,
)
from scopebench.report.page.sections.mix import mix_section
from scopebench.report.page.sections.repeat import matchers_section, repeat_section
from scopebench.report.page.sections.scores import fires_section, scores_section
from scopebench.report.page.sections.summary import summary_blocks

_SECTIONS = (
    oracle_section,
    actions_section,
    headroom_section,
    mix_section,
    decisions_section,
    policies_section,
    scores_section,
    fires_section,
    tests_section,
    matchers_section,
    repeat_section,
)


def render_html(runs: Sequence[RunView], comparisons: Sequence[Comparison]) -> str:
    """Return the page as one self-contained HTML file.

    Args:
        runs: At least one; the first screen is about the first.
        comparisons: Paired tests between the runs.

    Raises:
        DataError: If runs of different protocols or action sets, or of one name, are given.
    """
    return to_html(build_page(runs, comparisons))


def render_markdown(runs: Sequence[RunView], comparisons: Sequence[Comparison]) -> str:
    """Return the same numbers as Markdown tables, without charts; see `render_html`."""
    return to_markdown(build_page(runs, comparisons))


def build_page(runs: Sequence[RunView], comparisons: Sequence[Comparison]) -> Page:
    """Return the page as plain data; see `render_html`."""
    _check(runs)
    parts = [
        Part(
            name=view.name if len(runs) > 1 else "",
            about=_about(view),
            sections=tuple(section(view) for section in _SECTIONS),
        )
        for view in runs
    ]
    if len(runs) > 1:
        parts.insert(0, Part("", "", (side_section(runs, comparisons),)))
    one = len(runs) == 1
    return Page(
        title=runs[0].name if one else ", ".join(view.name for view in runs),
        about=_about(runs[0]) if one else "",
        claim=claim(runs),
        confidence=f"{runs[0].report.inference.confidence:.0%}",
        key_figures=key_figures(runs) if one else (),
        summary=() if one else summary_blocks(runs),
        parts=tuple(parts),
    )


def _check(runs: Sequence[RunView]) -> None:
    if not runs:
        raise DataError("there is no run to report on", fix="give at least one run folder")
    repeated = [name for name, n in Counter(view.name for view in runs).items() if n > 1]
    if repeated:
        raise DataError(f"two runs are called {repeated[0]!r}", fix="give each its own name")
    first = runs[0]
    for other in runs[1:]:
        if _protocol(other) != _protocol(first):
            raise DataError(
                f"its protocol id is {_protocol(other)}, that of {first.name} is "
                f"{_protocol(first)}",
                file=other.folder,
                fix="numbers of different protocols cannot stand side by side; report them apart",
            )
        if other.report.actions != first.report.actions:
            raise DataError(
                f"its action set differs from that of {first.name}",
                file=other.folder,
                fix="report them apart",
            )


def _protocol(view: RunView) -> str | None:
    return None if view.result is None else view.result.protocol.protocol_id


def _about(view: RunView) -> str:
    result = view.result
    if result is None:
        return f"A table of outcomes, {view.folder.name}."
    limit = result.benchmark.limit
    bound = "" if limit is None else f", at most {limit} queries a cell and population"
    return (
        f"{result.editor.name} {result.editor.version} beside {result.model.id} on "
        f"{result.benchmark.name} {result.benchmark.version}{bound}. "
        f"Protocol {result.protocol.protocol_id}, run {result.run_id}."
    )
