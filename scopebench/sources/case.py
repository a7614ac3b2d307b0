"""What a parser yields: cases of edits, and what was wrong with the records it could not use."""

from __future__ import annotations

from dataclasses import dataclass

from scopebench.records import Edit


@dataclass(frozen=True)
class Case:
    """One record of a source: a single edit, or the edits of one multi-hop group.

    Attributes:
        dataset: The data set's name.
        case_id: The record's id, unique in the data set.
        edits: Its edits, in the record's order; never empty.
    """

    dataset: str
    case_id: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class BadRecord:
    """A record that was skipped.

    Attributes:
        file: Base name of its file.
        record: Its id or position.
        field: The field at fault, dotted when nested, if one is.
        reason: What was wrong.
    """

    file: str
    record: str
    field: str | None
    reason: str


@dataclass(frozen=True)
class Source:
    """The parsed files of one data set.

    Attributes:
        dataset: The data set's name.
        schemas: The recognised schema of each file, by base name.
        files: SHA-256 of each file, by base name.
        cases: Its cases, in file order.
        bad_records: Records that were skipped.
    """

    dataset: str
    schemas: dict[str, str]
    files: dict[str, str]
    cases: tuple[Case, ...]
    bad_records: tuple[BadRecord, ...]
