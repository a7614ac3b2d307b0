"""Which edits are deleted before `curated` is asked: written, then deleted, exactly.

A deleted edit's own question has a known right answer, the old object, and the same wording as
that of an edit in force. What makes it hard is what stays in force around it: another edit of the
same subject (`same_subject`), one of a near-named subject and the same relation (`near_name`), or
nothing (`refilled`, which tests the memory's state and not similarity).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from scopebench.construct.assign import draw
from scopebench.construct.checks.world import World
from scopebench.construct.direct import Direct, Layout
from scopebench.construct.identity import same_object
from scopebench.construct.other_names import OtherNames
from scopebench.construct.relations import may_change, relations
from scopebench.construct.text import bare
from scopebench.records import Edit

_NUMBER: Final = re.compile(r"[0-9]+|[ivx]+")
"""A number in a bare name. Longer Roman numerals than these letters make are words too ("mix")."""

DELETED_SHARE: Final = 0.25
"""Share of the directly asked edits that are deleted: enough negatives to match the wording of the
positives, while most cards stay in force to be confused with."""


def deleted_edits(
    directs: Sequence[Direct], world: World, names: OtherNames, layout: Layout, seed: int
) -> dict[str, str]:
    """Return the edits to delete, by id, with what makes each of them a negative.

    Whole units (all edits that could assert the same fact) are deleted. First come edits with
    another edit of their subject or of a near name, one of each such group; then whole clusters,
    the smallest first and drawn by seed, until `DELETED_SHARE` of the directly asked edits is gone.

    Args:
        directs: The edits asked directly.
        world: The whole index, nothing deleted yet.
        names: Which names are one entity's.
        layout: Its clusters, folds and units.
        seed: The build's seed.

    Returns:
        Kind by edit id, over every edit of each deleted unit.
    """
    asked = {direct.edit.edit_id: direct.edit for direct in directs}
    chosen: dict[str, str] = {}
    spared: set[str] = set()
    for kind, first, second in _confusable(asked, world, names, seed):
        if first in chosen or second in chosen or first in spared or second in spared:
            continue
        unit = layout.units[first]
        if second in unit or spared.intersection(unit):
            continue
        chosen.update(dict.fromkeys(unit, kind))
        spared.update(layout.units[second])
    wanted = math.ceil(DELETED_SHARE * len(asked))
    touched = {layout.clusters[edit_id] for edit_id in (*chosen, *spared)}
    _add_clusters(chosen, asked, touched, layout, wanted, seed)
    return chosen


def _confusable(
    asked: Mapping[str, Edit], world: World, names: OtherNames, seed: int
) -> list[tuple[str, str, str]]:
    """Return (kind, edit to delete, edit to keep) in the order in which they are tried."""
    found: list[tuple[str, str, str]] = []
    for edit in asked.values():
        for other in world.of_subject(edit.subject, edit.subject_id):
            if other.edit_id in asked and _different_facts(edit, other, world):
                found.append(("same_subject", edit.edit_id, other.edit_id))
        for other in world.near_named(edit.subject):
            if other.edit_id in asked and distinct_near(edit, other, world, names):
                found.append(("near_name", edit.edit_id, other.edit_id))

    def order(row: tuple[str, str, str]) -> tuple[float, float, str]:
        # An edit that could serve several kinds serves a drawn one, so that none is crowded out.
        kind, edit_id, kept = row
        return draw(seed, "delete", edit_id), draw(seed, kind, edit_id), kept

    return sorted(found, key=order)


def _different_facts(edit: Edit, other: Edit, world: World) -> bool:
    """Whether two edits of a subject are known to set facts that do not touch each other."""
    first, second = world.relation_of(edit), world.relation_of(other)
    if edit.edit_id == other.edit_id or first == second:
        return False
    ids = first.removeprefix("id:"), second.removeprefix("id:")
    known = first.startswith("id:") and second.startswith("id:")
    if edit.subject_id is None or other.subject_id is None:
        # Two things may bear one label (a city and a ship); then their relations tell them apart.
        types = [relations()[name].subject_type if name in relations() else None for name in ids]
        known = known and types[0] is not None and types[0] == types[1]
    return known and may_change(ids[1], ids[0]) is False


def one_entity_pairs(
    directs: Sequence[Direct], world: World, names: OtherNames
) -> list[tuple[str, str]]:
    """Return the near names of one relation that are no pair, since they may be one entity's."""
    asked = {direct.edit.edit_id: direct.edit for direct in directs}
    found = {
        (edit.subject, other.subject)
        for edit in asked.values()
        for other in world.near_named(edit.subject)
        if other.edit_id in asked
        and edit.subject < other.subject
        and world.relation_of(edit) == world.relation_of(other)
        and _one_entity(edit, other, names)
    }
    return sorted(found)


def _one_entity(edit: Edit, other: Edit, names: OtherNames) -> bool:
    return names.one_entity(edit.subject, edit.subject_id, other.subject, other.subject_id)


def distinct_near(edit: Edit, other: Edit, world: World, names: OtherNames) -> bool:
    """Whether two near names are of distinct entities, asked about one relation.

    A near name may be another spelling of the same entity. The contrary is known from distinct ids,
    from numbers in the names that differ (Gregory XII and XIII), or from different old objects of
    names that are not one name in two spellings.
    """
    if world.relation_of(edit) != world.relation_of(other) or _one_entity(edit, other, names):
        return False
    if edit.subject_id is not None and other.subject_id is not None:
        return edit.subject_id != other.subject_id
    if differ_in_number(edit.subject, other.subject):
        return True
    if edit.target_true is None or other.target_true is None:
        return False
    return not same_object(edit.target_true, other.target_true)


def differ_in_number(first: str, second: str) -> bool:
    """Whether two names both hold numbers, digits or Roman numerals, and not the same ones."""
    numbers = [
        [word for word in bare(name).split() if _NUMBER.fullmatch(word)] for name in (first, second)
    ]
    return bool(numbers[0]) and bool(numbers[1]) and numbers[0] != numbers[1]


def _add_clusters(
    chosen: dict[str, str],
    asked: Mapping[str, Edit],
    touched: set[str],
    layout: Layout,
    wanted: int,
    seed: int,
) -> None:
    """Add whole clusters until the wanted number is reached, in each fold by its share."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for edit_id in asked:
        members[layout.clusters[edit_id]].append(edit_id)
    sizes = Counter(layout.folds[cluster] for cluster in members for _ in members[cluster])
    gone = Counter(layout.folds[layout.clusters[key]] for key in chosen if key in asked)
    order = sorted(
        (cluster for cluster in members if cluster not in touched),
        key=lambda cluster: (len(members[cluster]), draw(seed, "delete", cluster)),
    )
    for cluster in order:
        fold = layout.folds[cluster]
        quota = wanted * sizes[fold] / sizes.total()
        if gone[fold] + len(members[cluster]) > quota + 0.5:
            continue
        gone[fold] += len(members[cluster])
        for edit_id in members[cluster]:
            chosen.update(dict.fromkeys(layout.units[edit_id], "refilled"))
