"""What a page of one editor, or of two, shows: read from the submissions themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from scopebench.errors import DataError
from scopebench.records import Comparison, Report, RunResult
from scopebench_leaderboard.scan import SUBMISSION_ID, SUBMISSIONS

if TYPE_CHECKING:
    from scopebench.scoring.across import Scored

BETWEEN: Final = " | "
"""Parts the texts of a list that is shown as one text."""

_KEYS: Final = ["dataset", "condition", "population", "query_id"]
_ASKED: Final = ["question", "answers"]
_TAKEN: Final = ["action", "edit_id"]
_SIDES: Final = ("first", "second")


@dataclass(frozen=True, eq=False)
class Compared:
    """Two submissions on the same rows.

    Attributes:
        first: The name of the first in `comparisons`.
        second: The name of the second.
        comparisons: Paired tests: accuracy pooled and by cell, scope accuracy.
        discordant: A sample of the rows that just one answers, or decides, rightly: query_id,
            dataset, condition, population, kind, question, answers (one text; null:
            decision-only), differs (`answer`, `decision` or `both`),
            first_action, first_edit_id, first_text, first_right (share of draws that are right: 0
            or 1 under greedy decoding; null: not scorable), first_decided (whether rightly) and
            the same of `second_`.
        n_discordant: How many there are.
    """

    first: str
    second: str
    comparisons: tuple[Comparison, ...]
    discordant: pd.DataFrame
    n_discordant: int


def submission_folder(results: Path, submission_id: str) -> Path:
    """Return the folder of a submission.

    Raises:
        DataError: If the id is none, or there is no such submission.
    """
    if SUBMISSION_ID.fullmatch(submission_id) is None:
        raise DataError(f"not a submission id: {submission_id[:64]!r}", fix="take one of the board")
    for folder in sorted((results / SUBMISSIONS).glob(f"*/*/{submission_id}")):
        if folder.is_dir() and not folder.is_symlink():
            return folder
    raise DataError(f"there is no submission {submission_id}", file=results)


def result_of(results: Path, submission_id: str) -> RunResult:
    """Return what a submission says of itself; no number of it is to be shown.

    Raises:
        DataError: If there is no such submission or its result cannot be read.
    """
    from scopebench.run.folder import read_result

    return read_result(submission_folder(results, submission_id))


def report_of(results: Path, submission_id: str) -> Report:
    """Return every number of a submission, computed from its tables under the strict matcher.

    Raises:
        DataError: If there is no such submission or its tables cannot be read.
    """
    from scopebench.scoring.summary import read_run_rows, summarise

    stored = result_of(results, submission_id).protocol.matcher
    rows = read_run_rows(submission_folder(results, submission_id), stored=stored)
    return summarise(rows.matrices["strict"], rows.decisions)


def wrong_fires_of(
    results: Path, submission_id: str, *, limit: int = 60, seed: int = 0
) -> tuple[pd.DataFrame, int]:
    """Return a sample of a submission's wrong fires, and how many there are.

    Args:
        results: The results folder.
        submission_id: The submission.
        limit: At most so many.
        seed: Draws another sample.

    Raises:
        DataError: If there is no such submission or its tables cannot be read.

    Returns:
        One row each, with the fields of `scopebench.report.page.content.WrongFire`; answers are
        one text.
    """
    from scopebench.report.page.content import WrongFire
    from scopebench.report.page.samples import count_wrong_fires, wrong_fires

    outcomes, decisions = _tables(submission_folder(results, submission_id))
    fires = wrong_fires(decisions, outcomes, limit=limit, seed=seed)
    names = list(WrongFire.__dataclass_fields__)
    rows = [asdict(fire) | {"answers": joined(fire.answers)} for fire in fires]
    return pd.DataFrame(rows, columns=names), count_wrong_fires(decisions)


def compare(results: Path, first_id: str, second_id: str, *, limit: int = 200) -> Compared:
    """Compare two submissions, paired by query and condition.

    Args:
        results: The results folder.
        first_id: One submission.
        second_id: Another.
        limit: At most so many discordant rows, drawn from the kinds and ways to differ in turn;
            the same rows give the same sample.

    Raises:
        DataError: If a submission is missing, they are one, or they have another protocol or
            benchmark: then the one line says which field differs.
    """
    from scopebench.run.rejudged import judged_now
    from scopebench.scoring.across import compare_editors
    from scopebench.scoring.reading.run_tables import run_rows

    if first_id == second_id:
        raise DataError("a submission compared with itself", fix="choose two")
    both = [result_of(results, each) for each in (first_id, second_id)]
    one, two = map(judged_now, both)
    refuse_apart(one, two)
    names = _names((one, two), (first_id, second_id))
    tables = [_tables(submission_folder(results, each)) for each in (first_id, second_id)]
    rows = [
        run_rows(*pair, stored=result.protocol.matcher)
        for pair, result in zip(tables, both, strict=True)
    ]
    scored: dict[str, Scored] = {
        name: (row.matrices["strict"], row.decisions) for name, row in zip(names, rows, strict=True)
    }
    comparisons = compare_editors(scored)
    differing = _differing(scored)
    return Compared(
        first=names[0],
        second=names[1],
        comparisons=comparisons,
        discordant=_discordant(tables, _sample(differing, limit)),
        n_discordant=len(differing),
    )


def refuse_apart(first: RunResult, second: RunResult) -> None:
    """Refuse two runs whose numbers cannot stand side by side.

    Raises:
        DataError: If their protocols or benchmarks differ, naming the first field that does.
    """
    from scopebench.run.provenance import first_difference

    ours, theirs = first.protocol.model_dump(), second.protocol.model_dump()
    if ours["protocol_id"] != theirs["protocol_id"]:
        field = next(
            name
            for name in (*(n for n in ours if n != "protocol_id"), "protocol_id")
            if ours[name] != theirs[name]
        )
        raise DataError(
            f"the two have different protocols: {field} is {ours[field]!r} and {theirs[field]!r}",
            fix="compare submissions of one protocol",
        )
    differing = first_difference(first.benchmark.files, second.benchmark.files)
    if differing is not None:
        raise DataError(
            f"the two were made on different benchmarks: {differing}",
            fix="compare submissions of one benchmark",
        )


def joined(texts: tuple[str, ...] | list[str] | None) -> str | None:
    """Return the texts of a list as one; None stays None."""
    return None if texts is None else BETWEEN.join(texts)


def _tables(folder: Path) -> tuple[pa.Table, pa.Table]:
    """Return outcomes and decisions."""
    from scopebench.scoring.tables import (
        DECISIONS_FILE,
        DECISIONS_SCHEMA,
        OUTCOMES_FILE,
        OUTCOMES_SCHEMA,
        read_table,
    )

    outcomes = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA)
    return outcomes, read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA)


def _names(results: tuple[RunResult, RunResult], ids: tuple[str, str]) -> list[str]:
    """Return a name for each: the editor's, with the model or the id where two would be alike."""
    editors = [result.editor.name for result in results]
    if editors[0] != editors[1]:
        return editors
    models = [f"{result.editor.name} on {result.model.id}" for result in results]
    if models[0] != models[1]:
        return models
    return [f"{name} ({key[:8]})" for name, key in zip(models, ids, strict=True)]


def _differing(scored: Mapping[str, Scored]) -> pd.DataFrame:
    """Return the keys of the rows that two differ on, with what each got."""
    from scopebench.scoring.decisions import rightly_decided, taken_outcomes

    matrix = next(iter(scored.values()))[0]
    frame = pd.DataFrame(
        {
            "dataset": matrix.datasets,
            "condition": matrix.conditions,
            "population": matrix.populations,
            "query_id": matrix.query_ids,
            "kind": matrix.kinds,
        }
    ).astype(object)
    for side, (outcomes, decisions) in zip(_SIDES, scored.values(), strict=True):
        taken, decided = taken_outcomes(outcomes, decisions), rightly_decided(decisions)
        assert taken is not None  # a run's own tables tell both
        assert decided is not None
        frame[f"{side}_right"] = np.where(outcomes.scorable, taken, np.nan)
        frame[f"{side}_decided"] = decided
    right = frame[["first_right", "second_right"]].to_numpy(np.float64)
    answer: npt.NDArray[np.bool_] = (right[:, 0] != right[:, 1]) & ~np.isnan(right).any(axis=1)
    decision = (frame["first_decided"] != frame["second_decided"]).to_numpy(dtype=bool)
    frame["differs"] = np.where(answer & decision, "both", np.where(answer, "answer", "decision"))
    kept: pd.DataFrame = frame[answer | decision]
    return kept.reset_index(drop=True)


def _sample(rows: pd.DataFrame, limit: int) -> pd.DataFrame:
    """Return rows drawn from the kinds and ways to differ in turn, in the order they came in."""
    keys = (rows["query_id"] + "\0" + rows["condition"]).to_numpy(dtype=object)
    places = [hashlib.sha256(key.encode()).digest() for key in keys]
    drawn = rows.iloc[sorted(range(len(rows)), key=places.__getitem__)]
    turns = drawn.groupby(["population", "kind", "differs"]).cumcount()
    return drawn.loc[turns.sort_values(kind="stable").index[:limit]].sort_index()


def _discordant(tables: list[tuple[pa.Table, pa.Table]], rows: pd.DataFrame) -> pd.DataFrame:
    """Return differing rows with what was asked, and what each did and answered."""
    shown = rows
    for side, (outcomes, decisions) in zip(_SIDES, tables, strict=True):
        names = [*_KEYS, *(_ASKED if side == "first" else []), *_TAKEN]
        told = _only(decisions, rows).select(names).to_pandas()
        if side == "first":
            told["answers"] = [
                joined(each) for each in _only(decisions, rows)["answers"].to_pylist()
            ]
        texts = (
            _only(outcomes, rows)
            .select(["query_id", "condition", "action", "draw", "text"])
            .to_pandas()
        )
        texts = texts[texts["draw"] == 0].drop(columns="draw")
        told = told.merge(texts, on=["query_id", "condition", "action"], how="left")
        told = told.rename(columns={name: f"{side}_{name}" for name in (*_TAKEN, "text")})
        shown = shown.merge(told, on=_KEYS, how="left")
    ends = [f"{side}_{name}" for side in _SIDES for name in (*_TAKEN, "text", "right", "decided")]
    keys = ["query_id", "dataset", "condition", "population"]
    return shown[[*keys, "kind", *_ASKED, "differs", *ends]]


def _only(table: pa.Table, rows: pd.DataFrame) -> Any:
    """Return the rows of a table whose query is among some rows."""
    ids = pa.array(list(dict.fromkeys(rows["query_id"])), pa.string())
    return table.filter(pc.is_in(table["query_id"], value_set=ids))
