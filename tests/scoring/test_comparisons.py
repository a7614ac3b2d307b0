"""Paired tests: the founding paper's counts, families, and what is skipped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.scoring.comparisons import Pair, compare_family
from scopebench.scoring.stats.bootstrap import Bootstrap

Floats = npt.NDArray[np.float64]


def pair(
    first: list[float], second: list[float], clusters: list[int] | None = None, **more: str
) -> Pair:
    return Pair(
        labels={"population": "withheld", "first": "a", "second": "b"},
        first=np.array(first, float),
        second=np.array(second, float),
        clusters=np.arange(len(first)) if clusters is None else np.array(clusters),
        **more,
    )


def one(*pairs: Pair, resamples: int = 200) -> list[object]:
    return compare_family("f", pairs, Bootstrap(100, n_resamples=resamples))


def test_four_discordant_rows_cannot_be_significant() -> None:
    """Paper section 6.1: 4 against 0 gives 0.125, the least that four rows can give."""
    (found,) = one(pair([1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1]))
    assert (found.first_only, found.second_only) == (4, 0)
    assert (found.p_mcnemar, found.smallest_p) == (0.125, 0.125)
    assert found.p_sign_flip == 0.125  # every row its own cluster: the same test
    assert found.difference.value == pytest.approx(4 / 6)
    assert (found.n, found.n_clusters) == (6, 6)


def test_clusters_are_flipped_whole() -> None:
    # the same four rows in two clusters: only two signs to flip
    (found,) = one(pair([1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 2, 2]))
    assert found.p_mcnemar == 0.125
    assert found.p_sign_flip == 0.5
    assert found.n_clusters == 3


def test_holm_is_over_the_tested_and_the_skipped_are_listed() -> None:
    found = one(
        pair([1] * 6, [0] * 6),  # 1/32
        pair([1] * 8, [0] * 8),  # 1/128
        pair([], []),
        pair([1], [0], skipped="static_fixed is undefined"),
    )
    assert [row.p_holm for row in found] == [1 / 32, 2 / 128, None, None]
    assert found[2].skipped == "no query has outcome gold"
    assert found[3].skipped == "static_fixed is undefined"
    assert found[3].p_sign_flip is None
    assert set(found[3].undefined.values()) == {"static_fixed is undefined"}


def test_no_discordant_row_is_bounded_both_ways_and_never_a_point() -> None:
    (found,) = one(pair([1, 0, 1] * 20, [1, 0, 1] * 20))
    assert (found.first_only, found.second_only, found.p_sign_flip) == (0, 0, 1)
    assert found.difference.value == 0
    assert found.difference.low == -found.difference.high < 0
    assert found.detectable is None
    assert "no cluster differs" in found.undefined["detectable"]


def test_graded_outcomes_have_no_mcnemar_test() -> None:
    (found,) = one(pair([0.5, 1, 0.2], [0.25, 0, 0.2]))
    assert (found.first_only, found.p_mcnemar, found.smallest_p) == (None, None, None)
    assert found.p_sign_flip == 0.5
    assert found.undefined["p_mcnemar"] == "outcomes are graded, and not just right or wrong"


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_rows_in_clusters_of_their_own_give_mcnemars_p(rows: list[tuple[int, int]]) -> None:
    (found,) = one(pair([a for a, _ in rows], [b for _, b in rows]), resamples=100)
    assert found.p_sign_flip == pytest.approx(found.p_mcnemar, rel=1e-9)
    assert found.p_holm == found.p_sign_flip
    assert found.smallest_p <= found.p_mcnemar * (1 + 1e-12)
