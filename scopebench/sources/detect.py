"""Tells which schema a file is in from its first records, never from its name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from scopebench.errors import DataError
from scopebench.sources import (
    counterfact,
    mquake_cf,
    rippleedits,
    wikifactdiff,
    wikiupdate,
    zsre,
)
from scopebench.sources.fields import kind_of, shown
from scopebench.sources.schema import Schema
from scopebench.sources.stream import RecordFile

SCHEMAS: Final[tuple[Schema, ...]] = (
    *counterfact.SCHEMAS,
    *wikiupdate.SCHEMAS,
    *wikifactdiff.SCHEMAS,
    *mquake_cf.SCHEMAS,
    *rippleedits.SCHEMAS,
    *zsre.SCHEMAS,
)

LOOK_AHEAD: Final = 20
"""Records the schema is recognised from: enough for a few bad ones to come first."""

_KEYS_SHOWN: Final = 10


def recognise(records: Sequence[object]) -> tuple[Schema, ...]:
    """Return the schemas that some of the records have, in the order they are met."""
    found = [
        schema
        for record in records
        if isinstance(record, dict)
        for schema in SCHEMAS
        if schema.matches(record)
    ]
    return tuple(dict.fromkeys(found))


def choose_schema(dataset: str, file: RecordFile, records: Sequence[object]) -> Schema:
    """Return the schema to read a file with.

    Args:
        dataset: The data set the file is given as.
        file: The file.
        records: Its first records.

    Raises:
        DataError: If it is the file of another data set, is not recognised or holds no record.
    """
    found = recognise(_some(file, records))
    for schema in found:
        if schema.dataset == dataset:
            return schema
    if found:
        other = found[0]
        raise DataError(
            f"expected a file of {dataset}, found the schema {other.name} of {other.dataset} "
            f"({other.summary})",
            file=file.path,
            fix=f"give it as --source {other.dataset}={file.path}",
        )
    read = "; ".join(f"{s.name} ({s.summary})" for s in SCHEMAS if s.dataset == dataset)
    raise DataError(
        f"the schema is not known: found {_outline(file, records)}",
        file=file.path,
        fix=f"schemas read for {dataset}: {read}",
    )


def identify(path: Path) -> tuple[str, Schema]:
    """Return the data set and schema of a raw file, told by its first records.

    A file that fits several data sets, such as AKEW's single edits without times, goes to the
    first of them in `SCHEMAS`.

    Raises:
        DataError: If it is missing, not made of records, or in no form that is known.
    """
    file = RecordFile.open(path)
    records = list(islice(file, LOOK_AHEAD))
    found = recognise(_some(file, records))
    if found:
        return found[0].dataset, found[0]
    known = "; ".join(f"{s.name} ({s.summary})" for s in SCHEMAS)
    raise DataError(
        f"the schema is not known: found {_outline(file, records)}",
        file=path,
        fix=f"schemas that are read: {known}",
    )


def _some(file: RecordFile, records: Sequence[object]) -> Sequence[object]:
    """Return the records, of which there must be one."""
    if not records:
        raise DataError("the file holds no records", file=file.path, fix="fetch the file again")
    return records


def _outline(file: RecordFile, records: Sequence[object]) -> str:
    """Describe the top level and the first record in words."""
    first = records[0]
    alone = file.layout == "lines" and len(records) == 1
    top = {"array": "an array", "lines": "JSON Lines"}[file.layout]
    where = "one object" if alone else f"{top} whose first record is {kind_of(first)}"
    if not isinstance(first, dict):
        return where
    keys = ", ".join(shown(key)[1:-1] for key in list(first)[:_KEYS_SHOWN])
    more = len(first) - _KEYS_SHOWN
    return f"{where} with the keys {keys or '(none)'}{f' and {more} more' if more > 0 else ''}"
