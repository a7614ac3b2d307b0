"""What each built-in editor decides, and INLAY's gates one by one."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from scopebench.errors import EditorError
from scopebench.protocols import EditorContext
from scopebench.records import Triple
from scopebench.testing import EDITS, QUERIES, ToyModel, toy_context
from scopebench_editors.base.editor import BaseEditor
from scopebench_editors.cards import CardMemory
from scopebench_editors.inlay.editor import InlayEditor
from scopebench_editors.rag.editor import RagEditor
from scopebench_editors.static.editor import StaticEditor

SHOWN = [frozenset()] * len(QUERIES)


def _decisions(editor_class, condition="structured", **params):
    editor = editor_class(toy_context(params=params))
    editor.write(EDITS)
    return editor.route(QUERIES, condition=condition, hidden=SHOWN)


@pytest.mark.parametrize(
    ("editor_class", "condition", "action"),
    [
        (BaseEditor, "structured", "abstain"),
        (BaseEditor, "unstructured", "abstain"),
        (RagEditor, "structured", "reason"),
        (RagEditor, "extracted", "reason"),
        (StaticEditor, "structured", "recite"),
        (StaticEditor, "unstructured", "reason"),
        (StaticEditor, "extracted", "reason"),
    ],
)
def test_an_ungated_policy_decides_by_the_condition_alone(editor_class, condition, action):
    assert {d.action for d in _decisions(editor_class, condition)} == {action}


@pytest.mark.parametrize("editor_class", [BaseEditor, RagEditor, StaticEditor, InlayEditor])
def test_every_editor_names_the_nearest_card_and_its_rivals(editor_class):
    decisions = _decisions(editor_class)
    assert [d.edit_id for d in decisions[:4]] == [edit.edit_id for edit in EDITS]
    for decision in decisions:
        assert decision.candidates[0].edit_id == decision.edit_id
        assert len(decision.candidates) == len(EDITS)
        assert decision.runner_up_score == decision.candidates[1].score


def test_scope_scores_are_the_cosine_or_null():
    for editor_class in (RagEditor, StaticEditor):
        for decision in _decisions(editor_class):
            assert decision.scope_score == decision.candidates[0].score
    assert {d.scope_score for d in _decisions(BaseEditor)} == {None}


def test_inlay_fires_on_stored_facts_and_is_silent_on_the_unrelated_question():
    decisions = _decisions(InlayEditor)
    assert [d.action for d in decisions] == ["recite"] * 5 + ["abstain"]
    fired = _decisions(InlayEditor, "unstructured")
    assert [d.action for d in fired] == ["reason"] * 3 + ["abstain", "reason", "abstain"]


def test_inlays_keys_are_compressed_and_the_others_are_not():
    assert len(InlayEditor(toy_context())._memory.embed(["x"])[0]) == 32
    assert len(InlayEditor(toy_context(params={"dimension": 5}))._memory.embed(["x"])[0]) == 5
    assert len(RagEditor(toy_context())._memory.embed(["x"])[0]) == 64


def test_the_seed_comes_from_the_context_unless_given():
    assert InlayEditor(toy_context(seed=7)).params["seed"] == 7
    assert InlayEditor(toy_context(seed=7, params={"seed": 8})).params["seed"] == 8
    scores = [[d.scope_score for d in _decisions(InlayEditor, seed=seed)] for seed in (0, 0, 1)]
    assert scores[0] == scores[1] != scores[2]


def test_default_parameters_are_recorded():
    assert InlayEditor(toy_context()).params == {
        "threshold": 0.7,
        "margin": 0.08,
        "residual": 0.2,
        "dimension": 32,
        "seed": 0,
    }
    assert RagEditor(toy_context()).params == {}


@pytest.mark.parametrize(
    ("editor_class", "params", "message"),
    [
        (InlayEditor, {"treshold": 1}, "no parameter 'treshold'; it has threshold, margin, resid"),
        (RagEditor, {"threshold": 1}, "editor 'rag' has no parameter 'threshold'; it has none"),
        (InlayEditor, {"margin": "0.1"}, "'margin' of editor 'inlay' must be a finite number"),
        (InlayEditor, {"margin": math.nan}, "must be a finite number, not nan"),
        (InlayEditor, {"threshold": True}, "must be a finite number, not True"),
        (InlayEditor, {"dimension": 1.5}, "'dimension' of editor 'inlay' must be a whole number"),
        (InlayEditor, {"dimension": 65}, "inlay: dimension must be 1 to 64, not 65"),
        (InlayEditor, {"dimension": 0}, "inlay: dimension must be 1 to 64, not 0"),
        (InlayEditor, {"seed": -1}, "inlay: seed must be 0 or more, not -1"),
    ],
)
def test_a_wrong_parameter_is_refused(editor_class, params, message):
    with pytest.raises(EditorError, match=re.escape(message)):
        editor_class(toy_context(params=params))


# A space in which every number below can be worked out by hand: axis 0 is the subject Orla, axis 1
# the relation P1, axis 2 the subject Ivo, axis 3 another relation.
HALF = math.sqrt(0.5)
SPACE = {
    "Orla": (1.0, 0.0, 0.0, 0.0),
    "Ivo": (0.0, 0.0, 1.0, 0.0),
    "P1 of Orla?": (HALF, HALF, 0.0, 0.0),
    "P1 of Ivo?": (0.0, HALF, HALF, 0.0),
    "P2 of Orla?": (0.8, 0.0, 0.0, 0.6),  # cosine .566 with P1 of Orla, residual 0
    "near": (0.6, 0.8, 0.0, 0.0),  # cosine .990 with P1 of Orla, .566 with P1 of Ivo, residual 1
    "between": (0.5, HALF, 0.5, 0.0),  # cosine .854 with both
}


class Unprojected(InlayEditor):
    """INLAY whose projection is the identity, so that gates can be worked out by hand."""

    def new_memory(self):
        return CardMemory(self._context.encoder, self._context.model)


@pytest.fixture
def decide(table_encoder, make_edit, make_query):
    def decide(question, edits=("Orla", "Ivo"), condition="structured", **params):
        context = EditorContext(ToyModel(), table_encoder(SPACE), params=params)
        editor = Unprojected(context)
        triple = Triple(subject="x", prompt="{} is", target="y")
        editor.write(
            make_edit(f"d/{n}/0", subject=name, evidence_triples=(triple,))
            for n, name in enumerate(edits)
        )
        query = make_query(question)
        [decision] = editor.route([query], condition=condition, hidden=[frozenset()])
        return decision

    return decide


OPEN = {"threshold": -1.0, "margin": 0.0, "residual": -1.0}


@pytest.mark.parametrize(
    ("question", "gate", "value"),
    [
        ("near", "threshold", 0.98995),  # (.6 + .8) / sqrt 2
        ("near", "margin", 0.42426),  # less .8 / sqrt 2
        ("near", "residual", 1.0),
        ("between", "threshold", 0.85355),
        ("between", "margin", 0.0),
        ("P2 of Orla?", "threshold", 0.56569),
        ("P2 of Orla?", "residual", 0.0),
    ],
)
def test_each_gate_is_judged_on_its_own_quantity(decide, question, gate, value):
    passing = decide(question, **{**OPEN, gate: value - 1e-4})
    stopped = decide(question, **{**OPEN, gate: value + 1e-4})
    assert (passing.action, stopped.action) == ("recite", "abstain")
    assert stopped.scope_score == pytest.approx(-1e-4, abs=2e-5)


def test_the_scope_score_is_the_smallest_slack(decide):
    decision = decide("near", threshold=0.7, margin=0.4, residual=0.2)
    assert decision.scope_score == pytest.approx(0.02426, abs=1e-5)  # margin; .29 and .8 elsewhere
    assert decision.action == "recite"


def test_a_fact_about_the_same_subject_is_stopped_by_the_residual_alone(decide):
    # One card, so the margin passes; the query shares nothing but the subject with it.
    loose = {"threshold": 0.5, "margin": 0.3}
    assert decide("P2 of Orla?", ("Orla",), **loose, residual=-0.1).action == "recite"
    assert decide("P2 of Orla?", ("Orla",), **loose, residual=0.2).action == "abstain"


def test_the_margin_is_a_no_op_with_a_single_card(decide):
    assert decide("near", ("Orla",), margin=2.0).action == "recite"
    assert decide("near", ("Orla",), margin=2.0).runner_up_score is None
    assert decide("near", ("Orla", "Orla"), margin=2.0).action == "recite"  # the same fact twice
    assert decide("near", ("Orla", "Ivo"), margin=2.0).action == "abstain"


def test_inlay_reasons_where_reciting_is_not_legal(decide):
    assert decide("near", condition="extracted").action == "reason"


def test_a_silent_gate_still_names_the_nearest_card(decide):
    decision = decide("P2 of Orla?")
    assert (decision.action, decision.edit_id) == ("abstain", "d/0/0")


def test_no_query_gives_no_decision():
    context = replace(toy_context(), seed=1)
    for editor_class in (BaseEditor, InlayEditor):
        editor = editor_class(context)
        assert editor.route([], condition="structured", hidden=[]) == []
