"""Puts what is computed anew and what the last board holds into one board."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from scopebench.errors import DataError
from scopebench.hub.marks import Mark
from scopebench.records import CONDITIONS, POPULATIONS
from scopebench_leaderboard.alike import Likeness, no_likeness
from scopebench_leaderboard.board_file import (
    BLOCK,
    REJECTED,
    SCHEMAS,
    SUBMISSIONS,
    BoardFile,
    Key,
)
from scopebench_leaderboard.columns import (
    MIX_SCHEMA,
    PART_COLUMNS,
    REJECTED_SCHEMA,
    SUBMISSION_SCHEMA,
    part_schema,
)
from scopebench_leaderboard.entries import Entry, Rejection
from scopebench_leaderboard.scan import Found

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Known:
    """The entries of the last board, where the code of today computed them.

    Attributes:
        rows: Their rows as in `SUBMISSION_SCHEMA`, by id.
        entries: Their row numbers there, by id.
        file: The last board; None: there is none to take from.
    """

    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    entries: Mapping[str, int] = field(default_factory=dict)
    file: BoardFile | None = None

    def holds(self, found: Found) -> bool:
        """Return whether a submission need not be computed again."""
        row = self.rows.get(found.submission_id)
        return row is not None and found.is_row(row)


def known_entries(path: Path, code_version: str) -> Known:
    """Return what the board file at a path holds that is still good."""
    try:
        file = BoardFile(path)
        if file.head.code_version != code_version:
            return Known()
        rows = file.read(SUBMISSIONS, SUBMISSION_SCHEMA.names).to_pylist()
    except DataError:
        return Known()  # none, or damaged: everything is computed again
    return Known(
        rows={row["submission_id"]: row for row in rows},
        entries={row["submission_id"]: at for at, row in enumerate(rows)},
        file=file,
    )


@dataclass(frozen=True, eq=False)
class Merged:
    """All that goes into a board file.

    Attributes:
        submissions: One row a submission, in the board's order.
        rejected: What is listed apart, by path.
        parts: The keys of the scores and mixes there are, in order.
        fresh: What was computed anew, with the new row number as `entry`: scores and mixes.
        moved: The new row number of each row of the last board; -1: not taken.
        file: The last board.
    """

    submissions: pa.Table
    rejected: tuple[Rejection, ...]
    parts: tuple[Key, ...]
    fresh: Mapping[str, pa.Table]
    moved: Codes
    file: BoardFile | None

    @property
    def n(self) -> int:
        """Submissions."""
        rows: int = self.submissions.num_rows
        return rows

    def revision(self, code_version: str) -> str:
        """Return a hash over what the board shows: content-addressed submissions need no more."""
        shown = {
            "code": code_version,
            "submissions": [
                [row[name] for name in sorted(row)] for row in self.submissions.to_pylist()
            ],
            "rejected": [[each.path, *each.reasons] for each in self.rejected],
        }
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]

    def tables(self) -> Iterator[tuple[Key, pa.Table]]:
        """Yield every table of the file, by key."""
        yield SUBMISSIONS, self.submissions
        rejected = {
            "path": [each.path for each in self.rejected],
            "reasons": ["\n".join(each.reasons) for each in self.rejected],
        }
        yield REJECTED, pa.table(rejected, schema=REJECTED_SCHEMA)
        groups = {name: _grouped(table) for name, table in self.fresh.items()}
        for key in self.parts:
            pieces = [self._taken(key)]
            if (rows := groups[key[0]].get(key[1:])) is not None:
                pieces.append(self.fresh[key[0]].take(pa.array(rows)))
            yield key, _by_entry(pieces, SCHEMAS[key[0]])
        for block in range(-(-self.n // BLOCK)):
            yield ("whole", str(block)), self._whole(block)

    def _whole(self, block: int) -> pa.Table:
        """Return every part of the submissions of a block."""
        first, end = block * BLOCK, (block + 1) * BLOCK
        there = np.flatnonzero((self.moved >= first) & (self.moved < end)) // BLOCK
        pieces = [self._taken(("whole", str(old))) for old in np.unique(there)]
        fresh = self.fresh["scores"]
        start, stop = np.searchsorted(fresh["entry"].to_numpy(), [first, end])
        table = pa.concat_tables(
            [piece.select(SCHEMAS["whole"].names) for piece in (*pieces, fresh[start:stop])]
        )
        entry = table["entry"]
        inside = table.filter(pc.and_(pc.greater_equal(entry, first), pc.less(entry, end)))
        return _by_entry([inside], SCHEMAS["whole"])

    def _taken(self, key: Key) -> pa.Table:
        """Return the rows of the last board that are taken over."""
        if self.file is None:
            empty: pa.Table = SCHEMAS[key[0]].empty_table()
            return empty
        table = self.file.read(key)
        moved = self.moved[table["entry"].to_numpy()]
        table = table.set_column(0, "entry", pa.array(moved, pa.int32()))
        kept: pa.Table = table.filter(pa.array(moved >= 0))
        return kept


def merge(
    known: Known,
    entries: Mapping[str, Entry],
    paths: Mapping[str, str],
    marks: Mapping[str, Mark],
    rejected: Sequence[Rejection],
    likeness: Likeness = no_likeness,
) -> Merged:
    """Order the submissions and say where the rows of each come from.

    Args:
        known: The last board.
        entries: What was computed anew, by id.
        paths: The path of every submission of the board, by id; each is known or computed.
        marks: What maintainers say, by id.
        rejected: What is listed apart.
        likeness: How the unedited answers of the submissions stand to one another.
    """
    rows = {
        key: dict(entries[key].submission if key in entries else known.rows[key]) for key in paths
    }
    order = sorted(rows, key=lambda key: (rows[key]["editor"], rows[key]["model"], key))
    places = {key: at for at, key in enumerate(order)}
    moved = np.full(len(known.entries), -1, dtype=np.int64)
    for key, at in known.entries.items():
        if key in places and key not in entries:
            moved[at] = places[key]
    fresh = {
        "scores": _numbered(entries, places, "scores", part_schema()),
        "mixes": _numbered(entries, places, "mixes", MIX_SCHEMA),
    }
    old = () if known.file is None else known.file.head.groups
    keys = {key for key in old if key[0] in fresh}  # what no submission has any more has no rows
    keys |= {(name, *part) for name, table in fresh.items() for part in _grouped(table)}
    ordered = [rows[key] | mark_columns(marks.get(key)) for key in order]
    alike = likeness(ordered)
    whole = [row | alike[row["submission_id"]].columns for row in ordered]
    return Merged(
        submissions=pa.Table.from_pylist(whole, schema=SCHEMAS["submissions"]),
        rejected=tuple(sorted(rejected, key=lambda each: each.path)),
        parts=tuple(sorted(keys, key=_place)),
        fresh=fresh,
        moved=moved,
        file=known.file,
    )


def mark_columns(mark: Mark | None) -> dict[str, Any]:
    """Return the columns of `MARK_SCHEMA` for a submission's mark; None: it has none."""
    state = "not tried" if mark is None else mark.state
    return {
        "reproduction": state,
        "verified": state == "reproduced",
        "verified_by": None if mark is None else mark.by,
        "verified_date": None if mark is None else mark.date,
        "verified_note": None if mark is None else mark.note,
        "rerun_equal": None if mark is None else mark.equal,
        "rerun_n": None if mark is None else mark.n,
        "rerun_low": None if mark is None else mark.low,
    }


def _numbered(
    entries: Mapping[str, Entry], places: Mapping[str, int], name: str, schema: pa.Schema
) -> pa.Table:
    """Return one table of all entries, each row with its submission's number, in their order."""
    keys = sorted((key for key in entries if key in places), key=places.__getitem__)
    tables = [getattr(entries[key], name) for key in keys]
    table = pa.concat_tables(tables) if tables else schema.empty_table()
    numbers = np.repeat([places[key] for key in keys], [each.num_rows for each in tables])
    return table.append_column("entry", pa.array(numbers, pa.int32())).combine_chunks()


def _grouped(table: pa.Table) -> dict[Key, Codes]:
    """Return the row numbers of each part, or population."""
    names = [name for name in PART_COLUMNS if name in table.column_names]
    frame = table.select(names).to_pandas()
    return {
        tuple(key) if isinstance(key, tuple) else (key,): np.asarray(rows)
        for key, rows in frame.groupby(names, sort=False, observed=True).indices.items()
    }


def _by_entry(pieces: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    """Return tables as one, in the order of submissions; rows of one keep their order."""
    table = pa.concat_tables([piece.select(schema.names) for piece in pieces])
    order = np.argsort(table["entry"].to_numpy(), kind="stable")
    return table.take(pa.array(order))


def _place(key: Key) -> tuple[Any, ...]:
    """Return a key's place: populations and conditions in their own order, the whole first."""
    table, population, *rest = key
    return (table, _in_order(population, POPULATIONS), *(_in_order(w, CONDITIONS) for w in rest))


def _in_order(word: str, order: Sequence[str]) -> tuple[int, str]:
    return (-1 if word == "all" else order.index(word) if word in order else len(order), word)
