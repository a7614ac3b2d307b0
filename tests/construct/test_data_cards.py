"""The committed cards of real files are those that a build of these files renders."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

CARDS = Path(__file__).resolve().parents[2] / "data_cards"


@pytest.mark.real
@pytest.mark.parametrize(
    "name",
    [
        "mquake_cf",
        "rippleedits",
        pytest.param("wikifactdiff", marks=pytest.mark.slow),
        pytest.param("counterfact", marks=pytest.mark.slow),
    ],
)
def test_the_card_of_a_real_source_is_current(name: str, real_data: Path) -> None:
    module = runpy.run_path(str(CARDS / "render.py"))
    if not all((real_data / path).is_file() for path in module["FILES"][name]):
        pytest.skip(f"NOT CHECKED: the files of {name} are not at hand")
    committed = (CARDS / f"{name}.md").read_text(encoding="utf-8")
    assert committed == module["render"](name), "run `make cards`"


def test_no_committed_card_of_a_real_source_shows_a_record() -> None:
    for path in CARDS.glob("*.md"):
        header = next(line for line in path.read_text("utf-8").splitlines() if "| kind |" in line)
        assert ("example" in header) is (path.stem == "starter")
