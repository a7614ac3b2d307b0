from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from scopebench.errors import DataError
from scopebench.records import CONDITIONS, Edit
from scopebench.sources import Source, read_source

pytestmark = pytest.mark.real


def read(dataset: str, *paths: Path) -> Source:
    """Read, where any bad record would fail."""
    for path in paths:
        if not path.is_file():
            pytest.skip(f"NO REAL DATA: {path} is not there")
    source = read_source(dataset, paths)
    assert source.bad_records == ()
    return source


def edits_of(source: Source) -> list[Edit]:
    return [edit for case in source.cases for edit in case.edits]


def facts_of(source: Source) -> Counter[tuple[str, str | None, str]]:
    return Counter((e.subject, e.relation_id, e.target_new.text) for e in edits_of(source))


def roles_of(source: Source) -> Counter[str]:
    return Counter(probe.role for case in source.cases for probe in case.probes)


def test_akew_mquake_cf(real_data: Path) -> None:
    source = read("mquake_cf", real_data / "akew" / "MQuAKE-CF.json")
    edits = edits_of(source)
    assert source.schemas == {"MQuAKE-CF.json": "akew-mquake-cf"}
    assert (len(source.cases), len(edits), len(facts_of(source))) == (354, 436, 337)
    assert sum(len(case.edits) == 1 for case in source.cases) == 277
    assert all(edit.holds(condition) for edit in edits for condition in CONDITIONS)
    assert sum(len(edit.evidence_triples or ()) for edit in edits) == 2706
    for edit in edits:
        assert edit.subject_id is not None
        assert edit.subject_id in edit.path_entities
        assert edit.target_new.entity_id in edit.path_entities
    # A fact has one subject id and one set of aliases, whichever group it is read from.
    assert len({(e.subject, e.subject_id) for e in edits}) == len({e.subject for e in edits})
    objects = {(e.target_new.text, e.target_new.aliases) for e in edits}
    assert len(objects) == len({text for text, _ in objects})


@pytest.mark.parametrize(
    ("name", "cases", "edits", "facts"),
    [
        ("MQuAKE-hard.json", 429, 1716, 769),
        ("MQuAKE-CF_slice01_300.json", 300, 555, 422),
        ("MQuAKE-T_copy.json", 50, 50, 9),
    ],
)
def test_mquake(real_data: Path, name: str, cases: int, edits: int, facts: int) -> None:
    source = read("mquake_cf", real_data / "mquake" / name)
    assert source.schemas == {name: "mquake"}
    assert (len(source.cases), len(edits_of(source)), len(facts_of(source))) == (
        cases,
        edits,
        facts,
    )
    assert all(edit.subject_id is not None for edit in edits_of(source))
    assert not any(edit.holds("unstructured") for edit in edits_of(source))


def test_mquake_files_together_keep_their_ids_apart(real_data: Path) -> None:
    source = read(
        "mquake_cf",
        real_data / "akew" / "MQuAKE-CF.json",
        real_data / "mquake" / "MQuAKE-hard.json",
        real_data / "mquake" / "MQuAKE-T_copy.json",
    )
    assert len({case.case_id for case in source.cases}) == 354 + 429 + 50
    assert len({edit.edit_id for edit in edits_of(source)}) == 436 + 1716 + 50


def test_flat_counterfact(real_data: Path) -> None:
    folder = real_data / "counterfact"
    start = time.perf_counter()
    source = read(
        "counterfact", folder / "counterfact-edit.json", folder / "counterfact-train.json"
    )
    assert time.perf_counter() - start < 3
    assert set(source.schemas.values()) == {"counterfact-flat"}
    assert len(source.cases) == 20_000
    assert roles_of(source) == {"paraphrase": 20_000, "neighbour": 20_000}
    assert len({edit.prompt for edit in edits_of(source)}) < 250, "relations share templates"


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("counterfact_portability_gpt4.json", 1031),
        ("counterfact_with_story_prompts.json", 275),
        ("counterfact_other_attribution.json", 804),
        ("counterfact_subject_replace.json", 213),
    ],
)
def test_canonical_counterfact_agrees_with_the_flat_form(
    real_data: Path, name: str, records: int
) -> None:
    folder = real_data / "counterfact"
    source = read("counterfact", folder / name)
    assert source.schemas == {name: "counterfact"}
    assert len(source.cases) == records
    flat = {
        edit.source.record: edit
        for edit in edits_of(
            read("counterfact", folder / "counterfact-edit.json", folder / "counterfact-train.json")
        )
    }
    shared = [edit for edit in edits_of(source) if edit.source.record in flat]
    assert shared
    for edit in shared:
        twin = flat[edit.source.record]
        assert (edit.subject, edit.prompt, edit.target_new.text) == (
            twin.subject,
            twin.prompt,
            twin.target_new.text,
        )


def test_wikifactdiff(real_data: Path) -> None:
    path = real_data / "wikifactdiff" / "wfd-train.json"
    source = read("wikifactdiff", path)
    assert source.schemas == {"wfd-train.json": "wikifactdiff-flat"}
    assert len(source.cases) == 4360
    assert roles_of(source) == {"paraphrase": 4360, "neighbour": 4210}
    with pytest.raises(DataError, match=f"give it as --source wikifactdiff={path}"):
        read_source("wikiupdate", [path])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("akew/wiki_update_processed.json", "keys original_id, original_text"),
        ("pat_questions/Dec2021/PAT-singlehop.json", "found one object with the keys"),
        ("counterfact/triples.jsonl", "found JSON Lines whose first record"),
        ("rippleedits/popular_prompts.json", "whose first record is a string"),
        ("mquake/question_templates.json", "found one object with the keys"),
        ("counterfact/edits.jsonl", "keys original, target_new_object, prompt, category"),
    ],
)
def test_files_of_other_schemas_are_described(real_data: Path, path: str, found: str) -> None:
    for dataset in ("counterfact", "wikiupdate", "wikifactdiff", "mquake_cf"):
        with pytest.raises(DataError, match="the schema is not known") as caught:
            read_source(dataset, [real_data / path])
        assert found in caught.value.what


def test_hops_and_chains_of_akew_mquake_cf(real_data: Path) -> None:
    source = read("mquake_cf", real_data / "akew" / "MQuAKE-CF.json")
    probes = [probe for case in source.cases for probe in case.probes]
    hops = [probe for probe in probes if probe.role == "hop"]
    chains = [probe for probe in probes if probe.role == "chain"]
    assert (len(hops), len(chains)) == (1501, 354 * 3)
    assert all(probe.path_before and probe.path_after for probe in chains)
    for chain in chains:
        assert chain.before == chain.path_before[-1].answers
        assert chain.after == chain.path_after[-1].answers
    assert sum(hop.before == hop.after for hop in hops) == 1065
    assert all(hop.subject and hop.subject_id and hop.relation_id for hop in hops)


@pytest.mark.parametrize(
    ("name", "edits", "bad", "roles"),
    [
        (
            "wiki_counterfact_test_cf-generate-10.json",
            885,
            0,
            {
                "alias": 2408,
                "entailed": 463,
                "composed": 2221,
                "other_relation": 5486,
                "other_value": 468,
            },
        ),
        (
            "benchmark_wiki_counterfact_train_cf.json",
            1421,
            7,
            {
                "alias": 1403,
                "entailed": 304,
                "composed": 503,
                "other_relation": 1246,
                "other_value": 781,
            },
        ),
        (
            "benchmark_wiki_recent_recent_train.json",
            570,
            0,
            {
                "alias": 52,
                "entailed": 223,
                "composed": 476,
                "other_relation": 1641,
                "other_value": 298,
            },
        ),
    ],
)
def test_rippleedits(
    real_data: Path, name: str, edits: int, bad: int, roles: dict[str, int]
) -> None:
    source = read_source("rippleedits", [real_data / "rippleedits" / name], on_bad_record="skip")
    assert source.schemas == {name: "knowedit-rippleedits"}
    assert (len(edits_of(source)), len(source.bad_records)) == (edits, bad)
    assert roles_of(source) == roles
    aliases = [p for case in source.cases for p in case.probes if p.role == "alias"]
    assert all(probe.subject for probe in aliases), "all are asked in the edit's wording"


@pytest.mark.parametrize(
    ("name", "schema", "edits", "bad", "roles"),
    [
        (
            "ZsRE-test-all-generate-10.json",
            "knowedit-zsre",
            1258,
            46,
            {
                "paraphrase": 1258,
                "alias": 236,
                "entailed": 266,
                "composed": 756,
                "other_relation": 2516,
            },
        ),
        ("zsre_mend_eval_portability_gpt4.json", "mend-zsre", 1008, 29, {"paraphrase": 1008}),
        ("zsre_subject_replace.json", "mend-zsre", 260, 33, {"paraphrase": 260, "alias": 260}),
        ("zsre_inverse_relation.json", "mend-zsre", 377, 8, {"paraphrase": 377}),
    ],
)
def test_zsre(
    real_data: Path, name: str, schema: str, edits: int, bad: int, roles: dict[str, int]
) -> None:
    source = read_source("zsre", [real_data / "zsre" / name], on_bad_record="skip")
    assert source.schemas == {name: schema}
    assert (len(edits_of(source)), len(source.bad_records)) == (edits, bad)
    assert roles_of(source) == roles
