"""What a schema is: how its records are told from others, and how one is parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scopebench.records import Edit, SourceRef
from scopebench.sources.case import Probe
from scopebench.sources.fields import Fields


@dataclass(frozen=True)
class Origin:
    """Where a record's edits come from.

    Attributes:
        dataset: The data set's name.
        case_id: The case's id, unique in the data set.
        source: The file and record.
    """

    dataset: str
    case_id: str
    source: SourceRef

    def edit_id(self, n: int) -> str:
        """Return the id of the case's n-th edit, counted from 0."""
        return f"{self.dataset}/{self.case_id}/{n}"


@dataclass(frozen=True)
class Parsed:
    """What one record holds.

    Attributes:
        edits: Its edits, in order; never empty.
        probes: The questions beside them, in order.
    """

    edits: tuple[Edit, ...]
    probes: tuple[Probe, ...] = ()


@dataclass(frozen=True)
class Schema:
    """One published form of a data set.

    Attributes:
        name: The schema's name.
        dataset: The data set it is read for.
        summary: What the form holds, in a few words.
        matches: Whether a record has the form's distinguishing keys; nothing else is checked.
        parse: Turns a record into its edits and probes, or raises `DataError`.
        wrapper: The key under which each record's fields lie, if they lie under one.
        has_ids: Whether records have a `case_id`; where they have none, their position in the
            file, counted from 0, is their id.
    """

    name: str
    dataset: str
    summary: str
    matches: Callable[[Mapping[str, Any]], bool]
    parse: Callable[[Fields, Origin], Parsed]
    wrapper: str | None = None
    has_ids: bool = True
