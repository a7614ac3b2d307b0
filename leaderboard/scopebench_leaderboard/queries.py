"""The queries of a benchmark, by kind, for the data browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow as pa

from scopebench.errors import DataError
from scopebench_leaderboard.details import joined

LARGEST_PAGE: Final = 500

_KEYS: Final = ["dataset", "condition", "population", "query_id"]
_LISTS: Final = ("answers", "governing_edit_ids")
_READ: Final = (
    *("query_id", "dataset", "condition", "population", "kind", "question", "answers"),
    *("governing_edit_ids", "near_edit_id", "fold"),
)
_COLUMNS: Final = (
    *("query_id", "dataset", "condition", "population", "kind", "question", "answers"),
    *("in_scope", "governing_edit_ids", "near_edit_id", "fold"),
)


def queries_of(
    source: Path,
    *,
    kind: str = "",
    dataset: str = "",
    condition: str = "",
    population: str = "",
    search: str = "",
    offset: int = 0,
    limit: int = 100,
) -> tuple[pd.DataFrame, int]:
    """Return a page of queries, and how many there are in all.

    Args:
        source: The folder of a built benchmark, or a run folder: then from its decisions.
        kind: Only this kind; empty: all; so for the next three.
        dataset: Only this data set.
        condition: Only this condition.
        population: Only this population.
        search: Words, each to be found in the question, an answer or the id; cases are one.
        offset: Rows left out.
        limit: At most so many, and at most `LARGEST_PAGE`.

    Raises:
        DataError: If the source is neither or cannot be read.

    Returns:
        Columns: query_id, dataset, condition, population, kind, question, answers (one text;
        null: decision-only), in_scope, governing_edit_ids (one text), near_edit_id, fold.
        Ordered by data set, condition, population and id.
    """
    rows = _queries(source, _state(source))
    kept = pd.Series(True, index=rows.index)
    chosen = {"kind": kind, "dataset": dataset, "condition": condition, "population": population}
    for name, word in chosen.items():
        if word:
            kept &= rows[name] == word
    for word in search.casefold().split():
        kept &= rows["searched"].str.contains(word, regex=False)
    found = rows[kept.to_numpy(dtype=bool)]
    start = max(offset, 0)
    page = found.iloc[start : start + min(max(limit, 0), LARGEST_PAGE)]
    return page[list(_COLUMNS)].reset_index(drop=True), len(found)


def words_of(source: Path) -> Mapping[str, list[str]]:
    """Return the data sets, conditions, populations and kinds there are, each by name.

    Raises:
        DataError: If the source cannot be read.
    """
    rows = _queries(source, _state(source))
    names = ("dataset", "condition", "population", "kind")
    return {name: sorted(set(rows[name].astype(object))) for name in names}


@lru_cache(maxsize=4)
def _queries(source: Path, state: tuple[int, int]) -> pd.DataFrame:
    """Return all queries of a source, sorted, with the text that is searched.

    Args:
        source: As of `queries_of`.
        state: Size and time of the file that stands for it: a changed source is read anew.
    """
    tables = list(_tables(source))
    if not tables:
        raise DataError("the benchmark has no queries", file=source)
    whole = pa.concat_tables(tables)
    rows: pd.DataFrame = whole.drop_columns(list(_LISTS)).to_pandas()
    for name in _LISTS:
        rows[name] = [joined(each) for each in whole[name].to_pylist()]
    rows["in_scope"] = rows["governing_edit_ids"].fillna("") != ""
    texts = rows[["query_id", "question", "answers"]].astype(object).fillna("")
    rows["searched"] = texts["query_id"] + "\n" + texts["question"] + "\n" + texts["answers"]
    rows["searched"] = rows["searched"].str.casefold()
    ordered = rows.sort_values(_KEYS, ignore_index=True)
    return ordered.astype({name: "category" for name in (*_KEYS[:3], "kind", "fold")})


def _state(source: Path) -> tuple[int, int]:
    """Return size and time of the file that changes when a source does."""
    from scopebench.construct.manifest import FILE
    from scopebench.scoring.tables import DECISIONS_FILE

    for name in (FILE, DECISIONS_FILE):
        if (source / name).is_file():
            status = (source / name).stat()
            return status.st_size, status.st_mtime_ns
    raise DataError(
        "neither a built benchmark nor a run", file=source, fix="give a folder with queries"
    )


def _tables(source: Path) -> Iterator[pa.Table]:
    """Yield tables of queries with the columns of `_READ`."""
    from scopebench.construct.manifest import FILE, cell_config, parquet_path
    from scopebench.construct.reader import read_manifest
    from scopebench.construct.tables import QUERY_SCHEMA
    from scopebench.records import CONDITIONS, POPULATIONS
    from scopebench.scoring.tables import DECISIONS_FILE, DECISIONS_SCHEMA, read_table

    if not (source / FILE).is_file():
        yield read_table(source / DECISIONS_FILE, DECISIONS_SCHEMA).select(list(_READ))
        return
    manifest = read_manifest(source)
    for dataset in manifest["datasets"]:
        for condition in CONDITIONS:
            for population in POPULATIONS:
                path = parquet_path(cell_config(dataset, condition), population)
                if path in manifest["files"]:
                    table = read_table(source / path, QUERY_SCHEMA)
                    words = pa.repeat(pa.scalar(condition, pa.string()), table.num_rows)
                    yield table.append_column("condition", words).select(list(_READ))
