"""Clusters of edits that must not be torn apart: the unit of folds, of hiding and of resampling.

What links two edits, and why not more. The design asks for connected components over subject,
near-name and shared path entity. On AKEW's MQuAKE-CF, linking through *every* entity on a
multi-hop path joins almost all edits into one component, because countries and languages lie
on most paths; folds and intervals would then mean nothing. So a path entity links only where it is
itself an edited subject: that is where one case's answer depends on another case's edit. On files
whose cases edit most of their hops even that, or the case itself, yields one giant component; then
the weaker links stand, and the manifest says which. Subjects are never torn apart, as in section 4
of the paper.

Components in distinct edits, each row adding one link to the row above, number and largest:

    link                                  AKEW MQuAKE-CF    MQuAKE (hard)    MQuAKE (a slice)
                                                     337              770                 422
    subject, near name, same fact                334,  2          727,  3            392,   5
    same case                                    265,  9           42, 187           165,  46
    edited subject on the case's path            186, 44            4, 758            54, 318
    any entity on the path (not used)             17, 316
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.identity import FactKey, fact_keys, slots, subject_keys
from scopebench.construct.near import near_pairs
from scopebench.construct.text import bare, normalise
from scopebench.records import Edit

GIANT_SHARE: Final = 0.25
GIANT_EDITS: Final = 10
"""A cluster is a giant if it holds more than this share of the edits and more than so many: an
exact half then no longer exists, and intervals rest on too few independent units."""


@dataclass(frozen=True)
class Clusters:
    """The clusters of a data set.

    Attributes:
        of_edit: By edit id, its cluster, named after the cluster's first edit.
        links: What edits are linked by: `subject`, and where in force `case` and `path`.
    """

    of_edit: Mapping[str, str]
    links: tuple[str, ...]


def components(keys: Sequence[Collection[Hashable]]) -> list[int]:
    """Return the component of each node, where nodes that share a key are linked.

    Args:
        keys: The keys of each node.

    Returns:
        A component number per node, counted from 0 in the order of first nodes.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not keys:
        return []
    numbers: dict[Hashable, int] = {}
    nodes: list[int] = []
    columns: list[int] = []
    for node, own in enumerate(keys):
        for key in own:
            nodes.append(node)
            columns.append(len(keys) + numbers.setdefault(key, len(numbers)))
    size = len(keys) + len(numbers)
    graph = coo_array(([True] * len(nodes), (nodes, columns)), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    first: dict[int, int] = {}
    return [first.setdefault(int(label), len(first)) for label in labels[: len(keys)]]


def cluster_edits(edits: Sequence[Edit], counted: Collection[str]) -> Clusters:
    """Return the cluster of each edit under the strongest links that leave no giant cluster.

    Always linked are edits that share a subject (id or label), have near-name subjects (equal up to
    case, diacritics and punctuation, or 3-gram Jaccard of at least `NEAR_NAME_JACCARD`), are asked
    alike or could assert one fact. Then, as long as no cluster becomes a giant, edits of one
    multi-hop case, and edits whose subject is an entity on the path of the other's case.

    Args:
        edits: All edits read, in the natural order of their ids. Dropped duplicates are among them,
            because they tie their case to the fact they repeat.
        counted: Ids of the edits by which clusters are measured.
    """
    keys = [
        named | subject_keys(edit) | fact_keys(edit, slot)
        for edit, named, slot in zip(edits, _name_keys(edits), slots(edits), strict=True)
    ]
    strongest = Clusters(_name_clusters(edits, keys), ("subject",))
    optional: dict[str, list[set[FactKey]]] = {
        "case": [{("case", edit.case)} for edit in edits],
        "path": _path_keys(edits),
    }
    for link, more in optional.items():
        keys = [own | added for own, added in zip(keys, more, strict=True)]
        of_edit = _name_clusters(edits, keys)
        largest = max(Counter(of_edit[edit_id] for edit_id in counted).values(), default=0)
        if largest > max(GIANT_EDITS, GIANT_SHARE * len(counted)):
            break
        strongest = Clusters(of_edit, (*strongest.links, link))
    return strongest


def _name_clusters(edits: Sequence[Edit], keys: Sequence[Collection[Hashable]]) -> dict[str, str]:
    """Return, by edit id, the id of the first edit of its component."""
    first: dict[int, str] = {}
    return {
        edit.edit_id: first.setdefault(component, edit.edit_id)
        for edit, component in zip(edits, components(keys), strict=True)
    }


def fact_units(edits: Sequence[Edit]) -> dict[str, tuple[str, ...]]:
    """Return, by edit id, the ids of all edits that could assert the same fact, itself included.

    Hiding an edit hides its unit; units lie inside clusters.
    """
    members: dict[int, list[str]] = {}
    keys = [fact_keys(edit, slot) for edit, slot in zip(edits, slots(edits), strict=True)]
    numbers = components(keys)
    for edit, number in zip(edits, numbers, strict=True):
        members.setdefault(number, []).append(edit.edit_id)
    return {
        edit.edit_id: tuple(members[number]) for edit, number in zip(edits, numbers, strict=True)
    }


def _name_keys(edits: Sequence[Edit]) -> list[set[FactKey]]:
    """Return keys of each edit, shared by near-name subjects."""
    names = list(dict.fromkeys(bare(edit.subject) for edit in edits))
    keys: dict[str, set[FactKey]] = {name: {("name", name)} for name in names}
    for pair in near_pairs(names):
        for name in pair:
            keys[name].add(("near", *pair))
    return [keys[bare(edit.subject)] for edit in edits]


def _path_keys(edits: Sequence[Edit]) -> list[set[FactKey]]:
    """Return the subject keys of every edited subject on the path of each edit's case."""
    edited = {key for edit in edits for key in subject_keys(edit)}
    return [
        {
            key
            for entity in edit.path_entities
            for key in (("id", entity), ("label", normalise(entity)))
            if key in edited
        }
        for edit in edits
    ]
