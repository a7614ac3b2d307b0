"""Builds of real files against numbers counted outside this package."""

from __future__ import annotations

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def mquake(real_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("mquake") / "out"
    files = {"mquake_cf": [real_data / "akew" / "MQuAKE-CF.json"]}
    build_benchmark(files, out, BuildOptions())
    return read_benchmark(out)


def test_mquake_cf_groups_edits_and_drops(mquake):
    dataset = mquake.manifest["datasets"]["mquake_cf"]
    assert dataset["groups"]["used"] == 354
    assert dataset["groups"]["by_edits"]["1"] == 277
    assert dataset["edits"] == {
        "read": 436,
        "index": 337,
        "withheld_index": None,
        "curated_index": 252,
    }
    assert dataset["drops"]["edits"]["duplicate_edit"]["count"] == 99
    assert dataset["contradictory_edit_ids"] == []
    # "football" for "association football" (twice), "gaelic football" for it, and for the American.
    assert dataset["drops"]["outcome_gold"]["gold_equals_target"]["count"] == 4
    assert dataset["sources"][0]["licence"] == "not stated (jianghoucheng/AnyEdit)"


def test_mquake_cf_halves_and_folds(mquake):
    queries = mquake.datasets["mquake_cf"].queries
    assert set(queries) == {
        (condition, population)
        for condition in ("structured", "unstructured", "extracted")
        for population in ("original", "withheld", "curated")
    }
    withheld = queries["structured", "withheld"]
    assert sum(query.answers is None for query in withheld) == 4
    assert len(withheld) == 337
    assert sum(not query.in_scope for query in withheld) == 168  # round(168.5), to even
    assert sum(query.fold == "dev" for query in withheld) == 67  # round(0.2 * 337)
    assert sum(query.fold == "dev" and not query.in_scope for query in withheld) == 34
    assert all(query.in_scope for query in queries["structured", "original"])


def test_mquake_cf_clusters_are_no_giant(mquake):
    clusters = mquake.manifest["datasets"]["mquake_cf"]["clusters"]
    assert clusters["links"] == ["subject", "case", "path"]
    assert (clusters["count"], clusters["largest"]) == (186, 44)


def test_mquake_files_that_edit_every_hop_fall_back_to_weaker_links(real_data, tmp_path):
    files = {"mquake_cf": [real_data / "mquake" / "MQuAKE-hard.json"]}
    manifest = build_benchmark(files, tmp_path / "out", BuildOptions())
    dataset = manifest["datasets"]["mquake_cf"]
    assert dataset["clusters"]["links"] == ["subject", "case"]
    assert dataset["clusters"]["largest_share"] < 0.25
    asked = sum(dataset["withheld"].values())
    assert dataset["withheld"]["hidden"] == round(asked / 2)


def test_counterfact_full_records_hold_one_contradiction(real_data, tmp_path):
    files = {"counterfact": [real_data / "counterfact" / "counterfact_portability_gpt4.json"]}
    manifest = build_benchmark(files, tmp_path / "out", BuildOptions())
    dataset = manifest["datasets"]["counterfact"]
    assert dataset["edits"]["index"] == 1029
    assert len(dataset["contradictory_edit_ids"]) == 2
    assert dataset["withheld"] == {"hidden": 514, "kept": 515}  # round(514.5), to even


@pytest.mark.slow
def test_counterfact_flat_records_lose_what_one_memory_cannot_hold(real_data, tmp_path):
    names = ("counterfact-edit.json", "counterfact-train.json")
    files = {"counterfact": [real_data / "counterfact" / name for name in names]}
    manifest = build_benchmark(files, tmp_path / "out", BuildOptions())
    dataset = manifest["datasets"]["counterfact"]
    assert dataset["edits"]["read"] == 20_000
    # 435 stand against an edit in their own template, the others against one in other words.
    assert dataset["drops"]["edits"]["duplicate_edit"]["count"] == 11
    assert dataset["drops"]["edits"]["contradictory_edit"]["count"] == 872
    assert dataset["edits"]["index"] == 20_000 - 11 - 872
    assert dataset["clusters"]["largest"] == 35
