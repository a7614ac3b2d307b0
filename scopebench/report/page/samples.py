"""The wrong fires of a run: which there are, and a sample that shows every kind."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scopebench.report.page.content import WrongFire
from scopebench.scoring.match import judge

SAMPLE_SIZE: Final = 60

_SILENT: Final = "abstain"
_JUDGED: Final = ("query_id", "condition", "kind", "edit_id", "governing_edit_ids")
_SHOWN: Final = (
    *("query_id", "dataset", "condition", "population", "kind", "question", "answers"),
    *("governing_edit_ids", "near_edit_id", "action", "edit_id", "card_question", "card_answer"),
    *("scope_score", "runner_up_score", "candidates"),
)


def count_wrong_fires(decisions: pa.Table) -> int:
    """Return how many rows were fired on with a card that does not govern the query."""
    return len(_wrong_rows(decisions))


def wrong_fires(
    decisions: pa.Table, outcomes: pa.Table, limit: int = SAMPLE_SIZE, seed: int = 0
) -> list[WrongFire]:
    """Return a sample of wrong fires, drawn from the kinds in turn, new questions first.

    The same rows in any order give the same sample: a row's place in the draw is a hash of the
    seed, its query and its condition.

    Args:
        decisions: As in `DECISIONS_SCHEMA`, one run.
        outcomes: As in `OUTCOMES_SCHEMA`, the same run.
        limit: At most so many.
        seed: Draws another sample.

    Returns:
        Records ordered by population, kind and then the draw.
    """
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _new_questions_first(_wrong_rows(decisions), seed):
        by_kind[row["kind"]].append(row)
    turns = chain.from_iterable(zip_longest(*(by_kind[kind] for kind in sorted(by_kind))))
    drawn = [row for row in turns if row is not None][:limit]
    numbers = pa.array([row["row"] for row in drawn], pa.int64())
    shown = decisions.select(_SHOWN).take(numbers).to_pylist()
    answered = _answers(outcomes, shown)
    fires = [_wrong_fire(row, answered.get((row["query_id"], row["condition"]))) for row in shown]
    return sorted(fires, key=lambda fire: (fire.population, fire.kind))


def _wrong_rows(decisions: pa.Table) -> list[dict[str, Any]]:
    """Return what tells the wrong fires apart, with each one's row number."""
    numbered = decisions.append_column("row", pa.array(range(decisions.num_rows), pa.int64()))
    fired = numbered.filter(pc.not_equal(numbered["action"], _SILENT)).select(["row", *_JUDGED])
    return [
        row for row in fired.to_pylist() if row["edit_id"] not in (row["governing_edit_ids"] or ())
    ]


def _new_questions_first(rows: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return rows in the order of the draw, a query's second condition after all first ones."""
    drawn = sorted(rows, key=lambda row: _place(row, seed))
    seen: Counter[str] = Counter()
    turns = []
    for row in drawn:
        turns.append(seen[row["query_id"]])
        seen[row["query_id"]] += 1
    return [row for _, row in sorted(zip(turns, drawn, strict=True), key=lambda pair: pair[0])]


def _place(row: dict[str, Any], seed: int) -> bytes:
    key = f"{seed}\0{row['query_id']}\0{row['condition']}"
    return hashlib.sha256(key.encode()).digest()


def _answers(
    outcomes: pa.Table, rows: Sequence[dict[str, Any]]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the first draw of the action taken, by query and condition."""
    wanted = {(row["query_id"], row["condition"]): row["action"] for row in rows}
    ids = pa.array([row["query_id"] for row in rows], pa.string())
    near = outcomes.filter(pc.is_in(outcomes["query_id"], value_set=ids))
    columns = ["query_id", "condition", "action", "draw", "text"]
    return {
        (row["query_id"], row["condition"]): row
        for row in near.select(columns).to_pylist()
        if row["draw"] == 0 and wanted.get((row["query_id"], row["condition"])) == row["action"]
    }


def _wrong_fire(row: dict[str, Any], answer: dict[str, Any] | None) -> WrongFire:
    """Return a wrong fire, its answer judged as it is today: what is stored may be older."""
    text = None if answer is None else answer["text"]
    second = row["runner_up_score"]
    nearest = row["candidates"][0]["score"] if row["candidates"] else row["scope_score"]
    return WrongFire(
        **{name: row[name] for name in ("query_id", "dataset", "condition", "population", "kind")},
        in_scope=bool(row["governing_edit_ids"]),
        question=row["question"],
        answers=None if row["answers"] is None else tuple(row["answers"]),
        near_edit_id=row["near_edit_id"],
        edit_id=row["edit_id"],
        card_question=row["card_question"],
        card_answer=row["card_answer"],
        scope_score=row["scope_score"],
        margin=None if nearest is None or second is None else nearest - second,
        action=row["action"],
        text=text,
        correct=judge(text, row["answers"], question=row["question"]).correct,
    )
