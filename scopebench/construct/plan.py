"""The pure core of a build: from the cases of one data set to its index and its queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scopebench.construct.assign import assign_folds, draw, hide_clusters
from scopebench.construct.checks.direct import DirectChecker, FlagTally
from scopebench.construct.checks.world import World
from scopebench.construct.clusters import cluster_edits, fact_units
from scopebench.construct.curated.plan import Curated, Material, plan_curated
from scopebench.construct.direct import Direct, Layout, direct_queries, query_of, without_gold
from scopebench.construct.drops import Drop
from scopebench.construct.known_aliases import with_known_aliases
from scopebench.construct.options import BuildOptions
from scopebench.construct.other_names import OtherNames
from scopebench.construct.select import in_order, limit_cases, select_edits
from scopebench.construct.true_values import TrueValues
from scopebench.errors import DataError
from scopebench.records import CONDITIONS, Condition, Edit, Population, Query
from scopebench.sources.case import Case, Source

Cell = tuple[Condition, Population]


@dataclass(frozen=True)
class DatasetPlan:
    """Everything a build will write of one data set.

    Attributes:
        source: Where it came from.
        cases: The cases used, all of the source's unless limited.
        index: The edits of the index, in the natural order of their ids.
        withheld_index: The one index of `withheld`; None when it is `index` (`withhold=own`).
        queries: The queries of each condition and population, in the order of their edits.
        layout: Clusters, folds, units and hidden edits.
        edit_drops: Edits that are not in the index.
        query_drops: Edits of the index that are not asked about directly.
        gold_drops: Edits whose direct query is decision-only in every population.
        condition_drops: Edits whose query a condition lacks, by condition.
        directs: The edits asked directly.
        flags: How many direct rows each check flagged, by population and check, with examples.
        several: Facts of the data set's sources that have several true objects.
        curated: The `curated` population; None when it was not asked for.
    """

    source: Source
    cases: tuple[Case, ...]
    index: tuple[Edit, ...]
    withheld_index: tuple[Edit, ...] | None
    queries: Mapping[Cell, tuple[Query, ...]]
    layout: Layout
    edit_drops: tuple[Drop, ...]
    query_drops: tuple[Drop, ...]
    gold_drops: tuple[Drop, ...]
    condition_drops: Mapping[Condition, tuple[Drop, ...]]
    directs: tuple[Direct, ...]
    flags: Mapping[Population, FlagTally]
    several: int = 0
    curated: Curated | None = None

    @property
    def dataset(self) -> str:
        """The data set's name."""
        return self.source.dataset


def plan_benchmark(sources: Sequence[Source], options: BuildOptions) -> list[DatasetPlan]:
    """Plan every data set of a build, `curated` last, since it may draw on the other data sets.

    Raises:
        DataError: If a data set is left without an edit or a query.
    """
    every = [case for source in sources for case in source.cases]
    truths, names = TrueValues.of(every), OtherNames.of(every)
    plans = [plan_dataset(source, options, truths) for source in sources]
    if not options.curated_size:
        return plans
    material = [
        Material(plan.dataset, plan.cases, plan.index, plan.directs, plan.layout) for plan in plans
    ]
    planned = []
    for plan, own in zip(plans, material, strict=True):
        others = [other for other in material if other is not own]
        curated = plan_curated(
            own, others, truths, names, size=options.curated_size, seed=options.seed
        )
        queries = dict(plan.queries)
        queries.update(((condition, "curated"), q) for condition, q in curated.queries.items())
        planned.append(replace(plan, queries=queries, curated=curated))
    return planned


def plan_dataset(
    source: Source, options: BuildOptions, truths: TrueValues | None = None
) -> DatasetPlan:
    """Plan the index and the direct queries of one data set.

    The same queries, clusters, folds and hidden half stand under every condition; the order of the
    source's records changes nothing.

    Args:
        source: The parsed files of the data set.
        options: The options in force.
        truths: The true objects of each fact of the build; by default the data set's own.

    Raises:
        DataError: If no edit or no query is left.
    """
    cases = limit_cases(with_known_aliases(source.cases), options.limit, options.seed)
    edits = in_order(cases)
    index, edit_drops = select_edits(edits)
    truths = TrueValues.of(source.cases) if truths is None else truths
    directs, query_drops = direct_queries(index, truths)
    if not directs:
        raise DataError(
            f"no query can be made of {source.dataset}: {len(edits)} edits were read, {len(index)} "
            f"are usable in one index, none of them can be asked about",
            file=", ".join(source.files),
            fix="give more records" if options.limit is None else "raise the limit",
        )
    layout = _lay_out(edits, index, directs, options)
    withheld = _withheld_index(index, layout, options)
    kept = None if withheld is None else {edit.edit_id for edit in withheld}
    gone = [edit.edit_id for edit in index if kept is not None and edit.edit_id not in kept]
    checker = DirectChecker({"original": World.of(index), "withheld": World.of(index, gone)})
    queries: dict[Cell, tuple[Query, ...]] = {}
    condition_drops: dict[Condition, tuple[Drop, ...]] = {}
    for condition in CONDITIONS:
        held = [direct for direct in directs if direct.edit.holds(condition)]
        if not held:
            continue
        condition_drops[condition] = tuple(
            Drop("lacks_condition", direct.edit.edit_id)
            for direct in directs
            if not direct.edit.holds(condition)
        )
        for population in ("original", "withheld"):
            queries[condition, population] = tuple(
                checker.flagged(query_of(direct, condition, population, layout)) for direct in held
            )
    return DatasetPlan(
        source=source,
        cases=cases,
        index=index,
        withheld_index=withheld,
        queries=queries,
        layout=layout,
        edit_drops=edit_drops,
        query_drops=query_drops,
        gold_drops=without_gold(directs),
        condition_drops=condition_drops,
        directs=directs,
        flags=checker.tallies,
        several=TrueValues.of(source.cases).several(),
    )


def _lay_out(
    edits: Sequence[Edit],
    index: Sequence[Edit],
    directs: Sequence[Direct],
    options: BuildOptions,
) -> Layout:
    """Return clusters and folds, and which queries hide their fact in `withheld`."""
    found = cluster_edits(edits, [edit.edit_id for edit in index])
    clusters = found.of_edit
    units = fact_units(index)
    queries = Counter(clusters[direct.edit.edit_id] for direct in directs)
    folds = assign_folds(clusters.values(), queries, options.seed)
    ids = [direct.edit.edit_id for direct in directs]
    if options.assign == "subject":
        chosen = hide_clusters(queries, folds, options.fraction, options.seed)
        hidden = frozenset(edit_id for edit_id in ids if clusters[edit_id] in chosen)
    else:
        hidden = frozenset(
            edit_id
            for edit_id in ids
            if draw(options.seed, "withhold", units[edit_id][0]) < options.fraction
        )
    return Layout(clusters, found.links, folds, units, hidden)


def _withheld_index(
    index: Sequence[Edit], layout: Layout, options: BuildOptions
) -> tuple[Edit, ...] | None:
    if options.withhold == "own":
        return None
    gone = {other for edit_id in layout.hidden for other in layout.units[edit_id]}
    return tuple(edit for edit in index if edit.edit_id not in gone)
