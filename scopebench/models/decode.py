"""Batched decoding of token sequences, greedy or sampled, with a key-value cache.

Prompts are padded on the left, so that every row's next token falls in the same column. A token
prefix that all rows of a batch share (the few-shot examples of a prompt) is computed once and its
keys and values are copied to the rows; the padding then lies between prefix and remainder, hidden
by the attention mask, and position ids skip it. Rows that have ended leave the batch.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scopebench.models.playback import favour, wanted_token
from scopebench.models.sampling import Noise, perturb

if TYPE_CHECKING:
    import torch

MIN_SHARED_PREFIX: Final = 16
"""Shorter shared prefixes, in tokens, are not worth a forward pass of their own."""

SHRINK_AT: Final = 0.25
"""Ended rows leave the batch once they are this share of it: leaving copies the whole cache."""


@dataclass(frozen=True)
class Row:
    """One sequence to continue.

    Attributes:
        prompt: Token ids of the prompt; never empty.
        max_new_tokens: At most so many tokens are generated, unless `playback` is given.
        playback: Tokens to favour, one per step; the row ends after the last one.
        temperature: Tokens are sampled at this temperature; 0: the likeliest is taken.
        seed: Seeds the row's own noise where tokens are sampled.
    """

    prompt: tuple[int, ...]
    max_new_tokens: int
    playback: tuple[int, ...] = ()
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Stop:
    """When a row without playback ends, beside its length limit.

    Attributes:
        eos: End-of-sequence token ids; the one met is not part of the result.
        complete: Tells from the tokens generated so far whether the answer is complete.
    """

    eos: frozenset[int]
    complete: Callable[[Sequence[int]], bool]


def shared_prefix_length(prompts: Sequence[tuple[int, ...]]) -> int:
    """Return how many leading tokens all prompts share, leaving each at least one of its own."""
    limit = min(len(prompt) for prompt in prompts) - 1
    first, last = min(prompts), max(prompts)
    for position in range(limit):
        if first[position] != last[position]:
            return position
    return limit


def decode_batch(model: Any, rows: Sequence[Row], stop: Stop) -> list[tuple[int, ...]]:
    """Continue every row.

    Args:
        model: A `transformers` causal language model in evaluation mode.
        rows: The sequences; they are decoded as one batch.
        stop: When a row ends.

    Returns:
        The generated tokens of each row, in the order given, without an end-of-sequence token.
    """
    import torch

    with torch.inference_mode():
        return _Batch(model, rows, stop).run()


class _Batch:
    """The state of one batch: what each row has so far, and the cache of the rows still going."""

    def __init__(self, model: Any, rows: Sequence[Row], stop: Stop) -> None:
        self.model = model
        self.rows = rows
        self.stop = stop
        self.generated: list[list[int]] = [[] for _ in rows]
        self.noises = [
            Noise(row.temperature, row.seed) if row.temperature > 0 else None for row in rows
        ]
        accepted = inspect.signature(model.forward).parameters
        self.takes_positions = "position_ids" in accepted
        self.cache_name = "cache" if "cache" in accepted else "past_key_values"
        config = model.config.get_text_config(decoder=True)
        self.last_position = (getattr(config, "max_position_embeddings", None) or sys.maxsize) - 1
        self.one_logit = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}

    def run(self) -> list[tuple[int, ...]]:
        """Decode until every row has ended."""
        import torch

        live = list(range(len(self.rows)))
        ended = [False] * len(self.rows)
        logits = self._prefill()
        while True:
            steps = [
                wanted_token(self.rows[row].playback, len(self.generated[row])) for row in live
            ]
            noises = [None if ended[row] else self.noises[row] for row in live]
            tokens = favour(perturb(logits, noises), steps).argmax(dim=-1).tolist()
            for row, token in zip(live, tokens, strict=True):
                if not ended[row]:
                    ended[row] = self._append(row, token)
            if all(ended[row] for row in live):
                return [tuple(tokens) for tokens in self.generated]
            going = [place for place, row in enumerate(live) if not ended[row]]
            if len(live) - len(going) >= SHRINK_AT * len(live):
                self._keep(torch.tensor(going, device=self.mask.device))
                live = [live[place] for place in going]
                tokens = [tokens[place] for place in going]
            logits = self._step(tokens)

    def _append(self, row: int, token: int) -> bool:
        """Give a row its next token; return whether the row has ended."""
        generated, spec = self.generated[row], self.rows[row]
        if spec.playback:
            generated.append(token)
            return len(generated) == len(spec.playback)
        if token in self.stop.eos:
            return True
        generated.append(token)
        return len(generated) >= spec.max_new_tokens or self.stop.complete(generated)

    def _prefill(self) -> torch.Tensor:
        """Run the prompts; return each row's next-token logits."""
        import torch
        from transformers import DynamicCache

        device = self.model.device
        prompts = [row.prompt for row in self.rows]
        shared = self._usable_prefix(prompts)
        self.cache = DynamicCache(config=self.model.config)
        if shared:
            prefix = torch.tensor([prompts[0][:shared]], device=device)
            positions = torch.arange(shared, device=device)[None]
            self._forward(prefix, torch.ones_like(prefix), positions)
            self.cache.batch_repeat_interleave(len(prompts))
        rest = [prompt[shared:] for prompt in prompts]
        width = max(map(len, rest))
        pad = self.model.generation_config.pad_token_id or 0
        tokens = torch.tensor([[pad] * (width - len(row)) + list(row) for row in rest])
        real = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rest])
        tokens, real = tokens.to(device), real.to(device)
        positions = (shared + real.cumsum(dim=-1) - 1).clamp(min=0)
        self.mask = torch.cat([real.new_ones(len(rest), shared), real], dim=-1)
        self.position = positions[:, -1:]
        return self._forward(tokens, self.mask, positions)

    def _step(self, tokens: list[int]) -> torch.Tensor:
        """Run one token of every live row; return the next-token logits."""
        import torch

        # Only a row that has ended, and waits for others, can come to the last position.
        self.position = (self.position + 1).clamp(max=self.last_position)
        self.mask = torch.cat([self.mask, self.mask.new_ones(len(tokens), 1)], dim=-1)
        column = torch.tensor(tokens, device=self.mask.device)[:, None]
        return self._forward(column, self.mask, self.position)

    def _keep(self, places: torch.Tensor) -> None:
        """Drop all but the given places from the batch."""
        self.cache.batch_select_indices(places)
        self.mask, self.position = self.mask[places], self.position[places]

    def _forward(
        self, tokens: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor
    ) -> torch.Tensor:
        """Run the model on new columns; return the last column's logits in float32."""
        where = {"position_ids": positions} if self.takes_positions else {}
        output = self.model(
            input_ids=tokens,
            attention_mask=mask,
            use_cache=True,
            **{self.cache_name: self.cache},
            **where,
            **self.one_logit,
        )
        logits: torch.Tensor = output.logits[:, -1].float()
        return logits

    def _usable_prefix(self, prompts: Sequence[tuple[int, ...]]) -> int:
        """Return the length of the prefix to compute once, 0 for none.

        Attention windows count columns, not positions, so padding between prefix and remainder is
        only harmless while everything fits the window.
        """
        shared = shared_prefix_length(prompts)
        if len(prompts) == 1 or shared < MIN_SHARED_PREFIX:
            return 0
        config = self.model.config.get_text_config(decoder=True)
        windows = [
            size
            for name in ("sliding_window", "attention_chunk_size")
            if (size := getattr(config, name, None)) is not None
        ]
        longest = max(map(len, prompts)) + max(
            len(row.playback) or row.max_new_tokens for row in self.rows
        )
        return shared if all(longest <= size for size in windows) else 0
