"""What the starter promises to the `curated` population, table by table."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise, permutations

import pytest

from scopebench.construct.near import near_pairs
from scopebench.construct.relations import may_change
from scopebench.construct.text import bare, holds_phrase, normalise
from scopebench.sources.starter import compose
from scopebench.sources.starter.tables import (
    EditRow,
    load_counterfact,
    load_entities,
    load_multihop,
    load_other_facts,
    load_other_names,
    load_wikiupdate,
)
from scopebench.sources.starter.templates import build_evidence, load_relations, mentions

COUNTERFACT = load_counterfact()
WIKIUPDATE = load_wikiupdate()
FACTS, GROUPS = load_multihop()
MQUAKE = [
    EditRow("mquake_cf", fact.relation, fact.subject, fact.true, fact.new)
    for fact in FACTS.values()
    if fact.new is not None
]
ROWS = COUNTERFACT + WIKIUPDATE + MQUAKE
RELATION_IDS = {key: relation.relation_id for key, relation in load_relations().items()}
EDITED = {(RELATION_IDS[row.relation], row.subject.name) for row in ROWS}
BY_EDIT = {(row.dataset, row.subject.name, row.relation): row for row in ROWS}


# Other names


def test_counts_of_other_names():
    named = Counter(row.dataset for row in ROWS if row.subject.name in load_other_names())
    assert named["counterfact"] >= 50
    assert named["wikiupdate"] >= 40


def test_another_name_surely_means_its_subject():
    bearers = defaultdict(set)
    for entity in load_entities().values():
        for name in entity.names:
            bearers[bare(name)].add(entity.name)
    told = Counter()
    for subject, names in load_other_names().items():
        assert any(row.subject.name == subject for row in ROWS)
        for name in names:
            told[bare(name)] += 1
            assert bearers[bare(name)] <= {subject}
            assert len(name) > 3
            assert name[0].isupper()
            assert bare(name) not in bare(subject).split(), "a surname alone names many"
    assert set(told.values()) == {1}


def test_another_name_does_not_tell_the_objects():
    for row in ROWS:
        for name in load_other_names().get(row.subject.name, ()):
            assert not mentions(name, row.old)
            assert not mentions(name, row.new)


# Facts of another relation


def test_counts_of_other_facts():
    asked = Counter(dataset for dataset, _, _ in load_other_facts())
    assert asked["counterfact"] >= 70
    assert asked["wikiupdate"] >= 50
    assert set(asked) == {"counterfact", "wikiupdate"}


@pytest.mark.parametrize("key", load_other_facts(), ids="-".join)
def test_an_other_fact_is_left_alone_by_every_edit(key):
    row, other = BY_EDIT[key], load_other_facts()[key]
    edit, asked = load_relations()[row.relation], load_relations()[other.relation]
    assert asked.label != edit.label
    assert asked.relation_id != edit.relation_id
    assert may_change(edit.relation_id, asked.relation_id) is False
    assert (asked.relation_id, row.subject.name) not in EDITED
    assert other.object not in (row.old, row.new)
    assert not mentions(build_evidence(row).text, other.object)
    question = normalise(asked.question.replace("{}", row.subject.in_text))
    assert not any(holds_phrase(question, normalise(name)) for name in other.object.names)


def test_an_other_fact_is_asked_in_the_words_of_edits():
    asked_by_edits = {row.relation for row in ROWS}
    assert {other.relation for other in load_other_facts().values()} <= asked_by_edits


def test_every_entity_is_used():
    used = {entity.name for row in ROWS for entity in (row.subject, row.old, row.new)}
    used |= {entity.name for fact in FACTS.values() for entity in (fact.subject, fact.true)}
    used |= {other.object.name for other in load_other_facts().values()}
    assert set(load_entities()) == used


def test_a_fact_is_told_once():
    facts = defaultdict(set)
    for (_, subject, _), other in load_other_facts().items():
        facts[RELATION_IDS[other.relation], subject].add(other.object.name)
    for fact in FACTS.values():
        facts[RELATION_IDS[fact.relation], fact.subject.name].add(fact.true.name)
    assert [key for key, objects in facts.items() if len(objects) > 1] == []


# Neighbours


def test_neighbours_are_edited_nowhere():
    for row in ROWS:
        assert len(set(row.neighbors)) == len(row.neighbors) <= 3
        for neighbour in row.neighbors:
            name = neighbour.removeprefix("the ")
            assert (RELATION_IDS[row.relation], name) not in EDITED
            assert name != row.subject.name


def test_most_counterfact_edits_have_neighbours():
    assert sum(len(row.neighbors) >= 2 for row in COUNTERFACT) >= 60
    records = compose.counterfact_records()
    assert sum(bool(r["neighborhood_prompts"]) for r in records) > len(records) / 2


def test_some_updates_have_neighbours():
    prompts = [p for r in compose.wikiupdate_records() for p in r["neighborhood_prompts"]]
    assert len(prompts) >= 20
    assert "The largest dwarf planet in the Solar System is" in prompts


# Near names


def near_rows(rows: list[EditRow]) -> list[tuple[EditRow, EditRow]]:
    by_relation = defaultdict(dict)
    for row in rows:
        by_relation[RELATION_IDS[row.relation]][bare(row.subject.name)] = row
    return [
        (rows_of[first], rows_of[second])
        for rows_of in by_relation.values()
        for first, second in near_pairs(rows_of)
    ]


@pytest.mark.parametrize(
    ("rows", "least"), [(COUNTERFACT, 10), (WIKIUPDATE, 6), (MQUAKE, 2)], ids=["cf", "wu", "mq"]
)
def test_near_names(rows, least):
    pairs = near_rows(rows)
    assert len(pairs) >= least
    for first, second in pairs:
        assert first.subject.entity_id != second.subject.entity_id
        assert not mentions(first.subject.name, second.subject)
        assert not mentions(second.subject.name, first.subject)
        objects = {first.old.name, first.new.name, second.old.name, second.new.name}
        assert len(objects) == 4


# Subjects with two edits


@pytest.mark.parametrize(("rows", "least"), [(COUNTERFACT, 12), (WIKIUPDATE, 6)], ids=["cf", "wu"])
def test_subjects_with_two_edits(rows, least):
    relation_ids = defaultdict(set)
    for row in rows:
        relation_ids[row.subject.name].add(RELATION_IDS[row.relation])
    apart = [
        subject
        for subject, ids in relation_ids.items()
        if any(may_change(first, second) is False for first, second in permutations(ids, 2))
    ]
    assert len(apart) >= least


@pytest.mark.parametrize("rows", [COUNTERFACT, WIKIUPDATE], ids=["cf", "wu"])
def test_a_paragraph_is_silent_on_the_other_edit_of_its_subject(rows):
    of_subject = defaultdict(list)
    for row in rows:
        of_subject[row.subject.name].append(row)
    for same in of_subject.values():
        for first in same:
            text = build_evidence(first).text
            for second in same:
                assert first is second or not mentions(text, second.old)
                assert first is second or not mentions(text, second.new)


# Links that no edit touches


def links() -> tuple[list[list[tuple[str, str, str]]], set[tuple[str, str]]]:
    """Return every path as (subject, property, object) links, and what is edited of them."""
    paths, edited = [], set()
    for record in compose.mquake_cf_records():
        for side in ("triples", "new_triples"):
            labelled = record["orig"][f"{side}_labeled"]
            paths.append(
                [
                    (words[0], ids[1], words[2])
                    for ids, words in zip(record["orig"][side], labelled, strict=True)
                ]
            )
        edited |= {(w["subject"], w["relation_id"]) for w in record["requested_rewrite"]}
    return paths, edited


def test_unedited_hops_and_chains():
    paths, edited = links()
    unedited = {link for path in paths for link in path if link[:2] not in edited}
    chains = {
        (first, second)
        for path in paths
        for first, second in pairwise(path)
        if {first, second} <= unedited
    }
    assert len(unedited) >= 60
    assert len(chains) >= 20
    assert {link[1] for link in unedited} <= {relation_id for _, relation_id in edited}


def test_a_link_has_one_object_unless_it_is_edited():
    paths, edited = links()
    objects = defaultdict(set)
    for path in paths:
        for subject, relation_id, obj in path:
            objects[subject, relation_id].add(obj)
    assert all(len(told) == 1 or key in edited for key, told in objects.items())


# Dates


def test_every_update_has_its_dates():
    for row in WIKIUPDATE:
        assert all(row.time_old)
        assert row.time_new[0]
