"""Degenerate policies: by hand on six rows, and as properties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.scoring.degenerate import (
    Policies,
    Policy,
    degenerate_policies,
    fires,
    fit_threshold,
)
from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix

NAN, INF = np.nan, np.inf
ACTIONS = ("recite", "reason", "abstain")
NAMES = [
    "always_fire",
    "always_abstain",
    "always_refuse",
    "random",
    "similarity_threshold",
    "margin_threshold",
    "subject_match",
    "template_match",
    "editor",
    "oracle",
    "perfect_scope",
]


def matrix_of(
    outcomes: Any,
    *,
    actions: tuple[str, ...] = ACTIONS,
    folds: Any = None,
    scorable: Any = None,
    refusal: Any = None,
) -> OutcomeMatrix:
    """A matrix whose NaN are illegal actions, one cluster a row."""
    outcomes = np.array(outcomes, float)
    n = len(outcomes)
    labels = np.full(n, "x", dtype=object)
    scorable = np.ones(n, bool) if scorable is None else np.array(scorable, bool)
    return OutcomeMatrix(
        actions=actions,
        query_ids=np.array([f"q{i}" for i in range(n)], dtype=object),
        datasets=labels,
        conditions=labels,
        populations=labels,
        kinds=labels,
        folds=None if folds is None else np.array(folds, dtype=object),
        clusters=np.arange(n),
        outcomes=np.where(scorable[:, None], outcomes, NAN),
        legal=~np.isnan(outcomes),
        scorable=scorable,
        known=None,
        hidden=None,
        refusal=None if refusal is None else np.array(refusal, float),
    )


# recite, reason, abstain: the first two rows are dev, the last is decision-only
SIX = matrix_of(
    [
        [0, 0, 0],
        [1, 1, 1],
        [1, 0, 0],
        [NAN, 0, 1],
        [0, 1, 0],
        [1, 1, 1],
    ],
    folds=["dev", "dev", "test", "test", "test", "test"],
    scorable=[1, 1, 1, 1, 1, 0],
    refusal=[0, 0, 0, 1, 0, NAN],
)
TOLD = DecisionTable(
    chosen=np.array([0, 2, 0, 1, 2, 2]),
    fired=np.array([1, 0, 1, 1, 0, 0], bool),
    in_scope=np.array([1, 0, 1, 0, 1, 0], bool),
    scores=np.array([0.75, 0.25, 0.9, 0.4, 0.5, NAN]),
    runner_up=np.array([0.5, 0.0, 0.1, 0.3, NAN, NAN]),
    subject_match=np.array([1, 1, 1, 1, 0, 0], bool),
    template_match=np.array([0, 0, 0, 1, 1, 1], bool),
)


def by_name(found: Policies) -> dict[str, Policy]:
    return {policy.name: policy for policy in found.policies}


def same(found: npt.NDArray[np.float64] | None, expected: list[float]) -> None:
    assert found is not None
    np.testing.assert_array_equal(found, expected)


def test_six_rows_by_hand() -> None:
    found = degenerate_policies(SIX, TOLD)
    assert found.fold == "test"
    assert list(found.rows) == [False, False, True, True, True, True]
    assert [policy.name for policy in found.policies] == NAMES
    policies = by_name(found)
    # row 4: recite is not legal, so firing is reason; the last row has no gold
    expected = {
        "always_fire": ([1, 0, 0, NAN], [1, 1, 1, 1]),
        "always_abstain": ([0, 1, 0, NAN], [0, 0, 0, 0]),
        "always_refuse": ([0, 1, 0, NAN], [0, 0, 0, 0]),
        "random": ([0.5, 0.5, 0, NAN], [0.5, 0.5, 0.5, 0.5]),
        "similarity_threshold": ([1, 1, 0, NAN], [1, 0, 1, 0]),
        # both dev margins are 0.25: never firing and always firing are equally good
        "margin_threshold": ([0, 1, 0, NAN], [0, 0, 0, 0]),
        "subject_match": ([1, 0, 0, NAN], [1, 1, 0, 0]),
        "template_match": ([0, 0, 0, NAN], [0, 1, 1, 1]),
        "editor": ([1, 0, 0, NAN], [1, 1, 0, 0]),
        "perfect_scope": ([1, 1, 0, NAN], [1, 0, 1, 0]),
    }
    for name, (right, fire) in expected.items():
        same(policies[name].right, right)
        same(policies[name].fire, fire)
        assert policies[name].reason is None
    same(policies["oracle"].right, [1, 1, 1, NAN])
    assert policies["oracle"].fire is None
    assert policies["oracle"].reason == "it chooses by outcome and decides no scope"
    thresholds = {name: policy.threshold for name, policy in policies.items() if policy.threshold}
    assert thresholds == {"similarity_threshold": 0.5, "margin_threshold": INF}


def test_a_row_without_a_runner_up_has_the_largest_margin() -> None:
    told = replace(TOLD, runner_up=np.array([0.25, 0.125, 0.1, 0.3, NAN, NAN]))
    policy = by_name(degenerate_policies(SIX, told))["margin_threshold"]
    assert policy.threshold == 0.3125  # between 0.75 - 0.25 and 0.25 - 0.125
    same(policy.fire, [1, 0, 1, 0])  # margins 0.8, 0.1, none beside it, no score


def test_a_declared_static_rule_is_followed() -> None:
    policies = by_name(degenerate_policies(SIX, TOLD, static=("reason",)))
    same(policies["always_fire"].right, [0, 0, 1, NAN])
    same(policies["editor"].right, [1, 0, 0, NAN])


@pytest.mark.parametrize("folds", [None, ["dev"] * 6, ["test"] * 6])
def test_without_both_folds_all_rows_are_judged_and_nothing_is_fitted(folds: Any) -> None:
    found = degenerate_policies(
        replace(SIX, folds=None if folds is None else np.array(folds)), TOLD
    )
    assert found.fold == "all"
    assert found.rows.all()
    policies = by_name(found)
    same(policies["always_fire"].right, [0, 1, 1, 0, 0, NAN])
    for name in ("similarity_threshold", "margin_threshold"):
        assert (policies[name].right, policies[name].fire) == (None, None)
        assert policies[name].threshold is None
        assert (
            policies[name].reason == "there are no `dev` rows beside the `test` rows to fit it on"
        )


def test_what_is_not_given_is_a_reason() -> None:
    policies = by_name(degenerate_policies(replace(SIX, refusal=None), DecisionTable()))
    assert {name: policy.reason for name, policy in policies.items() if policy.reason} == {
        "always_refuse": "no texts to match a refusal with",
        "random": "whether the editor fired is not given",
        "similarity_threshold": "the scores it needs are not given",
        "margin_threshold": "the scores it needs are not given",
        "subject_match": "subject matches are not given",
        "template_match": "template matches are not given",
        "editor": "the action it chose is not given; whether it fired is not given",
        "oracle": "it chooses by outcome and decides no scope",
        "perfect_scope": "decision labels are not given",
    }
    same(policies["always_refuse"].fire, [0, 0, 0, 0])
    unlabelled = by_name(degenerate_policies(SIX, replace(TOLD, in_scope=None)))
    assert unlabelled["similarity_threshold"].reason == "there are no decision labels to fit it to"


def test_an_action_set_of_another_field() -> None:
    routers = matrix_of([[1, 0], [0, 1]], actions=("small", "large"))
    policies = by_name(degenerate_policies(routers, DecisionTable(fired=np.array([True, False]))))
    assert policies["always_fire"].reason == "the action set has no `recite` or `reason`"
    assert policies["always_abstain"].reason == "the action set has no `abstain`"
    same(policies["always_fire"].fire, [1, 1])
    same(policies["oracle"].right, [1, 1])
    without = matrix_of([[1, 0], [0, 1]], actions=("recite", "reason"))
    policies = by_name(degenerate_policies(without, DecisionTable()))
    same(policies["always_fire"].right, [1, 0])
    assert policies["always_abstain"].right is None


def test_an_action_that_is_not_legal_wins_nothing_and_is_named() -> None:
    matrix = matrix_of([[1, 0, NAN], [NAN, NAN, 1], [1, 0, 0]])
    told = DecisionTable(
        chosen=np.array([2, 2, 2]), fired=np.zeros(3, bool), in_scope=np.array([1, 0, 0], bool)
    )
    policies = by_name(degenerate_policies(matrix, told))
    for name in ("always_fire", "always_abstain", "random", "editor"):
        assert policies[name].right is None
        assert policies[name].fire is not None
        assert policies[name].reason == "the action it takes is not legal on 1 scorable row(s)"
    same(policies["perfect_scope"].right, [1, 1, 0])  # never needs an action that is not legal
    same(policies["oracle"].right, [1, 1, 1])


def test_no_rows() -> None:
    empty = np.array([], dtype=int)
    found = degenerate_policies(SIX.select(empty), TOLD.select(empty))
    assert [policy.name for policy in found.policies] == NAMES
    assert by_name(found)["random"].right is not None


@pytest.mark.parametrize(
    ("scores", "in_scope", "threshold"),
    [
        ([0.1, 0.5, 1.0], [0, 1, 1], 0.3),
        ([0.1, 0.5, 1.0], [1, 1, 1], -INF),
        ([0.1, 0.5, 1.0], [0, 0, 0], INF),
        ([0.5, 0.5], [0, 1], INF),  # always and never are equally good: never
        ([0.0, 1.0, 2.0, 3.0], [1, 0, 1, 1], 1.5),  # 3 of 4, as always firing: the larger one
        ([NAN, 0.0, 2.0], [1, 0, 1], 1.0),
        ([NAN, NAN], [1, 1], INF),
        ([], [], INF),
        ([0.0, INF], [0, 1], np.nextafter(0, 1)),
        ([0.0, INF], [1, 0], INF),
        ([-INF, 0.0], [0, 1], np.nextafter(-INF, 0)),
        ([1.0, np.nextafter(1, 2)], [0, 1], np.nextafter(1, 2)),
    ],
)
def test_thresholds_by_hand(scores: list[float], in_scope: list[int], threshold: float) -> None:
    assert fit_threshold(np.array(scores, float), np.array(in_scope, bool)) == threshold


def test_a_threshold_of_plus_infinity_never_fires_and_one_of_minus_infinity_always() -> None:
    scores = np.array([-INF, 0.0, INF, NAN])
    assert list(fires(scores, INF)) == [False] * 4
    assert list(fires(scores, -INF)) == [True, True, True, False]


score = st.one_of(
    st.integers(0, 4).map(float), st.floats(-1e6, 1e6), st.sampled_from([NAN, INF, -INF])
)
scored_rows = st.lists(st.tuples(score, st.booleans()), max_size=30)


@given(scored_rows)
def test_no_threshold_is_better_and_none_as_good_is_larger(
    rows: list[tuple[float, bool]],
) -> None:
    scores = np.array([row[0] for row in rows], float)
    in_scope = np.array([row[1] for row in rows], bool)

    def won(threshold: float) -> int:
        return int((fires(scores, threshold) == in_scope).sum())

    best = fit_threshold(scores, in_scope)
    tried = [-INF, np.finfo(float).max, INF, *scores[~np.isnan(scores)]]
    assert won(best) == max(won(threshold) for threshold in tried)
    fewest = min(int(fires(scores, t).sum()) for t in tried if won(t) == won(best))
    assert int(fires(scores, best).sum()) == fewest


@st.composite
def benches(draw: st.DrawFn) -> tuple[OutcomeMatrix, DecisionTable]:
    n = draw(st.integers(2, 16))

    def column(element: st.SearchStrategy[Any]) -> npt.NDArray[Any]:
        return np.array(draw(st.lists(element, min_size=n, max_size=n)))

    outcomes = np.column_stack([column(st.sampled_from([0.0, 0.5, 1.0])) for _ in ACTIONS])
    outcomes[column(st.booleans()), 0] = NAN
    matrix = matrix_of(
        outcomes,
        folds=column(st.sampled_from(["dev", "test"])),
        scorable=column(st.booleans()),
        refusal=column(st.sampled_from([0.0, 1.0])),
    )
    told = DecisionTable(
        chosen=column(st.sampled_from([1, 2])),
        fired=column(st.booleans()),
        in_scope=column(st.booleans()),
        scores=column(st.sampled_from([NAN, 0.1, 0.2, 0.3])),
        runner_up=column(st.sampled_from([NAN, 0.0, 0.1])),
        subject_match=column(st.booleans()),
        template_match=column(st.booleans()),
    )
    return matrix, told


def same_policies(one: Policies, two: Policies, order: Any = slice(None)) -> None:
    for first, second in zip(one.policies, two.policies, strict=True):
        assert (first.name, first.threshold) == (second.name, second.threshold)
        for name in ("right", "fire"):
            value, other = getattr(first, name), getattr(second, name)
            assert (value is None) == (other is None)
            if value is not None:
                np.testing.assert_array_equal(value[order], other)


@given(benches())
def test_the_oracle_is_at_least_as_good_on_every_row(
    bench: tuple[OutcomeMatrix, DecisionTable],
) -> None:
    policies = by_name(degenerate_policies(*bench))
    best = policies.pop("oracle").right
    assert best is not None
    for name, policy in policies.items():
        if name != "always_refuse" and policy.right is not None:
            np.testing.assert_array_equal(np.isnan(policy.right), np.isnan(best))
            assert not (policy.right > best).any()


@given(benches(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    bench: tuple[OutcomeMatrix, DecisionTable], random: Any
) -> None:
    matrix, told = bench
    order = np.array(random.sample(range(len(matrix)), len(matrix)))
    one = degenerate_policies(matrix, told)
    two = degenerate_policies(matrix.select(order), told.select(order))
    assert list(one.rows[order]) == list(two.rows)
    place = np.cumsum(one.rows) - 1
    same_policies(one, two, place[order[two.rows]])


@given(benches())
def test_outcomes_of_dev_and_labels_of_test_move_no_threshold(
    bench: tuple[OutcomeMatrix, DecisionTable],
) -> None:
    matrix, told = bench
    assert matrix.folds is not None and told.in_scope is not None
    dev = matrix.folds == "dev"
    found = degenerate_policies(matrix, told)
    if found.fold == "all":
        return
    turned = replace(matrix, outcomes=np.where(dev[:, None], 1 - matrix.outcomes, matrix.outcomes))
    same_policies(found, degenerate_policies(turned, told))
    relabelled = replace(told, in_scope=told.in_scope ^ ~dev)
    again = degenerate_policies(matrix, relabelled)
    one, two = (
        replace(p, policies=tuple(q for q in p.policies if q.name != "perfect_scope"))
        for p in (found, again)
    )
    same_policies(one, two)
