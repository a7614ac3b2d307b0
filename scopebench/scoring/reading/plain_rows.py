"""The rows of a plain outcome table: which records belong to one query under one condition."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scopebench.errors import DataError
from scopebench.scoring.matrix import Codes, Flags, Floats, Strings
from scopebench.scoring.reading.frame import CSV, PARQUET, Frame, Text, shown

STATIC: Final = ("recite", "reason")  # the declared policy where none is given: paper section 6.2
ABSTAIN: Final = "abstain"
ONE: Final = "all"  # what a column that is not given counts as

_LARGEST: Final = 1e300  # beyond it the margin of two scores could overflow
_MOST_CELLS: Final = 10**8  # rows x actions x draws: 0.8 GB


@dataclass(frozen=True)
class Rows:
    """The n rows that the r records of a table belong to.

    Attributes:
        frame: The table.
        row: The row of each record, shape (r,).
        first: The first record of each row, shape (n,).
        keys: The columns that tell rows apart, by their name in the matrix, each of shape (n,).
    """

    frame: Frame
    row: Codes
    first: Codes
    keys: dict[str, Text]

    def __len__(self) -> int:
        return len(self.first)

    def text(self, name: str, *, required: bool = True) -> Text:
        """Return a column of text that is the same in all records of a row, shape (n,)."""
        column = self.frame.required_text(name) if required else self.frame.text(name)
        self._check_same(name, column.codes == column.codes[self.first][self.row])
        return column.take(self.first)

    def words(self, name: str) -> Strings:
        """Return such a column, or `all` for every row where it is not given."""
        return self.text(name).values if name in self.frame else _filled(len(self), ONE)

    def flags(self, name: str, *, empty: bool | None = None) -> Flags | None:
        """Return a column of true and false by row, shape (n,); None where it is not given."""
        if name not in self.frame:
            return None
        flags = self.frame.flags(name, empty=empty)
        self._check_same(name, flags == flags[self.first][self.row])
        return flags[self.first]

    def scores(self, name: str) -> Floats | None:
        """Return a column of scores by row, shape (n,), NaN where empty; None if not given."""
        if name not in self.frame:
            return None
        scores = self.frame.numbers(name, low=-_LARGEST, high=_LARGEST)
        of_row = scores[self.first][self.row]
        self._check_same(name, (scores == of_row) | (np.isnan(scores) & np.isnan(of_row)))
        return scores[self.first]

    def refuse(
        self, wrong: Flags, name: str, what: str, *, quote: bool = True, fix: str = ""
    ) -> None:
        """Raise for the first row, in their order, where a mask of shape (n,) is true."""
        self.frame.refuse(wrong, name, what, records=self.first, quote=quote, fix=fix)

    def _check_same(self, name: str, same: Flags) -> None:
        self.frame.refuse(
            ~same,
            name,
            "differs from another record of this query and condition",
            fix="make it the same for every action",
        )


def arrange(frame: Frame, *, id_column: str, dataset_column: str) -> Rows:
    """Find the rows of a table: the distinct data sets x conditions x populations x queries."""
    stem = shown(_stem(frame.path.name))
    parts = {
        "datasets": _text_or(frame, dataset_column, stem),
        "conditions": _text_or(frame, "condition", ONE),
        "populations": _text_or(frame, "population", ONE),
        "query_ids": frame.required_text(id_column),
    }
    key = np.zeros(len(frame), np.int64)
    for part in parts.values():  # ranked after each part, so that the product cannot overflow
        key = np.unique(key * len(part.names) + part.codes, return_inverse=True)[1]
    first = np.unique(key, return_index=True)[1]
    return Rows(frame, key, first, {name: part.take(first) for name, part in parts.items()})


def check_size(frame: Frame, rows: int, actions: int, draws: int = 1) -> None:
    """Refuse a table whose arrays would not fit, as where another column was named `action`."""
    if rows * actions * draws > _MOST_CELLS:
        raise DataError(
            f"{rows} rows x {actions} actions x {draws} draws are too many",
            file=frame.path,
            fix="check that `action` (and `draw`) hold what they should",
        )


def in_order(actions: Iterable[str]) -> list[str]:
    """Return action names in the order of the matrix: ours first, then others by name."""
    return sorted(actions, key=lambda name: (_rank(name), name))


def hint(name: str, columns: Iterable[str]) -> str:
    """Return a question after the column that is nearly called `name`, or an empty string."""
    tidy = {_tidy(column): column for column in columns}
    near = difflib.get_close_matches(_tidy(name), list(tidy), n=1, cutoff=0.8)
    return f"Is '{shown(tidy[near[0]])}' meant to be `{name}`?" if near else ""


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names for a message: quoted, the first few."""
    quoted = ", ".join(f"'{shown(name)}'" for name in names[:most])
    return quoted + (f" and {len(names) - most} more" if len(names) > most else "")


def nearest(name: str, names: Sequence[str]) -> str:
    """Return `; did you mean ...?` with the name nearest to a wrong one, or an empty string."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean '{shown(near[0])}'?" if near else ""


def _text_or(frame: Frame, name: str, default: str) -> Text:
    if name in frame:
        return frame.required_text(name)
    return Text(np.zeros(len(frame), np.int64), _filled(1, default))


def _filled(count: int, value: str) -> Strings:
    return np.full(count, value, dtype=object)


def _stem(name: str) -> str:
    suffix = next((end for end in (*CSV, *PARQUET) if name.lower().endswith(end)), "")
    return name.removesuffix(name[len(name) - len(suffix) :]) or name


def _rank(action: str) -> int:
    ours = (*STATIC, ABSTAIN)
    return ours.index(action) if action in ours else len(ours)


def _tidy(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")
