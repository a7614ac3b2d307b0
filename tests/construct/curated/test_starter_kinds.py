"""The `curated` population of the starter, whole: what a reader is promised of it."""

from __future__ import annotations

from collections import Counter

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.construct.curated import KINDS
from scopebench.construct.leak import POOLED_LIMIT
from scopebench.construct.text import normalise
from scopebench.records import CONDITIONS
from scopebench.validate import validate_path

CELLS = [
    (dataset, condition)
    for dataset in ("counterfact", "mquake_cf", "wikiupdate")
    for condition in CONDITIONS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("starter") / "out"
    build_benchmark(None, out, BuildOptions())
    return out


@pytest.fixture(scope="module")
def starter(folder):
    return read_benchmark(folder)


def rows(starter, dataset, condition):
    return starter.datasets[dataset].queries[condition, "curated"]


@pytest.mark.parametrize(("dataset", "condition"), CELLS)
def test_every_cell_is_balanced_and_bounded(starter, dataset, condition):
    queries = rows(starter, dataset, condition)
    assert 200 <= len(queries) <= BuildOptions().curated_size
    assert 2 * sum(query.in_scope for query in queries) == len(queries)
    for fold in ("dev", "test"):
        own = [query for query in queries if query.fold == fold]
        assert 2 * sum(query.in_scope for query in own) == len(own)
    kinds = Counter(query.kind for query in queries)
    for kind in KINDS:
        if kind.share < 1:
            assert kinds[kind.name] <= kind.share * len(queries) + 1


@pytest.mark.parametrize(("dataset", "condition"), CELLS)
def test_the_question_alone_does_not_tell_the_label(starter, dataset, condition):
    leak = starter.manifest["datasets"][dataset]["curated"]["leak"][condition]
    assert leak["pooled"] <= POOLED_LIMIT


@pytest.mark.parametrize(("dataset", "condition"), CELLS)
def test_static_policies_lose_half_of_the_decisions(starter, dataset, condition):
    shares = starter.manifest["datasets"][dataset]["curated"]["policies"][condition]
    assert shares == {
        "oracle": 1.0,
        "always_fire": 0.5,
        "always_abstain": 0.5,
        "oracle_over_best_static": 0.5,
    }


def test_every_kind_is_there_in_both_its_labels(starter):
    found = {
        (query.kind, query.in_scope)
        for dataset, condition in CELLS
        for query in rows(starter, dataset, condition)
    }
    wanted = set()
    for kind in KINDS:
        if kind.scope in ("in", "both"):
            wanted.add((kind.name, True))
        if kind.scope in ("out", "both"):
            wanted.add((kind.name, False))
    assert found == wanted


def test_rows_differ_between_conditions_only_where_labels_do(starter):
    for dataset in starter.datasets:
        labels = {}
        for condition in CONDITIONS:
            for query in rows(starter, dataset, condition):
                labels.setdefault(query.query_id, {})[condition] = query
        for query_id, found in labels.items():
            questions = {query.question for query in found.values()}
            assert len(questions) == 1, query_id
            assert len({query.governing_edit_ids for query in found.values()}) == 1


def test_a_side_fact_is_asked_where_cards_state_such(starter):
    asked = {
        condition: [q for q in rows(starter, "counterfact", condition) if q.kind == "side_fact"]
        for condition in CONDITIONS
    }
    assert asked["structured"] == [] and asked["unstructured"]
    assert {q.query_id for q in asked["unstructured"]} == {q.query_id for q in asked["extracted"]}
    index = {edit.edit_id: edit for edit in starter.datasets["counterfact"].index["curated"]}
    for query in asked["unstructured"]:
        if query.in_scope:
            (edit_id,) = query.governing_edit_ids
            card = normalise(index[edit_id].evidence_unstructured)
            assert normalise(query.answers[0]) in card
        else:
            assert query.answers is None and query.hidden_edit_ids
            ends = [normalise(query.hops[0].subject), normalise(query.hops[0].object)]
            cards = [normalise(edit.evidence_unstructured) for edit in index.values()]
            assert not any(all(end in card for end in ends) for card in cards)


def test_a_date_tells_no_label(starter):
    asked = [q for q in rows(starter, "wikiupdate", "structured") if q.kind == "temporal"]
    assert len(asked) >= 30
    inside = Counter(query.date for query in asked if query.in_scope)
    assert inside == Counter(query.date for query in asked if not query.in_scope)


def test_labels_hold_in_the_index_that_is_left(starter):
    for dataset, condition in CELLS:
        splits = starter.datasets[dataset]
        left = {edit.edit_id: edit for edit in splits.index["curated"]}
        deleted = {edit.edit_id for edit in splits.deleted["curated"]}
        assert deleted and not deleted & left.keys()
        for query in rows(starter, dataset, condition):
            assert set(query.governing_edit_ids) <= left.keys()
            assert set(query.hidden_edit_ids) <= deleted
            if query.kind in ("direct", "paraphrase"):
                (edit_id, *_) = query.governing_edit_ids
                assert query.answers == left[edit_id].target_new.answers


def test_a_twin_is_a_positive_of_the_same_build(starter):
    for dataset, condition in CELLS:
        splits = starter.datasets[dataset]
        known = {query.query_id: query for queries in splits.queries.values() for query in queries}
        for query in rows(starter, dataset, condition):
            if query.twin_id is not None:
                assert not query.in_scope
                assert known[query.twin_id].in_scope


def test_the_validator_finds_nothing_wrong(folder):
    validation = validate_path(folder)
    assert validation.number_of("error") == 0
    assert not validation.fails(strict=True)


def test_seeds_change_the_mix_and_equal_seeds_do_not(folder, tmp_path):
    again = build_benchmark(None, tmp_path / "again", BuildOptions())
    other = build_benchmark(None, tmp_path / "other", BuildOptions(seed=1))
    files = read_benchmark(folder).files
    assert again["files"] == files
    path = "counterfact_structured/curated.parquet"
    assert other["files"][path] != files[path]
