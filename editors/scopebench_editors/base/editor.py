"""The unedited model as an editor: it stores edits and never uses one.

The floor of every comparison. It still ranks its cards, so that the actions it would not choose can
be executed and scored like any editor's. It holds no opinion on scope, so its scope score is null.
"""

from __future__ import annotations

from collections.abc import Sequence

from scopebench.records import Action, Condition
from scopebench_editors.card_editor import CardEditor
from scopebench_editors.cards import Ranking
from scopebench_editors.vectors import Vectors


class BaseEditor(CardEditor):
    """Abstains on every query; scope score null."""

    name = "base"

    def decide(
        self, keys: Vectors, rankings: Sequence[Ranking], condition: Condition
    ) -> list[tuple[Action, float | None]]:
        """Abstain."""
        return [("abstain", None) for _ in rankings]
