"""Which fires are wrong, and which of them are drawn."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from scopebench.report.page.content import thinned
from scopebench.report.page.samples import count_wrong_fires, wrong_fires
from scopebench.scoring.tables import DECISIONS_SCHEMA, OUTCOMES_SCHEMA


def decision(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "query_id": f"made/{number}",
        "dataset": "made",
        "condition": "structured",
        "population": "curated",
        "kind": f"kind_{number % 3}",
        "question": f"Who keeps lighthouse {number}?",
        "answers": ["Mara"],
        "pre_edit_answers": None,
        "governing_edit_ids": [],
        "hidden_edit_ids": [],
        "near_edit_id": "made/n",
        "subject_match": True,
        "template_match": True,
        "cluster": "c",
        "fold": "test",
        "action": "recite",
        "edit_id": "made/e",
        "card_question": "Who keeps lighthouse 0?",
        "card_answer": "Odo",
        "scope_score": 0.9,
        "runner_up_score": 0.4,
        "candidates": [],
        **fields,
    }


def outcome(number: int, action: str, text: str, **fields: Any) -> dict[str, Any]:
    return {
        "query_id": f"made/{number}",
        "condition": "structured",
        "action": action,
        "draw": 0,
        "legal": True,
        "text": text,
        "correct": False,
        "correct_paper": False,
        "refused": False,
        "edit_id": None,
        **fields,
    }


def tables(
    decisions: list[dict[str, Any]],
    outcomes: list[dict[str, Any]] = [],  # noqa: B006
) -> tuple[pa.Table, pa.Table]:
    return (
        pa.Table.from_pylist(decisions, schema=DECISIONS_SCHEMA),
        pa.Table.from_pylist(outcomes, schema=OUTCOMES_SCHEMA),
    )


def test_only_wrong_fires_are_taken() -> None:
    rows = [
        decision(0),  # a false fire
        decision(1, governing_edit_ids=["made/e"]),  # the right card
        decision(2, governing_edit_ids=["made/x"]),  # a wrong edit
        decision(3, action="abstain"),  # silent
    ]
    table, outcomes = tables(rows)
    assert count_wrong_fires(table) == 2
    found = {fire.query_id: fire.in_scope for fire in wrong_fires(table, outcomes)}
    assert found == {"made/0": False, "made/2": True}


def test_the_answer_is_that_of_the_action_taken_in_the_first_draw() -> None:
    table, outcomes = tables(
        [decision(0)],
        [
            outcome(0, "abstain", "unedited"),
            outcome(0, "recite", "second draw", draw=1),
            outcome(0, "recite", "other condition", condition="extracted"),
            outcome(0, "recite", "Mara", correct=False),
        ],
    )
    (fire,) = wrong_fires(table, outcomes)
    assert (fire.text, fire.correct) == ("Mara", True)  # judged as it is today
    assert fire.margin == pytest.approx(0.5)
    assert (fire.answers, fire.card_answer, fire.near_edit_id) == (("Mara",), "Odo", "made/n")


def test_what_is_not_stored_is_none() -> None:
    row = decision(0, answers=None, scope_score=None, runner_up_score=None, card_question=None)
    (fire,) = wrong_fires(*tables([row]))
    assert (fire.answers, fire.scope_score, fire.margin, fire.text) == (None, None, None, None)


def test_a_sample_shows_every_kind_and_ignores_the_order_of_rows() -> None:
    rows = [
        decision(number, kind="common" if number > 3 else f"rare_{number}") for number in range(90)
    ]
    shuffled = random.Random(1).sample(rows, len(rows))
    first, second = wrong_fires(*tables(rows), limit=12), wrong_fires(*tables(shuffled), limit=12)
    assert first == second
    assert len(first) == 12
    assert {fire.kind for fire in first} == {"common", "rare_0", "rare_1", "rare_2", "rare_3"}
    assert wrong_fires(*tables(rows), limit=12, seed=1) != first


def test_other_questions_come_before_the_same_one_under_another_condition() -> None:
    rows = [
        decision(number, kind="only", condition=condition)
        for number in range(5)
        for condition in ("structured", "unstructured", "extracted")
    ]
    table, outcomes = tables(rows)
    assert len({fire.query_id for fire in wrong_fires(table, outcomes, limit=5)}) == 5
    assert len(wrong_fires(table, outcomes)) == 15


def test_no_wrong_fire_is_an_empty_list() -> None:
    table, outcomes = tables([decision(0, action="abstain")])
    assert wrong_fires(table, outcomes) == []
    assert count_wrong_fires(table) == 0


def test_a_curve_is_thinned_between_its_ends() -> None:
    n = 1000
    steps = [step / n for step in range(1, n + 1)]
    curve = thinned(
        SimpleNamespace(coverage=steps, risk=steps, generalised_risk=steps, aurc=0.5, augrc=None),
        points=11,
    )
    assert len(curve.coverage) == 11
    assert (curve.coverage[0], curve.risk[-1]) == (0.001, 1.0)
    assert (curve.aurc, curve.augrc) == (0.5, None)
