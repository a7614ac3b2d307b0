"""Frames in and out: rows of a report as a frame, and a frame of outcomes as a file."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scopebench.errors import DataError
from scopebench.records import Record

FILE: Final = "outcomes.parquet"
NAME: Final = "the frame"


def frame_of(rows: Sequence[Record]) -> pd.DataFrame:
    """Return records as a frame, one row each; nested fields have dotted names."""
    return pd.json_normalize([row.model_dump() for row in rows])


@contextmanager
def as_file(frame: pd.DataFrame) -> Iterator[Path]:
    """Yield a parquet file that holds a frame, for as long as the context lasts.

    A named index becomes columns; a column of mixed types becomes text. An error about the file is
    told of the frame.

    Raises:
        DataError: If two columns have one name, or a cell holds what no table can.
    """
    indexed = [name for name in frame.index.names if name is not None]
    whole = frame.reset_index() if indexed else frame
    names = [str(name) for name in whole.columns]
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError("the column stands twice", file=NAME, field=repeated[0])
    columns = {name: _column(whole.iloc[:, at], name) for at, name in enumerate(names)}
    with tempfile.TemporaryDirectory(prefix="scopebench-") as folder:
        path = Path(folder) / FILE
        pq.write_table(pa.table(columns), path)
        try:
            yield path
        except DataError as error:
            raise DataError(
                error.what,
                file=NAME if error.file == str(path) else error.file,
                record=error.record,
                field=error.field,
                fix=error.fix,
            ) from error


def _column(column: pd.Series[Any], name: str) -> pa.Array:
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError):
        texts = [None if _empty(value) else str(value) for value in column]
    try:
        return pa.array(texts, pa.string())
    except (pa.ArrowException, UnicodeError) as error:
        raise DataError("holds what is no text", file=NAME, field=name) from error


def _empty(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value
