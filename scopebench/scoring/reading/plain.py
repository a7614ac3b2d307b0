"""Read a table of outcomes that another program wrote: one record per query and action.

No engine, model or benchmark of ours is needed: `query_id`, `action` and `correct` are enough.
Tables with one column per action are read by `wide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from scopebench.errors import DataError
from scopebench.scoring.matrix import Codes, Flags, Floats
from scopebench.scoring.reading.frame import Frame, TableFile, open_table
from scopebench.scoring.reading.plain_columns import LOST, Outcomes, PlainTable, finish
from scopebench.scoring.reading.plain_rows import Rows, arrange, check_size, hint, in_order, listed
from scopebench.scoring.reading.wide import read_wide

__all__ = ["REQUIRED", "PlainTable", "read_plain"]

REQUIRED: Final = ("query_id", "action", "correct")


@dataclass(frozen=True)
class _Grid:
    """Where the r records of a long table stand among n rows, A actions and D draws.

    Attributes:
        rows: The rows.
        actions: The actions, in the order of the matrix.
        action: The action of each record, shape (r,).
        draw: The draw of each record, shape (r,).
        draws: D.
    """

    rows: Rows
    actions: tuple[str, ...]
    action: Codes
    draw: Codes
    draws: int

    @property
    def frame(self) -> Frame:
        """The table."""
        return self.rows.frame

    @property
    def shape(self) -> tuple[int, int, int]:
        """n, A and D."""
        return len(self.rows), len(self.actions), self.draws

    def spread(self, flags: Flags) -> Flags:
        """Return flags of the records as an array of shape (n, A, D), false elsewhere."""
        array = np.zeros(self.shape, dtype=bool)
        array[self.rows.row, self.action, self.draw] = flags
        return array

    def spread_any(self, flags: Flags) -> Flags:
        """Return whether a flag is true in some draw, shape (n, A)."""
        return _any(self.spread(flags), axis=2)

    def refuse(
        self, wrong: Flags, name: str, what: str, *, quote: bool = True, fix: str = ""
    ) -> None:
        """Raise for the first record whose row and action are true in a mask of shape (n, A)."""
        records = wrong[self.rows.row, self.action]
        self.frame.refuse(records, name, what, quote=quote, fix=fix)


def read_plain(path: str | Path, *, static: Sequence[str] | None = None) -> PlainTable:
    """Read a long or wide table of outcomes, as CSV or parquet.

    Args:
        path: The file: .csv, .csv.gz, .tsv or .parquet.
        static: The static policy: actions in order of preference, of which the first legal one is
            taken. None: `recite`, then `reason`, where the table has them.

    Raises:
        DataError: If the file cannot be read or its content is not as `docs/your_outcomes.md` says.
    """
    table = open_table(Path(path))
    if set(REQUIRED) <= set(table.columns):
        return _read_long(table, static)
    _refuse_nearly_long(table)
    return read_wide(table, static)


def _read_long(table: TableFile, static: Sequence[str] | None) -> PlainTable:
    known = (*REQUIRED, *LOST)
    frame = table.read(known, id_columns=("query_id", "condition", "action", "draw"))
    rows = arrange(frame, id_column="query_id", dataset_column="dataset")
    grid = _grid(rows)
    outcomes, legal = _outcomes(grid)
    draws = outcomes if grid.draws > 1 else None
    return finish(
        rows,
        Outcomes(grid.actions, outcomes.mean(axis=2), legal, _chosen(grid), draws),
        static=static,
        ignored={name: "not a column that is read" for name in table.columns if name not in known},
        absent=[name for name in LOST if name not in frame],
    )


def _grid(rows: Rows) -> _Grid:
    """Place every record, and refuse two in one place."""
    frame = rows.frame
    named = frame.required_text("action")
    actions = in_order(named.names)
    action = np.array([actions.index(name) for name in named.names])[named.codes]
    draw, draws = np.zeros(len(frame), np.int64), 1
    if "draw" in frame:
        numbers = frame.numbers("draw", low=0, high=2**31)
        frame.refuse(~(numbers == np.floor(numbers)), "draw", "is not a whole number")
        values, draw = np.unique(numbers, return_inverse=True)
        draws = len(values)
    check_size(frame, len(rows), len(actions), draws)
    place = (rows.row * len(actions) + action) * draws + draw
    order = np.argsort(place, kind="stable")
    again = np.flatnonzero(np.diff(place[order]) == 0)
    if len(again):
        raise DataError(
            "the record stands twice",
            file=frame.path,
            record=frame.record(int(order[again[0] + 1])),
            fix="keep one; repeated draws of an action need a column `draw`, and queries of "
            "several data sets or populations a column `dataset` or `population`",
        )
    return _Grid(rows, tuple(actions), action, draw, draws)


def _outcomes(grid: _Grid) -> tuple[Floats, Flags]:
    """Return Y, shape (n, A, D), NaN where not legal or not scorable, and L, shape (n, A)."""
    correct = grid.frame.numbers("correct", low=0, high=1)
    outcomes = np.full(grid.shape, np.nan)
    outcomes[grid.rows.row, grid.action, grid.draw] = correct
    declared = "legal" in grid.frame
    every = np.ones(len(correct), dtype=bool)
    legal = _declared_legal(grid, correct) if declared else grid.spread_any(every)
    grid.refuse(
        legal & ~grid.spread(every).all(axis=2),
        "draw",
        "some draws of this action are not there",
        quote=False,
        fix="give every legal action of every query the same draws",
    )
    judged = grid.spread_any(~np.isnan(correct))
    grid.refuse(
        judged & np.isnan(outcomes).any(axis=2),
        "correct",
        "some draws of this action are judged and others are not",
        quote=False,
    )
    unjudged = legal & ~judged & _any(judged, axis=1)[:, None]
    if not declared:  # an empty outcome beside judged ones: the action is not legal for the query
        return outcomes, legal & ~unjudged
    grid.refuse(
        unjudged,
        "correct",
        "is empty, though the action is legal and another action of the query is judged",
        fix="judge every legal action of a query or none",
    )
    return outcomes, legal


def _declared_legal(grid: _Grid, correct: Floats) -> Flags:
    """Return L, shape (n, A), as the column `legal` says, checked."""
    declared = grid.frame.flags("legal", empty=None)
    legal = grid.spread_any(declared)
    of_record = legal[grid.rows.row, grid.action]
    grid.frame.refuse(of_record != declared, "legal", "differs from another draw of this action")
    grid.frame.refuse(
        ~declared & ~np.isnan(correct),
        "correct",
        "is an outcome of an action that is not legal",
        fix="leave `correct` empty where `legal` is false",
    )
    grid.rows.refuse(
        ~_any(legal, axis=1),
        "legal",
        "no action of this query is legal",
        quote=False,
        fix="drop the query, or say which action could be taken",
    )
    return legal


def _chosen(grid: _Grid) -> Codes | None:
    """Return the action marked as taken in each row, shape (n,), None where there is no column."""
    if "chosen" not in grid.frame:
        return None
    taken = grid.spread_any(grid.frame.flags("chosen", empty=False))
    fix = "mark the one action that the editor took of every query"
    grid.rows.refuse(
        ~_any(taken, axis=1), "chosen", "no action of this query is marked", quote=False, fix=fix
    )
    several = taken.sum(axis=1) > 1
    grid.rows.refuse(several, "chosen", "two actions are marked", quote=False, fix=fix)
    return np.asarray(taken.argmax(axis=1), dtype=np.int64)


def _any(flags: Flags, *, axis: int) -> Flags:
    return np.asarray(flags.any(axis=axis), dtype=bool)


def _refuse_nearly_long(table: TableFile) -> None:
    """Raise where a table is plainly meant to be long and lacks a column."""
    absent = [name for name in REQUIRED if name not in table.columns]
    hints = {name: hint(name, table.columns) for name in absent}
    if not {"action", "correct"} & set(table.columns) and not all(hints.values()):
        return
    raise DataError(
        "the column is missing; " + (hints[absent[0]] or f"found {listed(table.columns)}"),
        file=table.path,
        field=absent[0],
        fix=f"a table with one record per query and action needs {', '.join(REQUIRED)}",
    )
