"""What `protocols.Editor` promises, one function per promise.

A promise is checked on what an editor *shows* (`subject.Subject.show`): its decisions under every
condition it declares, and the answer of every legal action. A function raises `AssertionError`
saying what differed and where; the first line of its docstring is the promise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from scopebench.errors import EditorError
from scopebench.protocols import Editor
from scopebench.records import (
    ACTIONS,
    Action,
    Answer,
    Condition,
    Decision,
    Edit,
    Hop,
    SourceRef,
)
from scopebench.testing.samples import EDITS, QUERIES
from scopebench.testing.subject import (
    NOTHING_HIDDEN,
    Redrawn,
    Shown,
    Subject,
    require,
    require_same,
)


def _without(*edit_ids: str) -> list[Edit]:
    return [edit for edit in EDITS if edit.edit_id not in edit_ids]


def _own_hidden() -> list[frozenset[str]]:
    """Return hidden sets under which each query misses its own edit, and only that."""
    return [frozenset(query.governing_edit_ids) for query in QUERIES]


def silent_gate_is_bit_identical(subject: Subject) -> None:
    """When nothing fires, the answer is the frozen model's own, whatever is stored."""
    expected = subject.unedited()
    editor = subject.fresh()
    stages: list[tuple[str, Callable[[], None]]] = [
        ("before any write", lambda: None),
        ("after writing", lambda: editor.write(list(EDITS))),
    ]
    if subject.info.can_delete:
        everything = [edit.edit_id for edit in EDITS]
        stages.append(("after deleting", lambda: editor.delete(everything)))
    for stage, change in stages:
        change()
        shown = subject.show(editor)
        for condition in subject.info.conditions:
            for number, answer in enumerate(shown[f"abstain ({condition})"]):
                require(
                    answer.text == expected[number],
                    f"{stage}, abstaining on query {number} ({condition}) gives {answer.text!r}; "
                    f"the frozen model's own answer is {expected[number]!r}",
                )
    # The model's answers may be cached. One token more asks the model itself again.
    for number, text in enumerate(subject.unedited(extra_tokens=1)):
        begins = expected[number].rstrip("\N{REPLACEMENT CHARACTER}")
        require(
            text.startswith(begins),
            f"the model itself now answers query {number} with {text!r}, not {begins!r}...: "
            "the editor changed it",
        )


def write_then_delete_restores_every_answer(subject: Subject) -> None:
    """Writing an edit and deleting it leaves every decision and answer as it was."""
    kept, passing = EDITS[:3], EDITS[3:]
    empty = subject.fresh()
    before = subject.show(empty)
    empty.write(EDITS)
    empty.delete([edit.edit_id for edit in EDITS])
    require_same(before, subject.show(empty), "after writing and deleting all edits")
    editor = subject.fresh(kept)
    before = subject.show(editor)
    editor.write(passing)
    editor.delete([edit.edit_id for edit in passing])
    require_same(before, subject.show(editor), "after writing and deleting one more edit")


def batch_equals_single(subject: Subject) -> None:
    """A query is decided and answered alike in a batch and alone."""
    editor = subject.fresh(EDITS)
    batch = subject.show(editor)
    single: Shown = {place: [] for place in batch}
    for query in QUERIES:
        for place, rows in subject.show(editor, [query], NOTHING_HIDDEN[:1]).items():
            single[place].extend(rows)
    require_same(batch, single, "asked one at a time")


def hidden_edits_never_fire(subject: Subject) -> None:
    """A hidden edit is named by no decision, candidate or answer."""
    editor = subject.fresh(EDITS)
    everything = frozenset(edit.edit_id for edit in EDITS)
    uniform = [*(frozenset({edit.edit_id}) for edit in EDITS), everything]
    for hidden in [_own_hidden(), *([ids] * len(QUERIES) for ids in uniform)]:
        for place, rows in subject.show(editor, QUERIES, hidden).items():
            for number, row in enumerate(rows):
                named = {row.edit_id}
                if isinstance(row, Decision):
                    named |= {candidate.edit_id for candidate in row.candidates}
                leaked = sorted(hidden[number] & named)
                require(
                    not leaked,
                    f"{place}, query {number} names {leaked[:1]}, which is hidden from it",
                )


def masking_equals_deleting(subject: Subject) -> None:
    """Hiding an edit is the same as never having written it, and as deleting it."""
    masked = subject.fresh(EDITS)
    for ids in [("invented/1/0",), ("invented/1/0", "invented/3/0"), ("invented/2/0",)]:
        never = subject.show(subject.fresh(_without(*ids)))
        hiding = subject.show(masked, QUERIES, [frozenset(ids)] * len(QUERIES))
        require_same(never, hiding, f"hiding {', '.join(ids)}, against never writing it")
        if subject.info.can_delete:
            deleted = subject.fresh(EDITS)
            deleted.delete(ids)
            require_same(
                never, subject.show(deleted), f"deleting {', '.join(ids)}, against never writing it"
            )
    mixed = _own_hidden()
    for condition in subject.info.conditions:
        together = masked.route(QUERIES, condition=condition, hidden=mixed)
        for number, query in enumerate(QUERIES):
            never_written = subject.fresh(_without(*mixed[number]))
            alone = never_written.route([query], condition=condition, hidden=[frozenset()])
            require(
                [together[number]] == alone,
                f"each query hiding its own edit: decisions ({condition}), query {number}: "
                f"{together[number]!r}, not {alone[0]!r}",
            )


def same_seed_same_decisions(subject: Subject) -> None:
    """Two editors built alike decide and answer alike."""
    first = subject.show(subject.fresh(EDITS))
    require_same(first, subject.show(subject.fresh(EDITS)), "a second editor built alike")


def write_is_idempotent(subject: Subject) -> None:
    """Writing an edit that is stored changes nothing."""
    editor = subject.fresh(EDITS)
    once = subject.show(editor)
    editor.write(EDITS)
    editor.write([EDITS[0], EDITS[0]])
    require_same(once, subject.show(editor), "after writing the same edits again")


def write_order_does_not_matter(subject: Subject) -> None:
    """What is stored counts, not the order or the batches it was written in."""
    expected = subject.show(subject.fresh(EDITS))
    require_same(
        expected, subject.show(subject.fresh(reversed(EDITS))), "written in the opposite order"
    )
    one_by_one = subject.fresh()
    for edit in EDITS:
        one_by_one.write([edit])
    require_same(expected, subject.show(one_by_one), "written one at a time")


def unknown_delete_is_refused(subject: Subject) -> None:
    """Deleting an edit that is not stored raises `EditorError` and changes nothing."""
    editor = subject.fresh(EDITS)
    before = subject.show(editor)
    try:
        editor.delete(["invented/no-such-case/0"])
    except EditorError:
        pass
    else:
        raise AssertionError("deleting an id that is not stored raised no EditorError")
    require_same(before, subject.show(editor), "after a refused deletion")


def actions_are_legal(subject: Subject) -> None:
    """Decisions choose declared actions, and an action that is not declared is refused."""
    editor = subject.fresh(EDITS)
    for condition in subject.info.conditions:
        legal = subject.info.actions[condition]
        require("abstain" in legal, f"abstain is not declared under {condition}")
        decisions = editor.route(QUERIES, condition=condition, hidden=NOTHING_HIDDEN)
        for number, decision in enumerate(decisions):
            require(
                decision.action in legal,
                f"query {number} ({condition}) is decided {decision.action}; "
                f"declared: {', '.join(legal)}",
            )
        for action in set(ACTIONS) - set(legal):
            require(
                _refuses(editor, action, decisions, condition),
                f"{action} is not declared under {condition}, yet executing it raises no "
                "EditorError",
            )


def _refuses(
    editor: Editor, action: Action, decisions: Sequence[Decision], condition: Condition
) -> bool:
    try:
        editor.act(QUERIES, action, decisions, condition=condition)
    except EditorError:
        return True
    return False


def route_ignores_gold(subject: Subject) -> None:
    """A query's answers, labels and ids change nothing: only its question is read."""
    editor = subject.fresh(EDITS)
    blinded = [
        query.model_copy(
            update={
                "query_id": f"invented/x{number}/0/blind/curated",
                "population": "curated",
                "kind": "blind",
                "answers": ("wrong",),
                "pre_edit_answers": ("wrong",),
                "governing_edit_ids": () if query.in_scope else (EDITS[0].edit_id,),
                "hidden_edit_ids": tuple(edit.edit_id for edit in EDITS),
                "twin_id": "invented/y/0/blind/curated",
                "near_edit_id": EDITS[0].edit_id,
                "hops": (Hop(subject="blind", relation="blind"),),
                "date": "1999",
                "flags": ("blind",),
                "cluster": "blind",
                "fold": "dev",
                "source": SourceRef(file="", record="", sha256=""),
            }
        )
        for number, query in enumerate(QUERIES)
    ]
    expected, found = subject.show(editor), subject.show(editor, blinded)
    for condition in subject.info.conditions:
        place = f"decisions ({condition})"
        found[place] = [
            decision.model_copy(update={"query_id": query.query_id})
            for decision, query in zip(found[place], QUERIES, strict=True)
        ]
    require_same(expected, found, "with answers, labels and ids replaced")


def answers_align_with_queries(subject: Subject) -> None:
    """There is one decision and one answer per query, in the order asked."""
    editor = subject.fresh(EDITS)
    forward = subject.show(editor)
    backward = subject.show(editor, QUERIES[::-1])
    for place, rows in forward.items():
        require(len(rows) == len(QUERIES), f"{place}: {len(rows)} rows for {len(QUERIES)} queries")
    for condition in subject.info.conditions:
        ids = [decision.query_id for decision in forward[f"decisions ({condition})"]]
        require(
            ids == [query.query_id for query in QUERIES],
            f"decisions ({condition}) are not in the order of the queries: {ids}",
        )
    turned = {place: rows[::-1] for place, rows in backward.items()}
    require_same(forward, turned, "asked in the opposite order")


def empty_index(subject: Subject) -> None:
    """With nothing stored an editor abstains, and every action still gives an answer."""
    for place, rows in subject.show(subject.fresh()).items():
        require(len(rows) == len(QUERIES), f"{place}: {len(rows)} rows for {len(QUERIES)} queries")
        for number, row in enumerate(rows):
            require(row.edit_id is None, f"{place}, query {number} names {row.edit_id!r}")
            if isinstance(row, Decision):
                silent = row.action == "abstain" and not row.candidates
                require(silent, f"{place}, query {number}: {row!r} does not abstain")
            else:
                require(isinstance(row, Answer), f"{place}, query {number}: {row!r}: no Answer")


def texts_are_not_kept(subject: Subject) -> None:
    """An action executed again asks the model again, so that every draw has its own texts."""
    model = Redrawn(subject.context.model)
    drawn = replace(subject, context=replace(subject.context, model=model))
    editor = drawn.fresh(EDITS)
    for draw in (0, 1):
        model.draw = draw
        require_same(drawn.show(drawn.fresh(EDITS)), drawn.show(editor), f"in draw {draw}")


def params_are_json(subject: Subject) -> None:
    """The parameters in force can be stored in `run.json` and read back unchanged."""
    params = subject.fresh().params
    try:
        restored = json.loads(json.dumps(params, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"params {params!r} are not JSON: {error}") from error
    require(restored == params, f"params {params!r} come back as {restored!r}")


PROMISES: Final[tuple[Callable[[Subject], None], ...]] = (
    params_are_json,
    empty_index,
    answers_align_with_queries,
    actions_are_legal,
    route_ignores_gold,
    batch_equals_single,
    same_seed_same_decisions,
    texts_are_not_kept,
    write_is_idempotent,
    write_order_does_not_matter,
    hidden_edits_never_fire,
    masking_equals_deleting,
    unknown_delete_is_refused,
    write_then_delete_restores_every_answer,
    silent_gate_is_bit_identical,
)
