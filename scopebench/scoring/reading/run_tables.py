"""From the two tables of a run folder to arrays, under both matchers.

Outcomes are matched again from their texts, so the stored verdicts are only a cross-check; those
of an earlier matcher are replaced and counted. Equal answers to equal questions are matched once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from scopebench.errors import DataError
from scopebench.records import ACTIONS, CONDITIONS, POPULATIONS, Matcher
from scopebench.scoring.match import (
    MATCHER_VERSIONS,
    ORDINARY_REFUSALS,
    Verdict,
    judge,
    match,
)
from scopebench.scoring.matrix import Codes, DecisionTable, Flags, Floats, OutcomeMatrix, Strings
from scopebench.scoring.reading.stored_verdicts import BY_STRICT, CURRENT, JudgedAnew, is_earlier
from scopebench.scoring.tables import DECISIONS_SCHEMA, OUTCOMES_SCHEMA

MATCHERS: Final[tuple[Matcher, ...]] = ("strict", "paper")

PLAIN_REFUSAL: Final = ORDINARY_REFUSALS[2]
"""The refusal of the policy that always refuses: one that the paper's matcher is known to pay."""

_ABSTAIN: Final = ACTIONS.index("abstain")
_STORED: Final[dict[Matcher, str]] = {"strict": "correct", "paper": "correct_paper"}
_NOT_READ: Final = ("candidates", "near_edit_id", "card_question", "card_answer")
_REQUIRED: Final = ("query_id", "dataset", "kind", "question", "cluster", "governing_edit_ids")
_WORDS: Final = {"condition": CONDITIONS, "population": POPULATIONS, "action": ACTIONS}

Golds = tuple[str, ...] | None


@dataclass(frozen=True)
class RunRows:
    """The rows of a run, in the order of data set, condition, population and query id.

    Attributes:
        matrices: The outcomes under each matcher.
        decisions: The decisions.
        judged_anew: What that changed where the stored verdicts are an earlier matcher's; None:
            they are of today's.
    """

    matrices: dict[Matcher, OutcomeMatrix]
    decisions: DecisionTable
    judged_anew: JudgedAnew | None = None


@dataclass(frozen=True)
class _Asked:
    """What the rows ask and what answers them, by row.

    Attributes:
        questions: The questions, shape (n,).
        answers: The golds; None: decision-only.
        before: The golds before any edit; None: unknown.
        groups: Equal for rows of equal question and golds, shape (n,).
    """

    questions: Strings
    answers: list[Golds]
    before: list[Golds]
    groups: Codes


def run_rows(outcomes: pa.Table, decisions: pa.Table, *, stored: str = CURRENT) -> RunRows:
    """Arrange the two tables of a run, whatever the order of their rows.

    Args:
        outcomes: One row per query x condition x action x draw, as in `OUTCOMES_SCHEMA`.
        decisions: One row per query x condition, as in `DECISIONS_SCHEMA`.
        stored: The matcher that `run.json` says the verdicts are of; those of an earlier version
            are judged anew and not compared.

    Raises:
        DataError: If a column is missing, a row is repeated, missing or null where it must not be,
            a word is not one of ours, an outcome has a text and is not legal or the reverse, a
            stored verdict is not its matcher's, the matcher is a later version than today's, or an
            editor chose an action that is not legal.
    """
    earlier = is_earlier(stored)
    rows = _decision_frame(decisions)
    asked = _asked(rows)
    frame, at = _outcome_frame(outcomes, rows)
    places = (
        at,
        frame["action"].cat.codes.to_numpy().astype(np.int64),
        frame["draw"].to_numpy().astype(np.int64),
    )
    shape = (len(rows), len(ACTIONS), int(places[2].max(initial=0)) + 1)
    legal = _legality(frame, places, shape, rows)
    verdicts, changed = _judge(frame, at, asked, unlike=BY_STRICT if earlier else frozenset())
    known = _known(frame, at, asked)
    table = _decision_table(rows)
    _check_choices(table, legal, rows)
    return RunRows(
        matrices={
            matcher: _matrix(
                rows,
                asked,
                legal,
                draws=_placed(verdicts[_STORED[matcher]], places, shape),
                known=known[matcher],
                matcher=matcher,
            )
            for matcher in MATCHERS
        },
        decisions=table,
        judged_anew=JudgedAnew(stored, CURRENT, int(changed.sum()), int(frame["text"].count()))
        if earlier
        else None,
    )


def _decision_frame(decisions: pa.Table) -> pd.DataFrame:
    """Return the decisions in their fixed order, checked."""
    names = [name for name in DECISIONS_SCHEMA.names if name not in _NOT_READ]
    rows: pd.DataFrame = _select(decisions, names, table="decisions").to_pandas()
    for name in ("answers", "pre_edit_answers", "governing_edit_ids", "hidden_edit_ids"):
        rows[name] = pd.Series(decisions[name].to_pylist(), dtype=object, index=rows.index)
    rows["nearest"] = _nearest_scores(decisions)
    for field in _REQUIRED:
        empty = rows[field].isna().to_numpy()
        if empty.any():
            raise DataError("null is not allowed", record=_row_name(rows, empty), field=field)
    for field, words in _WORDS.items():
        rows[field] = _in_words(rows, field, words)
    twice = rows.duplicated(["query_id", "condition"]).to_numpy()
    if twice.any():
        record = _row_name(rows, twice)
        raise DataError("decided twice", record=record, fix="the tables are damaged")
    by = ["dataset", "condition", "population", "query_id"]
    ordered: pd.DataFrame = rows.sort_values(by, ignore_index=True)
    return ordered


def _in_words(rows: pd.DataFrame, field: str, words: Sequence[str]) -> pd.Categorical[Any]:
    given = rows[field].astype(object)
    known = pd.Index(np.array(list(words), dtype=object))
    codes = known.get_indexer(pd.Index(given))
    strange = np.asarray(codes < 0, dtype=bool)
    if strange.any():
        value = given.to_numpy(dtype=object)[strange][0]
        value = None if pd.isna(value) else value
        raise DataError(
            f"{value!r} is not one of {', '.join(words)}",
            record=_row_name(rows, strange),
            field=field,
        )
    return pd.Categorical.from_codes(codes, categories=known, ordered=True)


def _asked(rows: pd.DataFrame) -> _Asked:
    questions = rows["question"].to_numpy(dtype=object)
    answers, before = _golds(rows["answers"]), _golds(rows["pre_edit_answers"])
    groups = pd.factorize(
        pd.Series(list(zip(questions, answers, before, strict=True)), dtype=object)
    )[0]
    return _Asked(questions, answers, before, groups.astype(np.int64))


def _golds(column: pd.Series[Any]) -> list[Golds]:
    return [None if value is None else tuple(value) for value in column]


def _outcome_frame(outcomes: pa.Table, rows: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Return the outcomes, and the position of the decision each belongs to."""
    names = [name for name in OUTCOMES_SCHEMA.names if name != "edit_id"]
    frame = _select(outcomes, names, table="outcomes").to_pandas()
    frame["action"] = _in_words(frame, "action", ACTIONS)
    draw = frame["draw"]
    # A damaged number would claim more outcomes than memory holds, let alone than there are.
    most = 2 * len(frame) // max(1, len(rows) * len(ACTIONS)) + 1
    wrong = (draw.isna() | (draw < 0) | (draw > most)).to_numpy()
    if wrong.any():
        raise DataError("not a draw's number", record=_row_name(frame, wrong), field="draw")
    key = ["query_id", "condition"]
    decided = pd.MultiIndex.from_frame(rows[key].astype(object))
    at = decided.get_indexer(pd.MultiIndex.from_frame(frame[key].astype(object)))
    if (at < 0).any():
        raise DataError("an outcome without a decision", record=_row_name(frame, at < 0))
    twice = frame.duplicated([*key, "action", "draw"]).to_numpy()
    if twice.any():
        raise DataError("an outcome stands twice", record=_row_name(frame, twice))
    return frame, at.astype(np.int64)


def _legality(
    frame: pd.DataFrame,
    places: tuple[Codes, Codes, Codes],
    shape: tuple[int, int, int],
    rows: pd.DataFrame,
) -> Flags:
    """Return which action is legal on which row, checked against texts and completeness."""
    legal = frame["legal"].to_numpy(dtype=object)
    silent = frame["text"].isna().to_numpy()
    wrong = frame["legal"].isna().to_numpy() | (legal == silent)
    if wrong.any():
        raise DataError(
            "a text is expected just where the action is legal",
            record=_row_name(frame, wrong),
            field="legal",
        )
    judged = frame[["correct", "correct_paper", "refused"]].notna().any(axis=1).to_numpy()
    if (judged & silent).any():
        raise DataError(
            "verdicts on an action that is not legal", record=_row_name(frame, judged & silent)
        )
    seen, found = np.zeros(shape, bool), np.zeros(shape, bool)
    seen[places], found[places] = True, ~silent
    if not seen.all():
        at, action, draw = (int(i) for i in np.argwhere(~seen)[0])
        raise DataError(
            f"no outcome of {ACTIONS[action]!r}" + (f", draw {draw}" if shape[2] > 1 else ""),
            record=_row_name(rows, np.arange(len(rows)) == at),
            fix="the outcomes table must hold every action of every decision, legal or not",
        )
    some = np.asarray(found.any(axis=2), dtype=bool)
    torn = np.asarray((some != found.all(axis=2)).any(axis=1), dtype=bool)
    if torn.any():
        raise DataError("an action is legal in some draws only", record=_row_name(rows, torn))
    stuck = np.asarray(~some.any(axis=1), dtype=bool)
    if stuck.any():
        raise DataError("no action is legal", record=_row_name(rows, stuck))
    return some


def _judge(
    frame: pd.DataFrame, at: Codes, asked: _Asked, *, unlike: frozenset[str]
) -> tuple[dict[str, Floats], Flags]:
    """Return both verdicts of every outcome, NaN where there is none, checked against the stored.

    Args:
        frame: The outcomes.
        at: The decision of each.
        asked: What the decisions ask.
        unlike: Columns whose stored verdicts are an earlier matcher's and may differ.

    Returns:
        The verdicts, and which outcomes have another one than is stored.

    Raises:
        DataError: If a stored verdict is not what its matcher says.
    """
    texts = frame["text"].to_numpy(dtype=object)
    first, inverse = _distinct(pd.factorize(texts)[0], asked.groups[at])
    judged = [
        judge(texts[i], asked.answers[at[i]], question=asked.questions[at[i]])
        if isinstance(texts[i], str)
        else Verdict(None, None, None)
        for i in first
    ]
    found = {}
    changed = np.zeros(len(frame), dtype=bool)
    for field in Verdict._fields:
        each = np.array([_number(getattr(verdict, field)) for verdict in judged])[inverse]
        stored = _numbers(frame[field])
        other = ~((each == stored) | (np.isnan(each) & np.isnan(stored)))
        if other.any() and field not in unlike:
            raise _other_verdict(frame, field, other, each)
        changed |= other
        found[field] = each
    return found, changed


def _other_verdict(frame: pd.DataFrame, field: str, other: Flags, each: Floats) -> DataError:
    at = int(np.flatnonzero(other)[0])
    matcher: Matcher = "paper" if field == "correct_paper" else "strict"
    given = None if np.isnan(each[at]) else bool(each[at])
    stored = frame[field].iloc[at]
    return DataError(
        f"stored as {None if pd.isna(stored) else bool(stored)}, but "
        f"{MATCHER_VERSIONS[matcher]} gives {given}",
        record=_row_name(frame, other),
        field=field,
        fix="the tables were changed, or written under another matcher than their run.json names; "
        "score again",
    )


def _known(frame: pd.DataFrame, at: Codes, asked: _Asked) -> dict[Matcher, Flags]:
    """Return whether the unedited model's first draw is a pre-edit answer, by matcher and row."""
    texts = frame["text"].to_numpy(dtype=object)
    abstained = (frame["action"].cat.codes == _ABSTAIN) & (frame["draw"] == 0)
    askable = np.array([golds is not None for golds in asked.before], dtype=bool)
    mine = np.flatnonzero(abstained.to_numpy() & frame["text"].notna().to_numpy() & askable[at])
    first, inverse = _distinct(pd.factorize(texts[mine])[0], asked.groups[at[mine]])
    found = {}
    for matcher in MATCHERS:
        each = [
            match(
                texts[i],
                asked.before[at[i]] or (),
                question=asked.questions[at[i]],
                matcher=matcher,
            ).correct
            for i in mine[first]
        ]
        known = np.zeros(len(asked.questions), bool)
        known[at[mine]] = np.array(each, dtype=bool)[inverse]
        found[matcher] = known
    return found


def _refusal(asked: _Asked, matcher: Matcher) -> Floats:
    """Return whether an ordinary refusal would be paid, NaN without gold, shape (n,)."""
    _, first, inverse = np.unique(asked.groups, return_index=True, return_inverse=True)
    each = []
    for i in first:
        golds = asked.answers[i]
        paid = golds is not None and (
            match(PLAIN_REFUSAL, golds, question=asked.questions[i], matcher=matcher).correct
        )
        each.append(np.nan if golds is None else float(paid))
    return np.array(each, dtype=np.float64)[inverse]


def _matrix(
    rows: pd.DataFrame,
    asked: _Asked,
    legal: Flags,
    *,
    draws: Floats,
    known: Flags,
    matcher: Matcher,
) -> OutcomeMatrix:
    names = ("query_id", "dataset", "condition", "population", "kind", "fold")
    labels = [rows[name].astype(object).to_numpy(dtype=object) for name in names]
    query_ids, datasets, conditions, populations, kinds, folds = labels
    return OutcomeMatrix(
        actions=ACTIONS,
        query_ids=query_ids,
        datasets=datasets,
        conditions=conditions,
        populations=populations,
        kinds=kinds,
        folds=folds,
        clusters=pd.factorize(rows["cluster"], sort=True)[0].astype(np.int64),
        outcomes=draws.mean(axis=2),
        legal=legal,
        scorable=np.array([golds is not None for golds in asked.answers], dtype=bool),
        known=known,
        hidden=_filled(rows["hidden_edit_ids"]),
        refusal=_refusal(asked, matcher),
        draws=draws if draws.shape[2] > 1 else None,
    )


def _decision_table(rows: pd.DataFrame) -> DecisionTable:
    chosen = rows["action"].cat.codes.to_numpy().astype(np.int64)
    right = (
        edit_id in governing
        for edit_id, governing in zip(rows["edit_id"], rows["governing_edit_ids"], strict=True)
    )
    return DecisionTable(
        chosen=chosen,
        fired=np.asarray(chosen != _ABSTAIN, dtype=bool),
        in_scope=_filled(rows["governing_edit_ids"]),
        right_edit=np.fromiter(right, dtype=bool, count=len(rows)),
        scores=rows["scope_score"].to_numpy(np.float64),
        nearest=rows["nearest"].to_numpy(np.float64),
        runner_up=rows["runner_up_score"].to_numpy(np.float64),
        subject_match=_flags(rows["subject_match"]),
        template_match=_flags(rows["template_match"]),
    )


def _nearest_scores(decisions: pa.Table) -> Floats:
    """Return the score of each row's first candidate; the scope score where none is listed."""
    lists = _select(decisions, ["candidates"], table="decisions")["candidates"].combine_chunks()
    lengths = np.nan_to_num(pc.list_value_length(lists).to_numpy(zero_copy_only=False)).astype(int)
    scores = pc.struct_field(lists.flatten(), "score").to_numpy(zero_copy_only=False)
    found = np.array(decisions["scope_score"].to_numpy(), dtype=np.float64)
    found[lengths > 0] = scores[(np.cumsum(lengths) - lengths)[lengths > 0]]
    return found


def _check_choices(table: DecisionTable, legal: Flags, rows: pd.DataFrame) -> None:
    assert table.chosen is not None
    wrong = ~legal[np.arange(len(rows)), table.chosen]
    if wrong.any():
        action = ACTIONS[table.chosen[wrong][0]]
        raise DataError(
            f"the editor chose {action!r}, which is not legal there",
            record=_row_name(rows, wrong),
            field="action",
        )


def _placed(
    values: Floats, places: tuple[Codes, Codes, Codes], shape: tuple[int, int, int]
) -> Floats:
    placed = np.full(shape, np.nan)
    placed[places] = values
    return placed


def _distinct(texts: Codes, groups: Codes) -> tuple[Codes, Codes]:
    """Return the first position of each distinct pair, and each position's pair."""
    pairs = (texts.astype(np.int64) + 1) * (int(groups.max(initial=0)) + 1) + groups
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.astype(np.int64)


def _filled(lists: Iterable[Sequence[str] | None]) -> Flags:
    return np.array([bool(value) for value in lists], dtype=bool)


def _flags(column: pd.Series[Any]) -> Flags | None:
    """Return a column of flags, or None if it holds a null."""
    return None if column.isna().any() else column.to_numpy(dtype=bool)


def _numbers(column: pd.Series[Any]) -> Floats:
    return pd.to_numeric(column.astype("boolean").astype("Float64")).to_numpy(
        np.float64, na_value=np.nan
    )


def _number(value: bool | None) -> float:
    return np.nan if value is None else float(value)


def _select(given: pa.Table, names: list[str], *, table: str) -> pa.Table:
    for name in names:
        if name not in given.column_names:
            raise DataError("the column is missing", record=f"{table} table", field=name)
    return given.select(names)


def _row_name(frame: pd.DataFrame, rows: Flags) -> str:
    """Return how an error names the first row of a mask."""
    row = frame.iloc[int(np.flatnonzero(rows)[0])]
    names = ("query_id", "condition", "action") if "text" in frame else ("query_id", "condition")
    return " ".join(str(row[name]) for name in names)
