"""Read a wide table of outcomes: one record per query, one column per action with its score.

RouterBench is shaped like this (Hu et al. 2024, arXiv 2403.12031): `sample_id`, `eval_name`, one
column a model with its score, and `<model>|total_cost` and the like beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scopebench.errors import DataError
from scopebench.scoring.matrix import Codes, Floats
from scopebench.scoring.reading.frame import Frame, TableFile, as_numbers, shown
from scopebench.scoring.reading.plain_columns import LOST, Outcomes, PlainTable, finish
from scopebench.scoring.reading.plain_rows import Rows, arrange, check_size, in_order, listed

ID_COLUMNS: Final = ("query_id", "sample_id", "id")
DATASET_COLUMNS: Final = ("dataset", "eval_name")
_LONG_ONLY: Final = ("legal", "draw")
_OF_ROW: Final = tuple(name for name in LOST if name not in _LONG_ONLY)
_NOT_AN_ACTION: Final = (*_LONG_ONLY, "prompt", "oracle_model_to_route_to")


def read_wide(table: TableFile, static: Sequence[str] | None = None) -> PlainTable:
    """Read a wide table.

    An action is a column of numbers from 0 to 1 whose name holds no `|` and is none that is read
    for something else. An empty cell is an action that is not legal for the query; a query without
    any score is not scorable. A column `chosen` names the action a router took.

    Raises:
        DataError: If there is no id column, fewer than two actions, or a query stands twice.
    """
    id_column = next((name for name in ID_COLUMNS if name in table.columns), None)
    if id_column is None:
        raise DataError(
            f"found neither query_id, action, correct (one record per query and action) nor one of "
            f"{', '.join(ID_COLUMNS)} (one record per query); the columns are "
            f"{listed(table.columns)}",
            file=table.path,
            fix="rename the column that names the query",
        )
    known = (*ID_COLUMNS, *DATASET_COLUMNS, *_OF_ROW)
    ignored = {
        name: reason
        for name in table.columns
        if name not in known and (reason := _never_an_action(name))
    }
    frame = table.read(
        [name for name in table.columns if name not in ignored],
        id_columns=(id_column, "condition"),
    )
    scores = _scores(frame, [name for name in frame.columns if name not in known], ignored)
    actions = tuple(in_order(scores))
    dataset_column = next((name for name in DATASET_COLUMNS if name in frame), "dataset")
    unused = [name for name in (*ID_COLUMNS, *DATASET_COLUMNS) if name in frame]
    ignored |= {
        name: f"{id_column} and {dataset_column} are read instead"
        for name in unused
        if name not in (id_column, dataset_column)
    }
    rows = arrange(frame, id_column=id_column, dataset_column=dataset_column)
    _refuse_repeated(rows, id_column)
    check_size(frame, len(rows), len(actions))
    outcomes = np.stack([scores[name][rows.first] for name in actions], axis=1)
    judged = ~np.isnan(outcomes)
    legal = judged | ~judged.any(axis=1, keepdims=True)
    given = {*frame.columns, "dataset"} if dataset_column in frame else set(frame.columns)
    return finish(
        rows,
        Outcomes(actions, outcomes, legal, _chosen(rows, actions)),
        static=static,
        ignored=ignored,
        absent=[name for name in _OF_ROW if name not in given],
    )


def _scores(frame: Frame, names: Sequence[str], ignored: dict[str, str]) -> dict[str, Floats]:
    """Return the score columns, each of shape (r,), and say of the others why they are not."""
    scores = {}
    for name in names:
        numbers = as_numbers(frame.columns[name])
        if numbers is None:
            ignored[name] = f"holds {frame.columns[name].type}, not numbers"
        elif not numbers.given.any():
            ignored[name] = "is empty"
        elif numbers.bad.any():
            cell = str(frame.columns[name][int(numbers.bad.argmax())])
            ignored[name] = f"holds '{shown(cell)}', which is not a finite number"
        elif (outside := (numbers.values < 0) | (numbers.values > 1)).any():
            ignored[name] = f"holds {numbers.values[outside.argmax()]:g}, outside 0 to 1"
        else:
            scores[name] = numbers.values
    if len(scores) < 2:
        raise DataError(
            f"expected at least two columns of scores from 0 to 1, found "
            f"{listed(list(scores)) or 'none'}; not scores: "
            + ("; ".join(f"'{shown(name)}' {why}" for name, why in ignored.items()) or "none"),
            file=frame.path,
            fix="give each action its own column of scores",
        )
    return scores


def _never_an_action(name: str) -> str | None:
    """Return why a column cannot be an action whatever it holds, or None."""
    if not name or name.startswith(("Unnamed:", "__index_level_")):
        return "an index that pandas wrote"
    if "|" in name:
        return "its name holds `|`: something else about an action"
    if not name.isprintable():
        return "its name holds a control character"
    return "never an action" if name in _NOT_AN_ACTION else None


def _refuse_repeated(rows: Rows, id_column: str) -> None:
    again = np.bincount(rows.row)[rows.row] > 1
    rows.frame.refuse(
        again,
        id_column,
        "stands in several records of one data set, condition and population",
        fix="keep one record per query",
    )


def _chosen(rows: Rows, actions: tuple[str, ...]) -> Codes | None:
    """Return the position of the action that the column `chosen` names, shape (n,)."""
    if "chosen" not in rows.frame:
        return None
    taken = rows.text("chosen")
    wrong = np.array([name not in actions for name in taken.names])
    rows.refuse(wrong[taken.codes], "chosen", f"is none of the actions {listed(actions)}")
    return np.array([actions.index(name) for name in taken.names])[taken.codes]
