"""The true objects of each fact, as the sources of a build tell them.

A person has two employers, a band five members; a row that accepts one of them alone judges
wrongly. What counts as told are the old objects of edits and the answers that hold before any edit:
of single hops, of the links of multi-hop paths, of locality questions and their lists. The new
object of an edit and what follows from it are never told as true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scopebench.construct.dates import overlaps
from scopebench.construct.identity import Keys, Slot
from scopebench.construct.relations import relations
from scopebench.construct.spelling import same_spelling
from scopebench.construct.templates import Templates
from scopebench.construct.text import normalise
from scopebench.construct.wording import relation_asked, template_around
from scopebench.records import Edit, FactObject, Hop, Interval
from scopebench.sources.case import Case, Link, Probe


@dataclass
class Value:
    """One true object of a fact.

    Attributes:
        answers: Its label and aliases in the order met.
        entity_ids: Its entity ids, where known.
        spans: When it held, of those tellings that say so.
        always: Whether some telling does not say when.
    """

    answers: dict[str, None]
    entity_ids: set[str] = field(default_factory=set)
    spans: list[Interval] = field(default_factory=list)
    always: bool = False

    def __post_init__(self) -> None:
        self.folded = {normalise(answer) for answer in self.answers}

    @property
    def label(self) -> str:
        """The label it was first told under."""
        return next(iter(self.answers))

    def names(self, answers: Iterable[str], entity_id: str | None = None) -> bool:
        """Whether some answers, label first, name this object."""
        given = list(answers)
        if entity_id is not None and entity_id in self.entity_ids:
            return True
        if not self.folded.isdisjoint(normalise(answer) for answer in given):
            return True
        return bool(given) and same_spelling(self.label, given[0])

    def meets(self, other: Value) -> bool:
        """Whether both may have held at one time: unless all tellings of both say otherwise."""
        if self.always or other.always:
            return True
        return any(_meet(one, two) for one in self.spans for two in other.spans)


@dataclass(frozen=True)
class Telling:
    """One statement of a source that a fact has an object.

    Attributes:
        slot: The fact: the keys of its subject and of its relation.
        answers: The object's label and aliases.
        entity_id: Its entity id, where known.
        span: When it held, where known.
    """

    slot: Slot
    answers: tuple[str, ...]
    entity_id: str | None = None
    span: Interval | None = None


class TrueValues:
    """The true objects and the new objects of every fact of a build."""

    def __init__(self, keys: Keys, tellings: Iterable[Telling], edits: Iterable[Edit]) -> None:
        self._keys = keys
        self._values: defaultdict[Slot, list[Value]] = defaultdict(list)
        self._new: defaultdict[Slot, list[FactObject]] = defaultdict(list)
        for telling in tellings:
            _add(self._values[telling.slot], telling)
        for edit in edits:
            self._new[keys.slot(edit)].append(edit.target_new)

    @classmethod
    def of(cls, cases: Iterable[Case]) -> TrueValues:
        """Read the cases of all data sets of a build."""
        read = list(cases)
        edits = [edit for case in read for edit in case.edits]
        keys = Keys.of(edits)
        return cls(keys, _tellings(read, keys), edits)

    def slot(self, edit: Edit) -> Slot:
        """Return the fact that an edit sets."""
        return self._keys.slot(edit)

    def slot_of(self, hop: Hop) -> Slot | None:
        """Return the fact of a hop; None where its subject or relation is not known."""
        if hop.subject is None or hop.relation is None:
            return None
        template = "{}" in hop.relation
        relation = self._keys.relation(hop.relation, None) if template else f"id:{hop.relation}"
        return self._keys.subject(hop.subject, hop.subject_id), relation

    def values(self, slot: Slot) -> list[Value]:
        """Return the true objects of a fact.

        A wording that leaves its relation open ("X is in") is answered by the objects of each
        relation that it can mean.
        """
        relation = relations().get(slot[1].removeprefix("id:"))
        narrower = () if relation is None else tuple(relation.narrower)
        found: list[Value] = list(self._values.get(slot, ()))
        for name in narrower:
            for value in self._values.get((slot[0], f"id:{name}"), ()):
                if not any(other.names(value.answers) for other in found):
                    found.append(value)
        return found

    def others(self, slot: Slot, answers: Sequence[str]) -> list[Value]:
        """Return the true objects of a fact that some answers do not name and that held with it."""
        values = self.values(slot)
        named = [value for value in values if value.names(answers)]
        return [
            value
            for value in values
            if value not in named and (not named or any(value.meets(one) for one in named))
        ]

    def is_new(self, slot: Slot, value: Value) -> bool:
        """Whether some edit of the fact has a value as its new object: then it tells nothing."""
        return any(value.names(new.answers, new.entity_id) for new in self._new.get(slot, ()))

    def several(self) -> int:
        """Return how many facts have several true objects that may have held at one time."""
        return sum(
            any(one.meets(two) for n, one in enumerate(values) for two in values[:n])
            for values in self._values.values()
        )


def _add(values: list[Value], telling: Telling) -> None:
    found = next(
        (value for value in values if value.names(telling.answers, telling.entity_id)), None
    )
    if found is None:
        found = Value({})
        values.append(found)
    found.answers.update(dict.fromkeys(telling.answers))
    found.folded.update(normalise(answer) for answer in telling.answers)
    if telling.entity_id is not None:
        found.entity_ids.add(telling.entity_id)
    if telling.span is None:
        found.always = True
    else:
        found.spans.append(telling.span)


def _tellings(cases: Sequence[Case], keys: Keys) -> Iterator[Telling]:
    templates = Templates(edit.prompt for case in cases for edit in case.edits)
    for case in cases:
        for edit in case.edits:
            old = edit.target_true
            if old is not None:
                yield Telling(keys.slot(edit), old.answers, old.entity_id, edit.time_true)
        edits = {edit.edit_id: edit for edit in case.edits}
        for probe in case.probes:
            if probe.role == "chain":
                yield from _of_links(case, probe, keys)
            else:
                yield from _of_probe(edits.get(probe.edit_id or ""), probe, keys, templates)


def _of_links(case: Case, probe: Probe, keys: Keys) -> Iterator[Telling]:
    """Yield the links of a path that hold before the edits of its case."""
    before = set(probe.path_before)
    edited = {(edit.subject, edit.relation_id) for edit in case.edits}
    questions = {edit.question for edit in case.edits if edit.question is not None}
    for link in dict.fromkeys((*probe.path_before, *probe.path_after)):
        if link.relation_id is None:
            continue
        set_here = (link.subject, link.relation_id) in edited or link.question in questions
        if link in before or not set_here:
            yield _of_link(link, keys)


def _of_link(link: Link, keys: Keys) -> Telling:
    slot = keys.subject(link.subject, link.subject_id), f"id:{link.relation_id}"
    return Telling(slot, tuple(dict.fromkeys((link.object, *link.answers))), link.object_id)


def _of_probe(
    edit: Edit | None, probe: Probe, keys: Keys, templates: Templates
) -> Iterator[Telling]:
    """Yield what a question tells that has the same answer before and after its edits."""
    if not probe.before:
        return
    slot = _slot_asked(edit, probe, keys, templates)
    if slot is None:
        return
    for answers in probe.objects or (probe.before,):
        yield Telling(slot, answers)


def _slot_asked(edit: Edit | None, probe: Probe, keys: Keys, templates: Templates) -> Slot | None:
    if probe.role == "hop":
        if probe.subject is None or probe.relation_id is None:
            return None
        return keys.subject(probe.subject, probe.subject_id), f"id:{probe.relation_id}"
    if edit is None:
        return None
    if probe.role == "other_value":
        return keys.slot(edit)
    if probe.role == "neighbour":
        fit = templates.fit(probe.question)
        subject = probe.subject or (None if fit is None else fit.subject)
        return (
            None
            if subject is None
            else (keys.subject(subject, probe.subject_id), keys.slot(edit)[1])
        )
    if probe.role == "other_relation":
        template = template_around(probe.question, edit.subject)
        relation = relation_asked(probe, template)
        if relation is None and template is None:
            return None
        key = f"id:{relation}" if relation is not None else keys.relation(template or "", None)
        return keys.subject(edit.subject, edit.subject_id), key
    return None


def _meet(one: Interval, two: Interval) -> bool:
    """Whether two intervals, open where unknown, may share more than the day of a change."""
    if one.end is not None and one.end == two.start:
        return False
    if two.end is not None and two.end == one.start:
        return False
    if one.start is None:
        return one.end is None or two.start is None or overlaps(one.end, two)
    return overlaps(one.start, two) or (two.start is not None and overlaps(two.start, one))
