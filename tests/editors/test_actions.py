"""The three actions: what is asked of the model, and what is refused."""

from __future__ import annotations

import pytest

from scopebench.errors import EditorError
from scopebench.protocols import GenerationRequest
from scopebench.records import Answer, Decision
from scopebench.testing import EDITS, QUERIES, ToyEncoder, ToyModel
from scopebench_editors.actions import evidence, execute, is_legal
from scopebench_editors.cards import CardMemory


class ListeningModel(ToyModel):
    """Keeps the requests it was given."""

    def __init__(self):
        super().__init__()
        self.heard: list[GenerationRequest] = []

    def generate(self, requests):
        self.heard.extend(requests)
        return super().generate(requests)


@pytest.fixture
def model():
    return ListeningModel()


@pytest.fixture
def memory(model):
    memory = CardMemory(ToyEncoder(), model)
    memory.write(EDITS)
    return memory


def _decision(query, edit_id):
    return Decision(query_id=query.query_id, action="abstain", edit_id=edit_id)


def _run(model, memory, action, edit_id, condition="structured", query=QUERIES[0]):
    [answer] = execute(
        model, memory, [query], action, [_decision(query, edit_id)], condition=condition
    )
    return answer


def test_abstain_asks_the_question_alone(model, memory):
    answer = _run(model, memory, "abstain", "invented/1/0")
    prompt = "question: Of which country is Maren Tofteby a citizen?"
    assert model.heard == [GenerationRequest(prompt, max_new_tokens=8)]
    assert answer == Answer(text=model.answer(prompt), edit_id=None)


def test_recite_plays_the_stored_answer_after_the_unedited_prompt(model, memory):
    answer = _run(model, memory, "recite", "invented/1/1")
    assert answer == Answer(text="the Vessin Ferry Company", edit_id="invented/1/1")
    tokens = tuple(b"the Vessin Ferry Company")
    prompt = "question: Of which country is Maren Tofteby a citizen?"
    assert model.heard == [GenerationRequest(prompt, max_new_tokens=24, playback=tokens)]


def test_reason_asks_with_the_evidence_of_the_condition(model, memory):
    _run(model, memory, "reason", "invented/1/0", "extracted", query=QUERIES[2])
    assert model.heard[0].prompt == (
        "evidence: Maren Tofteby left Aarhus. Maren Tofteby is a citizen of Uruguay. "
        "cloze: Lake Orvellin lies in the country of"
    )
    assert model.heard[0].playback == ()
    assert model.heard[0].max_new_tokens == 8


@pytest.mark.parametrize(
    ("number", "condition", "text"),
    [
        (0, "structured", "Maren Tofteby is a citizen of Uruguay."),
        (3, "structured", "The author of The Quarry Lantern is Ines Waldau."),
        (1, "unstructured", EDITS[1].evidence_unstructured),
        (1, "extracted", "The Vessin Ferry Company employs Maren Tofteby."),
    ],
)
def test_evidence_by_hand(number, condition, text):
    assert evidence(EDITS[number], condition) == text


@pytest.mark.parametrize(("number", "condition"), [(2, "extracted"), (3, "unstructured")])
def test_evidence_that_is_missing_is_refused(number, condition):
    with pytest.raises(EditorError, match=f"{EDITS[number].edit_id}.*{condition}"):
        evidence(EDITS[number], condition)


def test_recite_is_legal_where_the_card_holds_an_answer():
    legal = {c: is_legal("recite", c) for c in ("structured", "unstructured", "extracted")}
    assert legal == {"structured": True, "unstructured": False, "extracted": False}


@pytest.mark.parametrize("condition", ["unstructured", "extracted"])
def test_an_illegal_action_is_refused(model, memory, condition):
    with pytest.raises(EditorError, match=f"recite is not legal in the {condition} condition"):
        _run(model, memory, "recite", "invented/1/0", condition)


@pytest.mark.parametrize("action", ["recite", "reason"])
def test_without_a_card_the_answer_is_empty_and_nothing_is_generated(model, memory, action):
    assert _run(model, memory, action, None) == Answer(text="", edit_id=None)
    assert model.heard == []


def test_answers_keep_their_places_round_a_missing_card(model, memory):
    decisions = [
        _decision(QUERIES[0], "invented/1/0"),
        _decision(QUERIES[1], None),
        _decision(QUERIES[2], "invented/2/0"),
    ]
    answers = execute(model, memory, QUERIES[:3], "recite", decisions, condition="structured")
    assert [answer.text for answer in answers] == ["Uruguay", "", "Portugal"]


def test_a_card_that_is_not_stored_is_refused(model, memory):
    with pytest.raises(EditorError, match="no edit 'invented/9/9' is stored"):
        _run(model, memory, "reason", "invented/9/9")


def test_decisions_of_other_queries_are_refused(model, memory):
    decisions = [_decision(query, None) for query in QUERIES[:2]]
    with pytest.raises(EditorError, match="not those of the 2 queries"):
        execute(model, memory, QUERIES[1::-1], "abstain", decisions, condition="structured")
