"""Multi-hop paths in the world of the effective index: which links an edit sets, and what is left.

A path is believed only where its links are as its source says: an edit in force of another case
that sets a link to something else makes the source's answer wrong (61 of the 354 cases of AKEW's
MQuAKE-CF, the fault that MQuAKE-Remastered describes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.checks.world import World
from scopebench.construct.curated.pool import Pool, link_hop
from scopebench.construct.text import normalise
from scopebench.records import Edit, Hop
from scopebench.sources.case import Link

NOUNS: Final[dict[str, str]] = {
    "P6": "head of government",
    "P19": "place of birth",
    "P20": "place of death",
    "P26": "spouse",
    "P27": "country of citizenship",
    "P30": "continent",
    "P35": "head of state",
    "P36": "capital",
    "P37": "official language",
    "P38": "currency",
    "P40": "child",
    "P50": "author",
    "P69": "alma mater",
    "P86": "composer",
    "P106": "occupation",
    "P108": "employer",
    "P112": "founder",
    "P136": "genre",
    "P140": "religion",
    "P159": "headquarters location",
    "P169": "chief executive officer",
    "P170": "creator",
    "P175": "performer",
    "P176": "manufacturer",
    "P178": "developer",
    "P286": "head coach",
    "P364": "original language",
    "P413": "playing position",
    "P449": "original broadcaster",
    "P488": "chairperson",
    "P495": "country of origin",
    "P641": "sport",
    "P740": "place of formation",
    "P937": "work location",
    "P1037": "director",
    "P1308": "officeholder",
}
"""How a relation is named inside a composed question; others are not composed."""


@dataclass(frozen=True)
class Walked:
    """A path with the edits in force on it.

    Attributes:
        hops: Its facts, each with the edits that set it.
        edits: Those edits, in order, without repeats.
    """

    hops: tuple[Hop, ...]
    edits: tuple[Edit, ...]


def walk(path: Sequence[Link], world: World) -> Walked | None:
    """Return a path with the edits in force on it; None where an edit contradicts one of its links.

    A deleted edit on a link changes nothing, so the link must then be as before all edits; callers
    see to that.
    """
    hops: list[Hop] = []
    edits: dict[str, Edit] = {}
    for link in path:
        hop = link_hop(link)
        found = [edit for edit in world.of_fact(hop) if edit.edit_id in world.in_force]
        if not all(sets(edit, link) for edit in found):
            return None
        edits.update((edit.edit_id, edit) for edit in found)
        hops.append(hop.model_copy(update={"edit_ids": tuple(edit.edit_id for edit in found)}))
    return Walked(tuple(hops), tuple(edits.values()))


def sets(edit: Edit, link: Link) -> bool:
    """Whether an edit sets a link to the object it has."""
    new = edit.target_new
    if new.entity_id is not None and new.entity_id == link.object_id:
        return True
    return normalise(new.text) == normalise(link.object)


@dataclass(frozen=True)
class Composed:
    """A two-hop question made of two facts.

    Attributes:
        name: Unique among the composed questions of a data set.
        question: What is asked.
        wording: The question without its subject.
        first: The first fact.
        second: The second fact, about the object of the first.
    """

    name: str
    question: str
    wording: str
    first: Link
    second: Link


def compose(first: Link, second: Link) -> Composed | None:
    """Return the question through two facts, None where it cannot be worded or goes in a circle."""
    nouns = NOUNS.get(first.relation_id or ""), NOUNS.get(second.relation_id or "")
    if nouns[0] is None or nouns[1] is None or nouns[0] == nouns[1]:
        return None
    ends = [normalise(first.subject), normalise(first.object), normalise(second.object)]
    if len(set(ends)) < len(ends):
        return None
    wording = f"What is the {nouns[1]} of the {nouns[0]} of {{}}?"
    name = f"{first.subject_id}.{first.relation_id}.{second.relation_id}"
    return Composed(name, wording.replace("{}", first.subject), wording.lower(), first, second)


def compositions(pool: Pool) -> Iterator[Composed]:
    """Yield the two-hop questions through facts that no edit of the index sets."""
    untouched = {
        key: link for key, link in pool.links.items() if not pool.world.of_fact(link_hop(link))
    }
    for first in untouched.values():
        for second in pool.links_from.get(first.object_id or "", ()):
            key = (second.subject_id or "", second.relation_id or "")
            if key in untouched and (composed := compose(first, second)) is not None:
                yield composed
