"""INLAY (paper section 3): a gradient-free memory of edits behind three gates.

A card's key is the embedding of the fact as it is asked, compressed by a fixed random projection
(section 3.2). A query is compared with every card; the nearest one *fires* when three gates pass
(section 3.3):

    similarity  cosine of query and key                                       >= threshold
    margin      that cosine minus the best cosine of a card for another fact  >= margin
    residual    cosine of query and key, the subject removed from both        >= residual

A card that fires is recited where that is legal, else reasoned from; otherwise the editor abstains,
and the answer is the frozen model's own, bit for bit. With no other fact in the index the margin
has nothing to compete against and passes (section 8).

The scope score is the smallest slack, min over the gates of value minus its bound: it is at or
above zero exactly where the card fires.

Defaults. The paper gives no values but `rel_gate=0.2` (section 8, Table 3), which is the default
of `residual`. Threshold and margin were chosen with all-MiniLM-L6-v2 and a 192-dimensional
projection on the even-numbered cases of AKEW's MQuAKE-CF: the largest of 0.60, 0.65, ... 0.80 and
of 0, 0.03, 0.05, 0.08, 0.10 at which every direct question and every cloze of a stored fact still
fires. On the odd-numbered cases that keeps all direct questions and 99.6% of clozes, and fires on
about one in ten questions whose own fact is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from scopebench.errors import EditorError
from scopebench.records import Action, Condition
from scopebench_editors.actions import is_legal
from scopebench_editors.card_editor import CardEditor
from scopebench_editors.cards import CardMemory, Ranking
from scopebench_editors.vectors import Vectors, compress, random_projection, residual_similarity

THRESHOLD: Final = 0.7
MARGIN: Final = 0.08
RESIDUAL: Final = 0.2


class InlayEditor(CardEditor):
    """Fires on the nearest card when all three gates pass.

    Parameters: `threshold`, `margin` and `residual`, the gates' bounds, as cosines; `dimension`,
    the length of a compressed key, half the encoder's by default; `seed` of the projection, the
    context's by default.
    """

    name = "inlay"

    def defaults(self) -> Mapping[str, int | float]:
        """Return the default parameters."""
        return {
            "threshold": THRESHOLD,
            "margin": MARGIN,
            "residual": RESIDUAL,
            "dimension": max(1, self._context.encoder.dimension // 2),
            "seed": self._context.seed,
        }

    def new_memory(self) -> CardMemory:
        """Return an empty memory of compressed keys.

        Raises:
            EditorError: If `dimension` or `seed` is out of range.
        """
        inputs = self._context.encoder.dimension
        outputs, seed = int(self._params["dimension"]), int(self._params["seed"])
        if not 1 <= outputs <= inputs:
            raise EditorError(f"inlay: dimension must be 1 to {inputs}, not {outputs}")
        if seed < 0:
            raise EditorError(f"inlay: seed must be 0 or more, not {seed}")
        projection = random_projection(inputs, outputs, seed)
        return CardMemory(
            self._context.encoder,
            self._context.model,
            compress=lambda rows: compress(rows, projection),
        )

    def decide(
        self, keys: Vectors, rankings: Sequence[Ranking], condition: Condition
    ) -> list[tuple[Action, float | None]]:
        """Fire where the smallest slack of the three gates is not negative."""
        if not rankings:
            return []
        fired: Action = "recite" if is_legal("recite", condition) else "reason"
        return [
            (fired if slack >= 0 else "abstain", float(slack))
            for slack in self._slacks(keys, rankings)
        ]

    def _slacks(self, keys: Vectors, rankings: Sequence[Ranking]) -> Vectors:
        """Return the smallest of value minus bound over the three gates, one per query."""
        cards = [self._memory[ranking.candidates[0].edit_id] for ranking in rankings]
        nearest = np.stack([card.key for card in cards])
        subjects = self._memory.embed([card.edit.subject for card in cards])
        similarity = np.array([ranking.candidates[0].score for ranking in rankings])
        rival = np.array(
            [-np.inf if ranking.runner_up is None else ranking.runner_up for ranking in rankings]
        )
        slacks: Vectors = np.minimum.reduce(
            [
                similarity - self._params["threshold"],
                similarity - rival - self._params["margin"],
                residual_similarity(keys, nearest, subjects) - self._params["residual"],
            ]
        )
        return slacks
