"""Runs, reports and benchmarks as a piece of HTML, for notebooks: no page around it, no script.

The blocks are those of the page, so a notebook shows the same numbers in the same words. The piece
asks nothing of the network, and everything in it that comes from data is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopebench.records import Comparison, Report, RunResult
from scopebench.report.page.content import RunView
from scopebench.report.page.headline import claim, key_figures
from scopebench.report.page.html import asset, environment
from scopebench.report.page.model import (
    Block,
    Column,
    Group,
    KeyFigure,
    Row,
    Section,
    Table,
    Value,
)
from scopebench.report.page.numbers import count
from scopebench.report.page.sections.compare import side_section
from scopebench.report.page.sections.decisions import decisions_section
from scopebench.report.page.sections.headroom import oracle_section


@dataclass(frozen=True)
class Fragment:
    """What a notebook shows of one object.

    Attributes:
        title: What it is, in a few words.
        claim: What it shows, in one sentence.
        confidence: Level of all intervals, as it is shown.
        key_figures: The numbers it rests on.
        blocks: Tables and notes.
        foot: Said below them.
    """

    title: str
    claim: str = ""
    confidence: str = ""
    key_figures: tuple[KeyFigure, ...] = ()
    blocks: tuple[Block, ...] = ()
    foot: str = ""


def report_fragment(report: Report, title: str) -> str:
    """Return a report as HTML."""
    return views_fragment([RunView(title, Path(title), None, report)], ())


def run_fragment(result: RunResult, folder: Path) -> str:
    """Return a run as HTML."""
    name = result.editor.name
    return views_fragment([RunView(name, folder, result, result, result.paper_matcher)], ())


def views_fragment(views: Sequence[RunView], comparisons: Sequence[Comparison]) -> str:
    """Return one run, or several side by side with their paired tests, as HTML."""
    sections: tuple[Section, ...]
    if len(views) == 1:
        sections = (oracle_section(views[0]), decisions_section(views[0]))
    else:
        sections = (side_section(views, comparisons),)
    tables = tuple(
        block for section in sections for block in section.blocks if isinstance(block, Table)
    )
    fragment = Fragment(
        title=", ".join(_title(view) for view in views),
        claim=claim(views),
        confidence=f"{views[0].report.inference.confidence:.0%}",
        key_figures=key_figures(views),
        blocks=tables,
    )
    return _to_html(fragment)


def benchmark_fragment(manifest: Mapping[str, Any], folder: Path) -> str:
    """Return what a built benchmark holds as HTML, from its manifest."""
    columns = (Column("rows"), Column("in scope"), Column("out of scope"))
    groups = tuple(
        Group(config, tuple(_split_row(split, counts) for split, counts in told["splits"].items()))
        for config, told in manifest["configs"].items()
    )
    table = Table("What it holds", "split", columns, groups)
    title = f"{manifest['name']} {manifest['version']}"
    return _to_html(Fragment(title, blocks=(table,), foot=str(folder)))


def _split_row(split: str, counts: Mapping[str, Any]) -> Row:
    numbers = (counts.get("queries", counts.get("edits")), counts.get("in_scope"))
    told = (*numbers, counts.get("out_of_scope"))
    return Row(split, tuple(Value("–" if n is None else count(n), exact=n) for n in told))


def _title(view: RunView) -> str:
    if view.result is None:
        return view.name
    limit = view.result.benchmark.limit
    bound = "" if limit is None else f", at most {limit} queries a cell and population"
    return f"{view.name} beside {view.result.model.id}{bound}"


def _to_html(fragment: Fragment) -> str:
    template = environment().get_template("notebook.html.jinja")
    return template.render(fragment=fragment, style=asset("notebook.css"))
