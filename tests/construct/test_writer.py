from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark, write_benchmark
from scopebench.construct import writer as writer_module
from scopebench.errors import DataError
from scopebench.sources.case import BadRecord, Source


def build(source, out, name="towns", facts=None, **options):
    return write_benchmark([source], out, BuildOptions(**options), name=name, facts=facts)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_build_holds_exactly_the_promised_files(town_source, tmp_path):
    manifest = build(town_source, tmp_path / "out")
    cells = [f"mquake_cf_{c}" for c in ("structured", "unstructured", "extracted")]
    tables = {f"{cell}/{split}.parquet" for cell in cells for split in ("original", "withheld")}
    # Six towns make one balanced pair, and only where both its edits have evidence.
    tables |= {
        f"{config}/curated.parquet" for config in ("mquake_cf_structured", "mquake_cf_edits")
    }
    tables.add("mquake_cf_edits/index.parquet")
    found = contents(tmp_path / "out")
    assert set(found) == tables | {"README.md", "manifest.json"}
    assert json.loads(found["manifest.json"]) == manifest
    assert manifest["files"] == {path: hashlib.sha256(found[path]).hexdigest() for path in tables}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_manifest_counts_what_was_made_and_what_was_not(town_source, tmp_path):
    bad = BadRecord("cases.json", "7", "target_new", "expected an object, found null")
    source = Source(
        town_source.dataset, town_source.schemas, town_source.files, town_source.cases, (bad,)
    )
    manifest = build(source, tmp_path / "out", withhold="shared", seed=5)
    assert manifest["options"] == {
        "withhold": "shared",
        "assign": "subject",
        "fraction": 0.5,
        "curated_size": 600,
        "seed": 5,
        "limit": None,
        "on_bad_record": "fail",
    }
    assert (manifest["limited"], manifest["seeds"]) == (False, {"build": 5})
    dataset = manifest["datasets"]["mquake_cf"]
    assert dataset["sources"] == [
        {
            "file": "cases.json",
            "schema": "invented",
            "sha256": "ab" * 32,
            "licence": "not known; see its publisher",
        }
    ]
    assert dataset["edits"] == {"read": 6, "index": 5, "withheld_index": 3, "curated_index": 3}
    assert dataset["groups"] == {"read": 5, "used": 5, "by_edits": {"1": 4, "2": 1}}
    assert dataset["clusters"] == {
        "links": ["subject", "case", "path"],
        "count": 4,
        "of_one_edit": 3,
        "largest": 2,
        "largest_share": 0.4,
    }
    assert dataset["withheld"] == {"hidden": 2, "kept": 3}
    assert dataset["drops"]["edits"]["duplicate_edit"]["count"] == 1
    assert dataset["drops"]["edits"]["duplicate_edit"]["examples"] == ["mquake_cf/3/0"]
    assert dataset["drops"]["conditions"]["extracted"]["lacks_condition"]["count"] == 1
    assert dataset["bad_records"]["count"] == 1
    assert dataset["bad_records"]["records"][0]["field"] == "target_new"
    assert manifest["configs"]["mquake_cf_edits"]["splits"] == {
        "index": {"edits": 5},
        "withheld": {"edits": 3},
        "curated": {"edits": 3},
    }
    withheld = manifest["configs"]["mquake_cf_structured"]["splits"]["withheld"]
    assert withheld == {
        "queries": 5,
        "in_scope": 3,
        "out_of_scope": 2,
        "decision_only": withheld["decision_only"],
        "clusters": 4,
        "dev": 1,
        "test": 4,
        "kinds": {"direct": 5},
    }


def test_all_contradictory_edits_are_listed_and_examples_are_few(make_edit, make_source, tmp_path):
    edits = [make_edit(str(n), subject="Hulm", new=f"Place {n}") for n in range(30)]
    manifest = build(make_source(make_edit("99"), *edits), tmp_path / "out")
    dataset = manifest["datasets"]["mquake_cf"]
    assert dataset["contradictory_edit_ids"] == [edit.edit_id for edit in edits]
    dropped = dataset["drops"]["edits"]["contradictory_edit"]
    assert dropped["count"] == 30
    assert dropped["examples"] == [edit.edit_id for edit in edits[:20]]


@pytest.mark.parametrize("options", [{}, {"withhold": "shared", "assign": "query", "seed": 2}])
def test_equal_builds_have_equal_bytes(town_source, tmp_path, options):
    for name in ("first", "second"):
        build(town_source, tmp_path / name, facts={"answers known": "3 of 5"}, **options)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_another_seed_hides_other_queries(make_edit, make_source, tmp_path):
    source = make_source(*[make_edit(str(n), subject=f"{n}{n}{n}{n}") for n in range(20)])
    hidden = []
    for seed in (0, 1):
        build(source, tmp_path / str(seed), seed=seed)
        read = read_benchmark(tmp_path / str(seed)).datasets["mquake_cf"]
        hidden.append([q.in_scope for q in read.queries["structured", "withheld"]])
    assert sorted(hidden[0]) == sorted(hidden[1]) and hidden[0] != hidden[1]


def test_a_limited_build_is_marked(town_source, tmp_path):
    manifest = build(town_source, tmp_path / "out", limit=3)
    assert manifest["limited"] is True
    assert manifest["datasets"]["mquake_cf"]["edits"]["read"] == 3
    assert "limited build** of at most 3 edits" in (tmp_path / "out/README.md").read_text("utf-8")


def test_the_card_tells_counts_kinds_drops_licences_and_facts(town_source, tmp_path):
    write_benchmark(
        [town_source],
        tmp_path / "out",
        BuildOptions(),
        name="towns",
        licences={"mquake_cf": {"cases.json": "Apache-2.0"}},
        facts={"known before any edit": "3 of 5"},
    )
    card = (tmp_path / "out/README.md").read_text("utf-8")
    for line in (
        "license: apache-2.0",
        "- n<1K",
        "| `mquake_cf_structured` | `withheld` | 5 | 3 | 2 |",
        "| `mquake_cf_edits` | `index` |  |  |  |  |  |  | 5 |",
        "| `direct` |",
        "| mquake_cf | index | `duplicate_edit` |",
        "| mquake_cf | cases.json | invented | Apache-2.0 |",
        "| known before any edit | 3 of 5 |",
    ):
        assert line in card
    assert "$" not in card
    assert "limited" not in card


def test_an_earlier_build_is_replaced_whole(town_source, make_edit, make_source, tmp_path):
    out = tmp_path / "deep" / "out"
    build(town_source, out, withhold="shared")
    build(make_source(make_edit("1", dataset="counterfact")), out)
    assert set(contents(out)) == {
        "README.md",
        "manifest.json",
        "counterfact_edits/index.parquet",
        "counterfact_structured/original.parquet",
        "counterfact_structured/withheld.parquet",
    }
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
def test_a_build_that_fails_leaves_the_earlier_one(town_source, tmp_path, monkeypatch, fault):
    out = tmp_path / "out"
    build(town_source, out)
    before = contents(out)

    def fail(*_args):
        raise fault

    monkeypatch.setattr(writer_module, "render_card", fail)
    with pytest.raises(type(fault)):
        build(town_source, out, seed=1)
    assert contents(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
def test_a_folder_of_other_files_is_refused(town_source, tmp_path, name):
    (tmp_path / name).write_text('{"format": "something else"}')
    with pytest.raises(DataError, match="holds files and is not a built benchmark"):
        build(town_source, tmp_path)
    assert set(contents(tmp_path)) == {name}


def test_files_put_beside_a_build_are_not_deleted(town_source, tmp_path):
    build(town_source, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match=r"beside an earlier build, such as notes\.txt"):
        build(town_source, tmp_path / "out")
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_a_file_as_target_is_refused_and_an_empty_folder_taken(town_source, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is a file, not a folder"):
        build(town_source, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    build(town_source, tmp_path / "empty")
    assert read_benchmark(tmp_path / "empty").name == "towns"


def test_no_source_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no source is given"):
        build_benchmark({}, tmp_path / "out", BuildOptions())
    assert list(tmp_path.iterdir()) == []
