"""The pure core of `curated`: from the material of one data set to its balanced queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.checks.world import World
from scopebench.construct.curated import KINDS
from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.mix import Pair, Place, choose_pairs
from scopebench.construct.curated.pool import Pool
from scopebench.construct.curated.roles import deleted_edits, one_entity_pairs
from scopebench.construct.curated.screen import Screened, Tally, by_label, screen
from scopebench.construct.direct import Direct, Layout
from scopebench.construct.direct import query_id as direct_query_id
from scopebench.construct.leak import POOLED_LIMIT, Leak, measure_leak, measured, part_of
from scopebench.construct.other_names import OtherNames
from scopebench.construct.true_values import TrueValues
from scopebench.records import CONDITIONS, Condition, Edit, Fold, Query
from scopebench.sources.case import Case

SLACKS: Final = (0.3, 0.2, 0.1, 0.05, 0.02, 0.0)
"""Shares of pairs of unequal wording that are tried in turn until the leak test passes."""

SHARES: Final[Mapping[str, float]] = {kind.name: kind.share for kind in KINDS}


@dataclass(frozen=True)
class Material:
    """What `curated` of one data set is made from.

    Attributes:
        dataset: The data set's name.
        cases: Its cases, with their probes.
        index: The edits of its index.
        directs: Those asked directly.
        layout: Clusters, folds and units.
    """

    dataset: str
    cases: tuple[Case, ...]
    index: tuple[Edit, ...]
    directs: tuple[Direct, ...]
    layout: Layout


@dataclass(frozen=True)
class Curated:
    """The `curated` population of one data set.

    Attributes:
        index: The edits in force when it is asked; the rest of the index was written and deleted.
        queries: The queries of each condition that has any, sorted by id.
        tally: What the checks found.
        leak: The leak test of each condition; where no mix passes it, that of the best one.
        slack: Share of pairs of unequal wording that was let in.
        collision: By kind of out-of-scope row, how often a fire on another edit of the asked
            relation would play the gold, on average over the rows of `structured`.
        one_entity: Near names of edits of one relation that are no `near_name` pair, since they
            may be one entity's.
    """

    index: tuple[Edit, ...]
    queries: Mapping[Condition, tuple[Query, ...]]
    tally: Tally
    leak: Mapping[Condition, Leak]
    slack: float
    collision: Mapping[str, float]
    one_entity: tuple[tuple[str, str], ...] = ()


def plan_curated(
    material: Material,
    others: Sequence[Material],
    truths: TrueValues,
    names: OtherNames,
    *,
    size: int,
    seed: int,
) -> Curated:
    """Plan the `curated` population of one data set.

    Args:
        material: The data set.
        others: The other data sets of the build, for `unrelated`.
        truths: The true objects of each fact of the build.
        names: Which names are one entity's.
        size: At most so many rows in a cell.
        seed: The build's seed.
    """
    whole = World.of(material.index)
    deleted = deleted_edits(material.directs, whole, names, material.layout, seed)
    pool = Pool(
        dataset=material.dataset,
        cases=material.cases,
        directs=material.directs,
        deleted=deleted,
        world=World.of(material.index, deleted),
        layout=material.layout,
        others=tuple(direct for other in others for direct in other.directs),
        names=names,
        seed=seed,
    )
    place = _place(material, others, seed)
    tally = Tally()
    drafts = (draft for kind in KINDS for draft in kind.propose(pool))
    rows = screen(drafts, pool.world, place.clusters, truths, tally)
    mix = _best_mix(pool, rows, place, size, seed)
    index = tuple(edit for edit in material.index if edit.edit_id in pool.world.in_force)
    return Curated(
        index=index,
        queries=mix.queries,
        tally=tally,
        leak=mix.leak,
        slack=mix.slack,
        collision=_collision(pool.world, mix.queries),
        one_entity=tuple(one_entity_pairs(material.directs, whole, names)),
    )


@dataclass(frozen=True)
class _Mix:
    """One attempt at a balanced mix."""

    queries: Mapping[Condition, tuple[Query, ...]]
    leak: Mapping[Condition, Leak]
    slack: float

    @property
    def worst(self) -> tuple[float, float]:
        """How far the leak exceeds the limit: pooled, and of the kinds with enough rows."""
        pooled = max((found.pooled or 0.0 for found in self.leak.values()), default=0.0)
        kinds = max(
            (
                leak
                for condition, found in self.leak.items()
                for leak in measured(found, [q.kind for q in self.queries[condition]]).values()
            ),
            default=0.0,
        )
        return max(0.0, pooled - POOLED_LIMIT), max(0.0, kinds - POOLED_LIMIT)


def _best_mix(pool: Pool, rows: Sequence[Screened], place: Place, size: int, seed: int) -> _Mix:
    """Return the first mix that passes the leak test, else the one that leaks least."""
    mixes: list[_Mix] = []
    for slack in SLACKS:
        inside, outside = by_label(rows)
        pairs = choose_pairs(
            inside, outside, place=place, shares=SHARES, size=size, slack=slack, seed=seed
        )
        queries = {
            condition: made
            for condition in CONDITIONS
            if (made := _queries(pool, pairs, place, condition))
        }
        leak = {condition: leak_of(made, seed) for condition, made in queries.items()}
        mixes.append(_Mix(queries, leak, slack))
        if not any(mixes[-1].worst):
            return mixes[-1]
    return min(mixes, key=lambda mix: mix.worst)


def leak_of(queries: Sequence[Query], seed: int) -> Leak:
    """Return the leak test of some queries."""
    return measure_leak(
        [query.question for query in queries],
        [query.in_scope for query in queries],
        [query.kind for query in queries],
        [query.cluster for query in queries],
        seed=seed,
    )


def _place(material: Material, others: Iterable[Material], seed: int) -> Place:
    clusters: dict[str, str] = {}
    folds: dict[str, Fold] = {}
    for part in (*others, material):
        clusters.update(part.layout.clusters)
        folds.update((key, part.layout.folds[of]) for key, of in part.layout.clusters.items())
    parts = {key: part_of(cluster, seed) for key, cluster in clusters.items()}
    return Place(clusters, folds, parts)


def _queries(
    pool: Pool, pairs: Sequence[Pair], place: Place, condition: Condition
) -> tuple[Query, ...]:
    """Return the queries of one condition, sorted by id: the pairs of which it holds both rows."""
    made: list[Query] = []
    for pair in pairs:
        if _held(pool, pair.negative.draft, condition) and _held(
            pool, pair.positive.draft, condition
        ):
            made.append(_query(pool, pair.positive, place, None))
            made.append(_query(pool, pair.negative, place, pair.positive.draft))
    return tuple(sorted(made, key=lambda query: query.query_id))


def _held(pool: Pool, draft: Draft, condition: Condition) -> bool:
    """Whether a draft is asked under a condition and its edits can be presented there."""
    if condition not in draft.conditions:
        return False
    near = () if draft.near_edit_id is None else (draft.near_edit_id,)
    edits = pool.world.edits
    return all(
        edits[key].holds(condition)
        for key in (*draft.governing_edit_ids, *draft.hidden_edit_ids, *near)
        if key in edits
    )


def _query(pool: Pool, row: Screened, place: Place, partner: Draft | None) -> Query:
    anchor = row.draft.anchor
    draft, governing = row.draft, row.draft.governing_edit_ids
    cluster = place.clusters[anchor]
    return Query(
        query_id=_query_id(pool.dataset, draft),
        dataset=pool.dataset,
        population="curated",
        kind=draft.kind,
        question=draft.question,
        form=draft.form,
        answers=draft.answers,
        pre_edit_answers=draft.pre_edit_answers,
        governing_edit_ids=governing,
        hidden_edit_ids=draft.hidden_edit_ids,
        twin_id=None if governing else _twin(pool, draft, partner),
        near_edit_id=draft.near_edit_id,
        hops=draft.hops,
        date=draft.date,
        flags=row.flags,
        cluster=cluster,
        fold=place.folds[anchor],
        source=draft.source,
    )


def _query_id(dataset: str, draft: Draft) -> str:
    return f"{dataset}/{draft.key}/curated"


def _twin(pool: Pool, draft: Draft, partner: Draft | None) -> str | None:
    """Return the positive drawn from the same subject or relation.

    That is the row's partner if it is of the same edit or wording, else the direct query of the
    edit it was made to be confused with.
    """
    if partner is not None and (
        partner.near_edit_id == draft.near_edit_id or partner.wording == draft.wording
    ):
        return _query_id(pool.dataset, partner)
    near = pool.by_id.get(draft.near_edit_id or "")
    return None if near is None else direct_query_id(near.edit, "original")


def _collision(world: World, queries: Mapping[Condition, tuple[Query, ...]]) -> dict[str, float]:
    """Return, by kind, how often a fire on another edit of the asked relation plays the gold."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for query in queries.get("structured", ()):
        if query.in_scope or query.answers is None or len(query.hops) != 1:
            continue
        if query.hops[0].relation is None:
            continue
        share = world.share_with_target(world.relation_key(query.hops[0]), query.answers)
        if share is not None:
            found[query.kind].append(share)
    return {kind: round(sum(found[kind]) / len(found[kind]), 4) for kind in sorted(found)}
