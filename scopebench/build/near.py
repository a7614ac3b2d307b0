"""Near names: labels whose character 3-grams overlap so much that a router may confuse them.

Finding all pairs by comparing everything with everything is quadratic. The prefix filter keeps the
search exact and near linear on real names: if two sets have Jaccard similarity of at least t, then
the |x| - ceil(t|x|) + 1 rarest members of x and those of y share one (Bayardo, Ma and Srikant,
"Scaling up all pairs similarity search", WWW 2007; Xiao et al., PPJoin, WWW 2008).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from scopebench.build.text import trigrams

NEAR_NAME_JACCARD: Final = 0.7
"""3-gram Jaccard from which two names are near (field.md section 2.3 counts 121 such subjects in
10,000 CounterFact records: "Gregory XII" and "Gregory XIII", "Apple II" and "Apple III")."""

_SLACK: Final = 1e-9  # keeps a product that should be whole from being rounded up


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
    grams = {name: trigrams(name) for name in set(names)}
    frequency = Counter(gram for members in grams.values() for gram in members)
    by_prefix: defaultdict[str, list[str]] = defaultdict(list)
    pairs: list[tuple[str, str]] = []
    # Shorter sets first: what is already filed is never larger than what looks it up.
    for name in sorted(grams, key=lambda name: (len(grams[name]), name)):
        members = grams[name]
        least = math.ceil(threshold * len(members) - _SLACK)
        rarest = sorted(members, key=lambda gram: (frequency[gram], gram))
        prefix = rarest[: len(members) - least + 1]
        candidates = {other for gram in prefix for other in by_prefix[gram]}
        for other in candidates:
            if len(grams[other]) >= least and _jaccard(members, grams[other]) >= threshold:
                pairs.append((min(name, other), max(name, other)))
        for gram in prefix:
            by_prefix[gram].append(name)
    return sorted(pairs)


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


class NearNames:
    """Finds which of a fixed set of names are near a given one.

    A near name must share one of the rarest grams of the query's prefix and the filed name's
    prefix (prefix filter, as in `near_pairs`), so a look-up touches few names.
    """

    def __init__(self, names: Iterable[str], *, threshold: float = NEAR_NAME_JACCARD) -> None:
        self._threshold = threshold
        self._grams = {name: trigrams(name) for name in sorted(set(names))}
        self._frequency = Counter(gram for members in self._grams.values() for gram in members)
        self._by_prefix: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._found: dict[str, list[str]] = {}
        for name, members in self._grams.items():
            for gram in self._prefix(members):
                self._by_prefix[gram].append((len(members), name))

    def of(self, name: str) -> list[str]:
        """Return the names near a bare name, itself excluded, sorted."""
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> list[str]:
        members = trigrams(name)
        # Sets of sizes a <= b have a Jaccard similarity of at most a / b.
        least = math.ceil(self._threshold * len(members) - _SLACK)
        most = math.floor(len(members) / self._threshold + _SLACK)
        found = {
            other
            for gram in self._prefix(members)
            for size, other in self._by_prefix.get(gram, ())
            if least <= size <= most
        }
        return sorted(
            other
            for other in found
            if other != name and _jaccard(members, self._grams[other]) >= self._threshold
        )

    def _prefix(self, members: frozenset[str]) -> list[str]:
        least = math.ceil(self._threshold * len(members) - _SLACK)
        # A gram of no filed name is rarest of all; the order must only be the same on both sides.
        rarest = sorted(members, key=lambda gram: (self._frequency[gram], gram))
        return rarest[: len(members) - least + 1]
