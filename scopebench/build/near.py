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
