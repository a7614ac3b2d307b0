"""The router's numbers, worked by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import KindRow, RouterRow
from scopebench.scoring.decisions import decision_table, kind_rows, router_row
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


def by_kind(tables: tuple[Any, Any]) -> dict[str, KindRow]:
    outcomes, decisions = tables
    rows = decision_rows(decisions)
    matrix = outcome_matrix(outcomes, rows, matcher="strict")
    found = kind_rows("curated", matrix, decision_table(rows))
    assert [row.kind for row in found] == sorted({row["kind"] for row in rows})
    return {row.kind: row for row in found}


def test_kinds_are_set_against_the_other_label_by_hand(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    near: dict[str, Any] = {"kind": "near_name", "governing": ()}
    far: dict[str, Any] = {"kind": "unrelated", "governing": ()}
    fact: dict[str, Any] = {"kind": "side_fact", "query_id": "s"}
    found = by_kind(
        tables(
            [
                row("100", query_id="a", action="recite", score=0.9),
                row("010", query_id="b", action="recite", edit_id="e2", score=0.6),
                row("001", query_id="c", action="abstain", score=0.3, kind="paraphrase"),
                row("001", query_id="d", action="recite", score=0.8, **near),
                row("001", query_id="e", action="abstain", score=0.4, answers=None, **near),
                row("001", query_id="f", action="abstain", score=0.1, **far),
                # one query, two labels: out of scope beside a triple, told by the paragraph
                row("001", action="abstain", score=0.2, governing=(), **fact),
                row("-10", action="reason", score=0.7, condition="unstructured", **fact),
            ]
        )
    )
    assert found["direct"] == KindRow(
        population="curated",
        kind="direct",
        n=2,
        in_scope=2,
        n_scorable=2,
        accuracy=1 / 2,
        false_fire=None,
        miss=0.0,
        wrong_edit=1 / 2,
        # against d .8, e .4, f .1, s .2: .9 beats all four, .6 beats three
        auroc=7 / 8,
        undefined={"false_fire": "no query is out of scope"},
    )
    assert found["near_name"] == KindRow(
        population="curated",
        kind="near_name",
        n=2,
        in_scope=0,
        n_scorable=1,
        accuracy=0.0,
        false_fire=1 / 2,
        miss=None,
        wrong_edit=None,
        # a .9, b .6, c .3, s .7 against d .8 and e .4: 2 + 1 + 0 + 1 of 8
        auroc=4 / 8,
        undefined={"miss": "no query is in scope", "wrong_edit": "no query is in scope"},
    )
    assert (found["paraphrase"].miss, found["paraphrase"].auroc) == (1.0, 2 / 4)
    assert (found["unrelated"].false_fire, found["unrelated"].auroc) == (0.0, 1.0)
    mixed = found["side_fact"]
    assert (mixed.n, mixed.in_scope, mixed.undefined) == (2, 1, {})
    # within itself: .7 in scope, .2 out of it
    assert (mixed.false_fire, mixed.miss, mixed.wrong_edit, mixed.auroc) == (0.0, 0.0, 0.0, 1.0)


def test_a_kind_without_the_other_label_says_so(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    found = by_kind(
        tables([row("100", score=0.5), row("100", query_id="b", kind="paraphrase", score=0.4)])
    )
    for kind in found.values():
        assert kind.auroc is None
        assert kind.undefined == {
            "false_fire": "no query is out of scope",
            "auroc": "all queries are in scope",
        }
    silent = by_kind(
        tables([row("100"), row("100", query_id="o", kind="unrelated", governing=(), score=0.1)])
    )
    assert silent["unrelated"].undefined["auroc"] == "1 of 2 decisions have no scope score"
