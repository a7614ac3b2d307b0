"""Retrieval-augmented generation without a gate: retrieval always returns something, so it fires.

The strongest method of the paper's Table 1 (section 5.4), and the one that a per-query decision has
most to add to on queries no edit governs.
"""

from __future__ import annotations

from collections.abc import Sequence

from scopebench.records import Action, Condition
from scopebench_editors.card_editor import CardEditor
from scopebench_editors.cards import Ranking
from scopebench_editors.vectors import Vectors


class RagEditor(CardEditor):
    """Reasons over the nearest card; the scope score is its cosine."""

    name = "rag"

    def decide(
        self, keys: Vectors, rankings: Sequence[Ranking], condition: Condition
    ) -> list[tuple[Action, float | None]]:
        """Reason."""
        return [("reason", ranking.candidates[0].score) for ranking in rankings]
