"""The columns of a built benchmark's parquet files, and records to rows and back.

The columns are the fields of `Edit` and `Query`, so that a row is a record's JSON form.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

import pyarrow as pa
from pydantic import ValidationError

from scopebench.errors import DataError
from scopebench.records import Edit, Query, Record
from scopebench.scoring.tables import read_table, write_table

_TEXT: Final = pa.string()
_TEXTS: Final = pa.list_(pa.string())
_OBJECT: Final = pa.struct([("text", _TEXT), ("aliases", _TEXTS), ("entity_id", _TEXT)])
_TRIPLE: Final = pa.struct([("subject", _TEXT), ("prompt", _TEXT), ("target", _TEXT)])
_INTERVAL: Final = pa.struct([("start", _TEXT), ("end", _TEXT)])
_HOP: Final = pa.struct(
    [
        ("subject", _TEXT),
        ("subject_id", _TEXT),
        ("relation", _TEXT),
        ("object", _TEXT),
        ("edit_ids", _TEXTS),
    ]
)
_SOURCE: Final = pa.struct([("file", _TEXT), ("record", _TEXT), ("sha256", _TEXT)])

EDIT_SCHEMA: Final = pa.schema(
    [
        ("edit_id", _TEXT),
        ("dataset", _TEXT),
        ("subject", _TEXT),
        ("subject_id", _TEXT),
        ("relation_id", _TEXT),
        ("prompt", _TEXT),
        ("question", _TEXT),
        ("target_new", _OBJECT),
        ("target_true", _OBJECT),
        ("evidence_unstructured", _TEXT),
        ("evidence_triples", pa.list_(_TRIPLE)),
        ("time_true", _INTERVAL),
        ("time_new", _INTERVAL),
        ("path_entities", _TEXTS),
        ("source", _SOURCE),
    ]
)

QUERY_SCHEMA: Final = pa.schema(
    [
        ("query_id", _TEXT),
        ("dataset", _TEXT),
        ("population", _TEXT),
        ("kind", _TEXT),
        ("question", _TEXT),
        ("form", _TEXT),
        ("answers", _TEXTS),
        ("pre_edit_answers", _TEXTS),
        ("governing_edit_ids", _TEXTS),
        ("hidden_edit_ids", _TEXTS),
        ("twin_id", _TEXT),
        ("near_edit_id", _TEXT),
        ("hops", pa.list_(_HOP)),
        ("date", _TEXT),
        ("flags", _TEXTS),
        ("cluster", _TEXT),
        ("fold", _TEXT),
        ("source", _SOURCE),
    ]
)

_SCHEMAS: Final[dict[type[Record], pa.Schema]] = {Edit: EDIT_SCHEMA, Query: QUERY_SCHEMA}

AnyRecord = TypeVar("AnyRecord", Edit, Query)


def write_records(records: tuple[AnyRecord, ...], kind: type[AnyRecord], path: Path) -> None:
    """Write records to a parquet file, one row each, in the order given."""
    rows = [record.model_dump(mode="json") for record in records]
    write_table(rows, _SCHEMAS[kind], path)


def read_records(path: Path, kind: type[AnyRecord]) -> tuple[AnyRecord, ...]:
    """Read the records of a parquet file, in the order of its rows.

    Raises:
        DataError: If the file is missing or not readable, or a row is not such a record.
    """
    rows = read_table(path, _SCHEMAS[kind]).to_pylist()
    try:
        return tuple(kind.model_validate(row) for row in rows)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in fault["loc"])
        raise DataError(
            f"a row is no {kind.__name__}: {fault['msg']}",
            file=path,
            field=field,
            fix="build the benchmark again",
        ) from error
