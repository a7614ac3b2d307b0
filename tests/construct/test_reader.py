from __future__ import annotations

import json

import pytest

from scopebench.construct import BuildOptions, read_benchmark, write_benchmark
from scopebench.construct.plan import plan_benchmark
from scopebench.errors import DataError

TABLE = "mquake_cf_structured/withheld.parquet"


@pytest.fixture
def built(town_source, tmp_path):
    write_benchmark([town_source], tmp_path / "out", BuildOptions(), name="towns")
    return tmp_path / "out"


@pytest.mark.parametrize("withhold", ["own", "shared"])
def test_what_was_planned_is_read_back(town_source, tmp_path, withhold):
    options = BuildOptions(withhold=withhold)
    manifest = write_benchmark([town_source], tmp_path / "out", options, name="towns")
    (plan,) = plan_benchmark([town_source], options)
    read = read_benchmark(tmp_path / "out")
    assert (read.name, read.version) == ("towns", manifest["version"])
    assert read.manifest == manifest and read.files == manifest["files"]
    (dataset,) = read.datasets.values()
    assert dataset.queries == plan.queries
    assert dataset.index == {
        "original": plan.index,
        "withheld": plan.index if withhold == "own" else plan.withheld_index,
        "curated": plan.curated.index,
    }


def refusal(folder, **options) -> str:
    with pytest.raises(DataError) as caught:
        read_benchmark(folder, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_changed_file_is_refused_unless_not_verified(built):
    original = built / "mquake_cf_structured/original.parquet"
    (built / TABLE).write_bytes(original.read_bytes())
    assert f"{TABLE}: the SHA-256 is not the one in the manifest" in refusal(built)
    read = read_benchmark(built, verify=False).datasets["mquake_cf"].queries
    assert read["structured", "withheld"] == read["structured", "original"]


def test_a_missing_file_is_refused_even_if_not_verified(built):
    (built / TABLE).unlink()
    for verify in (True, False):
        assert f"{TABLE}: the file is missing" in refusal(built, verify=verify)


def test_a_damaged_file_is_named_even_if_not_verified(built):
    (built / TABLE).write_bytes(b"no parquet")
    assert f"{TABLE}: not a readable parquet file" in refusal(built, verify=False)


def test_a_foreign_folder_is_refused(tmp_path):
    assert "there is no manifest.json: not a built benchmark" in refusal(tmp_path)
    assert "there is no manifest.json" in refusal(tmp_path / "absent")
    for text, expected in (
        ("{", "not readable as JSON"),
        ("[]", "not the manifest of a built benchmark"),
        ('{"format": "other"}', "not the manifest of a built benchmark"),
    ):
        (tmp_path / "manifest.json").write_text(text)
        assert expected in refusal(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("format_version", 99, "format version 99 cannot be read, only 2"),
        ("files", [], "field files: the field is missing or of another type"),
        ("name", None, "field name: the field is missing or of another type"),
        ("files", {}, "mquake_cf_edits/index.parquet is not listed"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(built, field, value, expected):
    manifest = json.loads((built / "manifest.json").read_text("utf-8"))
    (built / "manifest.json").write_text(json.dumps(manifest | {field: value}))
    assert expected in refusal(built)
