"""Static policies, oracle, headroom and unique wins: by hand and as properties."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scopebench.records import ACTIONS
from scopebench.scoring.headroom import (
    CV_FOLDS,
    STATICS,
    Headroom,
    Rule,
    cv_folds,
    headroom,
    oracle,
    unique,
)
from scopebench.scoring.matrix import OutcomeMatrix
from scopebench.scoring.stats.bootstrap import Bootstrap

Floats = npt.NDArray[np.float64]
NAN = np.nan


def matrix_of(
    outcomes: Floats,
    *,
    scorable: list[bool] | None = None,
    clusters: list[int] | None = None,
    actions: tuple[str, ...] = ACTIONS,
) -> OutcomeMatrix:
    """A matrix whose NaN are illegal actions, one cluster a row unless told."""
    n = len(outcomes)
    labels = np.full(n, "x", dtype=object)
    kept = np.ones(n, bool) if scorable is None else np.array(scorable, bool)
    return OutcomeMatrix(
        actions=actions,
        query_ids=np.array([f"q{i}" for i in range(n)], dtype=object),
        datasets=labels,
        conditions=labels,
        populations=labels,
        kinds=labels,
        folds=None,
        clusters=np.arange(n) if clusters is None else np.array(clusters),
        outcomes=np.where(kept[:, None], outcomes, NAN),
        legal=~np.isnan(outcomes),
        scorable=kept,
        known=None,
        hidden=None,
        refusal=None,
    )


def headroom_of(
    matrix: OutcomeMatrix,
    *,
    cells: list[int] | None = None,
    folds: list[int] | None = None,
    rule: Rule | None = None,
    weights: Floats | None = None,
) -> Headroom:
    n_clusters = int(matrix.clusters.max(initial=-1)) + 1
    return headroom(
        matrix,
        rule=rule or Rule(),
        cells=np.zeros(len(matrix), np.int64) if cells is None else np.array(cells),
        folds=cv_folds(n_clusters, 0) if folds is None else np.array(folds),
        bootstrap=Bootstrap(n_clusters, n_resamples=200),
        weights=weights,
    )


FIVE = np.array(
    # recite, reason, abstain
    [
        [1, 1, 0],  # static right, tied
        [0, 1, 0],  # only reason
        [NAN, 1, 0],  # static reasons; only reason
        [NAN, 0, 1],  # only abstain
        [0, 0, 0],  # all wrong: the oracle is wrong too
    ]
)


def test_five_rows_by_hand() -> None:
    found = headroom_of(matrix_of(FIVE))
    assert (found.n, found.n_scorable, found.n_clusters) == (5, 5, 5)
    assert found.legal == (3, 5, 5)
    assert found.wins == (1, 3, 1)
    assert found.unique_wins == (0, 2, 1)
    assert found.oracle_without == (4, 2, 3)
    assert (found.static_legal, found.covered) == (5, 4)
    assert (found.values.static_fixed, found.values.oracle) == (2, 4)
    assert found.values.headroom("static_fixed") == 2 / 5
    # reasoning is right on three rows; reciting and abstaining on one each
    assert (found.values.static_const, found.const_action) == (3, ACTIONS.index("reason"))
    assert found.values.headroom("static_const") == 1 / 5


def test_the_best_action_of_each_cell_by_hand() -> None:
    # cell 0: recite 2, reason 1, abstain 0; cell 1: recite nowhere legal, reason 0, abstain 2
    outcomes = np.array([[1, 0, 0], [1, 1, 0], [NAN, 0, 1], [NAN, 0, 1], [NAN, 0, 0]])
    found = headroom_of(matrix_of(outcomes), cells=[0, 0, 7, 7, 7])
    assert found.values.static_cell == 4
    assert found.cell_actions == {0: ACTIONS.index("recite"), 7: ACTIONS.index("abstain")}
    # over all rows: recite 2 (wrong where it is not legal), reason 1, abstain 2; the first is taken
    assert (found.values.static_const, found.const_action) == (2, 0)


def test_static_cv_by_hand() -> None:
    """Two folds in one cell; each is judged by what is best in the other."""
    outcomes = np.array(
        [
            [1, 0, 0],  # fold 0: recite is best here, 2 against 1
            [1, 1, 0],
            [0, 1, 0],  # fold 1: reason is best here, 2 against 0
            [0, 1, 0],
        ]
    )
    found = headroom_of(matrix_of(outcomes), folds=[0, 0, 1, 1])
    # fold 0 takes reason (1 right), fold 1 takes recite (0 right)
    assert (found.values.static_cv, found.values.oracle) == (1, 4)
    assert found.values.static_cell == 3
    assert not found.one_fold
    alone = headroom_of(matrix_of(outcomes), folds=[2, 2, 2, 2])
    assert alone.one_fold
    assert np.isnan(alone.values.static_cv)


def test_a_cell_that_other_folds_lack_takes_what_is_best_over_their_cells() -> None:
    outcomes = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0]])
    found = headroom_of(matrix_of(outcomes), cells=[0, 1, 1], folds=[0, 1, 2])
    # cell 0 is in fold 0 alone: reason (2 of the other rows) is taken and wrong;
    # each row of cell 1 takes what is right on the other: reason
    assert found.values.static_cv == 2


def test_rows_that_are_not_scorable_are_counted_and_left_out() -> None:
    outcomes = np.array([[1.0, 0, 0], [0, 0, 1], [NAN, 1, 0]])
    found = headroom_of(matrix_of(outcomes, scorable=[True, False, True]))
    assert (found.n, found.n_scorable, found.n_clusters) == (3, 2, 2)
    assert found.legal == (1, 2, 2)
    assert found.unique_wins == (1, 1, 0)


def test_the_declared_rule_takes_its_first_legal_action() -> None:
    matrix = matrix_of(np.array([[1, 1, 1], [NAN, 1, 1], [1, NAN, 1], [NAN, NAN, 1.0]]))
    assert list(Rule().choose(matrix)) == [0, 1, 0, -1]
    assert list(Rule(("abstain",)).choose(matrix)) == [2, 2, 2, 2]
    assert list(Rule(("reason", "abstain")).choose(matrix)) == [1, 1, 2, 1 + 1]
    assert list(Rule(()).choose(matrix)) == [-1] * 4
    assert Rule().words == "recite where legal, else reason"
    assert Rule(("a", "b", "c")).words == "a where legal, else b, else c"
    assert Rule(("abstain",)).words == "always abstain"
    found = headroom_of(matrix)
    assert (found.static_legal, found.n_scorable) == (3, 4)


def test_graded_outcomes_have_an_oracle_and_no_unique_wins() -> None:
    outcomes = np.array([[0.2, 0.6], [0.9, 0.9], [0.0, 0.0]])
    found = headroom_of(matrix_of(outcomes, actions=("small", "large")), rule=Rule(("small",)))
    assert found.unique_wins is None
    assert found.values.oracle == pytest.approx(1.5)
    assert found.values.headroom("static_fixed") == pytest.approx(0.4 / 3)
    assert found.oracle_without == pytest.approx((1.5, 1.1))
    assert found.covered == 2


def test_weights_count_a_row_as_often_as_they_say() -> None:
    weights = np.array([2.0, 1, 0, 3, 1])
    weighed = headroom_of(matrix_of(FIVE), weights=weights).values
    repeated = np.repeat(FIVE, weights.astype(int), axis=0)
    plain = headroom_of(matrix_of(repeated)).values
    for name in ("rows", "static_fixed", "static_const", "static_cell", "oracle"):
        assert getattr(weighed, name) == getattr(plain, name)


def test_no_rows() -> None:
    found = headroom_of(matrix_of(np.empty((0, 3))))
    assert (found.n, found.n_scorable, found.n_clusters) == (0, 0, 0)
    assert (found.wins, found.unique_wins) == ((0, 0, 0), (0, 0, 0))
    assert np.isnan(found.values.share("oracle"))


def test_folds_are_even_and_seeded() -> None:
    folds = cv_folds(103, seed=4)
    assert sorted(np.bincount(folds)) == [20, 20, 21, 21, 21]
    np.testing.assert_array_equal(folds, cv_folds(103, seed=4))
    assert (folds != cv_folds(103, seed=5)).any()


matrices = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.just(3)), elements=st.sampled_from([0, 1, NAN])
).map(lambda y: np.where(np.isnan(y).all(axis=1, keepdims=True), 0.0, y))

graded = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 20), st.just(4)), elements=st.floats(0, 1, width=16)
)


@given(matrices | graded, st.integers(1, 3))
def test_the_oracle_is_at_least_every_policy_on_the_data_and_in_every_resample(
    outcomes: Floats, n_cells: int
) -> None:
    names = ACTIONS if outcomes.shape[1] == 3 else ("recite", "reason", "abstain", "other")
    cells = [i % n_cells for i in range(len(outcomes))]
    found = headroom_of(matrix_of(outcomes, actions=names), cells=cells)
    for values in (found.values, found.replicates):
        for static in STATICS:
            gaps = np.atleast_1d(values.headroom(static))
            assert (gaps[~np.isnan(gaps)] >= -1e-12).all()
        assert (np.atleast_1d(values.static_cell - values.static_const) >= -1e-9).all()
    won = np.nan_to_num(outcomes)
    for choice in np.random.default_rng(0).integers(0, won.shape[1], size=(20, len(won))):
        assert found.values.oracle >= won[np.arange(len(won)), choice].sum() - 1e-9


@given(matrices)
def test_unique_wins_are_what_the_oracle_loses_without_the_action(outcomes: Floats) -> None:
    found = headroom_of(matrix_of(outcomes))
    assert found.unique_wins is not None
    for alone, without in zip(found.unique_wins, found.oracle_without, strict=True):
        assert alone == found.values.oracle - without
    assert unique(np.nan_to_num(outcomes)).sum() == sum(found.unique_wins)


@given(matrices, st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(outcomes: Floats, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(outcomes))
    clusters, cells = np.arange(len(outcomes)) // 2, np.arange(len(outcomes)) % 2
    one = headroom_of(matrix_of(outcomes, clusters=list(clusters)), cells=list(cells))
    two = headroom_of(
        matrix_of(outcomes[order], clusters=list(clusters[order])), cells=list(cells[order])
    )
    for name in ("legal", "wins", "unique_wins", "oracle_without", "cell_actions"):
        assert getattr(one, name) == getattr(two, name)
    for static in (*STATICS, "oracle"):
        np.testing.assert_array_equal(getattr(one.values, static), getattr(two.values, static))
        np.testing.assert_array_equal(
            getattr(one.replicates, static), getattr(two.replicates, static)
        )


@given(
    arrays.arrays(
        np.float64, st.tuples(st.integers(1, 6), st.just(2)), elements=st.sampled_from([0, 1])
    ),
    st.integers(1, 3),
)
def test_static_cell_is_the_best_of_all_policies_that_look_at_the_cell_only(
    outcomes: Floats, n_cells: int
) -> None:
    cells = np.arange(len(outcomes)) % n_cells
    found = headroom_of(matrix_of(outcomes, actions=("recite", "reason")), cells=list(cells)).values
    every = product(range(2), repeat=n_cells)
    best = max(sum(outcomes[i, choice[cell]] for i, cell in enumerate(cells)) for choice in every)
    assert found.static_cell == best


def test_rows_repeated_inside_their_cluster_add_no_certainty() -> None:
    rng = np.random.default_rng(3)
    outcomes = (rng.random((60, 3)) < 0.4).astype(float)
    clusters = list(np.repeat(np.arange(20), 3))
    once = headroom_of(matrix_of(outcomes, clusters=clusters)).replicates
    thrice = headroom_of(matrix_of(np.tile(outcomes, (3, 1)), clusters=clusters * 3)).replicates
    for static in STATICS:
        np.testing.assert_allclose(once.headroom(static), thrice.headroom(static), atol=1e-12)


def test_a_resample_chooses_hindsight_policies_anew() -> None:
    """Two equal actions: hindsight picks whichever a resample happens to favour."""
    rng = np.random.default_rng(0)
    first = (rng.random(63) < 0.6).astype(float)
    outcomes = np.column_stack([first, 1 - first])
    found = headroom_of(matrix_of(outcomes, actions=("recite", "reason")))
    fixed, const = found.replicates.share("static_fixed"), found.replicates.share("static_const")
    assert (const >= fixed).all()
    assert (const > fixed).any()
    np.testing.assert_allclose(const, np.maximum(fixed, 1 - fixed))


def test_the_oracle_of_no_action_is_wrong() -> None:
    assert list(oracle(np.empty((3, 0)))) == [0, 0, 0]


def test_every_fold_is_used() -> None:
    assert CV_FOLDS == 5
