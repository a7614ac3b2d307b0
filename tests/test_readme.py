"""The README is short, its links lead somewhere, and its figures stand where they are filled in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST = 7_000
"""Bytes: about what one reads in a minute."""

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_is_read_in_a_minute() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= MOST


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    for link in (first or second for first, second in links):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page if not path else (page.parent / path)
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives a page's headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_is_in_the_table_of_pages() -> None:
    table = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        if page.name != "README.md":
            assert f"({page.name})" in table, page.name


def test_figures_stand_in_their_places() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    places = re.findall(r"results:begin ([\w-]+) -->(.*?)<!-- results:end \1 ", text, re.S)
    assert [name for name, _ in places] == ["picture", "headroom", "output"]
    assert all(held.strip() for _, held in places)
    outside = re.sub(r"<!-- results:begin.*?results:end \w+ -->", "", text, flags=re.S)
    outside = outside.replace("arXiv 2608.26292", "")
    assert not re.search(r"\d\.\d\d|%", outside.replace("Python 3.11", ""))
