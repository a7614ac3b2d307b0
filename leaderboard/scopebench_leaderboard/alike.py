"""How the unedited answers of submissions stand to one another, where they should be the same.

`abstain` is the model's own answer, whatever the editor: runs of one model, revision, type and
protocol on one benchmark have the same, but for what rounding changes between machines. Where they
differ, some were not generated as they say, and which of them is told by the others.

Each query has a vote. A run agrees where its answer is that of more runs than any other answer; so
one invented run among three marks itself alone, and of two that differ both are marked. Where some
runs were reproduced by a maintainer only those have a vote, so that no number of invented runs can
outvote them.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from scopebench.errors import DataError
from scopebench.hub.marks import SPARE

ANSWERS: Final = "answers"
"""The folder beside a board that keeps what was read of each submission, and what came of it."""

VERSION: Final = 1
"""Raised when what is kept there would come out otherwise."""

NAMED: Final = 5
"""Runs that one is said to differ from."""

LOOKED_AT: Final = 200
"""Runs among which those are looked for."""

TOGETHER: Final = 20_000_000
"""Answers that are compared at a time: some 1 GB."""

Hashes = npt.NDArray[np.uint64]
"""Answers of a run: hashes of what names each, rising, and of its text; shape (2, n)."""

_GROUP: Final = ("model", "model_revision", "model_dtype", "protocol_id", "benchmark_digest")


@dataclass(frozen=True)
class Alike:
    """How a run stands to others of its model.

    Attributes:
        share: Share of its unedited answers that are not those of the others; None: there is no
            other run.
        over: Answers that were compared.
        others: Ids of runs that it differs from, the most differing first; at most `NAMED`.
    """

    share: float | None = None
    over: int = 0
    others: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it differs by more than rounding between machines explains."""
        return self.share is not None and self.share > SPARE

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of `LIKENESS_SCHEMA`."""
        return {
            "differs": self.differs,
            "differs_share": self.share,
            "differs_over": self.over,
            "differs_from": " ".join(self.others),
        }


Likeness = Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Alike]]
"""From rows of submissions to how each stands to the others, by id."""


def no_likeness(rows: Sequence[Mapping[str, Any]]) -> dict[str, Alike]:
    """Return that nothing was compared."""
    return {row["submission_id"]: Alike() for row in rows}


def likeness_of(
    results: Path, kept: Path, rows: Sequence[Mapping[str, Any]]
) -> Mapping[str, Alike]:
    """Return how each submission stands to the others, by id.

    Args:
        results: The results folder.
        kept: Where what was read is kept; made if absent. A group of runs that has not changed is
            not read again.
        rows: The submissions, as in `SUBMISSION_SCHEMA` and `MARK_SCHEMA`.
    """
    found = no_likeness(rows)
    memory = kept / "likeness.json"
    before, now = _remembered(memory), {}
    groups = [group for group in _groups(rows) if len(group) > 1]
    for group in groups:
        key = _key(group)
        if key not in before:
            answers = {
                row["submission_id"]: _answers_kept(results / row["path"], kept, row)
                for row in group
            }
            trusted = {row["submission_id"] for row in group if row["verified"]}
            before[key] = compare_answers(answers, trusted)
        now[key] = before[key]
        found |= before[key]
    _forget(kept, {row["submission_id"] for group in groups for row in group})
    if groups or memory.is_file():
        _remember(memory, now)
    return found


def compare_answers(
    answers: Mapping[str, Hashes], trusted: Collection[str] = ()
) -> dict[str, Alike]:
    """Return how each run stands to the others of its group, by id.

    Args:
        answers: The answers of each run, by id.
        trusted: Runs that alone have a vote; none: all have.
    """
    ids = sorted(answers)
    votes = np.array([key in trusted for key in ids]) if trusted else np.ones(len(ids), bool)
    over, other = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    parts = max(1, -(-sum(answers[key].shape[1] for key in ids) // TOGETHER))
    for part in range(parts):
        pieces = [answers[key][:, answers[key][0] % np.uint64(parts) == part] for key in ids]
        runs = np.repeat(np.arange(len(ids)), [piece.shape[1] for piece in pieces])
        compared, differing = _voted(np.concatenate(pieces, axis=1), runs, votes[runs])
        over += np.bincount(runs[compared], minlength=len(ids))
        other += np.bincount(runs[differing], minlength=len(ids))
    found = {}
    for at, key in enumerate(ids):
        share = float(other[at] / over[at]) if over[at] else None
        alike = Alike(share, int(over[at]))
        others = _differing(key, answers, ids[:LOOKED_AT]) if alike.differs else ()
        found[key] = Alike(alike.share, alike.over, others)
    return found


def _voted(
    answers: Hashes, runs: npt.NDArray[np.int64], voting: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which answers could be compared, and which of those are not the others'."""
    if not answers.shape[1]:
        return np.zeros(0, bool), np.zeros(0, bool)
    order = np.lexsort((answers[1], answers[0]))
    keys, texts = answers[:, order]
    new_key = np.r_[True, keys[1:] != keys[:-1]]
    key = np.cumsum(new_key) - 1
    pair = np.cumsum(new_key | np.r_[True, texts[1:] != texts[:-1]]) - 1
    votes = np.bincount(pair, weights=voting[order]).astype(np.int64)
    first = np.flatnonzero(np.r_[True, pair[1:] != pair[:-1]])
    of_key = key[first]
    most = np.zeros(key[-1] + 1, np.int64)
    np.maximum.at(most, of_key, votes)
    leading = np.bincount(of_key[votes == most[of_key]], minlength=len(most))
    shared = np.bincount(key)[key] > 1
    compared = shared & (most[key] > 0)
    agreeing = (votes[pair] == most[key]) & (leading[key] == 1)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return compared[back], (compared & ~agreeing)[back]


def _differing(mine: str, answers: Mapping[str, Hashes], ids: Sequence[str]) -> tuple[str, ...]:
    """Return the runs that one differs from, taken one by one, the most differing first."""
    found = []
    for key in ids:
        if key != mine:
            _, here, there = np.intersect1d(
                answers[mine][0], answers[key][0], assume_unique=True, return_indices=True
            )
            apart = answers[mine][1][here] != answers[key][1][there]
            if len(apart) and float(apart.mean()) > SPARE:
                found.append((-float(apart.mean()), key))
    return tuple(key for _, key in sorted(found)[:NAMED])


def read_answers(folder: Path) -> Hashes:
    """Return the unedited answers of a submission; none where its table cannot be read."""
    from scopebench.scoring.tables import OUTCOMES_FILE, OUTCOMES_SCHEMA, read_table

    try:
        table = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA)
    except DataError:
        return np.empty((2, 0), np.uint64)
    rows = table.select(["query_id", "condition", "action", "draw", "text"]).to_pylist()
    pairs = sorted(
        (_hash(row["query_id"], row["condition"], str(row["draw"])), _hash(row["text"]))
        for row in rows
        if row["action"] == "abstain" and row["text"] is not None
    )
    return np.array(pairs, np.uint64).reshape(-1, 2).T


def _hash(*texts: str) -> int:
    told = "\0".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest())


def _answers_kept(folder: Path, kept: Path, row: Mapping[str, Any]) -> Hashes:
    """Return the answers of a submission, read once: its id is a hash of its content."""
    path = kept / f"{row['submission_id']}.{VERSION}.npy"
    if path.is_file():
        try:
            found: Hashes = np.load(path)
        except (OSError, ValueError, EOFError):
            path.unlink()
        else:
            return found
    found = read_answers(folder)
    kept.mkdir(exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        np.save(file, found)
    partial.replace(path)
    return found


def _groups(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the submissions whose unedited answers should be the same, together."""
    groups: defaultdict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        greedy = str(row["decoding"]).startswith("greedy")
        drawn = None if greedy else row["seed"]  # samples are equal where their seeds are
        groups[(*(row[name] for name in _GROUP), drawn)].append(row)
    return list(groups.values())


def _key(group: Sequence[Mapping[str, Any]]) -> str:
    """Return what a group's comparison depends on, as one hash."""
    told = sorted([row["submission_id"], bool(row["verified"])] for row in group)
    return hashlib.sha256(json.dumps([VERSION, told]).encode()).hexdigest()


def _remembered(path: Path) -> dict[str, dict[str, Alike]]:
    """Return what was found of each group by an earlier rebuild."""
    try:
        told = json.loads(path.read_bytes())
        return {
            key: {
                name: Alike(each["share"], each["over"], tuple(each["others"]))
                for name, each in group.items()
            }
            for key, group in told.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # only a cache: what it lacks is computed again


def _remember(path: Path, groups: Mapping[str, Mapping[str, Alike]]) -> None:
    told = {
        key: {name: asdict(alike) for name, alike in group.items()} for key, group in groups.items()
    }
    path.parent.mkdir(exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(told, sort_keys=True), encoding="utf-8")
    partial.replace(path)


def _forget(kept: Path, ids: Collection[str]) -> None:
    for path in kept.glob("*.npy"):
        if path.name.partition(".")[0] not in ids:
            path.unlink()
