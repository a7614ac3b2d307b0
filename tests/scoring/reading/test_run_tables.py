"""From the two tables of a run to arrays: what is matched, ordered and refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Matcher
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix
from scopebench.scoring.reading.run_tables import PLAIN_REFUSAL, run_rows
from scopebench.scoring.reading.stored_verdicts import is_earlier

NAN = np.nan
STRICT = MATCHER_VERSIONS["strict"]
NAME, NUMBER = STRICT.split("/")
EARLIER = f"{NAME}/{int(NUMBER) - 1}"
LATER = f"{NAME}/{int(NUMBER) + 1}"
Build = Callable[..., Any]
MATCHERS: tuple[Matcher, ...] = ("strict", "paper")


def matrix_of(tables: tuple[pa.Table, pa.Table], matcher: Matcher = "strict") -> OutcomeMatrix:
    return run_rows(*tables).matrices[matcher]


def decisions_of(tables: tuple[pa.Table, pa.Table]) -> DecisionTable:
    return run_rows(*tables).decisions


def changed(table: pa.Table, at: int, **values: Any) -> pa.Table:
    rows = table.to_pylist()
    rows[at] |= values
    return pa.Table.from_pylist(rows, schema=table.schema)


def refusal(outcomes: pa.Table, decisions: pa.Table) -> str:
    """Return the one line with which the tables are refused."""
    with pytest.raises(DataError, match=r"\A[^\n]*\Z") as raised:
        run_rows(outcomes, decisions)
    return str(raised.value)


def test_five_rows_by_hand(tables: Build, row: Build) -> None:
    matrix = matrix_of(
        tables(
            [
                row("-1k", query_id="b", condition="unstructured"),
                row("10k", query_id="b", fold="dev"),
                row("0r0", query_id="a", hidden=("e1",), population="withheld", kind="paraphrase"),
                row("11k", query_id="c", answers=None),
                row(
                    "1-1",
                    query_id="z",
                    dataset="boats",
                    cluster="pier",
                    before=None,
                    action="abstain",
                ),
            ]
        )
    )
    assert matrix.actions == ("recite", "reason", "abstain")
    assert list(matrix.query_ids) == ["z", "b", "c", "a", "b"]
    assert list(matrix.conditions) == ["structured"] * 4 + ["unstructured"]
    assert list(matrix.populations) == ["original"] * 3 + ["withheld", "original"]
    assert list(matrix.datasets) == ["boats"] + ["trains"] * 4
    assert list(matrix.kinds) == ["direct"] * 3 + ["paraphrase", "direct"]
    assert list(matrix.folds) == ["test", "dev", "test", "test", "test"]
    assert list(matrix.clusters) == [3, 1, 2, 0, 1]  # a, b, c and pier, in the order of names
    expected = [[1, NAN, 1], [1, 0, 0], [NAN, NAN, NAN], [0, 0, 0], [NAN, 1, 0]]
    np.testing.assert_array_equal(matrix.outcomes, expected)
    legal = [[1, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1]]
    np.testing.assert_array_equal(matrix.legal, np.array(legal, bool))
    assert list(matrix.scorable) == [True, True, False, True, True]
    assert list(matrix.known) == [False, True, True, False, True]
    assert list(matrix.hidden) == [False, False, False, True, False]
    assert matrix.draws is None
    assert len(matrix) == 5


def test_decisions_by_hand(tables: Build, row: Build) -> None:
    found = decisions_of(
        tables(
            [
                row("111", query_id="a", action="recite", score=0.75, runner_up=0.5),
                row("111", query_id="b", action="abstain", governing=("e2", "e1"), score=-1.0),
                row("111", query_id="c", action="reason", governing=()),
                row("111", query_id="d", action="reason", edit_id="e7", template_match=False),
                row("111", query_id="e", action="abstain", edit_id=None, subject_match=False),
            ]
        )
    )
    assert list(found.chosen) == [0, 2, 1, 1, 2]
    assert list(found.fired) == [True, False, True, True, False]
    assert list(found.in_scope) == [True, True, False, True, True]
    assert list(found.right_edit) == [True, True, False, False, False]
    np.testing.assert_array_equal(found.scores, [0.75, -1, NAN, NAN, NAN])
    np.testing.assert_array_equal(found.runner_up, [0.5, NAN, NAN, NAN, NAN])
    assert list(found.subject_match) == [True, True, True, True, False]
    assert list(found.template_match) == [True, True, True, False, True]


@pytest.mark.parametrize("field", ["subject_match", "template_match"])
def test_a_match_that_is_not_told_of_every_row_is_not_told(
    tables: Build, row: Build, field: str
) -> None:
    found = decisions_of(tables([row("111", query_id="a", **{field: None}), row("111")]))
    other = {"subject_match": "template_match", "template_match": "subject_match"}[field]
    assert getattr(found, field) is None
    assert list(getattr(found, other)) == [True, True]


ROWS = [
    {"code": "10k", "query_id": "a", "condition": "structured", "cluster": "y", "score": 0.25},
    {"code": "-1k", "query_id": "a", "condition": "unstructured", "cluster": "y", "score": 0.5},
    {"code": "r01", "query_id": "b", "population": "withheld", "cluster": "x", "score": 0.75},
    {"code": "01-", "query_id": "c", "answers": None, "cluster": "z", "draws": ("1k-", "00-")},
]


@settings(max_examples=25, deadline=None)
@given(order=st.data())
def test_the_order_of_the_tables_does_not_matter(
    tables: Build, row: Build, order: st.DataObject
) -> None:
    several = [given | {"draws": given.get("draws", (given["code"],) * 2)} for given in ROWS]
    outcomes, decisions = tables([row(**given) for given in several])
    shuffled = [
        table.take(order.draw(st.permutations(range(len(table)))))
        for table in (outcomes, decisions)
    ]
    first, second = run_rows(outcomes, decisions), run_rows(*shuffled)
    pairs = [(first.decisions, second.decisions)]
    pairs += [(first.matrices[name], second.matrices[name]) for name in MATCHERS]
    for one, other in pairs:
        for field in fields(one):
            np.testing.assert_array_equal(
                getattr(one, field.name), getattr(other, field.name), field.name
            )


def test_both_matchers_are_asked_anew_at_once(tables: Build, row: Build) -> None:
    given = tables([row("100", answers=("Lis",), before=("Os",))])
    assert matrix_of(given, "strict").outcomes[0, 0] == 0
    assert matrix_of(given, "paper").outcomes[0, 0] == 1
    assert list(matrix_of(given, "strict").known) == [False]
    assert list(matrix_of(given, "paper").known) == [True]  # "Oslo" holds "Os"


def test_equal_questions_of_other_golds_are_matched_apart(tables: Build, row: Build) -> None:
    given = tables(
        [
            row("1k0", query_id="a"),
            row("1k0", query_id="b", answers=("Granada",), before=("Oslo",)),
            row("1k0", query_id="c", answers=None, before=None),
        ]
    )
    matrix = matrix_of(given)
    np.testing.assert_array_equal(matrix.outcomes, [[1, 0, 0], [0, 1, 0], [NAN, NAN, NAN]])
    assert list(matrix.known) == [False, True, False]


def test_what_an_ordinary_refusal_is_paid(tables: Build, row: Build) -> None:
    """The refusal holds "en", which the paper's matcher takes for the alias of English."""
    assert "en" in PLAIN_REFUSAL
    given = tables(
        [
            row("000", query_id="a"),
            row("000", query_id="b", answers=("English", "en")),
            row("000", query_id="c", answers=None),
        ]
    )
    np.testing.assert_array_equal(matrix_of(given, "strict").refusal, [0, 0, NAN])
    np.testing.assert_array_equal(matrix_of(given, "paper").refusal, [0, 1, NAN])


def test_an_outcome_is_the_mean_of_its_draws(tables: Build, row: Build) -> None:
    matrix = matrix_of(
        tables(
            [
                row("10k", query_id="a", draws=("1k0", "111", "100")),
                row("-0r", query_id="b", draws=("-1k", "-1r", "-0k")),
                row("0-1", query_id="c", draws=("0-1",) * 3, answers=None, action="abstain"),
            ]
        )
    )
    np.testing.assert_array_equal(
        matrix.outcomes, [[1, 0.25, 0.25], [NAN, 0.5, 0], [NAN, NAN, NAN]]
    )
    assert matrix.draws.shape == (3, 3, 4)
    np.testing.assert_array_equal(
        matrix.draws[:2],
        [
            [[1, 1, 1, 1], [0, 0, 1, 0], [0, 0, 1, 0]],
            [[NAN] * 4, [0, 1, 1, 0], [0, 0, 0, 0]],
        ],
    )
    assert np.isnan(matrix.draws[2]).all()
    np.testing.assert_array_equal(matrix.legal, [[1, 1, 1], [0, 1, 1], [1, 0, 1]])
    # Known is what the first draw of the unedited model says: row b answers so only later.
    assert list(matrix.known) == [True, False, False]


@pytest.mark.parametrize(
    ("at", "values", "message"),
    [
        (
            0,
            {"correct": False},
            f"q structured recite, field correct: stored as False, but {STRICT} gives True",
        ),
        (0, {"correct": None}, f"q structured recite, field correct: stored as None, but {STRICT}"),
        (1, {"correct_paper": True}, "field correct_paper: stored as True, but paper/1 gives"),
        (1, {"refused": True}, f"q structured reason, field refused: stored as True, but {STRICT}"),
        (0, {"text": None}, "q structured recite, field legal: a text is expected just where"),
        (0, {"legal": False}, "q structured recite, field legal: a text is expected just where"),
        (0, {"legal": None}, "q structured recite, field legal: a text is expected just where"),
        (2, {"refused": False}, "q structured abstain: verdicts on an action that is not legal"),
        (0, {"action": "guess"}, "field action: 'guess' is not one of recite, reason, abstain"),
        (0, {"action": "reason"}, "q structured reason: an outcome stands twice"),
        (0, {"query_id": "x"}, "x structured recite: an outcome without a decision"),
        (0, {"draw": -1}, "q structured recite, field draw: not a draw's number"),
        (1, {"draw": None}, "q structured reason, field draw: not a draw's number"),
        (0, {"draw": 2_000_000_000}, "q structured recite, field draw: not a draw's number"),
    ],
)
def test_a_bad_outcome_is_named(
    tables: Build, row: Build, at: int, values: dict[str, Any], message: str
) -> None:
    outcomes, decisions = tables([row("10-")])
    assert message in refusal(changed(outcomes, at, **values), decisions)


def test_draws_that_do_not_fit_together_are_named(tables: Build, row: Build) -> None:
    outcomes, decisions = tables([row("101", query_id="p", draws=("000",)), row("-01")])
    assert "record q structured: no outcome of 'recite', draw 1" in refusal(outcomes, decisions)
    outcomes, decisions = tables([row("101", draws=("101", "101"))])
    gap = [at for at, found in enumerate(outcomes.to_pylist()) if found["draw"] != 1]
    assert "record q structured: no outcome of 'recite', draw 1" in refusal(
        outcomes.take(gap), decisions
    )
    torn = tables([row("101", query_id="p", draws=("111",)), row("101", draws=("-01",))])
    assert "record q structured: an action is legal in some draws only" in refusal(*torn)


def test_a_verdict_on_a_decision_only_row_is_refused(tables: Build, row: Build) -> None:
    outcomes, decisions = tables([row("10-", answers=None)])
    assert f"field correct: stored as True, but {STRICT} gives None" in refusal(
        changed(outcomes, 0, correct=True), decisions
    )


def test_missing_outcomes_and_rows_without_an_action_are_named(tables: Build, row: Build) -> None:
    outcomes, decisions = tables([row("10-")])
    assert "record q structured: no outcome of 'reason';" in refusal(
        outcomes.take([0, 2]), decisions
    )
    assert "record q structured: no action is legal" in refusal(*tables([row("---")]))
    assert "record outcomes table, field text: the column is missing" in refusal(
        outcomes.drop_columns(["text"]), decisions
    )
    assert "record decisions table, field fold: the column is missing" in refusal(
        outcomes, decisions.drop_columns(["fold"])
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"condition": "spoken"}, "field condition: 'spoken' is not one of structured, unstruct"),
        ({"population": "urban"}, "field population: 'urban' is not one of original, withheld, c"),
        ({"action": "refuse"}, "field action: 'refuse' is not one of recite, reason, abstain"),
        ({"action": None}, "q structured, field action: None is not one of recite"),
        ({"cluster": None}, "q structured, field cluster: null is not allowed"),
        ({"governing_edit_ids": None}, "field governing_edit_ids: null is not allowed"),
        ({"query_id": "p"}, "record p structured: decided twice"),
    ],
)
def test_a_bad_decision_is_named(
    tables: Build, row: Build, values: dict[str, Any], message: str
) -> None:
    outcomes, decisions = tables([row("100", query_id="p"), row("100")])
    assert message in refusal(outcomes, changed(decisions, 1, **values))


def test_an_editor_cannot_choose_what_is_not_legal(tables: Build, row: Build) -> None:
    """The chosen action's outcome is the editor's: it must have been executed."""
    rows = [row("111", query_id="p", action="recite"), row("-11", action="recite")]
    assert refusal(*tables(rows)).endswith(
        "record q structured, field action: the editor chose 'recite', which is not legal there"
    )
    assert list(decisions_of(tables([rows[0]])).chosen) == [0]


def test_tables_without_rows_are_arrays_without_rows(tables: Build) -> None:
    given = tables([])
    assert len(decisions_of(given).chosen) == 0
    for matcher in MATCHERS:
        assert matrix_of(given, matcher).outcomes.shape == (0, 3)


def test_verdicts_of_an_earlier_matcher_are_judged_anew_and_counted(
    tables: Build, row: Build
) -> None:
    outcomes, decisions = tables([row("10-", query_id="a"), row("-01", query_id="b")])
    today = run_rows(outcomes, decisions)
    old = changed(outcomes, 0, correct=False)
    old = changed(old, 1, refused=True)
    found = run_rows(old, decisions, stored=EARLIER)
    for matcher in MATCHERS:
        np.testing.assert_array_equal(
            found.matrices[matcher].outcomes, today.matrices[matcher].outcomes
        )
    assert today.judged_anew is None
    assert found.judged_anew is not None
    assert found.judged_anew.words == (
        f"verdicts stored under {EARLIER}; judged anew under {STRICT}: 2 of 4 changed"
    )


def test_what_the_papers_matcher_says_does_not_change_with_the_strict_one(
    tables: Build, row: Build
) -> None:
    outcomes, decisions = tables([row("10-")])
    with pytest.raises(DataError, match="field correct_paper: stored as True, but paper/1 gives"):
        run_rows(changed(outcomes, 1, correct_paper=True), decisions, stored=EARLIER)


def test_verdicts_of_a_later_matcher_are_refused(tables: Build, row: Build) -> None:
    with pytest.raises(DataError, match=f"under {LATER}, where this scopebench has {STRICT}; use"):
        run_rows(*tables([row("10-")]), stored=LATER)


@pytest.mark.parametrize("name", [STRICT, "paper/0", f"{NAME}/0", f"{NAME}/x", NAME, "", "²/1"])
def test_what_is_no_earlier_version_of_the_strict_matcher(name: str) -> None:
    assert not is_earlier(name)
