"""The Markdown report: whole tables, escaped text, the same numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.report.page.build import build_page, render_html, render_markdown
from scopebench.report.page.content import RunView
from scopebench.report.page.markdown import escaped
from scopebench.report.page.model import Table

HOSTILE = "a | b\nc `d` <b> [x](y) *z* \u202e\x1b"


def rows_of(text: str) -> list[list[str]]:
    """Return the tables' lines, each split at its unescaped pipes."""
    return [
        re.split(r"(?<!\\)\|", line.strip())[1:-1]
        for line in text.splitlines()
        if line.startswith("|")
    ]


def test_every_table_has_as_many_entries_as_its_heading(view_of: Callable[..., RunView]) -> None:
    fires = tuple(
        type(fire)(**{**fire.__dict__, "question": HOSTILE, "text": "|", "card_answer": "\\|"})
        for fire in view_of().wrong_fires
    )
    text = render_markdown([view_of(wrong_fires=fires), view_of("rag")], ())
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.M)
    assert len(blocks) > 40
    for block in blocks:
        rows = rows_of(block)
        assert re.fullmatch(r"\|(---:?\|)+", block.splitlines()[1])
        assert {len(row) for row in rows} == {len(rows[0])}


def test_text_is_escaped_in_one_line() -> None:
    assert escaped(HOSTILE) == (r"a \| b\\nc \`d\` \<b\> \[x\](y) \*z\* \\u202e\\x1b")
    assert escaped("static_fixed _x_") == r"static_fixed \_x\_"


@given(st.text())
def test_no_text_breaks_its_line_or_its_entry(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert "\r" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", shown)


def test_every_number_of_the_page_is_in_the_markdown(view_of: Callable[..., RunView]) -> None:
    text = render_markdown([view_of()], ())
    for part in build_page([view_of()], ()).parts:
        for section in part.sections:
            assert f"## {section.title}" in text
            for block in section.blocks:
                if isinstance(block, Table):
                    assert f"### {escaped(block.caption)}" in text
                    assert all(escaped(value.text) in text for value in block.values())
                    assert all(escaped(reason) in text for reason in block.reasons)
    assert "<svg" not in text


def test_both_forms_make_the_same_claim(view_of: Callable[..., RunView]) -> None:
    claim = "of which inlay captures 47.6%"
    assert claim in render_markdown([view_of()], ())
    assert claim in render_html([view_of()], ())


@pytest.mark.parametrize("names", [("inlay",), ("inlay", "rag")])
def test_equal_views_give_equal_text(
    view_of: Callable[..., RunView], names: tuple[str, ...]
) -> None:
    once, again = (render_markdown([view_of(name) for name in names], ()) for _ in range(2))
    assert once == again
