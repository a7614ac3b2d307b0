"""The router's numbers, worked by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import RouterRow
from scopebench.scoring.decisions import decision_table, router_row
from scopebench.scoring.matrix import decision_rows, outcome_matrix


def router(tables: tuple[Any, Any]) -> RouterRow:
    outcomes, decisions = tables
    rows = decision_rows(decisions)
    matrix = outcome_matrix(outcomes, rows, matcher="strict")
    return router_row("curated", matrix, decision_table(rows))


def test_six_decisions_by_hand(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    found = router(
        tables(
            [
                # in scope: fired right, fired with the wrong card, fired with none, missed
                row("100", query_id="a", action="recite", edit_id="e1", score=0.9),
                row("010", query_id="b", action="recite", edit_id="e2", score=0.5),
                row("010", query_id="c", action="reason", edit_id=None, score=0.4),
                row("100", query_id="d", action="abstain", edit_id="e2", score=0.1),
                # out of scope: fired, right for the wrong reason; silent, decision-only
                row("100", query_id="e", action="recite", governing=(), score=0.5),
                row("000", query_id="f", action="abstain", governing=(), score=0.2, answers=None),
            ]
        )
    )
    assert found == RouterRow(
        population="curated",
        n=6,
        n_scorable=5,
        accuracy=3 / 5,
        false_fire=1 / 2,
        miss=1 / 4,
        wrong_edit=2 / 4,
        # .9 beats both; .5 ties one, beats one; .4 loses, beats; .1 loses both: 2 + 1.5 + 1 of 8
        auroc=4.5 / 8,
        undefined={},
    )


def test_every_null_has_its_reason(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    inside = router(tables([row("100", answers=None, score=0.5)]))
    assert inside.undefined == {
        "accuracy": "no query has outcome gold",
        "false_fire": "no query is out of scope",
        "auroc": "all queries are in scope",
    }
    assert (inside.accuracy, inside.false_fire, inside.auroc) == (None, None, None)
    assert (inside.miss, inside.wrong_edit) == (0.0, 0.0)
    outside = router(tables([row("100", governing=(), score=0.5)]))
    assert outside.undefined == {
        "miss": "no query is in scope",
        "wrong_edit": "no query is in scope",
        "auroc": "all queries are out of scope",
    }
    unscored = router(tables([row("100"), row("100", query_id="o", governing=(), score=0.1)]))
    assert unscored.undefined == {"auroc": "1 of 2 decisions have no scope score"}
    assert unscored.auroc is None


def test_an_action_that_is_not_legal_is_refused(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    with pytest.raises(DataError, match="record q unstructured, field action: the editor chose 'r"):
        router(tables([row("-10", condition="unstructured", action="recite")]))
