"""A language model and an encoder without weights, so that an editor can be checked anywhere.

They are deterministic and take no time. They know nothing: use them to check that an editor keeps
its promises, never to measure it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from scopebench.protocols import EditorContext, GenerationRequest, Sampling
from scopebench.records import Form, ModelRef

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DIMENSION: Final = 64


class ToyPrompts:
    """Prompts that show their parts."""

    family: str = "toy"
    version: int = 1

    def abstain(self, question: str, form: Form) -> str:
        """Return the question alone."""
        return f"{form}: {question}"

    def reason(self, question: str, form: Form, evidence: str) -> str:
        """Return the evidence and the question."""
        return f"evidence: {evidence} {form}: {question}"

    def fingerprint(self) -> str:
        """Return a fixed name: the texts above never vary."""
        return "toy"


class ToyModel:
    """Answers a prompt with a word that depends on prompt and draw alone, and plays back bytes."""

    def __init__(self) -> None:
        self.ref = ModelRef(id="toy-model", revision="1", dtype="none", device="cpu")
        self.prompts = ToyPrompts()
        self.max_new_tokens = 8

    def answer_tokens(self, text: str) -> tuple[int, ...]:
        """Return the text's UTF-8 bytes."""
        return tuple(text.encode())

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        """Return the played text, or a word made of the prompt's hash."""
        return [
            bytes(request.playback).decode()
            if request.playback
            else self.answer(request.prompt, request.sampling)
            for request in requests
        ]

    def answer(self, prompt: str, sampling: Sampling | None = None) -> str:
        """Return the model's own answer to a prompt, greedily or by one draw."""
        asked = prompt if sampling is None else f"{prompt} {sampling}"
        return f"toy-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


class ToyEncoder:
    """Bags of words: each word is a random direction seeded by its hash, a text is their sum."""

    def __init__(self, dimension: int = DIMENSION) -> None:
        self.ref = ModelRef(id="toy-encoder", revision="1", dtype="float32", device="cpu")
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit-length embeddings, one row per text."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            words = re.findall(r"\w+", text.casefold()) or [text]
            total = np.sum([self._word(word) for word in words], axis=0)
            rows[row] = total / np.linalg.norm(total)
        return rows

    def _word(self, word: str) -> npt.NDArray[np.float64]:
        import numpy as np

        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimension)


def toy_context(seed: int = 0, params: dict[str, Any] | None = None) -> EditorContext:
    """Return a context of the toy model and the toy encoder."""
    return EditorContext(
        model=ToyModel(), encoder=ToyEncoder(), seed=seed, params=dict(params or {})
    )
