"""Playback: a bias on one token's logit per decoding step, so that a stored answer is recited.

Paper section 3.3: when the gate fires, playback walks the stored token sequence and, at each
decoding step, adds a bias along that token's unembedding column so that it wins the argmax. A bias
along one unembedding column moves one logit, so it is applied to the logit itself. Where no token
is wanted nothing is added, and the logits are the very tensor that came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import torch

LEAD: Final = 1.0
"""How far a played token ends above the best logit, in logits. Any positive number gives the same
text; the paper names none. One is far above float32 rounding at the size of real logits."""


def wanted_token(playback: Sequence[int], step: int) -> int | None:
    """Return the token that playback wants at a step, or None where it is silent or over."""
    return playback[step] if step < len(playback) else None


def favour(logits: torch.Tensor, wanted: Sequence[int | None]) -> torch.Tensor:
    """Bias each row's logits so that its wanted token wins the argmax.

    The bias of a row is `max(logits) + LEAD - logits[token]`; it is applied by assignment, which
    also holds where the model gave the token a logit of minus infinity.

    Args:
        logits: Next-token logits in float32, shape (rows, vocabulary); never written to.
        wanted: For each row the token to favour, or None to leave the row alone.

    Returns:
        `logits` itself where no row wants a token; otherwise a copy in which one logit of each
        such row has moved and every other one is bitwise the same.
    """
    rows = [row for row, token in enumerate(wanted) if token is not None]
    if not rows:
        return logits
    tokens = [token for token in wanted if token is not None]
    biased = logits.clone()
    biased[rows, tokens] = logits[rows].amax(dim=-1) + LEAD
    return biased
