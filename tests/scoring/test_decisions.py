"""The editor's numbers, worked by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from scopebench.records import RouterRow
from scopebench.scoring.decisions import Ranked, rightly_decided, router_row
from scopebench.scoring.headroom import Rule
from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix
from scopebench.scoring.reading.run_tables import run_rows
from scopebench.scoring.stats.bootstrap import Bootstrap

LABELS = {"population": "curated"}
Tables = Callable[..., Any]


def arrays(tables: tuple[Any, Any]) -> tuple[OutcomeMatrix, DecisionTable]:
    rows = run_rows(*tables)
    return rows.matrices["strict"], rows.decisions


def router(tables: tuple[Any, Any], ranked: Ranked | None = None) -> RouterRow:
    matrix, decisions = arrays(tables)
    chosen = Rule().choose(matrix)
    fixed = np.where(chosen < 0, 0.0, matrix.won[np.arange(len(matrix)), chosen])
    bootstrap = Bootstrap(int(matrix.clusters.max()) + 1, n_resamples=200)
    return router_row(LABELS, matrix, decisions, fixed=fixed, bootstrap=bootstrap, ranked=ranked)


def test_six_decisions_by_hand(tables: Tables, row: Tables) -> None:
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
    assert (found.n, found.n_scorable, found.n_clusters, found.in_scope) == (6, 5, 6, 4)
    # right: a, c, e; static_fixed recites: right on a, d, e; the oracle on a, b, c, d, e
    assert found.accuracy.value == 3 / 5
    assert found.gain.value == 0
    assert found.regret.value == 2 / 5
    assert found.capture.value is None  # five rows bound no headroom away from 0
    # decided rightly: a fired with e1, f silent
    assert found.scope_accuracy.value == 2 / 6
    # right answer and right decision: a
    assert found.credit.value == 1 / 5
    assert found.false_fire.value == 1 / 2
    assert found.miss.value == 1 / 4
    assert found.wrong_edit.value == 2 / 4
    # one scorable false fire, and it was right all the same
    assert found.masked.value == 1
    # .9 beats both; .5 ties one, beats one; .4 loses, beats; .1 loses both: 2 + 1.5 + 1 of 8
    assert found.auroc.value == 4.5 / 8
    assert found.prevalence == 4 / 6
    # by score: .9 in; .5 in, .5 out (tied: 2 of 3 in); .4 in (3 of 4); .2 out; .1 in (4 of 6)
    expected = (1 / 4) * 1 + (1 / 4) * (2 / 3) + (1 / 4) * (3 / 4) + (1 / 4) * (4 / 6)
    assert found.auprc == pytest.approx(expected)
    assert found.fpr_at_95_tpr == 1  # the last of the four is below both
    # wrong where fired with no governing card: b, c, d, f; e too, since nothing governs it
    assert found.aurc is not None
    assert found.augrc is not None
    assert set(found.undefined) == {
        *("margin_auroc", "margin_in", "margin_out"),
        *("capture", "masked.interval"),
    }


def test_margins_by_hand(tables: Tables, row: Tables) -> None:
    found = router(
        tables(
            [
                row("100", query_id="a", score=0.9, runner_up=0.3),  # .6
                row("100", query_id="b", score=0.8, runner_up=0.7),  # .1
                row("100", query_id="c", score=0.9, runner_up=0.85, governing=()),  # .05
                row("100", query_id="d", score=0.9, runner_up=0.5, governing=()),  # .4
            ]
        )
    )
    assert found.margin_auroc == 3 / 4
    assert found.margin_in == pytest.approx(0.35)
    assert found.margin_out == pytest.approx(0.225)


def test_a_card_without_a_rival_has_an_infinite_margin(tables: Tables, row: Tables) -> None:
    found = router(
        tables(
            [
                row("100", query_id="a", score=0.9),
                row("100", query_id="b", score=0.8, runner_up=0.7, governing=()),
            ]
        )
    )
    assert found.margin_auroc == 1
    assert found.margin_in is None
    assert found.undefined["margin_in"] == "most rows have no runner-up"


def test_every_null_has_its_reason(tables: Tables, row: Tables) -> None:
    inside = router(tables([row("100", answers=None, score=0.5)])).undefined
    for name in ("accuracy", "gain", "regret", "capture", "credit"):
        assert inside[name] == "no query has outcome gold"
    assert inside["false_fire"] == "no query is out of scope"
    assert inside["auroc"] == inside["aurc"] == "all queries are in scope"
    assert inside["miss.interval"] == "one cluster only"
    outside = router(tables([row("100", governing=(), score=0.5)]))
    for name in ("miss", "wrong_edit"):
        assert outside.undefined[name] == "no query is in scope"
        assert getattr(outside, name).value is None
    assert outside.undefined["auroc"] == "all queries are out of scope"
    unscored = router(tables([row("100"), row("100", query_id="o", governing=(), score=0.1)]))
    assert unscored.undefined["auprc"] == "1 of 2 decisions have no scope score"


def test_no_headroom_leaves_nothing_to_capture(tables: Tables, row: Tables) -> None:
    found = router(tables([row("100", query_id=q, action="recite") for q in "abc"]))
    assert found.capture.value is None
    assert (
        found.undefined["capture"] == "no headroom to capture: the interval of headroom touches 0"
    )
    assert found.gain.value == 0
    assert found.gain.low is not None and found.gain.low < 0 < found.gain.high


def test_capture_can_be_negative(tables: Tables, row: Tables) -> None:
    """Reciting is right on a, abstaining on b; the editor abstains on a and recites on b."""
    rows = [
        *(row("100", query_id=f"a{i}", action="abstain") for i in range(10)),
        *(row("001", query_id=f"b{i}", action="recite", governing=()) for i in range(10)),
    ]
    found = router(tables(rows))
    assert found.capture.value == -1  # 0 - 10 of 20 - 10
    assert found.accuracy.value == 0
    assert found.regret.value == 1


def test_wilson_where_rows_are_independent_and_the_bootstrap_where_not(
    tables: Tables, row: Tables
) -> None:
    codes = ["100", "010", "100", "010", "100"]
    alone = router(tables([row(c, query_id=f"q{i}", action="recite") for i, c in enumerate(codes)]))
    assert alone.accuracy.method == "wilson"
    shared = router(
        tables(
            [
                row(c, query_id=f"q{i}", action="recite", cluster=str(i // 2))
                for i, c in enumerate(codes)
            ]
        )
    )
    assert shared.accuracy.method == "cluster bootstrap, percentile, 200 resamples"


def test_scores_of_a_kind_are_ranked_over_the_rows_given(tables: Tables, row: Tables) -> None:
    rows = [
        row("100", query_id="a", score=0.9),
        row("100", query_id="b", score=0.3),
        row("001", query_id="c", score=0.4, governing=(), action="abstain"),
    ]
    matrix, decisions = arrays(tables(rows))
    outside = np.array([False, False, True])
    alone = router_row(
        LABELS,
        matrix.select(outside),
        decisions.select(outside),
        fixed=None,
        bootstrap=Bootstrap(3, n_resamples=200),
        ranked=Ranked(decisions, matrix.clusters),
    )
    assert (alone.n, alone.in_scope, alone.auroc.value) == (1, 0, 1 / 2)
    assert alone.undefined["gain"] == "static_fixed is undefined"


NOTHING: Sequence[str] = ("accuracy", "gain", "scope_accuracy", "credit", "masked", "miss")


def test_what_a_table_does_not_tell_is_null_with_the_reason(tables: Tables, row: Tables) -> None:
    matrix, _ = arrays(tables([row("100")]))
    found = router_row(
        LABELS, matrix, DecisionTable(), fixed=None, bootstrap=Bootstrap(1, n_resamples=100)
    )
    assert {name: getattr(found, name).value for name in NOTHING} == dict.fromkeys(NOTHING)
    assert found.in_scope is None
    assert found.undefined["accuracy"] == ("the table does not tell which action the editor took")
    assert found.undefined["miss"] == found.undefined["in_scope"]
    assert rightly_decided(DecisionTable()) is None
