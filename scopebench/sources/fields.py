"""Typed access to the fields of one record, with errors that say where and what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scopebench.errors import DataError

RECORD_FIX: Final = "correct the record, or leave bad ones out with --on-bad-record skip"

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SHOWN: Final = 40
"""Characters of a value that a message repeats."""


def kind_of(value: object) -> str:
    """Name a JSON value's type in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def shown(text: str) -> str:
    """Quote a text for a one-line message, shortened where it is long."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


@dataclass(frozen=True)
class Fields:
    """One JSON object of a record.

    Every method raises `DataError` naming the file, the record and the dotted field.

    Attributes:
        values: The object.
        file: Its file, for messages.
        record: The record's id or `#position`, for messages.
        path: Dotted path of the object in its record; empty for the record itself.
    """

    values: Mapping[str, Any]
    file: str
    record: str
    path: str = ""

    def fault(self, key: str, what: str) -> DataError:
        """Return the error for one field."""
        field = self.dotted(key)
        return DataError(what, file=self.file, record=self.record, field=field, fix=RECORD_FIX)

    def dotted(self, key: str) -> str:
        """Return a field's dotted name in its record."""
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        """Whether the field is there and not null."""
        return self.values.get(key) is not None

    def value(self, key: str, expected: str) -> Any:
        """Return a field that must be there, null included."""
        if key not in self.values:
            raise self.fault(key, f"the field is missing; expected {expected}")
        return self.values[key]

    def text(self, key: str) -> str:
        """Return a string without outer white space; it must hold something."""
        value = self.value(key, "a non-empty string")
        text = self._clean(key, value).strip()
        if not text:
            raise self.fault(key, "expected a non-empty string, found an empty one")
        return text

    def optional_text(self, key: str) -> str | None:
        """Return a string like `text`, or None where the field is absent or null."""
        return self.text(key) if self.has(key) else None

    def text_or_none(self, key: str) -> str | None:
        """Return a string without outer white space; None where it is absent, null or blank."""
        value = self.values.get(key)
        return None if value is None else self._clean(key, value).strip() or None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings without outer white space; blank ones are left out."""
        items = self._list(key, "a list of strings")
        texts = (self._clean(f"{key}[{n}]", item).strip() for n, item in enumerate(items))
        return tuple(text for text in texts if text)

    def numbered_texts(self, key: str) -> tuple[tuple[str, str], ...]:
        """Return (dotted field, string) for a list of strings, which may be absent or null.

        Blank strings are left out, and the others keep the numbers they have in the list.
        """
        items = self._list(key, "a list of strings") if self.has(key) else ()
        named = [(f"{key}[{n}]", item) for n, item in enumerate(items)]
        texts = ((name, self._clean(name, item).strip()) for name, item in named)
        return tuple((self.dotted(name), text) for name, text in texts if text)

    def answers(self, key: str) -> tuple[str, ...]:
        """Return the accepted answers under `key`, without blanks and repeats; perhaps none.

        They are written as one string, a list of strings, or a list of lists of strings. In the
        last form each inner list holds one answer and its aliases; several answers are all right,
        as to a question for one of somebody's occupations, and any of them is accepted.
        """
        groups = self.answer_groups(key)
        return tuple(dict.fromkeys(answer for group in groups for answer in group))

    def answer_groups(self, key: str) -> tuple[tuple[str, ...], ...]:
        """Return the same answers by the object they name: each with its aliases, label first.

        One string or a list of strings is one object; a list of lists is one object each.
        """
        expected = "a string, a list of strings or a list of lists of strings"
        value = self.value(key, expected)
        if not isinstance(value, str | list):
            raise self.fault(key, f"expected {expected}, found {kind_of(value)}")
        nested = isinstance(value, list) and any(isinstance(item, list) for item in value)
        found: dict[str | None, dict[str, None]] = {}
        for name, item in _leaves(key, value):
            group = name.rsplit("[", 1)[0] if nested else None
            found.setdefault(group, {})[self._clean(name, item).strip()] = None
        kept = (tuple(answer for answer in group if answer) for group in found.values())
        return tuple(group for group in kept if group)

    def optional_flag(self, key: str) -> bool | None:
        """Return a boolean, or None where the field is absent or null."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.fault(key, f"expected a boolean, found {kind_of(value)}")
        return value

    def child(self, key: str) -> Fields:
        """Return a field that is an object."""
        return self._object(key, self.value(key, "an object"))

    def children(self, key: str) -> tuple[Fields, ...]:
        """Return a field that is a list of objects."""
        items = self._list(key, "a list of objects")
        return tuple(self._object(f"{key}[{n}]", item) for n, item in enumerate(items))

    def rows(self, key: str, width: int) -> tuple[tuple[str | None, ...], ...]:
        """Return a field that is a list of lists of `width` strings; blank and null are None."""
        rows = []
        for n, row in enumerate(self._list(key, "a list of lists")):
            if not isinstance(row, list) or len(row) != width:
                found = f"{len(row)}" if isinstance(row, list) else kind_of(row)
                raise self.fault(f"{key}[{n}]", f"expected {width} strings, found {found}")
            rows.append(
                tuple(
                    None if item is None else self._clean(f"{key}[{n}][{m}]", item).strip() or None
                    for m, item in enumerate(row)
                )
            )
        return tuple(rows)

    def _list(self, key: str, expected: str) -> list[Any]:
        value = self.value(key, expected)
        if not isinstance(value, list):
            raise self.fault(key, f"expected {expected}, found {kind_of(value)}")
        return value

    def _object(self, key: str, value: object) -> Fields:
        if not isinstance(value, dict):
            raise self.fault(key, f"expected an object, found {kind_of(value)}")
        return Fields(value, self.file, self.record, self.dotted(key))

    def _clean(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.fault(key, f"expected a string, found {kind_of(value)}")
        if "\x00" in value:
            raise self.fault(key, "expected text, found a NUL character")
        if not value.isascii() and _SURROGATE.search(value):
            raise self.fault(key, "expected Unicode text, found an unpaired surrogate")
        return value


def _leaves(key: str, value: str | list[Any]) -> list[tuple[str, Any]]:
    """Return what a string, a list or a list of lists holds, each with its place."""
    if isinstance(value, str):
        return [(key, value)]
    leaves: list[tuple[str, Any]] = []
    for n, item in enumerate(value):
        if isinstance(item, list):
            leaves.extend((f"{key}[{n}][{m}]", inner) for m, inner in enumerate(item))
        else:
            leaves.append((f"{key}[{n}]", item))
    return leaves
