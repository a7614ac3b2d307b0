"""Flat records: one sentence with the subject in it, the new and the old object, no ids."""

from __future__ import annotations

from dataclasses import dataclass

from scopebench.records import Edit, Interval
from scopebench.sources.case import Probe
from scopebench.sources.facts import check_change, fact_object, template_around
from scopebench.sources.fields import Fields
from scopebench.sources.probes import neighbour, paraphrase
from scopebench.sources.schema import Origin, Parsed


@dataclass(frozen=True)
class FlatNames:
    """How a flat form names its fields.

    Attributes:
        sentence: The sentence to complete.
        new: The new object.
        old: The old object.
        rephrase: The sentence in other words; may be absent or blank.
        locality: The same relation of another subject; may be absent or blank.
        locality_answer: Its answer; where it is blank, the sentence is left out.
    """

    sentence: str
    new: str
    old: str
    rephrase: str
    locality: str
    locality_answer: str


def parse_flat(
    record: Fields,
    origin: Origin,
    names: FlatNames,
    *,
    time_true: Interval | None = None,
    time_new: Interval | None = None,
) -> Parsed:
    """Parse a flat record into its one edit and the probes beside it.

    Args:
        record: The record.
        origin: Where it stands.
        names: The names of its fields.
        time_true: When the old fact held.
        time_new: When the new fact holds.

    Raises:
        DataError: If a field is missing, empty or mistyped, or the record contradicts itself.
    """
    subject = record.text("subject")
    target_new = fact_object(record.text(names.new))
    target_true = fact_object(record.text(names.old))
    check_change(record, names.new, target_new, target_true)
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=subject,
        prompt=template_around(record, names.sentence, subject),
        target_new=target_new,
        target_true=target_true,
        time_true=time_true,
        time_new=time_new,
        source=origin.source,
    )
    return Parsed((edit,), _probes(record, edit, names))


def _probes(record: Fields, edit: Edit, names: FlatNames) -> tuple[Probe, ...]:
    probes = []
    rephrased = record.text_or_none(names.rephrase)
    if rephrased is not None:
        probes.append(paraphrase(edit, record.dotted(names.rephrase), rephrased))
    local = record.text_or_none(names.locality)
    answer = record.text_or_none(names.locality_answer)
    if local is not None and answer is not None:
        probes.append(neighbour(edit, record.dotted(names.locality), local, (answer,)))
    return tuple(probes)
