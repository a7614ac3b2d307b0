"""The board: every accepted submission and its numbers, read from one parquet file.

Submissions are in memory; scores are read part by part as they are asked for, so that ten thousand
submissions open at once and cost little memory.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow as pa

from scopebench_leaderboard.board_file import (
    BLOCK,
    REJECTED,
    SCHEMAS,
    SUBMISSIONS,
    BoardFile,
    Key,
)

BOARD_FILE: Final = "board.parquet"
SUMMARY_FILE: Final = "board.json"
ALL: Final = "all"

_KEPT_VALUES: Final = 40_000_000
"""Values of the frames that are kept: at most some 320 MB."""
_PLAIN: Final = ("submission_id", "path", "run_id", "verified_note", "differs_from")
"""Texts that differ from row to row; all others are few words, kept as categories."""


_SEARCHED: Final = ("editor", "editor_version", "params", "model", "encoder", "submission_id")


@dataclass(frozen=True, order=True)
class Part:
    """Which rows of a run a number is over; the words are those of `records.Rows`."""

    population: str
    dataset: str = ALL
    condition: str = ALL
    kind: str = ALL
    stratum: str = ALL


@dataclass(frozen=True, eq=False)
class Board:
    """Every accepted submission and its numbers.

    Attributes:
        revision: Hash over all that is shown; equal boards have equal revisions.
        code_version: The code that computed the numbers.
        submissions: One row a submission, in the order of editor, model and id: submission_id,
            path (relative to the results folder), editor, editor_version, params (short text),
            model, model_revision, model_dtype, model_parameters, encoder, benchmark,
            benchmark_version, benchmark_digest, protocol_id, matcher, stored_matcher, prompts,
            decoding, seed, static_rule, lacking (actions that are not legal), gradient_free,
            write_ms_per_edit, edits_written, run_id, schema_version, n (rows), bytes, and the
            columns of `MARK_SCHEMA` and `LIKENESS_SCHEMA`.
        rejected: One row a refused submission, or file of a maintainer: path, reasons (one text,
            a line each).
        parts: Every part that some submission has, in order.
    """

    revision: str
    code_version: str
    submissions: pd.DataFrame
    rejected: pd.DataFrame
    parts: tuple[Part, ...]
    _file: BoardFile = field(repr=False)
    _read: OrderedDict[tuple[Key, tuple[str, ...] | None], pd.DataFrame] = field(
        default_factory=OrderedDict, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def part(self, part: Part, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the scores of one part, indexed by the row number of `submissions`; not a copy.

        Args:
            part: Which rows; one that no submission has gives an empty frame.
            columns: Columns of the scores; None: all: n, n_scorable, n_clusters, in_scope,
                undefined (JSON: why a number is null, by name) and those of `METRICS`, beside the
                statics, the accuracy and the unique wins of each action.
        """
        return self._frame(("scores", *astuple(part)), columns)

    def mixes(self, population: str) -> pd.DataFrame:
        """Return the traffic mixes of every submission, indexed by its row number; not a copy.

        Returns:
            Columns: name (`curve`, `observed`), out_of_scope, static_fixed, static_const, oracle,
            accuracy (the editor's own), headroom, headroom_low, headroom_high.
        """
        return self._frame(("mixes", population), None)

    @cached_property
    def searched(self) -> pd.Series[str]:
        """What a search looks in, one text a submission, without case."""
        first, *others = _SEARCHED
        words = self.submissions[list(_SEARCHED)].astype(object).fillna("")
        texts: pd.Series[str] = words[first].astype(str).str.cat(words[others], sep="\n")
        return texts.str.casefold()

    @property
    def scores(self) -> pd.DataFrame:
        """Every part of every submission: submission_id, the fields of `Part`, every score.

        It is read anew at each call, and large: for exports, not for pages.
        """
        blocks = range(-(-len(self.submissions) // BLOCK))
        tables = [self._file.read(("whole", str(block))) for block in blocks]
        whole = _frame(pa.concat_tables(tables or [SCHEMAS["whole"].empty_table()]))
        ids = self.submissions["submission_id"].to_numpy()
        entries = whole.pop("entry").to_numpy()
        whole.insert(0, "submission_id", pd.Series(ids[entries], dtype="category"))
        return whole

    def entry(self, row: int) -> pd.DataFrame:
        """Return every part of one submission: entry, the fields of `Part`, then every score.

        Args:
            row: Its row number in `submissions`.
        """
        whole = self._frame(("whole", str(row // BLOCK)), None)
        return whole[whole.index == row].reset_index()

    def _frame(self, key: Key, columns: Sequence[str] | None) -> pd.DataFrame:
        """Return a table as a frame, from those read last where it is among them."""
        wanted = (key, None if columns is None else tuple(columns))
        with self._lock:
            if (known := self._read.get(wanted)) is not None:
                self._read.move_to_end(wanted)
                return known
        names = None if columns is None else ["entry", *columns]
        frame = _frame(self._file.read(key, names)).set_index("entry")
        with self._lock:
            self._read[wanted] = frame
            kept = sum(each.size for each in self._read.values())
            while kept > _KEPT_VALUES and len(self._read) > 1:
                kept -= self._read.popitem(last=False)[1].size
        return frame


def load_board(folder: Path) -> Board:
    """Open the board that `rebuild` wrote into a folder.

    Raises:
        DataError: If there is none, or it is damaged or of another format.
    """
    file = BoardFile(folder / BOARD_FILE)
    return Board(
        revision=file.head.revision,
        code_version=file.head.code_version,
        submissions=_frame(file.read(SUBMISSIONS)),
        rejected=file.read(REJECTED).to_pandas(),
        parts=tuple(Part(*key[1:]) for key in file.head.groups if key[0] == "scores"),
        _file=file,
    )


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame: texts of few words as categories, whole numbers as they are."""
    words = [
        column.name
        for column in table.schema
        if pa.types.is_string(column.type) and column.name not in _PLAIN
    ]
    frame: pd.DataFrame = table.to_pandas(
        categories=words, types_mapper={pa.int64(): pd.Int64Dtype()}.get
    )
    return frame
