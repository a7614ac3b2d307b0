"""The page's numbers as Markdown (GitHub's flavour): tables with their definitions, no charts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scopebench.report.console import printable
from scopebench.report.page.html import letter
from scopebench.report.page.model import (
    Block,
    Commands,
    Facts,
    Figure,
    Fires,
    Note,
    Page,
    Part,
    Section,
    Table,
    Value,
)
from scopebench.report.page.numbers import NOTHING, decimal

_SPECIAL: Final = re.compile(r"([\\`*\[\]<>|#~&$]|(?<!\w)_|_(?!\w))")


def to_markdown(page: Page) -> str:
    """Return the page as Markdown; equal pages give equal bytes."""
    lines = [f"# ScopeBench report: {escaped(page.title)}", ""]
    lines += [f"**{escaped(page.claim)}**", ""]
    if page.about:
        lines += [escaped(page.about), ""]
    if page.key_figures:
        header = ("key figure", "value", f"{page.confidence} interval", "definition")
        rows = [
            (k.label, k.value.text, k.value.interval or k.value.reason or NOTHING, k.definition)
            for k in page.key_figures
        ]
        lines += [*_grid(header, rows, numeric=(1, 2)), ""]
    for block in page.summary:
        if shown := _block(block):
            lines += [*shown, ""]
    for part in page.parts:
        lines += _folded(part) if page.summary else _sections(part)
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Return text from data that Markdown shows as it stands, in one line."""
    return _SPECIAL.sub(r"\\\1", _flat(text))


def _flat(text: str) -> str:
    return printable(text).replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def _sections(part: Part) -> list[str]:
    return [line for section in part.sections for line in _section(section)]


def _folded(part: Part) -> list[str]:
    """Return a part behind its name; inside HTML a name is escaped as HTML, and not as Markdown."""
    name = html.escape(_flat(part.name or part.sections[0].title))
    about = [escaped(part.about), ""] if part.about else []
    opening = ["<details>", f"<summary><b>{name}</b></summary>", ""]
    return [*opening, *about, *_sections(part), "</details>", ""]


def _section(section: Section) -> list[str]:
    lines = [f"## {escaped(section.title)}", "", escaped(section.lead), ""]
    for block in section.blocks:
        shown = _block(block)
        if shown:
            lines += [*shown, ""]
    return lines


def _block(block: Block) -> list[str]:
    match block:
        case Table():
            return table_lines(block)
        case Note():
            shown = escaped(block.text)
            return [f"**{shown}**" if block.tone == "bad" else shown]
        case Facts():
            rows = [(name, value) for name, value in block.items]
            return [f"### {escaped(block.caption)}", "", *_grid(("what", "value"), rows)]
        case Commands():
            fence = _fence(block.lines)
            return [f"{fence}sh", *map(printable, block.lines), fence]
        case Fires():
            return _fires(block)
        case Figure():
            return []


def _fence(lines: Iterable[str]) -> str:
    """Return a code fence longer than any run of backticks inside."""
    runs = [len(run) for line in lines for run in re.findall(r"`+", line)]
    return "`" * max(3, max(runs, default=0) + 1)


def table_lines(table: Table) -> list[str]:
    """Return a table with its caption as a heading, its reasons, notes and definitions."""
    lines = [f"### {escaped(table.caption)}", ""]
    header = (table.head, *(column.label for column in table.columns))
    numeric = [place for place, column in enumerate(table.columns, 1) if not column.words]
    reasons = table.reasons
    for group in table.groups:
        if group.label:
            lines += [f"**{escaped(group.label)}**", ""]
        rows = [
            (
                f"{row.head} ({row.note})" if row.note else row.head,
                *(_value(value, reasons) for value in row.values),
            )
            for row in group.rows
        ]
        lines += [*_grid(header, rows, numeric), ""]
    lines += [f"- ({letter(place)}) {escaped(why)}" for place, why in enumerate(reasons)]
    lines += [f"- {escaped(note)}" for note in table.notes]
    if table.methods:
        lines.append(f"- Intervals: {escaped('; '.join(table.methods))}.")
    lines += [
        f"- *{escaped(c.label)}*: {escaped(c.definition)}" for c in table.columns if c.definition
    ]
    while lines[-1] == "":
        lines.pop()
    return lines


def _value(value: Value, reasons: Sequence[str]) -> str:
    if value.reason:
        absent = "" if value.exact is None else "no interval: "
        return f"{value.text} ({absent}{letter(reasons.index(value.reason))})"
    return f"{value.text} ({value.interval})" if value.interval else value.text


def _fires(block: Fires) -> list[str]:
    header = (
        *("kind", "fault", "cell", "question", "accepted", "card asks", "card answers"),
        *("answered", "right", "score", "margin", "query", "card"),
    )
    rows = [
        (
            fire.kind,
            "wrong edit" if fire.in_scope else "false fire",
            f"{fire.dataset} {fire.condition}, {fire.population}",
            fire.question,
            "not known" if fire.answers is None else " / ".join(fire.answers),
            _or_nothing(fire.card_question),
            _or_nothing(fire.card_answer),
            _or_nothing(fire.text),
            "not scorable" if fire.correct is None else "yes" if fire.correct else "no",
            NOTHING if fire.scope_score is None else decimal(fire.scope_score),
            NOTHING if fire.margin is None else decimal(fire.margin),
            fire.query_id,
            _or_nothing(fire.edit_id),
        )
        for fire in block.fires
    ]
    return [f"### {escaped(block.caption)}", "", *_grid(header, rows, numeric=(9, 10))]


def _or_nothing(text: str | None) -> str:
    return NOTHING if text is None else text


def _grid(
    header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()
) -> Iterator[str]:
    yield _line(header)
    yield (
        "|" + "|".join("---:" if place in numeric else "---" for place in range(len(header))) + "|"
    )
    for row in rows:
        yield _line(row)


def _line(entries: Iterable[str]) -> str:
    return "| " + " | ".join(escaped(entry) or " " for entry in entries) + " |"
