"""What published files hold, counted (reference counts: docs/validate.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopebench.construct import BuildOptions, build_benchmark
from scopebench.validate import Validation, validate_path

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def counterfact(real_data: Path) -> Validation:
    return validate_path(real_data / "counterfact" / "counterfact-edit.json")


@pytest.fixture(scope="module")
def mquake(real_data: Path) -> Validation:
    return validate_path(real_data / "akew" / "MQuAKE-CF.json")


def test_flat_counterfact(counterfact: Validation) -> None:
    counts = counterfact.counts
    assert counts["contradictory_edits"] == 62
    assert counts["contaminated_locality"] == 648
    assert counts["mentions_edited_subject"] == 1522
    assert counts["duplicate_probe"] + counts["contradictory_probe"] == 1628
    assert "bad_record" not in counts
    # 46 groups of one subject and old object differ in their templates and new objects. Those whose
    # relations the build's table tells apart, or finds to be one, are not counted as such.
    assert 0 < counts.get("conflicting_answers", 0) + counts.get("contradictory_edits_reworded", 0)
    assert counts.get("conflicting_answers", 0) <= 46


def test_flat_counterfact_echoes(counterfact: Validation) -> None:
    fields = [f.field for f in counterfact.findings if f.check == "echo"]
    assert fields.count("target_true") == 924
    assert fields.count("locality_prompt") == 842


def test_contaminated_prompts_do_not_name_their_own_record(counterfact: Validation) -> None:
    found = [f for f in counterfact.findings if f.check == "contaminated_locality"]
    assert all(f.other_records and f.record not in f.other_records for f in found)
    assert len({f.record for f in found}) == 648


def test_mquake_groups(mquake: Validation) -> None:
    counts = mquake.counts
    assert counts["path_edited_elsewhere"] == 61
    assert counts["path_before_edited_elsewhere"] == 20
    short = {
        f.record
        for f in mquake.findings
        if f.check == "short_alias" and (f.field or "").startswith("questions")
    }
    assert len(short) == 208


@pytest.mark.parametrize(
    "file",
    [
        "counterfact/counterfact-train.json",
        "counterfact/counterfact_subject_replace.json",
        "mquake/MQuAKE-T_copy.json",
        "rippleedits/benchmark_wiki_recent_recent_train.json",
        "wikifactdiff/wfd-train.json",
        "zsre/zsre_subject_replace.json",
    ],
)
def test_every_known_form_is_validated(real_data: Path, file: str) -> None:
    validation = validate_path(real_data / file)
    assert validation.kind == "raw"
    assert validation.findings


def test_a_real_build_is_sound(real_data: Path, tmp_path: Path) -> None:
    sources = {"mquake_cf": [real_data / "akew" / "MQuAKE-CF.json"]}
    build_benchmark(sources, tmp_path / "mquake", BuildOptions(curated_size=0))
    validation = validate_path(tmp_path / "mquake")
    assert not validation.fails(), validation.findings[:3]


def test_the_starter_is_sound(tmp_path: Path) -> None:
    build_benchmark(None, tmp_path / "starter", BuildOptions(curated_size=0))
    validation = validate_path(tmp_path / "starter")
    assert not validation.fails(), validation.findings[:3]
