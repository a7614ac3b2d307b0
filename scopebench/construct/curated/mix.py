"""The balanced default mix: as many rows in scope as out of it, and no wording that tells which.

Every out-of-scope row is paired with an in-scope one of the same wording, form and fold, as far as
there are such: then a classifier that sees only the question can learn nothing from the wording.
Pairs of another wording are let in only up to a small share (`slack`), which the build lowers until
the leak test passes.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scopebench.construct.assign import draw
from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.screen import Screened
from scopebench.construct.text import bare
from scopebench.records import CONDITIONS, Fold

Like = Literal["part", "wording", "form"]
"""How like a pair is: of one wording and part of the leak test, of one wording, of one form."""

FILLER: Final = "refilled"
"""The kind that comes in every wording of the positives, so that it fills what others leave."""

FILLER_SHARE: Final = 0.25
"""Share of the pairs that the filler may have before the other kinds have had their turn."""


@dataclass(frozen=True)
class Place:
    """Where every anchor lies, those of other data sets included.

    Attributes:
        clusters: Cluster by anchor.
        folds: Fold by anchor.
        parts: Part of the leak test's cross-validation by anchor.
    """

    clusters: Mapping[str, str]
    folds: Mapping[str, Fold]
    parts: Mapping[str, int]


@dataclass(frozen=True)
class Pair:
    """An out-of-scope row and the in-scope row that balances it."""

    negative: Screened
    positive: Screened


@dataclass
class _Shelf:
    """The in-scope rows of one fold that are not used yet, by wording and by form."""

    rows: dict[str, Screened]
    by_wording: dict[tuple[str, str], deque[str]]
    by_part: dict[tuple[str, str, int], deque[str]]
    by_cluster: dict[tuple[str, str, str], deque[str]]
    by_sort: dict[tuple[str, str, int, str], deque[str]]
    by_form: dict[str, deque[str]]
    by_edit: defaultdict[str, list[str]]


def choose_pairs(
    positives: Sequence[Screened],
    negatives: Sequence[Screened],
    *,
    place: Place,
    shares: Mapping[str, float],
    size: int,
    slack: float,
    seed: int,
) -> list[Pair]:
    """Return pairs of one out-of-scope and one in-scope row each.

    Kinds take turns, so that none crowds out another; a kind stops at its share.

    Args:
        positives: In-scope rows.
        negatives: Out-of-scope rows.
        place: Cluster, fold and part of every anchor.
        shares: Largest share of the rows by kind.
        size: At most so many rows, two to a pair.
        slack: Largest share of the pairs whose two rows differ in wording.
        seed: Seeds the order within a kind.
    """
    total = min(size // 2, len(positives), len(negatives))
    per_fold = Counter(place.folds[row.draft.anchor] for row in negatives)
    pairs: list[Pair] = []
    for fold in sorted(per_fold):
        inside = [row for row in positives if place.folds[row.draft.anchor] == fold]
        outside = [row for row in negatives if place.folds[row.draft.anchor] == fold]
        quota = round(total * per_fold[fold] / per_fold.total())
        pairs += _pairs_of_fold(inside, outside, place, shares, quota, slack, seed)
    return within_shares(pairs, shares)


def within_shares(pairs: Sequence[Pair], shares: Mapping[str, float]) -> list[Pair]:
    """Return pairs of which no kind holds more than its share of the rows, the last ones cut.

    The share is of the rows asked under every condition, so that it holds under each.
    """
    left = list(pairs)
    while True:
        most = 2 * sum(_always_asked(pair) for pair in left)
        rows = Counter(row.draft.kind for pair in left for row in (pair.negative, pair.positive))
        over = {
            kind: count - int(shares[kind] * most)
            for kind, count in rows.items()
            if shares[kind] < 1 and count > int(shares[kind] * most)
        }
        if not over:
            return left
        kind = min(over, key=lambda name: (-over[name], name))
        at = max(
            at
            for at, pair in enumerate(left)
            if kind in (pair.negative.draft.kind, pair.positive.draft.kind)
        )
        del left[at]


def _always_asked(pair: Pair) -> bool:
    return all(
        row.draft.conditions.issuperset(CONDITIONS) for row in (pair.negative, pair.positive)
    )


def _pairs_of_fold(
    inside: Sequence[Screened],
    outside: Sequence[Screened],
    place: Place,
    shares: Mapping[str, float],
    quota: int,
    slack: float,
    seed: int,
) -> list[Pair]:
    """Pair the rows of one fold in three passes.

    First rows of one wording, the filler only up to `FILLER_SHARE`; then, up to the slack, rows
    that share no wording with an in-scope row, which are often the hard kinds; then the filler.
    """
    limits = {kind: round(2 * quota * share) for kind, share in shares.items()}
    at_first = {**limits, FILLER: max(1, round(FILLER_SHARE * quota))}
    matching = _Matching(_shelf(inside, place, seed), place)
    waiting = sorted(outside, key=lambda row: draw(seed, "mix", row.draft.key))
    waiting = matching.take(waiting, quota, at_first, "part")
    some = min(quota, len(matching.pairs) + int(slack * quota))
    waiting = matching.take(waiting, some, at_first, "form")
    waiting = matching.take(waiting, quota, limits, "part")
    matching.take(waiting, quota, limits, "wording")
    return matching.pairs


class _Matching:
    """Pairs made so far in one fold, and what they used up."""

    def __init__(self, shelf: _Shelf, place: Place) -> None:
        self.pairs: list[Pair] = []
        self._shelf = shelf
        self._place = place
        self._taken: Counter[str] = Counter()

    def take(
        self, rows: Sequence[Screened], most: int, limits: Mapping[str, int], like: Like
    ) -> list[Screened]:
        """Pair rows, kinds in turn, until there are so many pairs; return the rows not paired."""
        queues: defaultdict[str, deque[Screened]] = defaultdict(deque)
        for row in rows:
            queues[row.draft.kind].append(row)
        left: list[Screened] = []
        while len(self.pairs) < most and any(queues.values()):
            for kind in sorted(queues):
                if not queues[kind] or len(self.pairs) >= most:
                    continue
                if self._taken[kind] >= limits[kind]:
                    left.extend(queues.pop(kind))
                    continue
                row = queues[kind].popleft()
                partner = _partner(row.draft, self._place, self._shelf, limits, self._taken, like)
                if partner is None:
                    left.append(row)
                    continue
                self._taken.update((kind, partner.draft.kind))
                self.pairs.append(Pair(row, partner))
        return [*left, *(row for queue in queues.values() for row in queue)]


def _shelf(inside: Sequence[Screened], place: Place, seed: int) -> _Shelf:
    """Put in-scope rows in the order they are taken: kinds in turn, each in a seeded order."""
    by_kind: defaultdict[str, list[Screened]] = defaultdict(list)
    for row in sorted(inside, key=lambda row: draw(seed, "mix", row.draft.key)):
        by_kind[row.draft.kind].append(row)
    turns = sorted(
        ((place, kind, row) for kind, rows in by_kind.items() for place, row in enumerate(rows)),
        key=lambda turn: turn[:2],
    )
    shelf = _Shelf({}, {}, {}, {}, {}, {}, defaultdict(list))
    for _, _, row in turns:
        key = row.draft.key
        shelf.rows[key] = row
        wording = (row.draft.form, row.draft.wording)
        shelf.by_wording.setdefault(wording, deque()).append(key)
        part = place.parts[row.draft.anchor]
        shelf.by_part.setdefault((*wording, part), deque()).append(key)
        cluster = place.clusters[row.draft.anchor]
        shelf.by_cluster.setdefault((*wording, cluster), deque()).append(key)
        sort = (*wording, part, _sort(row.draft))
        shelf.by_sort.setdefault(sort, deque()).append(key)
        if not row.draft.exact:
            shelf.by_form.setdefault(row.draft.form, deque()).append(key)
        if row.draft.near_edit_id is not None:
            shelf.by_edit[row.draft.near_edit_id].append(key)
    return shelf


def _partner(
    negative: Draft,
    place: Place,
    shelf: _Shelf,
    limits: Mapping[str, int],
    taken: Counter[str],
    like: Like,
) -> Screened | None:
    """Take an unused in-scope row for an out-of-scope one.

    One of its own edit if there is one, else one of its cluster, else one whose subject is of its
    sort: what the names of a sort share ("... constituency") is a cue unless rows of both labels
    have it.
    """
    if like == "form":
        queue = None if negative.exact else shelf.by_form.get(negative.form)
        return _take(queue, shelf, limits, taken)
    wording, part = (negative.form, negative.wording), place.parts[negative.anchor]
    for key in shelf.by_edit.get(negative.near_edit_id or "", ()):
        row = shelf.rows.get(key)
        if (
            row is not None
            and (row.draft.form, row.draft.wording) == wording
            and (like == "wording" or place.parts[row.draft.anchor] == part)
            and taken[row.draft.kind] < limits[row.draft.kind]
        ):
            return shelf.rows.pop(key)
    queues = [
        shelf.by_cluster.get((*wording, place.clusters[negative.anchor])),
        shelf.by_sort.get((*wording, part, _sort(negative))),
        shelf.by_part.get((*wording, part)) if like == "part" else shelf.by_wording.get(wording),
    ]
    found = (_take(queue, shelf, limits, taken) for queue in queues)
    return next((row for row in found if row is not None), None)


def _sort(draft: Draft) -> str:
    """Return the last word of the first subject, which often says what sort of thing it is."""
    subject = draft.hops[0].subject if draft.hops else None
    return bare(subject or "").rpartition(" ")[2]


def _take(
    queue: deque[str] | None, shelf: _Shelf, limits: Mapping[str, int], taken: Counter[str]
) -> Screened | None:
    """Take the first unused row of a queue whose kind is not at its limit."""
    for _ in range(len(queue or ())):
        assert queue is not None
        key = queue.popleft()
        row = shelf.rows.get(key)
        if row is None:
            continue
        if taken[row.draft.kind] < limits[row.draft.kind]:
            return shelf.rows.pop(key)
        queue.append(key)
    return None
