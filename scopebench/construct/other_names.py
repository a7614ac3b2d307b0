"""Which names are one entity's: by their ids, by shared aliases, or as one name spelled twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from scopebench.construct.spelling import one_name, same_spelling
from scopebench.construct.text import bare
from scopebench.sources.case import Case, Probe


class OtherNames:
    """The names that the sources of a build give to one entity."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        """File the names.

        Args:
            groups: The names of one entity each, in any order.
        """
        self._groups: defaultdict[str, set[int]] = defaultdict(set)
        for number, group in enumerate(groups):
            for name in group:
                self._groups[bare(name)].add(number)

    @classmethod
    def of(cls, cases: Iterable[Case]) -> OtherNames:
        """Read the aliases of objects, of subjects and of entities on paths."""
        return cls(dict.fromkeys(group for case in cases for group in _groups(case)))

    def one_entity(
        self, first: str, first_id: str | None, second: str, second_id: str | None
    ) -> bool:
        """Whether two names may be one entity's.

        Names of different ids are one entity's only if they are spelled the same; else what one
        name leaves out of the other, or writes otherwise, may be all that tells them apart.

        Args:
            first: A name.
            first_id: The id of its entity, where known.
            second: Another name.
            second_id: The id of its entity, where known.
        """
        if first_id is not None and second_id is not None:
            return first_id == second_id or same_spelling(first, second)
        shared = self._groups.get(bare(first), set()) & self._groups.get(bare(second), set())
        return bool(shared) or one_name(first, second)


def _groups(case: Case) -> Iterator[tuple[str, ...]]:
    for edit in case.edits:
        for named in (edit.target_new, edit.target_true):
            if named is not None and named.aliases:
                yield named.answers
    subjects = {edit.edit_id: edit.subject for edit in case.edits}
    for probe in case.probes:
        if probe.role == "alias" and probe.subject is not None:
            yield subjects.get(probe.edit_id or "", probe.subject), probe.subject
        yield from _of_answers(probe)


def _of_answers(probe: Probe) -> Iterator[tuple[str, ...]]:
    """Yield the names of each object that a probe tells, where it gives more than one name."""
    links = (*probe.path_before, *probe.path_after)
    lists = probe.objects or tuple(found for found in (probe.before, probe.after) if found)
    for names in (*lists, *((link.object, *link.answers) for link in links)):
        if len(set(names)) > 1:
            yield names
