from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.assign import assign_folds, choose_sum, draw, hide_clusters


def sums_of(sizes):
    """Every sum some choice of the sizes has."""
    return {sum(chosen) for n in range(len(sizes) + 1) for chosen in combinations(sizes, n)}


def test_a_draw_is_fixed_by_its_arguments_and_spreads_evenly():
    # printf '0\0withhold\0a' | sha256sum
    assert draw(0, "withhold", "a") == pytest.approx(0x468633C690A54B34 / 2**64, abs=1e-15)
    assert draw(0, "withhold", "a") != draw(1, "withhold", "a") != draw(1, "fold", "a")
    values = [draw(0, "withhold", str(n)) for n in range(4000)]
    assert all(0 <= value < 1 for value in values)
    assert sum(values) / len(values) == pytest.approx(0.5, abs=0.02)


def test_a_sum_is_made_exactly_even_where_greed_fails():
    sizes = {"a": 3, "b": 3, "c": 2, "d": 2}
    assert choose_sum(["a", "b", "c", "d"], sizes, 4) == {"c", "d"}
    assert choose_sum(["c", "a", "b", "d"], sizes, 5) == {"c", "a"}
    assert choose_sum(["a", "b"], sizes, 5) == {"a", "b"}
    assert choose_sum([], {}, 3) == frozenset()


def test_of_two_sums_equally_near_the_smaller_is_made():
    assert choose_sum(["a"], {"a": 2}, 1) == frozenset()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.data())
def test_the_sum_is_the_nearest_there_is(sizes, data):
    target = data.draw(st.integers(0, sum(sizes)))
    named = {str(at): size for at, size in enumerate(sizes)}
    made = sum(named[key] for key in choose_sum(list(named), named, target))
    assert abs(made - target) == min(abs(possible - target) for possible in sums_of(sizes))


def test_dev_holds_a_fifth_and_clusters_without_queries_are_drawn_alone():
    queries = Counter({f"c{n}": 1 + n % 2 for n in range(40)})  # 60 queries
    every = [*queries, "empty-1", "empty-2"]
    folds = assign_folds(every, queries, seed=0)
    assert set(folds) == set(every)
    assert sum(queries[key] for key, fold in folds.items() if fold == "dev") == 12
    for key in ("empty-1", "empty-2"):
        assert folds[key] == ("dev" if draw(0, "fold", key) < 0.2 else "test")


def test_the_hidden_share_is_kept_inside_each_fold():
    queries = Counter({f"c{n}": 1 for n in range(50)})
    folds = assign_folds(queries, queries, seed=0)
    hidden = hide_clusters(queries, folds, 0.5, seed=0)
    assert Counter(folds[key] for key in hidden) == {"dev": 5, "test": 20}


@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=9),
    st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]),
    st.integers(0, 5),
)
def test_hiding_is_exact_whenever_some_choice_of_clusters_is(sizes, fraction, seed):
    queries = Counter({str(at): size for at, size in enumerate(sizes)})
    folds = assign_folds(queries, queries, seed)
    wanted = round(fraction * sum(sizes))
    made = sum(queries[key] for key in hide_clusters(queries, folds, fraction, seed))
    assert abs(made - wanted) == min(abs(possible - wanted) for possible in sums_of(sizes))
