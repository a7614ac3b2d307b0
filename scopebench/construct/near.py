"""Near names: labels whose character 3-grams overlap so much that a router may confuse them.

Finding all pairs by comparing everything with everything is quadratic. The prefix filter keeps the
search exact and near linear on real names: order all grams from rare to common; if two sets have
Jaccard similarity of at least t, then the |x| - ceil(t|x|) + l first members of x and those of y
share l (Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", WWW 2007, for l = 1;
Wang, Li and Feng, "Can we beat the prefix filtering?", SIGMOD 2012, for more). With l = 2 names are
filed under *pairs* of grams: single grams are few, so the lists behind them grow with the names,
while most pairs of rare grams belong to one family of names.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Final

from scopebench.construct.text import trigrams

NEAR_NAME_JACCARD: Final = 0.7
"""3-gram Jaccard from which two names are near (field.md section 2.3 counts 121 such subjects in
10,000 CounterFact records: "Gregory XII" and "Gregory XIII", "Apple II" and "Apple III")."""

_SLACK: Final = 1e-9  # keeps a product that should be whole from being rounded up
_SHARED: Final = 2  # grams that the prefixes of near names share

_GramPair = tuple[str, str]


def near_pairs(
    names: Iterable[str], *, threshold: float = NEAR_NAME_JACCARD
) -> list[tuple[str, str]]:
    """Return all pairs of distinct names whose 3-gram Jaccard similarity reaches the threshold.

    Args:
        names: Bare names; repeats are ignored.
        threshold: The similarity from which a pair is near, above 0 and at most 1.

    Returns:
        Sorted pairs, each in sorted order.
    """
    distinct = sorted(set(names))
    near = NearNames(distinct, threshold=threshold)
    return [(name, other) for name in distinct for other in near.of(name) if name < other]


class NearNames:
    """Finds which of a fixed set of names are near a given one."""

    def __init__(self, names: Iterable[str], *, threshold: float = NEAR_NAME_JACCARD) -> None:
        self._threshold = threshold
        self._grams = {name: trigrams(name) for name in sorted(set(names))}
        self._frequency = Counter(gram for members in self._grams.values() for gram in members)
        self._filed: defaultdict[_GramPair, list[str]] = defaultdict(list)
        self._few: list[str] = []
        self._found: dict[str, list[str]] = {}
        for name, members in self._grams.items():
            if self._least(members) < _SHARED:
                self._few.append(name)
            for pair in self._prefix_pairs(members):
                self._filed[pair].append(name)

    def of(self, name: str) -> list[str]:
        """Return the names near a bare name, itself excluded, sorted."""
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> list[str]:
        members = trigrams(name)
        if self._least(members) < _SHARED:
            found = set(self._grams)  # so few grams that near names may share one only
        else:
            pairs = self._prefix_pairs(members)
            found = {other for pair in pairs for other in self._filed.get(pair, ())}
            found.update(self._few)
        return sorted(
            other
            for other in found
            if other != name and _jaccard(members, self._grams[other]) >= self._threshold
        )

    def _least(self, members: frozenset[str]) -> int:
        """Return how many members a near set must share."""
        return math.ceil(self._threshold * len(members) - _SLACK)

    def _prefix_pairs(self, members: frozenset[str]) -> Iterable[_GramPair]:
        """Return the pairs of grams in the prefix; the order must be the same for all sets."""
        rarest = sorted(members, key=lambda gram: (self._frequency[gram], gram))
        return combinations(rarest[: len(members) - self._least(members) + _SHARED], _SHARED)


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)
