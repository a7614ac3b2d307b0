"""The memory behind the built-in editors: one card per edit, and an exact nearest-card search.

What a search returns depends on the set of visible cards and on nothing else: not on the order they
were written in, on cards that were deleted, on the other queries of the batch, or on whether a card
is hidden or was never there. Three things make it so: scores are exact (`vectors`), cards are kept
in the order of their ids so that ties go to the smaller one, and the matrix that is searched is
built afresh from the cards whenever they have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from scopebench.errors import EditorError
from scopebench.protocols import Encoder, LanguageModel
from scopebench.records import CONDITIONS, Candidate, Condition, Edit
from scopebench_editors.vectors import Vectors, unit

CANDIDATES: Final = 5
"""Cards listed in a decision."""

BLOCK: Final = 2**22
"""Scores held at a time (32 MiB)."""


@dataclass(frozen=True)
class Card:
    """One stored edit (paper section 3.1: key, answer tokens, metadata).

    Attributes:
        edit: The edit itself: answer, evidence of each condition, metadata.
        key: Embedding of the fact as it is asked, unit length.
        answer_tokens: The new object's tokens as they would follow a prompt.
    """

    edit: Edit
    key: Vectors
    answer_tokens: tuple[int, ...]

    @property
    def fact(self) -> tuple[str, str]:
        """What the card is about: two cards with one subject and relation state one fact."""
        edit = self.edit
        return (edit.subject_id or edit.subject.casefold(), edit.relation_id or edit.prompt)


@dataclass(frozen=True)
class Ranking:
    """The cards nearest to a query.

    Attributes:
        candidates: Best cards, best first, with their cosine; empty when no card is visible.
        runner_up: Cosine of the best card that states another fact than the first; None: no such
            card. A second card for the same fact does not compete with the first.
    """

    candidates: tuple[Candidate, ...] = ()
    runner_up: float | None = None


@dataclass(frozen=True)
class _Table:
    """The cards as arrays, in the order of their ids."""

    ids: tuple[str, ...]
    columns: dict[str, int]
    keys: Vectors
    facts: npt.NDArray[np.int64]
    absent: dict[Condition, npt.NDArray[np.int64]]


class CardMemory:
    """Cards by edit id.

    Args:
        encoder: Embeds questions.
        model: Its tokenizer turns answers into tokens.
        compress: Turns embeddings into unit-length keys on the grid of `vectors`.
    """

    def __init__(
        self,
        encoder: Encoder,
        model: LanguageModel,
        *,
        compress: Callable[[npt.ArrayLike], Vectors] = unit,
    ) -> None:
        self._encoder = encoder
        self._model = model
        self._compress = compress
        self._cards: dict[str, Card] = {}
        self._built: _Table | None = None

    def __len__(self) -> int:
        return len(self._cards)

    def __getitem__(self, edit_id: str) -> Card:
        """Return a card.

        Raises:
            EditorError: If no such edit is stored.
        """
        if edit_id not in self._cards:
            raise EditorError(f"no edit {edit_id!r} is stored; write it first")
        return self._cards[edit_id]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one key per text, shape (texts, key length); equal texts are encoded once."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        keys = self._compress(self._encoder.encode(list(rows)))
        return keys[[rows[text] for text in texts]]

    def write(self, edits: Iterable[Edit]) -> None:
        """Store edits; the same edit again changes nothing, another one under its id replaces it.

        Nothing is stored when encoding fails.
        """
        latest = {edit.edit_id: edit for edit in edits}
        fresh = [edit for edit in latest.values() if not self._holds(edit)]
        if not fresh:
            return
        asked = [edit.asked for edit in fresh]
        cards = {
            edit.edit_id: Card(edit, key, self._model.answer_tokens(edit.target_new.text))
            for edit, key in zip(fresh, self.embed(asked), strict=True)
        }
        self._cards.update(cards)
        self._built = None

    def delete(self, edit_ids: Iterable[str]) -> None:
        """Remove cards; what remains is as if they had never been written.

        Raises:
            EditorError: If an id is not stored; then nothing is removed.
        """
        doomed = set(edit_ids)
        unknown = sorted(doomed - self._cards.keys())
        if unknown:
            raise EditorError(
                f"cannot delete {unknown[0]!r}: no such edit is stored; nothing was deleted"
            )
        for edit_id in doomed:
            del self._cards[edit_id]
        self._built = None

    def nearest(
        self,
        keys: Vectors,
        hidden: Sequence[frozenset[str]],
        *,
        condition: Condition,
        k: int = CANDIDATES,
    ) -> list[Ranking]:
        """Rank the visible cards of each query by cosine.

        Cards that do not hold the condition are not visible under it.

        Args:
            keys: One query per row, from `embed`.
            hidden: For each query the ids to leave out; ids that are not stored are ignored.
            condition: How edits are presented.
            k: At most so many candidates are listed.

        Returns:
            One ranking per query.

        Raises:
            EditorError: If there are not as many hidden sets as queries.
        """
        if len(keys) != len(hidden):
            raise EditorError(f"{len(hidden)} hidden sets for {len(keys)} queries; give one each")
        table = self._table()
        if not table.ids:
            return [Ranking() for _ in hidden]
        rankings: list[Ranking] = []
        step = max(1, BLOCK // len(table.ids))
        for start in range(0, len(keys), step):
            scores = keys[start : start + step] @ table.keys.T
            scores[:, table.absent[condition]] = -np.inf
            for row, ids in enumerate(hidden[start : start + step]):
                scores[row, [table.columns[i] for i in ids if i in table.columns]] = -np.inf
            rankings.extend(_rank(scores, table, min(k, len(table.ids))))
        return rankings

    def _holds(self, edit: Edit) -> bool:
        stored = self._cards.get(edit.edit_id)
        return stored is not None and stored.edit == edit

    def _table(self) -> _Table:
        if self._built is None:
            ids = tuple(sorted(self._cards))
            cards = [self._cards[edit_id] for edit_id in ids]
            numbers: dict[tuple[str, str], int] = {}
            self._built = _Table(
                ids=ids,
                columns={edit_id: column for column, edit_id in enumerate(ids)},
                keys=np.stack([card.key for card in cards]) if cards else np.empty((0, 0)),
                facts=np.array(
                    [numbers.setdefault(card.fact, len(numbers)) for card in cards], dtype=np.int64
                ),
                absent={
                    condition: np.array(
                        [at for at, card in enumerate(cards) if not card.edit.holds(condition)],
                        dtype=np.int64,
                    )
                    for condition in CONDITIONS
                },
            )
        return self._built


def _rank(scores: Vectors, table: _Table, k: int) -> list[Ranking]:
    """Rank the columns of each row; takes the best out of `scores` one place at a time.

    `argmax` returns the first of equal scores, which is the one with the smaller id.
    """
    rows = np.arange(len(scores))
    columns = np.empty((len(scores), k), dtype=np.int64)
    values = np.empty((len(scores), k))
    for place in range(k):
        columns[:, place] = scores.argmax(axis=1)
        values[:, place] = scores[rows, columns[:, place]]
        scores[rows, columns[:, place]] = -np.inf
    facts = table.facts[columns]
    rankings = []
    for row in range(len(scores)):
        visible = int(np.isfinite(values[row]).sum())
        candidates = tuple(
            Candidate(edit_id=table.ids[column], score=float(value))
            for column, value in zip(columns[row, :visible], values[row, :visible], strict=True)
        )
        rivals = values[row, :visible][facts[row, :visible] != facts[row, 0]]
        if not rivals.size:  # all candidates state one fact: look at the rest of the index
            rivals = scores[row, table.facts != facts[row, 0]]
        best = rivals.max(initial=-np.inf)
        rankings.append(Ranking(candidates, float(best) if np.isfinite(best) else None))
    return rankings
