"""Checks that the rows of a built benchmark fit their index, each other and the manifest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scopebench.construct.other_names import OtherNames
from scopebench.construct.text import normalise
from scopebench.records import Condition, Edit, Query
from scopebench.validate.benchmark_files import Cell, Tables
from scopebench.validate.finding import CheckInfo, Finding

LABEL_CHECKS: Final[dict[str, CheckInfo]] = {
    key: CheckInfo("error", meaning)
    for key, meaning in {
        "duplicate_id": "two rows of a file have one id",
        "misplaced_row": "the row is of another data set or population than its file",
        "unknown_governing": "a governing edit is not in the index when the query is asked",
        "hidden_governs": "a governing edit is hidden from the query",
        "unknown_hidden": "a hidden edit is not in the data set's index",
        "hidden_in_force": "a hidden edit is in an index that should be without it",
        "label_not_by_hops": "the governing edits are not those of the query's hops",
        "unknown_twin": "its twin is no row of the benchmark",
        "empty_answers": "the list of accepted answers is empty",
        "opposite_labels": "the same words are in scope in one row and out of it in another",
        "split_cluster": "the rows of one cluster lie in both folds",
        "moving_cluster": "the row has another cluster or fold under another condition",
        "one_entity": "its subject and that of the edit it is near are one name in two spellings",
    }.items()
}


def check_labels(tables: Sequence[Tables]) -> Iterator[Finding]:
    """Yield rows whose ids, labels or places do not fit the rest of the benchmark."""
    every = {query.query_id for part in tables for rows in part.queries.values() for query in rows}
    for part in tables:
        for cell, queries in part.queries.items():
            place = part.path(cell)
            yield from _repeated(queries, place)
            yield from _misplaced(queries, part.name, cell, place)
            yield from _unknown_twins(queries, every, place)
            yield from _opposite(queries, place)
            if part.index is not None:
                yield from _labels(queries, part, cell, place)
                yield from _one_entity(queries, part.index, place)
        yield from _moving(part)
    yield from _split_clusters(tables)


def _repeated(queries: Sequence[Query], place: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for query in queries:
        if query.query_id in seen:
            yield Finding(
                "duplicate_id", place, query.query_id, "query_id", "an earlier row has it"
            )
        seen.add(query.query_id)


def _misplaced(queries: Sequence[Query], dataset: str, cell: Cell, place: str) -> Iterator[Finding]:
    for query in queries:
        for name, found, expected in (
            ("dataset", query.dataset, dataset),
            ("population", query.population, cell[1]),
        ):
            if found != expected:
                reason = f"expected {expected!r}, found {found!r}"
                yield Finding("misplaced_row", place, query.query_id, name, reason)
        if query.answers is not None and not query.answers:
            reason = "expected an answer, or null for a decision-only row"
            yield Finding("empty_answers", place, query.query_id, "answers", reason)


def _unknown_twins(queries: Sequence[Query], every: set[str], place: str) -> Iterator[Finding]:
    for query in queries:
        if query.twin_id is not None and query.twin_id not in every:
            reason = f"no row has the id {query.twin_id!r}"
            yield Finding("unknown_twin", place, query.query_id, "twin_id", reason)


def _opposite(queries: Sequence[Query], place: str) -> Iterator[Finding]:
    first: dict[tuple[str, str | None], Query] = {}
    for query in queries:
        earlier = first.setdefault((normalise(query.question), query.date), query)
        if earlier.in_scope != query.in_scope:
            reason = f"it is {_scope(query)}, {earlier.query_id} asks the same and is not"
            yield Finding(
                "opposite_labels", place, query.query_id, "question", reason, (earlier.query_id,)
            )


def _scope(query: Query) -> str:
    return "in scope" if query.in_scope else "out of scope"


def _labels(queries: Sequence[Query], part: Tables, cell: Cell, place: str) -> Iterator[Finding]:
    condition, population = cell
    index = {edit.edit_id: edit for edit in part.index or ()}
    in_force = {edit.edit_id for edit in part.in_force(population)}
    for query in queries:
        governing, hidden = set(query.governing_edit_ids), set(query.hidden_edit_ids)
        for check, field, wrong in (
            ("unknown_governing", "governing_edit_ids", governing - in_force),
            ("hidden_governs", "governing_edit_ids", governing & hidden),
            ("unknown_hidden", "hidden_edit_ids", hidden - index.keys()),
            (
                "hidden_in_force",
                "hidden_edit_ids",
                hidden & in_force if population in part.reduced else set(),
            ),
            ("label_not_by_hops", "governing_edit_ids", _off_hops(query, condition, index)),
        ):
            if wrong:
                ids = tuple(sorted(wrong))
                yield Finding(check, place, query.query_id, field, ", ".join(ids), ids)


def _off_hops(query: Query, condition: Condition, index: Mapping[str, Edit]) -> set[str]:
    """Return edits that govern a query and no hop of it, or the reverse.

    An edit of a hop that has no card under the condition does not govern the query there.
    """
    if not query.hops:
        return set()
    of_hops = {edit_id for hop in query.hops for edit_id in hop.edit_ids}
    held = {key for key in of_hops if key not in index or index[key].holds(condition)}
    return held ^ set(query.governing_edit_ids)


def _one_entity(queries: Sequence[Query], index: Sequence[Edit], place: str) -> Iterator[Finding]:
    """Yield near names that may be the same entity's: then the edit may govern the row."""
    edits = {edit.edit_id: edit for edit in index}
    names = OtherNames(())
    for query in queries:
        near = edits.get(query.near_edit_id or "")
        if query.kind != "near_name" or near is None or not query.hops:
            continue
        subject = query.hops[0].subject
        if subject is not None and names.one_entity(
            subject, query.hops[0].subject_id, near.subject, near.subject_id
        ):
            reason = f"{subject!r} may be {near.subject!r} of {near.edit_id}"
            ids = (near.edit_id,)
            yield Finding("one_entity", place, query.query_id, "near_edit_id", reason, ids)


def _moving(part: Tables) -> Iterator[Finding]:
    """Yield rows whose cluster or fold is not the one they have under an earlier condition."""
    first: dict[str, Query] = {}
    for cell, queries in part.queries.items():
        for query in queries:
            earlier = first.setdefault(query.query_id, query)
            if (earlier.cluster, earlier.fold) != (query.cluster, query.fold):
                reason = (
                    f"{query.cluster} in {query.fold}, under an earlier condition "
                    f"{earlier.cluster} in {earlier.fold}"
                )
                yield Finding("moving_cluster", part.path(cell), query.query_id, "cluster", reason)


def _split_clusters(tables: Sequence[Tables]) -> Iterator[Finding]:
    """Yield clusters with rows in both folds, one finding each."""
    folds: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for part in tables:
        for cell, queries in part.queries.items():
            for query in queries:
                folds[query.cluster].setdefault(query.fold, (part.path(cell), query.query_id))
    for cluster, found in folds.items():
        if len(found) > 1:
            (place, record), *others = found.values()
            ids = tuple(other for _, other in others)
            yield Finding("split_cluster", place, record, "fold", f"cluster {cluster}", ids)
