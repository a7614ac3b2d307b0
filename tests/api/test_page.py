"""The page on Python: its blocks run as they stand, in order, with the small real model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import scopebench as sb

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def names(smollm2_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the blocks of the page leave behind, run in a folder of their own."""
    held: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        text = PAGE.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            # Line numbers in a traceback are those of the page.
            before = "\n" * (text[: found.start(1)].count("\n"))
            exec(compile(before + found[1], str(PAGE), "exec"), held)
        held["here"] = Path.cwd()
    return held


def test_the_blocks_give_what_the_page_says(names: dict[str, Any]) -> None:
    manifest = names["bench"].manifest
    assert manifest["configs"]["mine_structured"]["splits"]["original"]["queries"] == 12
    assert sb.validate(names["here"] / "edits.csv").counts == {}
    run = names["run"]
    assert (run.result.editor.name, run.result.editor.version) == ("Named", "0")
    assert run.result.editor.origin.endswith(":Named")
    assert run.result.model.id == "smollm2-135m"
    legal = run.outcomes.to_pandas().query("legal")
    assert set(legal.action) == {"recite", "abstain"}
    assert names["both"].names == ("Named", "Never")
    assert sb.headroom(names["frame"]).pooled[0].headroom.value == pytest.approx(1 / 3)
    assert sb.headroom(names["wide"], static="large").pooled[0].headroom.value == 0.25
    for page in ("page.html", "page.md", "named.html", "numbers.csv"):
        assert (names["here"] / page).stat().st_size > 1000
    assert names["found"].ok, names["found"].faults


def test_the_numbers_of_the_run_are_those_of_a_hand_count(names: dict[str, Any]) -> None:
    """Each of six subjects has two edits with two answers, and `Named` recites one for both."""
    decisions = names["run"].decisions.to_pandas()
    assert set(decisions[decisions.population == "original"].action) == {"recite"}
    [pooled] = [row for row in names["report"].pooled if row.population == "original"]
    assert pooled.accuracy["recite"] == 6 / 12


def test_every_public_name_is_on_the_page_or_in_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    unnamed = {"BuiltBenchmark", "Report", "Run", "SideBySide", "EditorContext", "__version__"}
    for name in set(sb.__all__) - unnamed:
        assert f"sb.{name}" in text, name
