"""Traffic mixes: by hand, and against the formula for exclusive outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.scoring.matrix import DecisionTable, OutcomeMatrix
from scopebench.scoring.mixes import CURVE, Mix, label_mix, mix_rows
from scopebench.scoring.stats.bootstrap import Bootstrap


def population(
    fire: list[float], abstain: list[float], inside: list[bool], kinds: list[str]
) -> tuple[OutcomeMatrix, DecisionTable, np.ndarray]:
    n = len(fire)
    labels = np.full(n, "x", dtype=object)
    outcomes = np.array([fire, abstain], float).T
    matrix = OutcomeMatrix(
        actions=("reason", "abstain"),
        query_ids=np.array([str(i) for i in range(n)], dtype=object),
        datasets=labels,
        conditions=labels,
        populations=labels,
        kinds=np.array(kinds, dtype=object),
        folds=None,
        clusters=np.arange(n),
        outcomes=outcomes,
        legal=np.ones((n, 2), bool),
        scorable=np.ones(n, bool),
        known=None,
        hidden=None,
        refusal=None,
    )
    decisions = DecisionTable(
        in_scope=np.array(inside), chosen=np.zeros(n, np.int64), fired=np.ones(n, bool)
    )
    return matrix, decisions, np.array(fire, float)


FOUR = population(
    fire=[1, 1, 0, 0, 1, 0],
    abstain=[0, 0, 0, 1, 1, 1],
    inside=[True, True, True, False, False, False],
    kinds=["direct", "direct", "paraphrase", "near", "near", "near"],
)


def rows(mixes: tuple[Mix, ...] = ()) -> dict[tuple[str, float | None], object]:
    matrix, decisions, fixed = FOUR
    found = mix_rows(
        "curated",
        matrix,
        decisions,
        fixed=fixed,
        mixes=mixes,
        bootstrap=Bootstrap(6, n_resamples=200),
    )
    return {(row.name, row.out_of_scope): row for row in found}


def test_by_hand() -> None:
    found = rows()
    # in scope: firing 2/3, oracle 2/3; out of it: firing 1/3, abstaining 1, oracle 1
    assert [key for key in found if key[0] == "curve"] == [("curve", share) for share in CURVE]
    half = found["observed", 0.5]
    assert half.static_fixed == pytest.approx(0.5)
    assert half.oracle == pytest.approx(5 / 6)
    assert half.editor == pytest.approx(0.5)
    assert half.static_const == pytest.approx(max(0.5, 0.5))
    tenth = found["curve", 0.1]
    assert tenth.headroom.value == pytest.approx(0.1 * 2 / 3)
    assert tenth.static_const == pytest.approx(0.9 * 2 / 3 + 0.1 / 3)
    assert found["curve", 0.9].static_const == pytest.approx(0.9)
    assert found["curve", 0.0].headroom.value == 0
    assert found["curve", 1.0].headroom.value == pytest.approx(2 / 3)


def test_a_mix_by_kind_weighs_each_kinds_rows_alike() -> None:
    found = rows((Mix("m", {"direct": 0.2, "near": 0.8}), Mix("p", {"paraphrase": 1.0})))
    mixed = found["m", 0.8]
    assert mixed.static_fixed == pytest.approx(0.2 * 1 + 0.8 / 3)
    assert mixed.oracle == pytest.approx(1)
    assert found["p", 0.0].oracle == 0


def test_a_kind_that_is_not_there_is_undefined_with_its_reason() -> None:
    found = rows((Mix("m", {"direct": 0.5, "temporal": 0.5}),))["m", None]
    assert found.oracle is None
    assert found.headroom.value is None
    assert set(found.undefined.values()) == {"no scorable query is of temporal"}


def test_a_population_of_one_label_has_no_curve() -> None:
    matrix, decisions, fixed = FOUR
    keep = np.array([True, True, True, False, False, False])
    found = mix_rows(
        "original",
        matrix.select(keep),
        decisions.select(keep),
        fixed=fixed[keep],
        mixes=(label_mix(0.3, "pi=0.3"),),
        bootstrap=Bootstrap(6, n_resamples=200),
    )
    assert [(row.name, row.oracle is None) for row in found] == [
        ("observed", False),
        ("curve", True),
        ("pi=0.3", True),
    ]
    assert found[1].undefined["headroom"] == "no scorable query is out of scope"


@given(
    st.integers(1, 20), st.integers(0, 20), st.integers(1, 20), st.integers(0, 20), st.floats(0, 1)
)
def test_exclusive_outcomes_follow_the_formula(
    won: int, lost: int, silent: int, ignorant: int, share: float
) -> None:
    """Against the best constant action, H(pi) = min((1 - pi) a, pi b) (field survey, section 0)."""
    matrix, decisions, fixed = population(
        fire=[1] * won + [0] * lost + [0] * (silent + ignorant),
        abstain=[0] * (won + lost) + [1] * silent + [0] * ignorant,
        inside=[True] * (won + lost) + [False] * (silent + ignorant),
        kinds=["k"] * (won + lost + silent + ignorant),
    )
    row = mix_rows(
        "curated",
        matrix,
        decisions,
        fixed=fixed,
        mixes=(label_mix(share, "mine"),),
        bootstrap=Bootstrap(len(fixed), n_resamples=100),
    )[-1]
    a, b = won / (won + lost), silent / (silent + ignorant)
    assert row.oracle - row.static_const == pytest.approx(min((1 - share) * a, share * b))
    assert row.headroom.value == pytest.approx(share * b)
