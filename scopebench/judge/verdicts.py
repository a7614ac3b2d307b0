"""The verdicts of a language model, greedily decoded, through the cache of generations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scopebench.judge.prompt import PROMPT_VERSION, Item, fingerprint, prompt
from scopebench.protocols import GenerationRequest, LanguageModel

_TOKENS: Final = 3
"""Enough for " Yes" and " No" in any vocabulary."""


def judge_with(model: LanguageModel, items: Sequence[Item]) -> list[bool]:
    """Let a model judge answers, in the order given.

    An empty answer and an answer without golds are wrong without being asked about; of what the
    model says only an opening "Yes" is right.
    """
    asked = [at for at, item in enumerate(items) if item.golds and item.text.strip()]
    requests = [GenerationRequest(prompt(items[at]), _TOKENS) for at in asked]
    verdicts = [False] * len(items)
    for at, said in zip(asked, model.generate(requests), strict=True):
        verdicts[at] = said.strip().casefold().startswith("yes")
    return verdicts


def judge_protocol(model: LanguageModel) -> str:
    """Return the name of a judge's verdicts: version, prompt, model, revision and precision."""
    ref = model.ref
    return f"judge/{PROMPT_VERSION}:{fingerprint()[:12]}:{ref.id}@{ref.revision[:12]}:{ref.dtype}"
