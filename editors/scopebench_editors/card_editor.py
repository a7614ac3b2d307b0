"""What the built-in editors share: everything but the decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from scopebench.protocols import EditorContext
from scopebench.records import Action, Answer, Condition, Decision, Edit, Query
from scopebench_editors.actions import execute
from scopebench_editors.cards import CardMemory, Ranking
from scopebench_editors.params import merge_params
from scopebench_editors.vectors import Vectors


class CardEditor(ABC):
    """A memory of cards beside a frozen model; a subclass adds the policy that decides.

    `route` is the only place where a decision is taken, and `act` follows the decisions it is
    given, so routing and scoring cannot take different paths (paper section 8, the gate-bypass
    bug).

    Args:
        context: The model, the encoder, the seed and the parameters to override.

    Raises:
        EditorError: If a parameter is unknown or out of range.
    """

    name: ClassVar[str]

    def __init__(self, context: EditorContext) -> None:
        self._context = context
        self._params = merge_params(self.name, self.defaults(), context.params)
        self._memory = self.new_memory()

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in force."""
        return dict(self._params)

    def write(self, edits: Iterable[Edit]) -> None:
        """Store edits as cards; idempotent by `edit_id`."""
        self._memory.write(edits)

    def delete(self, edit_ids: Iterable[str]) -> None:
        """Remove cards exactly.

        Raises:
            EditorError: If an id is not stored; then nothing is removed.
        """
        self._memory.delete(edit_ids)

    def route(
        self,
        queries: Sequence[Query],
        *,
        condition: Condition,
        hidden: Sequence[frozenset[str]],
    ) -> list[Decision]:
        """Decide for each query, as if its hidden edits had never been written.

        Reads a query's id and question, and nothing else of it. Where no card is visible the
        decision is to abstain: an empty memory leaves the model as it is.
        """
        if not queries:
            return []
        keys = self._memory.embed([query.question for query in queries])
        rankings = self._memory.nearest(keys, hidden, condition=condition)
        seen = [row for row, ranking in enumerate(rankings) if ranking.candidates]
        choices: list[tuple[Action, float | None]] = [("abstain", None)] * len(queries)
        decided = self.decide(keys[seen], [rankings[row] for row in seen], condition)
        for row, choice in zip(seen, decided, strict=True):
            choices[row] = choice
        return [
            Decision(
                query_id=query.query_id,
                action=action,
                edit_id=ranking.candidates[0].edit_id if ranking.candidates else None,
                scope_score=score,
                runner_up_score=ranking.runner_up,
                candidates=ranking.candidates,
            )
            for query, ranking, (action, score) in zip(queries, rankings, choices, strict=True)
        ]

    def act(
        self,
        queries: Sequence[Query],
        action: Action,
        decisions: Sequence[Decision],
        *,
        condition: Condition,
    ) -> list[Answer]:
        """Execute one action on each query; see `actions.execute`."""
        return execute(
            self._context.model, self._memory, queries, action, decisions, condition=condition
        )

    @abstractmethod
    def decide(
        self, keys: Vectors, rankings: Sequence[Ranking], condition: Condition
    ) -> list[tuple[Action, float | None]]:
        """Return an action and a scope score for each query that sees at least one card.

        Args:
            keys: One query per row.
            rankings: Its nearest cards.
            condition: How edits are presented.
        """

    def defaults(self) -> Mapping[str, int | float]:
        """Return the editor's parameters with their default values; none unless overridden."""
        return {}

    def new_memory(self) -> CardMemory:
        """Return an empty memory; its keys are the encoder's own vectors unless overridden."""
        return CardMemory(self._context.encoder, self._context.model)
