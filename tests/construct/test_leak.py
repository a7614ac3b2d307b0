from __future__ import annotations

import pytest

from scopebench.construct.leak import ENOUGH_ROWS, N_PARTS, Leak, measure_leak, measured, part_of

SUBJECTS = [f"{first}{last}" for first in ("Ar", "Bel", "Cor", "Den") for last in "klmnoprstuvwxyz"]


def rows(positive: str, negative: str):
    questions = [positive.format(name) for name in SUBJECTS]
    questions += [negative.format(name) for name in SUBJECTS]
    labels = [True] * len(SUBJECTS) + [False] * len(SUBJECTS)
    clusters = [*SUBJECTS, *SUBJECTS]
    return questions, labels, ["direct"] * len(SUBJECTS) + ["refilled"] * len(SUBJECTS), clusters


def test_wording_that_differs_leaks_wholly():
    questions, labels, kinds, clusters = rows("Where is {}?", "When was {} founded?")
    leak = measure_leak(questions, labels, kinds, clusters, seed=0)
    assert leak.pooled == 1.0
    assert leak.by_kind == {"direct": 1.0, "refilled": 1.0}
    assert leak.n == 2 * len(SUBJECTS)


def test_equal_wording_leaks_nothing():
    questions, labels, kinds, clusters = rows("Where is {}?", "Where is {}?")
    assert measure_leak(questions, labels, kinds, clusters, seed=0).pooled == 0.5


def test_a_kind_with_both_labels_is_measured_within_itself():
    questions, labels, _, clusters = rows("As of 2020, where is {}?", "As of 1990, where is {}?")
    leak = measure_leak(questions, labels, ["temporal"] * len(labels), clusters, seed=0)
    assert leak.by_kind == {"temporal": 1.0}


def test_only_a_kind_with_enough_rows_is_held_to_the_limit():
    leak = Leak(120, 0.5, {"direct": 0.7, "near_name": 0.9, "entailed": None})
    kinds = ["direct"] * ENOUGH_ROWS + ["near_name"] * (ENOUGH_ROWS - 1) + ["entailed"] * 99
    assert measured(leak, kinds) == {"direct": 0.7}


def test_one_label_alone_has_no_auroc():
    leak = measure_leak(["a", "b"], [True, True], ["x", "x"], ["1", "2"], seed=0)
    assert leak.pooled is None
    assert leak.reason == "all questions have one label"


@pytest.mark.parametrize("seed", [0, 7])
def test_parts_depend_on_the_cluster_alone(seed):
    parts = {part_of(name, seed) for name in SUBJECTS}
    assert parts <= set(range(N_PARTS))
    assert part_of("Arden", seed) == part_of("Arden", seed)
