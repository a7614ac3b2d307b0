"""Ratios with intervals, and reasons."""

from __future__ import annotations

import numpy as np
import pytest

from scopebench.scoring.estimates import UNDEFINED, Ratio, Reasons, ratio_estimates
from scopebench.scoring.stats.bootstrap import Bootstrap
from scopebench.scoring.stats.proportions import clopper_pearson, wilson


def estimates(part: list[float], whole: list[float], clusters: list[int], *, signed: bool = False):
    reasons = Reasons()
    ratio = Ratio(np.array(part, float), np.array(whole, float), "nothing there", signed=signed)
    found = ratio_estimates(
        {"x": ratio}, np.array(clusters), Bootstrap(max(clusters) + 1, n_resamples=200), reasons
    )
    return found["x"], reasons.told


def test_a_rate_of_independent_rows_is_wilsons() -> None:
    found, told = estimates([1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [0, 1, 2, 3, 4])
    assert (found.value, found.method) == (2 / 4, "wilson")
    assert (found.low, found.high) == pytest.approx(wilson(2, 4))
    assert told == {}


def test_a_rate_of_clustered_rows_is_resampled() -> None:
    found, _ = estimates([1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 2])
    assert found.method == "cluster bootstrap, percentile, 200 resamples"
    assert (found.low, found.high) == (0, 1)


def test_none_and_all_are_bounded_on_the_clusters_that_count() -> None:
    none, _ = estimates([0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 1, 2])
    assert (none.value, none.low, none.high) == (0, 0, pytest.approx(clopper_pearson(0, 2)[1]))
    every, _ = estimates([1, 1, 1], [1, 1, 1], [0, 0, 1])
    assert (every.value, every.high) == (1, 1)
    assert every.low == pytest.approx(clopper_pearson(2, 2)[0])


def test_a_signed_zero_is_bounded_both_ways() -> None:
    found, _ = estimates([0, 0], [1, 1], [0, 1], signed=True)
    assert found.low == -found.high


def test_an_empty_whole_is_undefined_with_its_reason() -> None:
    found, told = estimates([0, 0], [0, 0], [0, 1])
    assert found == UNDEFINED
    assert told == {"x": "nothing there"}


def test_a_single_cluster_has_a_value_and_no_interval() -> None:
    found, told = estimates([1, 0], [1, 1], [0, 0])
    assert (found.value, found.low) == (0.5, None)
    assert told == {"x.interval": "one cluster only"}
