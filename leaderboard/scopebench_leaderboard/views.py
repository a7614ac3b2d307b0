"""Tables of the board as its pages show them: each over one protocol and one benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from scopebench.errors import DataError
from scopebench.records import ACTIONS
from scopebench.report.page.numbers import NOTHING, reason_for
from scopebench_leaderboard.board import ALL, Board, Part
from scopebench_leaderboard.choices import (
    Choice,
    Flags,
    choices,
    chosen,
    conditions_of,
    datasets_of,
    kinds_of,
    models_of,
    populations_of,
)
from scopebench_leaderboard.columns import STATICS
from scopebench_leaderboard.metrics import METRICS, RANKED
from scopebench_leaderboard.ranks import band_text, rank_bands

__all__ = [
    "Choice",
    "at_mix",
    "choices",
    "conditions_of",
    "curve",
    "datasets_of",
    "headroom_cells",
    "kind_column",
    "kinds_of",
    "models_of",
    "populations_of",
    "ranking",
    "scores_of",
]

_SHOWN_FIRST: Final = ("editor", "editor_version", "params", "model")
_SHOWN_LAST: Final = (
    *("lacking", "write_ms_per_edit", "gradient_free", "stored_matcher", "verified"),
    *("reproduction", "rerun_equal", "rerun_n", "rerun_low"),
    *("differs", "differs_share", "differs_over", "differs_from", "submission_id"),
)
_SCORED: Final = tuple(name for metric in METRICS.values() for name in metric.columns)
_HEADROOM: Final = (
    *("n", "n_scorable", "static_fixed", "static_const", "static_cell", "static_cv", "oracle"),
    *("headroom", "headroom_low", "headroom_high"),
    *(f"headroom_over_{name}{end}" for name in STATICS for end in ("", "_low", "_high")),
    *(f"{name}_{action}" for name in ("accuracy", "unique_wins") for action in ACTIONS),
)

NO_INTERVAL: Final = "has no interval, so it cannot be told from its neighbours"


def kind_column(metric: str, kind: str) -> str:
    """Return the column of `ranking` that holds a metric over the rows of a kind."""
    return f"{metric} of {kind}"


def ranking(  # noqa: PLR0913 - one parameter per control of the page
    board: Board,
    choice: Choice,
    *,
    population: str = "curated",
    dataset: str = ALL,
    condition: str = ALL,
    metric: str = "scope_accuracy",
    search: str = "",
    models: Sequence[str] = (),
    gradient_free: bool | None = None,
    verified_only: bool = False,
    kind_metric: str = "",
) -> pd.DataFrame:
    """Return one row a submission, best first.

    Ranks are among the entries that `models`, `gradient_free` and `verified_only` leave; `search`
    only finds rows and changes no rank. An entry without interval, or over fewer rows than others
    of the choice (its editor does not read every condition), has rank `–` and a `rank_reason`.

    Args:
        board: The board.
        choice: Protocol and benchmark.
        population: The population.
        dataset: A data set, or `all`; given together with a condition, or both `all`.
        condition: A condition, or `all`.
        metric: One of `RANKED`: what is sorted and ranked by, in its own direction.
        search: Words, each to be found in editor, version, parameters, model or id; cases are one.
        models: Only these models; none: all.
        gradient_free: Only editors that write without, or with, a gradient; None: both.
        verified_only: Only submissions a maintainer has reproduced.
        kind_metric: Adds a metric over the rows of each kind of the population, see `kind_column`.

    Raises:
        DataError: If a name is unknown; the message says which there are.

    Returns:
        Columns: rank (text), rank_low, rank_high (Int64), rank_reason, editor, editor_version,
        params, model, every metric with `_low` and `_high`, metric_reason (why the ranked one is
        null), n, n_scorable, lacking, write_ms_per_edit, gradient_free, stored_matcher, verified,
        reproduction, rerun_equal, rerun_n, rerun_low, differs, differs_share, differs_over,
        differs_from, submission_id.
    """
    if metric not in RANKED:
        raise DataError(f"cannot rank by {metric!r}; metrics: {', '.join(RANKED)}")
    part = _known_part(board, Part(population, dataset, condition))
    kept = chosen(board, choice)
    scores = board.part(part, ("n", "n_scorable", *_SCORED, "undefined"))
    scores = scores[kept[scores.index.to_numpy()]]
    most = (scores["n"].max(), scores["n_scorable"].max())
    scores = scores[_competing(board, models, gradient_free, verified_only)[scores.index]]
    table = _ranked(scores, metric, most)
    named = board.submissions.iloc[table.index.to_numpy()]
    table = pd.concat([named[list(_SHOWN_FIRST)], table, named[list(_SHOWN_LAST)]], axis=1)
    ordered = _sorted(table, metric)
    if kind_metric:
        ordered = _with_kinds(board, ordered, population, kind_metric)
    found: pd.DataFrame = ordered[_found(board, ordered.index.to_numpy(), search)]
    names = ["rank", "rank_low", "rank_high", "rank_reason"]
    shown = found[[*names, *(name for name in found if name not in names)]]
    return shown.reset_index(drop=True)


def headroom_cells(
    board: Board,
    choice: Choice,
    *,
    population: str = "",
    submission_ids: Sequence[str] = (),
    stratum: str = ALL,
    limit: int = 5000,
) -> pd.DataFrame:
    """Return oracle against statics, cell by cell: one row a submission, population and cell.

    Args:
        board: The board.
        choice: Protocol and benchmark.
        population: Only this population; empty: all.
        submission_ids: Only these; none: all.
        stratum: `all` rows, or the `known` ones.
        limit: At most so many rows; the pool of a population comes before its cells.

    Returns:
        Columns: submission_id, editor, model, population, dataset, condition, n, n_scorable,
        static_fixed, static_const, static_cell, static_cv, oracle, headroom with interval, the
        accuracy and the unique wins of each action, reason (why headroom is null).
    """
    kept = chosen(board, choice)
    rows = [row for row in (_row_of(board, key) for key in submission_ids) if kept[row]]
    frames: list[pd.DataFrame] = []
    for scores in map(board.entry, rows) if submission_ids else _by_part(board, kept):
        cells = scores[(scores["kind"] == ALL) & (scores["stratum"] == stratum)]
        if population:
            cells = cells[cells["population"] == population]
        frames.append(cells)
        if sum(map(len, frames)) >= limit:
            break
    named = ["submission_id", "editor", "model"]
    names = [*named, "population", "dataset", "condition", *_HEADROOM, "reason"]
    if not any(map(len, frames)):
        return pd.DataFrame(columns=names)
    whole = pd.concat([each for each in frames if len(each)]).head(limit)
    whole = whole.assign(reason=_reasons(whole, "headroom")).set_index("entry")
    told = board.submissions.iloc[whole.index.to_numpy()][named]
    return pd.concat([told, whole], axis=1)[names].reset_index(drop=True)


def curve(board: Board, submission_id: str, population: str) -> pd.DataFrame:
    """Return H(pi) of a submission, by rising pi.

    Raises:
        DataError: If the board has no such submission.

    Returns:
        Columns: out_of_scope, static_fixed, static_const, oracle, editor, headroom,
        headroom_low, headroom_high; nulls where a share does not exist.
    """
    rows = board.mixes(population)
    rows = rows[(rows.index == _row_of(board, submission_id)) & (rows["name"] == "curve")]
    ordered: pd.DataFrame = rows.sort_values("out_of_scope").rename(columns={"accuracy": "editor"})
    return ordered.drop(columns="name").reset_index(drop=True)


def at_mix(curve: pd.DataFrame, out_of_scope: float) -> dict[str, float | None]:
    """Return the columns of a curve at any pi: means of both groups, so linear in pi.

    `static_const`, a maximum, is interpolated between the points as stored, an upper bound of it.
    """
    names = [name for name in curve.columns if name != "out_of_scope"]
    points = curve["out_of_scope"].to_numpy(np.float64)
    found: dict[str, float | None] = {}
    for name in names:
        values = curve[name].to_numpy(np.float64)
        known = np.isfinite(values)
        inside = known.any() and points[known].min() <= out_of_scope <= points[known].max()
        found[name] = (
            float(np.interp(out_of_scope, points[known], values[known])) if inside else None
        )
    return found


def scores_of(board: Board, submission_id: str, *, stratum: str = ALL) -> pd.DataFrame:
    """Return every part of one submission: the fields of `Part`, then every score."""
    whole = board.entry(_row_of(board, submission_id)).drop(columns="entry")
    found: pd.DataFrame = whole[whole["stratum"] == stratum].reset_index(drop=True)
    return found


def _by_part(board: Board, kept: Flags) -> Iterator[pd.DataFrame]:
    """Yield headroom part by part, as `Board.entry` gives it; parts of a kind are left out.

    Args:
        board: The board.
        kept: The submissions, shape (n,).
    """
    for part in board.parts:
        if part.kind == ALL:
            scores = board.part(part, (*_HEADROOM, "undefined"))
            labels: dict[str, Any] = asdict(part)
            yield scores[kept[scores.index.to_numpy()]].reset_index().assign(**labels)


def _known_part(board: Board, part: Part) -> Part:
    """Return a part that the board has.

    Raises:
        DataError: If it has none of that name.
    """
    if part in board.parts:
        return part
    for name in ("population", "dataset", "condition"):
        there = sorted({getattr(other, name) for other in board.parts})
        if getattr(part, name) not in there:
            raise DataError(
                f"there is no {name} {getattr(part, name)!r}; there are: {', '.join(there)}"
            )
    raise DataError(
        f"nothing is scored for dataset {part.dataset!r} and condition {part.condition!r} of "
        f"{part.population!r}",
        fix="choose both a dataset and a condition, or neither",
    )


def _competing(
    board: Board, models: Sequence[str], gradient_free: bool | None, verified_only: bool
) -> Flags:
    """Return which submissions the filters leave, shape (n,)."""
    shown = board.submissions
    kept = np.ones(len(shown), dtype=bool)
    if models:
        kept &= shown["model"].isin(list(models)).to_numpy(dtype=bool)
    if gradient_free is not None:
        kept &= (shown["gradient_free"] == gradient_free).to_numpy(dtype=bool)
    if verified_only:
        kept &= shown["verified"].to_numpy(dtype=bool)
    return kept


def _found(board: Board, rows: npt.NDArray[Any], search: str) -> Flags:
    """Return which rows hold every word of a search, shape of `rows`."""
    found = np.ones(len(rows), dtype=bool)
    words = search.casefold().split()
    if not words:
        return found
    texts = board.searched.iloc[rows]
    for word in words:
        found &= texts.str.contains(word, regex=False).to_numpy(dtype=bool)
    return found


def _ranked(scores: pd.DataFrame, metric: str, most: tuple[int, int]) -> pd.DataFrame:
    """Return scores with rank bands and the reason where there is none.

    Args:
        scores: One row an entry that competes.
        metric: What is ranked by.
        most: The largest `n` and `n_scorable` of the choice: what a whole run has.
    """
    n = len(scores)
    less = ((scores["n"] < most[0]) | (scores["n_scorable"] < most[1])).to_numpy(dtype=bool)
    reasons = np.full(n, "", dtype=object)
    null = scores[metric].isna().to_numpy(dtype=bool)
    metric_reasons = np.where(null, _reasons(scores, metric), "")
    bounded = np.zeros(n, dtype=bool)
    if METRICS[metric].interval:
        ends = scores[[f"{metric}_low", f"{metric}_high"]].to_numpy(np.float64)
        bounded = np.isfinite(ends).all(axis=1)
        unbounded = ~bounded & ~null
        if unbounded.any():
            reasons[unbounded] = _reasons(scores[unbounded], f"{metric}.interval")
    else:
        reasons[~null] = NO_INTERVAL
    reasons[null] = metric_reasons[null]
    reasons[less] = (
        f"over fewer than the {most[0]} rows of a whole run: not read in every condition"
    )
    ranked = bounded & ~less
    first, last = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if ranked.any():
        first[ranked], last[ranked] = rank_bands(
            ends[ranked, 0],
            ends[ranked, 1],
            higher_is_better=bool(METRICS[metric].higher_is_better),
        )
    bands: dict[str, Any] = {
        "rank": [
            band_text(low, high) if there else NOTHING
            for low, high, there in zip(first.tolist(), last.tolist(), ranked, strict=True)
        ],
        "rank_low": pd.array(np.where(ranked, first, 0), dtype="Int64"),
        "rank_high": pd.array(np.where(ranked, last, 0), dtype="Int64"),
        "rank_reason": reasons,
        "metric_reason": metric_reasons,
    }
    table = scores[[*_SCORED, "n", "n_scorable"]].assign(**bands)
    for name in ("rank_low", "rank_high"):
        table[name] = table[name].mask(~ranked)
    return table


def _sorted(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return entries best first; nulls last; equal ones by rank, editor, model and id."""
    better = -1.0 if METRICS[metric].higher_is_better else 1.0
    values = better * table[metric].to_numpy(np.float64)
    names = [table[name].astype(str).to_numpy() for name in ("submission_id", "model", "editor")]
    firsts = table["rank_low"].to_numpy(np.float64, na_value=np.inf)
    return table.iloc[np.lexsort((*names, firsts, values, np.isinf(firsts)))]


def _with_kinds(board: Board, table: pd.DataFrame, population: str, metric: str) -> pd.DataFrame:
    """Return a table with a metric over the rows of each kind, where it is defined of any."""
    if metric not in METRICS:
        raise DataError(f"there is no metric {metric!r}; metrics: {', '.join(METRICS)}")
    columns = {
        kind_column(metric, kind): board.part(Part(population, kind=kind), (metric,))[metric]
        for kind in sorted({part.kind for part in board.parts if part.population == population})
        if kind != ALL
    }
    told = pd.DataFrame(columns).reindex(table.index).dropna(axis="columns", how="all")
    return pd.concat([table, told], axis=1)


def _reasons(scores: pd.DataFrame, key: str) -> npt.NDArray[np.object_]:
    """Return why a number is null in each row; empty where it is not, shape (n,)."""
    name, _, interval = key.partition(".")
    wanted = scores[name].isna().to_numpy(dtype=bool) | bool(interval)
    found = np.full(len(scores), "", dtype=object)
    told = scores["undefined"].astype(object).to_numpy()
    known: dict[str, str] = {}
    for at in np.flatnonzero(wanted):
        text = told[at]
        if text not in known:
            known[text] = reason_for(key, json.loads(text) if text else {})
        found[at] = known[text]
    return found


def _row_of(board: Board, submission_id: str) -> int:
    rows = np.flatnonzero(board.submissions["submission_id"] == submission_id)
    if not len(rows):
        raise DataError(f"the board has no submission {submission_id[:64]!r}")
    return int(rows[0])
