"""Draws the outcomes of a run that are generated again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopebench.records import Action, Condition
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)

_OUTCOME = ("query_id", "condition", "action", "draw", "text")
_DECISION = ("query_id", "condition", "action", "edit_id", "scope_score", "runner_up_score")


@dataclass(frozen=True)
class Drawn:
    """One outcome of a run.

    Attributes:
        query_id: The query.
        condition: The condition.
        action: The action.
        draw: The draw.
        text: The text that the run has.
        decision: What the editor decided there, as in `DECISIONS_SCHEMA`, cards in their order.
    """

    query_id: str
    condition: Condition
    action: Action
    draw: int
    text: str
    decision: dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Outcomes drawn at random, without repeats.

    Attributes:
        drawn: The outcomes, in the order of the draw.
        rows: How many they were drawn from.
    """

    drawn: tuple[Drawn, ...]
    rows: int


def draw_sample(
    folder: Path, actions: Collection[Action], *, n: int, seed: int, salt: str
) -> Sample:
    """Draw outcomes of some actions, each as likely as any other.

    An outcome's place is a hash of seed, salt and what names it, so that the order of rows has no
    part in it.

    Args:
        folder: The run folder.
        actions: The actions to draw from.
        n: At most so many.
        seed: Another one gives another sample.
        salt: Told with the seed: two runs then share no places.
    """
    table = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA).select(list(_OUTCOME))
    rows = [
        row
        for row in table.to_pylist()
        if row["action"] in actions and row["text"] is not None and row["draw"] is not None
    ]
    rows.sort(key=lambda row: _place(row, seed, salt))
    taken = rows[:n]
    decided = _decisions(folder, taken)
    keys = [(row["query_id"], row["condition"]) for row in taken]
    drawn = (Drawn(**row, decision=decided[key]) for row, key in zip(taken, keys, strict=True))
    return Sample(tuple(drawn), len(rows))


def _place(row: dict[str, Any], seed: int, salt: str) -> bytes:
    named = (seed, salt, *(row[name] for name in _OUTCOME[:-1]))
    return hashlib.sha256("\0".join(map(str, named)).encode()).digest()


def _decisions(
    folder: Path, rows: Sequence[dict[str, Any]]
) -> dict[tuple[str, str], dict[str, Any]]:
    wanted = {(row["query_id"], row["condition"]) for row in rows}
    table = read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA)
    found = {}
    for row in table.select([*_DECISION, "candidates"]).to_pylist():
        if (key := (row["query_id"], row["condition"])) in wanted:
            found[key] = row | {"candidates": tuple(row["candidates"] or ())}
    return found
