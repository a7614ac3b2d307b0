"""The two tables of a run folder, from which every number can be recomputed without a model.

`outcomes.parquet` holds one row per query x condition x action x draw, `decisions.parquet` one row
per query x condition with all that scoring needs of the query: among it whether the question holds
a subject (`subject_match`) or follows a template (`template_match`) of the index, and the nearest
card as a person would read it (`card_question`, `card_answer`). Neither holds a time or a path, so
that equal runs give equal bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from scopebench.errors import DataError

OUTCOMES_FILE: Final = "outcomes.parquet"
DECISIONS_FILE: Final = "decisions.parquet"

_STRINGS: Final = pa.list_(pa.string())

OUTCOMES_SCHEMA: Final = pa.schema(
    [
        ("query_id", pa.string()),
        ("condition", pa.string()),
        ("action", pa.string()),
        ("draw", pa.int32()),
        ("legal", pa.bool_()),
        ("text", pa.string()),
        ("correct", pa.bool_()),
        ("correct_paper", pa.bool_()),
        ("refused", pa.bool_()),
        ("edit_id", pa.string()),
    ]
)

DECISIONS_SCHEMA: Final = pa.schema(
    [
        ("query_id", pa.string()),
        ("dataset", pa.string()),
        ("condition", pa.string()),
        ("population", pa.string()),
        ("kind", pa.string()),
        ("question", pa.string()),
        ("answers", _STRINGS),
        ("pre_edit_answers", _STRINGS),
        ("governing_edit_ids", _STRINGS),
        ("hidden_edit_ids", _STRINGS),
        ("near_edit_id", pa.string()),
        ("subject_match", pa.bool_()),
        ("template_match", pa.bool_()),
        ("cluster", pa.string()),
        ("fold", pa.string()),
        ("action", pa.string()),
        ("edit_id", pa.string()),
        ("card_question", pa.string()),
        ("card_answer", pa.string()),
        ("scope_score", pa.float64()),
        ("runner_up_score", pa.float64()),
        (
            "candidates",
            pa.list_(pa.struct([("edit_id", pa.string()), ("score", pa.float64())])),
        ),
    ]
)


def write_table(rows: list[dict[str, Any]], schema: pa.Schema, path: Path) -> None:
    """Write rows to a parquet file atomically, with bytes that depend only on the rows.

    Args:
        rows: One mapping per row, holding every column of the schema.
        schema: The columns.
        path: The file to write; its folder must exist.
    """
    partial = path.with_name(path.name + ".partial")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), partial, compression="zstd")
    partial.replace(path)


def read_table(path: Path, schema: pa.Schema) -> pa.Table:
    """Read a table and check its columns.

    Raises:
        DataError: If the file is missing, is not parquet, or has other columns.
    """
    if not path.is_file():
        raise DataError(
            "no such table", file=path, fix="give a folder written by `scopebench score`"
        )
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"not a readable parquet file ({error})", file=path) from error
    for column in schema:
        if column.name not in table.column_names:
            raise DataError(
                "the column is missing",
                file=path,
                field=column.name,
                fix="if another version of scopebench wrote the file, write it again with this one",
            )
        if table.schema.field(column.name).type != column.type:
            raise DataError(
                f"expected {column.type}, found {table.schema.field(column.name).type}",
                file=path,
                field=column.name,
            )
    return table.select(schema.names)
