"""INLAY's default gates on real questions, with the real encoder."""

from __future__ import annotations

import pytest

from scopebench.protocols import EditorContext
from scopebench.sources import read_source
from scopebench.testing import ToyModel
from scopebench_editors.inlay.editor import InlayEditor

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def odd_cases(real_data, real_encoder):
    """An editor with all facts, and of the odd cases (not used to choose the gates) the edits."""
    path = real_data / "akew" / "MQuAKE-CF.json"
    if not path.is_file():
        pytest.skip(f"NO REAL DATA: {path} is not there")
    source = read_source("mquake_cf", [path])
    edits = [edit for case in source.cases for edit in case.edits]
    assert len(edits) == 436
    editor = InlayEditor(EditorContext(ToyModel(), real_encoder))
    editor.write(edits)
    return editor, edits, [edit for edit in edits if int(edit.case) % 2]


def _fired(editor, make_query, texts, hidden):
    queries = [make_query(text) for text in texts]
    decisions = editor.route(queries, condition="structured", hidden=hidden)
    return [decision.edit_id if decision.action == "recite" else None for decision in decisions]


def test_questions_and_clozes_fire_on_their_own_fact(odd_cases, make_query):
    editor, edits, odd = odd_cases
    fact = {edit.edit_id: (edit.subject, edit.relation_id) for edit in edits}
    shown = [frozenset()] * len(odd)
    for texts, least in ((([e.question for e in odd]), 1.0), ([e.cloze for e in odd], 0.99)):
        fired = _fired(editor, make_query, texts, shown)
        right = [
            name is not None and fact[name] == fact[edit.edit_id]
            for name, edit in zip(fired, odd, strict=True)
        ]
        assert sum(right) / len(right) >= least


def test_questions_whose_fact_is_hidden_seldom_fire(odd_cases, make_query):
    editor, edits, odd = odd_cases
    same = {}
    for edit in edits:
        same.setdefault((edit.subject, edit.relation_id), set()).add(edit.edit_id)
    hidden = [frozenset(same[edit.subject, edit.relation_id]) for edit in odd]
    for texts, most in (([e.question for e in odd], 0.15), ([e.cloze for e in odd], 0.06)):
        fired = _fired(editor, make_query, texts, hidden)
        assert sum(name is not None for name in fired) / len(fired) <= most
