"""What a schema is: how its records are told from others, and how one becomes edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scopebench.records import Edit, SourceRef
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
class Schema:
    """One published form of a data set.

    Attributes:
        name: The schema's name.
        dataset: The data set it is read for.
        summary: What the form holds, in a few words.
        matches: Whether a record has the form's distinguishing keys; nothing else is checked.
        parse: Turns a record into its edits, in order, or raises `DataError`.
        wrapper: The key under which each record's fields lie, if they lie under one.
    """

    name: str
    dataset: str
    summary: str
    matches: Callable[[Mapping[str, Any]], bool]
    parse: Callable[[Fields, Origin], tuple[Edit, ...]]
    wrapper: str | None = None
