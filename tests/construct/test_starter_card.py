"""What the repository says of the starter is what a build and the real model say today."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from scopebench.sources import starter

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_card_is_the_one_a_build_renders() -> None:
    built = runpy.run_path(str(ROOT / "data_cards" / "render.py"))["render"]("starter")
    committed = (ROOT / "data_cards" / "starter.md").read_text(encoding="utf-8")
    assert committed == built, "run `make cards`"


def test_the_model_knows_what_the_card_says_and_at_least_half(smollm2_dir: Path) -> None:
    measured = runpy.run_path(str(ROOT / "benchmarks" / "knowledge.py"))["measure"]()
    stored = json.loads(Path(starter.__file__).with_name("knowledge.json").read_text())
    assert measured == stored, "run `python benchmarks/knowledge.py --write` and `make cards`"
    right, asked = measured["pre_edit"]["all"]
    assert right >= asked / 2
