from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from scopebench_leaderboard.limits import MOST_KEYS, RateLimit, reader_key


def test_two_an_hour_and_the_wait_for_the_third() -> None:
    limit = RateLimit(2)

    assert limit.take("a", 0.0) == 0.0
    assert limit.take("a", 600.0) == 0.0
    assert limit.take("a", 1000.0) == 2600.0
    assert limit.take("b", 1000.0) == 0.0
    assert limit.take("a", 3600.0) == 0.0
    assert limit.take("a", 3601.0) == 599.0


def test_none_allowed() -> None:
    assert RateLimit(0).take("a", 5.0) == 3600.0


@given(st.lists(st.integers(0, 20_000).map(float), max_size=40), st.integers(1, 4))
def test_no_window_holds_more_than_the_limit(times: list[float], most: int) -> None:
    limit = RateLimit(most)
    taken = [at for at in sorted(times) if limit.take("a", at) == 0.0]

    for end in taken:
        assert sum(end - 3600.0 < at <= end for at in taken) <= most


def test_threads_share_one_count() -> None:
    limit = RateLimit(5)
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: limit.take("a", 1.0), range(200)))

    assert waits.count(0.0) == 5


def test_those_not_seen_for_longest_are_forgotten() -> None:
    limit = RateLimit(1)
    for at in range(MOST_KEYS + 1):
        limit.take(str(at), 0.0)

    assert limit.take("0", 1.0) == 0.0
    assert limit.take(str(MOST_KEYS), 1.0) > 0


def test_a_user_counts_as_one_wherever_they_are() -> None:
    assert reader_key("ada", {}, "10.0.0.1", trust_proxy=False) == "user ada"


def test_only_the_proxy_in_front_is_believed() -> None:
    headers = {"x-forwarded-for": "1.1.1.1, 2.2.2.2"}

    assert reader_key(None, headers, "10.0.0.1", trust_proxy=True) == "address 2.2.2.2"
    assert reader_key(None, headers, "10.0.0.1", trust_proxy=False) == "address 10.0.0.1"
    assert reader_key(None, {}, None, trust_proxy=True) == "address unknown"
