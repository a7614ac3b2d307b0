"""The card memory: what is nearest, and that only the set of visible cards matters."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.errors import EditorError
from scopebench.records import FactObject, Triple
from scopebench.testing import ToyEncoder, ToyModel
from scopebench_editors.cards import CardMemory, Ranking

NONE = frozenset[str]()

# Three questions in the plane; "north" is the query's own direction.
PLANE = {
    "near": (0.8, 0.6),
    "twin": (0.8, 0.6),
    "far": (0.0, 1.0),
    "north": (1.0, 0.0),
    "back": (-1.0, 0.0),
}


@pytest.fixture
def plane(table_encoder, make_edit):
    memory = CardMemory(table_encoder(PLANE), ToyModel())
    memory.write(
        [
            make_edit("d/1/0", subject="A", question="far"),
            make_edit("d/2/0", subject="B", question="near"),
            make_edit("d/3/0", subject="C", question="back"),
        ]
    )
    return memory


def _pairs(ranking: Ranking) -> list[tuple[str, float]]:
    return [(c.edit_id, round(c.score, 6)) for c in ranking.candidates]


def _rank(memory, text="north", hidden=NONE, **more):
    [ranking] = memory.nearest(
        memory.embed([text]), [hidden], **{"condition": "structured", **more}
    )
    return ranking


def test_cards_are_ranked_by_cosine(plane):
    ranking = _rank(plane)
    assert _pairs(ranking) == [("d/2/0", 0.8), ("d/1/0", 0.0), ("d/3/0", -1.0)]
    assert ranking.runner_up == pytest.approx(0.0, abs=1e-6)


def test_k_cuts_the_candidates_and_not_the_runner_up(plane):
    ranking = _rank(plane, k=1)
    assert _pairs(ranking) == [("d/2/0", 0.8)]
    assert ranking.runner_up == pytest.approx(0.0, abs=1e-6)


def test_a_hidden_card_is_not_ranked_and_unknown_hidden_ids_are_ignored(plane):
    ranking = _rank(plane, hidden=frozenset({"d/2/0", "d/9/9"}))
    assert _pairs(ranking) == [("d/1/0", 0.0), ("d/3/0", -1.0)]


def test_with_all_cards_hidden_nothing_is_ranked(plane):
    assert _rank(plane, hidden=frozenset({"d/1/0", "d/2/0", "d/3/0"})) == Ranking()


def test_equal_scores_go_to_the_smaller_id(plane, make_edit):
    plane.write([make_edit("d/15/0", subject="T", question="twin")])
    assert [edit_id for edit_id, _ in _pairs(_rank(plane))][:2] == ["d/15/0", "d/2/0"]


def test_a_second_card_for_the_same_fact_does_not_compete(plane, make_edit):
    same = make_edit("d/4/0", subject="b", question="twin")  # the same subject but for case
    plane.write([same])
    ranking = _rank(plane)
    assert _pairs(ranking)[:2] == [("d/2/0", 0.8), ("d/4/0", 0.8)]
    assert ranking.runner_up == pytest.approx(0.0, abs=1e-6)
    assert _rank(plane, k=2).runner_up == ranking.runner_up  # found beyond the candidates


def test_the_runner_up_is_null_where_every_card_states_one_fact(table_encoder, make_edit):
    memory = CardMemory(table_encoder(PLANE), ToyModel())
    memory.write([make_edit("d/1/0", question="near"), make_edit("d/2/0", question="far")])
    ranking = _rank(memory)
    assert len(ranking.candidates) == 2
    assert ranking.runner_up is None


def test_subjects_with_ids_are_compared_by_id(table_encoder, make_edit):
    memory = CardMemory(table_encoder(PLANE), ToyModel())
    memory.write(
        [
            make_edit("d/1/0", subject="Springfield", subject_id="Q1", question="near"),
            make_edit("d/2/0", subject="Springfield", subject_id="Q2", question="far"),
        ]
    )
    assert _rank(memory).runner_up == pytest.approx(0.0, abs=1e-6)


def test_a_card_is_only_visible_under_the_conditions_it_holds(plane, make_edit):
    triple = Triple(subject="T", prompt="{} is", target="x")
    plane.write([make_edit("d/7/0", subject="T", question="far", evidence_triples=(triple,))])
    assert _pairs(_rank(plane, condition="extracted")) == [("d/7/0", 0.0)]
    assert _rank(plane, condition="unstructured") == Ranking()
    assert len(_rank(plane).candidates) == 4


def test_a_card_keeps_its_answer_as_tokens(plane):
    assert plane["d/2/0"].answer_tokens == (ord("B"), ord("o"))


def test_writing_a_stored_edit_again_encodes_nothing(table_encoder, make_edit):
    encoder = table_encoder(PLANE)
    memory = CardMemory(encoder, ToyModel())
    memory.write([make_edit("d/1/0", question="near")])
    memory.write([make_edit("d/1/0", question="near")])
    assert encoder.encoded == 1
    assert len(memory) == 1


def test_another_edit_under_a_stored_id_replaces_it(plane, make_edit):
    plane.write([make_edit("d/2/0", subject="B", question="back", new="Other")])
    assert len(plane) == 3
    assert plane["d/2/0"].edit.target_new == FactObject(text="Other")
    assert _pairs(_rank(plane))[0] == ("d/1/0", 0.0)


def test_a_write_that_fails_stores_nothing(plane, make_edit):
    with pytest.raises(KeyError):
        plane.write([make_edit("d/8/0", question="near"), make_edit("d/9/0", question="unheard")])
    assert len(plane) == 3


def test_a_deletion_is_all_or_nothing(plane):
    with pytest.raises(EditorError, match=r"cannot delete 'd/0/0': no such edit is stored"):
        plane.delete(["d/2/0", "d/0/0"])
    assert len(plane) == 3
    plane.delete(["d/2/0", "d/2/0"])
    assert [edit_id for edit_id, _ in _pairs(_rank(plane))] == ["d/1/0", "d/3/0"]


def test_an_unknown_card_is_refused(plane):
    with pytest.raises(EditorError, match="no edit 'd/0/0' is stored"):
        plane["d/0/0"]


def test_hidden_sets_must_match_the_queries(plane):
    with pytest.raises(EditorError, match="1 hidden sets for 2 queries"):
        plane.nearest(plane.embed(["north", "near"]), [NONE], condition="structured")


WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")
ids = st.integers(0, 11).map(lambda number: f"d/{number}/0")


@pytest.fixture(scope="module")
def twelve(make_edit):
    """Twelve edits that share words, two facts stated twice and two questions asked twice."""
    return [
        make_edit(
            f"d/{n}/0",
            subject=WORDS[n % 5],
            relation=f"P{n % 3 if n < 10 else 0}",
            question=f"{WORDS[n % 5]} {WORDS[(n * n) % 6]} {'x' * (n % 2)}",
        )
        for n in range(12)
    ]


def _memory(edits) -> CardMemory:
    memory = CardMemory(ToyEncoder(), ToyModel())
    memory.write(edits)
    return memory


def _all(memory, questions, hidden):
    return memory.nearest(memory.embed(questions), hidden, condition="structured", k=4)


QUESTIONS = ["amber birch", "cedar", "ember fjord x", "something else", "delta amber"]


@settings(max_examples=40, deadline=None)
@given(st.sets(ids), st.randoms(use_true_random=False))
def test_hidden_deleted_and_never_written_are_the_same(twelve, gone, random):
    never = _memory([edit for edit in twelve if edit.edit_id not in gone])
    deleted = _memory(random.sample(twelve, len(twelve)))
    deleted.delete(gone)
    expected = _all(never, QUESTIONS, [NONE] * 5)
    assert _all(_memory(twelve), QUESTIONS, [frozenset(gone)] * 5) == expected
    assert _all(deleted, QUESTIONS, [NONE] * 5) == expected


@settings(max_examples=30, deadline=None)
@given(st.lists(st.frozensets(ids), min_size=5, max_size=5))
def test_a_query_is_ranked_alike_alone_and_among_others(twelve, hidden):
    memory = _memory(twelve)
    together = _all(memory, QUESTIONS, hidden)
    alone = [_all(memory, [q], [h])[0] for q, h in zip(QUESTIONS, hidden, strict=True)]
    assert together == alone


@settings(max_examples=30, deadline=None)
@given(st.frozensets(ids))
def test_the_ranking_is_a_sort_of_the_visible_cards(twelve, hidden):
    memory = _memory(twelve)
    for question, ranking in zip(QUESTIONS, _all(memory, QUESTIONS, [hidden] * 5), strict=True):
        [key] = memory.embed([question])
        visible = [edit.edit_id for edit in twelve if edit.edit_id not in hidden]
        score = {edit_id: float(key @ memory[edit_id].key) for edit_id in visible}
        order = sorted(visible, key=lambda edit_id: (-score[edit_id], edit_id))
        assert [(c.edit_id, c.score) for c in ranking.candidates] == [
            (edit_id, score[edit_id]) for edit_id in order[:4]
        ]
        others = [score[i] for i in order if memory[i].fact != memory[order[0]].fact]
        assert ranking.runner_up == max(others, default=None)


@pytest.mark.slow
def test_twenty_thousand_queries_against_twenty_thousand_cards(make_edit):
    vectors = np.random.default_rng(0).standard_normal((20_000, 192)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = [f"q{n}" for n in range(20_000)]

    class Encoder(ToyEncoder):
        def encode(self, texts):
            return vectors[[int(text[1:]) for text in texts]]

    memory = CardMemory(Encoder(192), ToyModel())
    memory.write(
        [make_edit(f"d/{n}/0", subject=name, question=name) for n, name in enumerate(names)]
    )
    keys = memory.embed(names)
    own = [frozenset({f"d/{n}/0"}) if n % 2 else NONE for n in range(20_000)]
    begun = time.perf_counter()
    rankings = memory.nearest(keys, own, condition="structured")
    assert time.perf_counter() - begun < 60
    for n, ranking in enumerate(rankings):
        assert (ranking.candidates[0].edit_id == f"d/{n}/0") == (n % 2 == 0)
