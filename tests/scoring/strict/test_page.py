"""The page of the matchers: a section for each rule, and every example as the matcher judges it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from scopebench.scoring.match import MATCHER_VERSIONS, match
from scopebench.scoring.strict import Rules

PAGE = (Path(__file__).parents[3] / "docs" / "matching.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^#|\Z)", PAGE, re.M | re.S))
EXAMPLES = [
    (rule, *row)
    for rule, text in SECTIONS.items()
    for row in re.findall(r"^\| `(.+?)` \| `(.+?)` \| (right|wrong) \|$", text, re.M)
]


def test_every_rule_has_a_section_with_its_mirror_image() -> None:
    assert list(SECTIONS) == [field.name for field in fields(Rules)]
    for rule in SECTIONS:
        assert {row[3] for row in EXAMPLES if row[0] == rule} == {"right", "wrong"}, rule


def test_the_page_names_the_version() -> None:
    assert f"`{MATCHER_VERSIONS['strict']}`" in PAGE


@pytest.mark.parametrize(("rule", "answer", "gold", "verdict"), EXAMPLES)
def test_every_example_is_judged_as_it_says(
    rule: str, answer: str, gold: str, verdict: str
) -> None:
    asked = re.search(r'\(Question: "(.+?)"\)', SECTIONS[rule])
    question = asked.group(1) if asked else "What is it?"
    found = match(answer, [gold], question=question, matcher="strict")
    assert found.correct is (verdict == "right")
