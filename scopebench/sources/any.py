"""Reads a data set by its name: a published one by its schemas, any other as one's own edits."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scopebench.errors import DataError
from scopebench.sources.case import Source
from scopebench.sources.read import SOURCES, OnBadRecord, read_source

_ALIKE: Final = 0.75
"""Likeness from which a name is taken for a published data set's, misspelt."""


def read_any(
    dataset: str,
    paths: Sequence[Path],
    *,
    columns: Path | None = None,
    on_bad_record: OnBadRecord = "fail",
) -> Source:
    """Read the files of a data set.

    Args:
        dataset: A name in `SOURCES`, or another one for a team's own edits.
        paths: Its files.
        columns: The mapping file of one's own edits' columns, where they have other names.
        on_bad_record: `fail` raises for the first record that cannot be used; `skip` lists it.

    Raises:
        DataError: If a file cannot be read as that data set, or columns are mapped of a published
            one.
    """
    if dataset in SOURCES:
        if columns is not None:
            raise DataError(
                f"{dataset} is a published data set, its fields need no mapping",
                file=columns,
                fix="leave --columns out, or give the source another name",
            )
        return read_source(dataset, paths, on_bad_record=on_bad_record)
    if columns is None and difflib.get_close_matches(dataset, SOURCES, n=1, cutoff=_ALIKE):
        # Refused with the name that was meant: one's own edits need a name of their own.
        return read_source(dataset, paths, on_bad_record=on_bad_record)
    from scopebench.sources.own import read_columns, read_own

    names = None if columns is None else read_columns(columns)
    return read_own(dataset, paths, columns=names, on_bad_record=on_bad_record)
