"""A builder of the two tables from one short code per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from scopebench.records import ACTIONS
from scopebench.scoring.match import judge
from scopebench.scoring.tables import DECISIONS_SCHEMA, OUTCOMES_SCHEMA

QUESTION = "Where does the night train stop?"
GOLD, BEFORE, WRONG = "Lisbon", "Granada", "Oslo"
TEXTS = {"1": f"It stops in {GOLD}.", "0": WRONG, "k": BEFORE, "r": "I don't know.", "-": None}


@dataclass(frozen=True)
class Row:
    """One query under one condition; `code` gives recite, reason and abstain in that order.

    In the code, `1` is a right answer, `0` a wrong one, `k` the pre-edit answer, `r` a refusal and
    `-` an action that is not legal. `draws` holds the codes of the draws after the first.
    """

    code: str
    query_id: str = "q"
    condition: str = "structured"
    dataset: str = "trains"
    population: str = "original"
    cluster: str | None = None
    action: str = "reason"
    governing: tuple[str, ...] = ("e1",)
    hidden: tuple[str, ...] = ()
    edit_id: str | None = "e1"
    score: float | None = None
    answers: tuple[str, ...] | None = (GOLD,)
    before: tuple[str, ...] | None = (BEFORE,)
    kind: str = "direct"
    near: str | None = None
    draws: tuple[str, ...] = ()
    runner_up: float | None = None
    subject_match: bool | None = True
    template_match: bool | None = True
    fold: str = "test"
    card_question: str | None = QUESTION
    card_answer: str | None = GOLD

    def decision(self) -> dict[str, Any]:
        return {
            "query_id": self.query_id,
            "dataset": self.dataset,
            "condition": self.condition,
            "population": self.population,
            "kind": self.kind,
            "question": QUESTION,
            "answers": self.answers,
            "pre_edit_answers": self.before,
            "governing_edit_ids": self.governing,
            "hidden_edit_ids": self.hidden,
            "near_edit_id": self.near,
            "subject_match": self.subject_match,
            "template_match": self.template_match,
            "cluster": self.query_id if self.cluster is None else self.cluster,
            "fold": self.fold,
            "action": self.action,
            "edit_id": self.edit_id,
            "card_question": self.card_question,
            "card_answer": self.card_answer,
            "scope_score": self.score,
            "runner_up_score": self.runner_up,
            "candidates": [],
        }

    def outcomes(self) -> list[dict[str, Any]]:
        return [
            self._outcome(action, draw, code)
            for draw, codes in enumerate((self.code, *self.draws))
            for action, code in zip(ACTIONS, codes, strict=True)
        ]

    def _outcome(self, action: str, draw: int, code: str) -> dict[str, Any]:
        verdict = judge(TEXTS[code], self.answers, question=QUESTION)
        return {
            "query_id": self.query_id,
            "condition": self.condition,
            "action": action,
            "draw": draw,
            "legal": code != "-",
            "text": TEXTS[code],
            **verdict._asdict(),
            "edit_id": None,
        }


Tables = tuple[pa.Table, pa.Table]


def build(rows: Sequence[Row]) -> Tables:
    """Return the outcomes table and the decisions table of the rows."""
    outcomes = [outcome for row in rows for outcome in row.outcomes()]
    decisions = [row.decision() for row in rows]
    return (
        pa.Table.from_pylist(outcomes, schema=OUTCOMES_SCHEMA),
        pa.Table.from_pylist(decisions, schema=DECISIONS_SCHEMA),
    )


@pytest.fixture(scope="session")
def row() -> type[Row]:
    return Row


@pytest.fixture(scope="session")
def tables() -> Callable[[Sequence[Row]], Tables]:
    return build
