from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.models.batches import HEAD, MAX_TOKENS, plan_batches
from scopebench.models.decode import Row


def key(number: int) -> bytes:
    return number.to_bytes(4, "big")


def rows_of(*prompts: tuple[int, ...], new: int = 16) -> dict[bytes, Row]:
    return {key(number): Row(prompt, new) for number, prompt in enumerate(prompts)}


def test_longest_first() -> None:
    rows = rows_of((1,), (1, 2, 3), (1, 2))
    assert list(plan_batches(rows, 5)) == [(key(1), key(2), key(0))]


def test_templates_do_not_mix_unless_too_small_to_fill_a_batch() -> None:
    first, second = (1,) * HEAD, (2,) * HEAD
    rows = rows_of((*first, 5), (*second, 5), (*first, 6), (*second, 6), (3,))
    # a quarter of 8 is 2: both templates stand alone, the odd prompt is pooled
    assert list(plan_batches(rows, 8)) == [(key(0), key(2)), (key(1), key(3)), (key(4),)]
    # a quarter of 12 is 3: all are pooled
    assert list(plan_batches(rows, 12)) == [(key(0), key(2), key(1), key(3), key(4))]


def test_token_budget_cuts_a_batch() -> None:
    long = MAX_TOKENS // 3 - 16
    rows = rows_of(*((number, *[9] * (long - 1)) for number in range(4)))
    assert [len(batch) for batch in plan_batches(rows, 64)] == [3, 1]


def test_one_prompt_above_the_budget_still_runs() -> None:
    rows = rows_of((1,) * (2 * MAX_TOKENS), (1,))
    assert list(plan_batches(rows, 64)) == [(key(0),), (key(1),)]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=40), max_size=40),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_every_row_once_whatever_the_order(
    prompts: list[list[int]], size: int, order: random.Random
) -> None:
    rows = rows_of(*map(tuple, prompts))
    plan = list(plan_batches(rows, size))
    assert sorted(key for batch in plan for key in batch) == sorted(rows)
    assert all(1 <= len(batch) <= size for batch in plan)
    shuffled = list(rows.items())
    order.shuffle(shuffled)
    assert list(plan_batches(dict(shuffled), size)) == plan
