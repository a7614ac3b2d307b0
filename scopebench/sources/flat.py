"""Flat records: one sentence with the subject in it, the new and the old object, no ids."""

from __future__ import annotations

from scopebench.records import Edit
from scopebench.sources.facts import check_change, fact_object, template_around
from scopebench.sources.fields import Fields
from scopebench.sources.schema import Origin


def parse_flat(
    record: Fields, origin: Origin, *, sentence: str, new: str, old: str
) -> tuple[Edit, ...]:
    """Parse a flat record into its one edit.

    Args:
        record: The record.
        origin: Where it stands.
        sentence: Name of the field that holds the sentence to complete.
        new: Name of the field that holds the new object.
        old: Name of the field that holds the old object.

    Raises:
        DataError: If a field is missing, empty or mistyped, or the record contradicts itself.
    """
    subject = record.text("subject")
    target_new = fact_object(record.text(new))
    target_true = fact_object(record.text(old))
    check_change(record, new, target_new, target_true)
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=subject,
        prompt=template_around(record, sentence, subject),
        target_new=target_new,
        target_true=target_true,
        source=origin.source,
    )
    return (edit,)
