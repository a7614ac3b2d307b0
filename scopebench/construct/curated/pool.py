"""What the families of `curated` draw from: the edits of one data set, its probes and its facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scopebench.construct.checks.world import World
from scopebench.construct.direct import Direct, Layout
from scopebench.construct.other_names import OtherNames
from scopebench.records import Edit, Hop
from scopebench.sources.case import Case, Link, Probe


@dataclass(frozen=True)
class Pool:
    """The material of one data set.

    Attributes:
        dataset: The data set's name.
        cases: Its cases, with their probes.
        directs: The edits asked directly, deleted ones included.
        deleted: Kind by id of the edits that are written and deleted.
        world: The index after the deletion; it also knows what was deleted.
        layout: Clusters, folds and units of the index.
        others: Directly asked edits of the other data sets of the build.
        names: Which names are one entity's.
        seed: The build's seed.
    """

    dataset: str
    cases: tuple[Case, ...]
    directs: tuple[Direct, ...]
    deleted: Mapping[str, str]
    world: World
    layout: Layout
    others: tuple[Direct, ...]
    names: OtherNames
    seed: int

    @cached_property
    def kept(self) -> dict[str, Direct]:
        """The directly asked edits in force, by id, with what governs them there."""
        in_force = self.world.in_force
        return {
            direct.edit.edit_id: direct
            for direct in self.directs
            if direct.edit.edit_id in in_force
            and all(edit.edit_id in in_force for edit in direct.governing)
        }

    @cached_property
    def by_id(self) -> dict[str, Direct]:
        """Every directly asked edit by id."""
        return {direct.edit.edit_id: direct for direct in self.directs}

    def probes(self, *roles: str) -> Iterator[tuple[Case, int, Probe]]:
        """Yield the probes of some roles with their case and position, in the order of records."""
        for case in self.cases:
            for n, probe in enumerate(case.probes):
                if probe.role in roles:
                    yield case, n, probe

    def edits_of(self, case: Case) -> list[Edit]:
        """Return the edits of a case that are in the index, deleted ones included."""
        known = self.world.edits
        return [edit for edit in case.edits if edit.edit_id in known]

    def hop_of(self, edit: Edit, *, object: str | None, edit_ids: Sequence[str]) -> Hop:
        """Return the fact of an edit as a hop."""
        relation = self.world.relation_of(edit)
        return Hop(
            subject=edit.subject,
            subject_id=edit.subject_id,
            relation=relation.removeprefix("id:") if relation.startswith("id:") else edit.prompt,
            object=object,
            edit_ids=tuple(edit_ids),
        )

    def in_force(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return those edits that are in force."""
        return [edit for edit in edits if edit.edit_id in self.world.in_force]

    @cached_property
    def links(self) -> dict[tuple[str, str], Link]:
        """The facts of all multi-hop paths before any edit, by subject id and property id.

        Facts that two cases give different objects are left out.
        """
        found: dict[tuple[str, str], Link] = {}
        clash: set[tuple[str, str]] = set()
        for _, _, probe in self.probes("chain"):
            edited = {
                (link.subject_id, link.relation_id): link.object_id for link in probe.path_before
            }
            for link in (*probe.path_before, *probe.path_after):
                if link.subject_id is None or link.relation_id is None or link.object_id is None:
                    continue
                key = (link.subject_id, link.relation_id)
                if edited.get(key, link.object_id) != link.object_id:
                    continue  # the edited object of a link that the path had before
                other = found.setdefault(key, link)
                if other.object_id != link.object_id:
                    clash.add(key)
        return {key: link for key, link in found.items() if key not in clash}

    @cached_property
    def links_from(self) -> dict[str, list[Link]]:
        """The facts of `links` by subject id, in the order met."""
        found: defaultdict[str, list[Link]] = defaultdict(list)
        for (subject_id, _), link in self.links.items():
            found[subject_id].append(link)
        return dict(found)


def link_hop(link: Link) -> Hop:
    """Return a fact on a path as a hop that no edit sets."""
    return Hop(
        subject=link.subject,
        subject_id=link.subject_id,
        relation=link.relation_id,
        object=link.object,
    )
