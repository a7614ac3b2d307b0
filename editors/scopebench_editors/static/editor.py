"""The static policy that headroom is taken against, as an editor.

Paper section 6.2: "recite directly where legal, otherwise reason over the retrieved evidence". On
queries that their own edit governs, no router can beat it (Table 2).
"""

from __future__ import annotations

from collections.abc import Sequence

from scopebench.records import Action, Condition
from scopebench_editors.actions import is_legal
from scopebench_editors.card_editor import CardEditor
from scopebench_editors.cards import Ranking
from scopebench_editors.vectors import Vectors


class StaticEditor(CardEditor):
    """Recites where legal, else reasons; the scope score is the nearest card's cosine."""

    name = "static"

    def decide(
        self, keys: Vectors, rankings: Sequence[Ranking], condition: Condition
    ) -> list[tuple[Action, float | None]]:
        """Recite or reason, by the condition alone."""
        action: Action = "recite" if is_legal("recite", condition) else "reason"
        return [(action, ranking.candidates[0].score) for ranking in rankings]
