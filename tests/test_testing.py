"""The editor checks: each can fail, and none fails an editor that keeps its promises.

Every broken editor below is INLAY with one fault. The check named beside it must find the fault;
other checks may find it too.
"""

from __future__ import annotations

import pytest

from scopebench.errors import EditorError
from scopebench.protocols import EditorContext, EditorInfo
from scopebench.testing import EDITS, QUERIES, ToyModel, check_editor, run_checks, toy_context
from scopebench.testing.promises import PROMISES
from scopebench_editors.inlay.editor import InlayEditor


class TextWhenSilent(InlayEditor):
    def act(self, queries, action, decisions, *, condition):
        answers = super().act(queries, action, decisions, condition=condition)
        if action != "abstain" or not len(self._memory):
            return answers
        return [answer.model_copy(update={"text": answer.text + "."}) for answer in answers]


class ModelChanged(InlayEditor):
    """Changes the model itself; answers given before are cached and do not show it."""

    def write(self, edits):
        super().write(edits)
        self._context.model.edited = True


class NothingDeleted(InlayEditor):
    def delete(self, edit_ids):
        for edit_id in edit_ids:
            _ = self._memory[edit_id]


class TraceOfDeleted(InlayEditor):
    """Deletes, but the gate stays narrower for every edit there ever was."""

    def delete(self, edit_ids):
        super().delete(edit_ids)
        self._params["threshold"] += 0.01


class BatchDependent(InlayEditor):
    def decide(self, keys, rankings, condition):
        return [
            (action, score - 0.001 * len(rankings))
            for action, score in super().decide(keys, rankings, condition)
        ]


class BatchDependentAnswers(InlayEditor):
    def act(self, queries, action, decisions, *, condition):
        answers = super().act(queries, action, decisions, condition=condition)
        return [a.model_copy(update={"text": f"{a.text}{len(queries)}"}) for a in answers]


class MaskIgnored(InlayEditor):
    def route(self, queries, *, condition, hidden):
        return super().route(queries, condition=condition, hidden=[frozenset()] * len(queries))


class HiddenCandidates(InlayEditor):
    """Masks the decision, and lists the hidden cards among the candidates."""

    def route(self, queries, *, condition, hidden):
        masked = super().route(queries, condition=condition, hidden=hidden)
        seen = super().route(queries, condition=condition, hidden=[frozenset()] * len(queries))
        return [
            decision.model_copy(update={"candidates": other.candidates})
            for decision, other in zip(masked, seen, strict=True)
        ]


class HiddenRunnerUp(InlayEditor):
    """Names no hidden card, and lets it count as the runner-up all the same."""

    def route(self, queries, *, condition, hidden):
        masked = super().route(queries, condition=condition, hidden=hidden)
        seen = super().route(queries, condition=condition, hidden=[frozenset()] * len(queries))
        return [
            decision.model_copy(update={"runner_up_score": other.runner_up_score})
            for decision, other in zip(masked, seen, strict=True)
        ]


class NeverTheSame(InlayEditor):
    born = 0

    def __init__(self, context):
        super().__init__(context)
        NeverTheSame.born += 1
        self._params["threshold"] = 0.5 + 0.001 * NeverTheSame.born


class KeepsTexts(InlayEditor):
    """Remembers what it answered, and does not ask the model twice."""

    def __init__(self, context):
        super().__init__(context)
        self.kept = {}

    def act(self, queries, action, decisions, *, condition):
        answers = super().act(queries, action, decisions, condition=condition)
        return [
            self.kept.setdefault((query.query_id, action, condition), answer)
            for query, answer in zip(queries, answers, strict=True)
        ]


class CountsWrites(InlayEditor):
    def write(self, edits):
        super().write(edits)
        self._params["threshold"] -= 0.01


class LastWriteWins(InlayEditor):
    """Prefers the card that was written last."""

    def write(self, edits):
        edits = list(edits)
        super().write(edits)
        self.last = edits[-1].edit_id

    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return [
            d.model_copy(update={"edit_id": self.last})
            if any(c.edit_id == self.last for c in d.candidates)
            else d
            for d in decisions
        ]


class AnyDeletion(InlayEditor):
    def delete(self, edit_ids):
        known = [edit_id for edit_id in edit_ids if edit_id in self._memory._cards]
        super().delete(known)


class RecitesAlways(InlayEditor):
    def decide(self, keys, rankings, condition):
        return [("recite", score) for _, score in super().decide(keys, rankings, condition)]


class ActsIllegally(InlayEditor):
    def act(self, queries, action, decisions, *, condition):
        if action == "recite":
            condition = "structured"
        return super().act(queries, action, decisions, condition=condition)


class ReadsLabels(InlayEditor):
    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return [
            decision
            if query.governing_edit_ids
            else decision.model_copy(update={"action": "abstain"})
            for query, decision in zip(queries, decisions, strict=True)
        ]


class ReadsKindFromTheId(InlayEditor):
    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return [
            d.model_copy(update={"action": "abstain"}) if "/direct/" not in d.query_id else d
            for d in decisions
        ]


class SortedDecisions(InlayEditor):
    """Returns decisions in the order of the query ids; these happen to be asked in that order."""

    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return sorted(decisions, key=lambda decision: decision.query_id)

    def act(self, queries, action, decisions, *, condition):
        queries = sorted(queries, key=lambda query: query.query_id)
        return super().act(queries, action, decisions, condition=condition)


class DropsAnswers(InlayEditor):
    def act(self, queries, action, decisions, *, condition):
        answers = super().act(queries, action, decisions, condition=condition)
        return answers[:-1] if action == "reason" else answers


class NeedsACard(InlayEditor):
    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        if any(decision.edit_id is None for decision in decisions):
            raise IndexError("list index out of range")
        return decisions


class FiresOnNothing(InlayEditor):
    def route(self, queries, *, condition, hidden):
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return [d if d.candidates else d.model_copy(update={"action": "reason"}) for d in decisions]


class ParamsAreASet(InlayEditor):
    @property
    def params(self):
        return {"gates": {"similarity", "margin"}}


class ParamsComeBackOtherwise(InlayEditor):
    @property
    def params(self):
        return {"gates": ("similarity", "margin")}


BROKEN = [
    (TextWhenSilent, "silent_gate_is_bit_identical", "after writing, abstaining on query 0"),
    (ModelChanged, "silent_gate_is_bit_identical", "the editor changed it"),
    (NothingDeleted, "write_then_delete_restores_every_answer", "after writing and deleting all"),
    (TraceOfDeleted, "write_then_delete_restores_every_answer", "deleting one more edit"),
    (BatchDependent, "batch_equals_single", "asked one at a time: decisions (structured), query 0"),
    (BatchDependentAnswers, "batch_equals_single", "asked one at a time: recite (structured)"),
    (MaskIgnored, "hidden_edits_never_fire", "names ['invented/1/0'], which is hidden"),
    (HiddenCandidates, "hidden_edits_never_fire", "names ['invented/1/0'], which is hidden"),
    (HiddenRunnerUp, "masking_equals_deleting", "hiding invented/1/0, against never writing it"),
    (TraceOfDeleted, "masking_equals_deleting", "deleting invented/1/0, against never writing it"),
    (NeverTheSame, "same_seed_same_decisions", "a second editor built alike"),
    (KeepsTexts, "texts_are_not_kept", "in draw 1: reason (structured), query 0"),
    (CountsWrites, "write_is_idempotent", "after writing the same edits again"),
    (LastWriteWins, "write_order_does_not_matter", "written in the opposite order"),
    (CountsWrites, "write_order_does_not_matter", "written one at a time"),
    (AnyDeletion, "unknown_delete_is_refused", "raised no EditorError"),
    (RecitesAlways, "actions_are_legal", "query 0 (unstructured) is decided recite"),
    (ActsIllegally, "actions_are_legal", "recite is not declared under unstructured, yet"),
    (ReadsLabels, "route_ignores_gold", "with answers, labels and ids replaced"),
    (ReadsKindFromTheId, "route_ignores_gold", "with answers, labels and ids replaced"),
    (SortedDecisions, "answers_align_with_queries", "asked in the opposite order"),
    (DropsAnswers, "answers_align_with_queries", "reason (structured): 5 rows for 6 queries"),
    (NeedsACard, "empty_index", "raised IndexError: list index out of range"),
    (FiresOnNothing, "empty_index", "does not abstain"),
    (ParamsAreASet, "params_are_json", "are not JSON"),
    (ParamsComeBackOtherwise, "params_are_json", "come back as"),
]


class CachingToyModel(ToyModel):
    """A toy model with a cache, and a switch by which an editor can spoil it."""

    def __init__(self):
        super().__init__()
        self.edited = False
        self.cache = {}

    def generate(self, requests):
        for request in requests:
            if request not in self.cache:
                [text] = super().generate([request])
                self.cache[request] = text.replace("toy", "spoilt") if self.edited else text
        return [self.cache[request] for request in requests]


def _context() -> EditorContext:
    toys = toy_context()
    return EditorContext(model=CachingToyModel(), encoder=toys.encoder)


def test_an_editor_that_keeps_its_promises_passes_every_check():
    results = run_checks(InlayEditor, _context())
    assert [(r.name, r.status, r.message) for r in results] == [
        (promise.__name__, "passed", "") for promise in PROMISES
    ]


def test_the_samples_make_the_gate_both_fire_and_stay_silent():
    editor = InlayEditor(_context())
    editor.write(EDITS)
    decisions = editor.route(QUERIES, condition="structured", hidden=[frozenset()] * len(QUERIES))
    assert {decision.action for decision in decisions} == {"recite", "abstain"}


@pytest.mark.parametrize(
    ("editor_class", "name", "message"),
    BROKEN,
    ids=[f"{editor_class.__name__}-{name}" for editor_class, name, _ in BROKEN],
)
def test_a_broken_promise_is_found_and_named(editor_class, name, message):
    results = {result.name: result for result in run_checks(editor_class, _context())}
    assert results[name].status == "failed", f"{editor_class.__name__} passed {name}"
    assert message in results[name].message


def test_every_check_is_shown_to_be_able_to_fail():
    assert {name for _, name, _ in BROKEN} == {promise.__name__ for promise in PROMISES}


def test_a_check_raises_what_it_found():
    checks = {check.name: check for check in check_editor(AnyDeletion, _context())}
    with pytest.raises(AssertionError, match="raised no EditorError"):
        checks["unknown_delete_is_refused"]()
    checks["params_are_json"]()


def test_an_editors_own_exception_keeps_its_traceback():
    checks = {check.name: check for check in check_editor(NeedsACard, _context())}
    with pytest.raises(IndexError):
        checks["empty_index"]()


def test_checks_have_names_and_promises():
    checks = list(check_editor(InlayEditor, _context()))
    assert [str(check) for check in checks] == [promise.__name__ for promise in PROMISES]
    assert all(check.promise.endswith(".") for check in checks)


@pytest.mark.parametrize(
    ("limits", "skipped"),
    [
        ({"can_mask": False}, {"hidden_edits_never_fire", "masking_equals_deleting"}),
        (
            {"can_delete": False},
            {"unknown_delete_is_refused", "write_then_delete_restores_every_answer"},
        ),
    ],
)
def test_checks_that_do_not_apply_are_skipped_with_the_reason(limits, skipped):
    info = EditorInfo(name="limited", version="1", summary="", factory="", **limits)
    results = run_checks(InlayEditor, _context(), info=info)
    reasons = {result.name: result.message for result in results if result.status == "skipped"}
    assert reasons.keys() == skipped
    assert all(next(iter(limits)) in reason for reason in reasons.values())
    assert {result.status for result in results if result.name not in skipped} == {"passed"}


def test_an_editor_without_masking_or_deletion_is_still_checked_for_the_rest():
    class Bare(InlayEditor):
        def delete(self, edit_ids):
            raise EditorError("no deletion")

    info = EditorInfo(
        name="bare", version="1", summary="", factory="", can_mask=False, can_delete=False
    )
    statuses = [result.status for result in run_checks(Bare, _context(), info=info)]
    assert statuses.count("skipped") == 4
    assert statuses.count("passed") == len(PROMISES) - 4


def test_a_declaration_that_names_no_factory_is_refused():
    info = EditorInfo(
        name="gone", version="1", summary="", factory="scopebench_editors.rag.editor:Gone"
    )
    with pytest.raises(EditorError, match="no such thing"):
        next(check_editor(info, _context()))


def test_a_result_reads_as_a_line():
    lines = [str(result) for result in run_checks(AnyDeletion, _context())]
    assert "passed  params_are_json" in lines
    assert (
        "failed  unknown_delete_is_refused: deleting an id that is not stored raised no "
        "EditorError" in lines
    )
