"""What a parser yields: cases of edits and probes, and what was wrong with unusable records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scopebench.records import Edit, Form

ProbeRole = Literal[
    "paraphrase",
    "alias",
    "neighbour",
    "other_relation",
    "other_value",
    "hop",
    "chain",
    "entailed",
    "composed",
]
"""What a source says a probe is; whether it is so is for the build to check.

`paraphrase` asks an edit in other words, `alias` under another name of its subject, `entailed`
asks something that follows from it, `composed` goes through it to a further fact. `neighbour` asks
the edit's relation of another subject, `other_relation` another relation of its subject.
`other_value` asks for a value of the edit's fact other than its new object: nothing is asked with
it, but it tells that the fact has several. `hop` is one link of a multi-hop path, `chain` the
multi-hop question itself.
"""


@dataclass(frozen=True)
class Link:
    """One fact on a multi-hop path.

    Attributes:
        subject: The subject's label.
        subject_id: Its entity id, where known.
        relation_id: The property id, where known.
        relation: The relation's label in words, where known ("place of birth").
        object: The object's label.
        object_id: Its entity id, where known.
        question: The fact asked as a question, where the source gives one.
        cloze: The fact as a cloze to complete, where the source gives one.
        answers: Accepted answers, main label first.
    """

    subject: str
    subject_id: str | None
    relation_id: str | None
    relation: str | None
    object: str
    object_id: str | None
    question: str | None
    cloze: str | None
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Probe:
    """A question that a record holds beside its edits, as the source gives it.

    Attributes:
        role: What the source says it is.
        field: Dotted name of its field, such as `neighborhood_prompts[3]`.
        question: What is asked.
        form: Whether it is a question or a cloze to complete.
        edit_id: The edit of the case it stands beside; None: the case as a whole (`hop`, `chain`).
        subject: Label of what it asks about, where the source tells.
        subject_id: Its entity id, where known.
        relation_id: The property id of what is asked, where known.
        relation: The relation's label in words, where the source gives one.
        before: Accepted answers before any edit, main label first; None: unknown.
        after: Accepted answers once the case's edits are made, main label first; None: unknown.
        path_before: For `chain`, the links before the edits, in order.
        path_after: For `chain`, the links after them, in order.
        objects: The accepted answers by the object they name, where the source tells several apart.
    """

    role: ProbeRole
    field: str
    question: str
    form: Form
    edit_id: str | None = None
    subject: str | None = None
    subject_id: str | None = None
    relation_id: str | None = None
    relation: str | None = None
    before: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None
    path_before: tuple[Link, ...] = ()
    path_after: tuple[Link, ...] = ()
    objects: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Case:
    """One record of a source: a single edit, or the edits of one multi-hop group.

    Attributes:
        dataset: The data set's name.
        case_id: The record's id, unique in the data set.
        edits: Its edits, in the record's order; never empty.
        probes: The questions it holds beside them, in the record's order.
    """

    dataset: str
    case_id: str
    edits: tuple[Edit, ...]
    probes: tuple[Probe, ...] = ()


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
