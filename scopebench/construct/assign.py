"""Seeded choices that depend on ids alone, never on the order or number of other records."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scopebench.records import Fold

DEV_SHARE: Final = 0.2
"""Share of the queries in the `dev` fold: enough to set a threshold on, and the rest to report."""

_MANTISSA: Final = 53


def draw(seed: int, purpose: str, key: str) -> float:
    """Return a number in [0, 1) fixed by its arguments: SHA-256, first 53 bits."""
    digest = hashlib.sha256(f"{seed}\0{purpose}\0{key}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> (64 - _MANTISSA)) / 2.0**_MANTISSA


def choose_sum(order: Sequence[str], sizes: Mapping[str, int], target: int) -> frozenset[str]:
    """Return whole components whose sizes add up to the target, or as near as any choice can.

    Subset sum over bit sets: bit s of `reachable[i]` says that some of the components from i on add
    up to s. Walking forward, a component is taken whenever the rest can still make up the sum,
    so earlier components are preferred and the order decides.

    Args:
        order: The components, in the order of preference.
        sizes: Their sizes, each at least 1.
        target: The wanted sum; of two sums equally near, the smaller is made.
    """
    if not order:
        return frozenset()
    # Every sum passed on the way from 0 to the total is at most one component off the target.
    mask = (1 << (target + max(sizes[key] for key in order) + 1)) - 1
    reachable = [1]
    for key in reversed(order):
        reachable.append((reachable[-1] | (reachable[-1] << sizes[key])) & mask)
    reachable.reverse()
    left = _nearest(reachable[0], target)
    chosen: set[str] = set()
    for at, key in enumerate(order):
        if sizes[key] <= left and reachable[at + 1] >> (left - sizes[key]) & 1:
            chosen.add(key)
            left -= sizes[key]
    return frozenset(chosen)


def _nearest(sums: int, target: int) -> int:
    """Return the set bit nearest to the target, the lower of two equally near."""
    for distance in range(target + 1):
        for candidate in (target - distance, target + distance):
            if sums >> candidate & 1:
                return candidate
    return 0


def assign_folds(
    clusters: Iterable[str], queries: Counter[str], seed: int, share: float = DEV_SHARE
) -> dict[str, Fold]:
    """Return the fold of every cluster, so that `dev` holds the nearest share of the queries.

    Args:
        clusters: All clusters; one without queries is drawn alone.
        queries: Number of queries of each cluster.
        seed: The build's seed.
        share: Wanted share of the queries in `dev`.
    """
    every = sorted(set(clusters))
    empty = {key for key in every if not queries[key]}
    order = sorted(set(every) - empty, key=lambda key: draw(seed, "fold", key))
    dev = choose_sum(order, queries, round(share * queries.total()))
    dev |= {key for key in empty if draw(seed, "fold", key) < share}
    return {key: "dev" if key in dev else "test" for key in every}


def hide_clusters(
    queries: Counter[str], folds: Mapping[str, Fold], fraction: float, seed: int
) -> frozenset[str]:
    """Return whole clusters that hold `round(fraction * n)` of the n queries, if any choice does.

    The share is kept inside each fold where that costs no exactness, since a threshold can only be
    chosen on a `dev` fold that has queries of both halves.

    Args:
        queries: Number of queries of each cluster, each at least 1.
        folds: Fold of each cluster.
        fraction: Wanted share, from 0 to 1.
        seed: The build's seed.
    """
    order = sorted(queries, key=lambda key: draw(seed, "withhold", key))
    wanted = round(fraction * queries.total())
    dev = [key for key in order if folds[key] == "dev"]
    test = [key for key in order if folds[key] == "test"]
    hidden_dev = choose_sum(dev, queries, round(fraction * sum(queries[key] for key in dev)))
    left = max(0, wanted - sum(queries[key] for key in hidden_dev))
    hidden = hidden_dev | choose_sum(test, queries, left)
    if sum(queries[key] for key in hidden) == wanted:
        return hidden
    return choose_sum(order, queries, wanted)
