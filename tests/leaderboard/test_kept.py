"""Answers that are made once, whoever asks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from scopebench_leaderboard.kept import Kept


def test_a_value_is_made_once_however_many_ask_at_once() -> None:
    kept, made, everybody = Kept(8), [], threading.Barrier(12)
    begun = threading.Event()

    def make() -> int:
        made.append(1)
        begun.wait(5)  # so that the others ask while it is being made
        return 7

    def ask(_: int) -> int:
        everybody.wait()
        return kept.get(("key",), make)

    with ThreadPoolExecutor(12) as readers:
        asked = [readers.submit(ask, n) for n in range(12)]
        begun.set()
        assert [each.result(10) for each in asked] == [7] * 12
    assert len(made) == 1


def test_a_failure_is_told_to_all_who_wait_and_not_kept() -> None:
    kept = Kept(8)

    def fail() -> int:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            kept.get(("key",), fail)
    assert kept.get(("key",), lambda: 3) == 3


def test_what_nobody_asked_for_longest_is_dropped() -> None:
    kept, made = Kept(2), []

    def asked(name: str) -> str:
        return kept.get((name,), lambda: made.append(name) or name)  # type: ignore[func-returns-value]

    for name in ("a", "b", "a", "c", "a", "b"):
        assert asked(name) == name
    assert made == ["a", "b", "c", "b"]
