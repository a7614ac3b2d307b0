"""How the model decodes in a run, and the view of it through which editors draw samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from scopebench.errors import ModelError
from scopebench.protocols import GenerationRequest, LanguageModel, PromptSet, Sampling
from scopebench.records import ModelRef


@dataclass(frozen=True)
class Decoding:
    """Greedy decoding, or several draws at a temperature.

    Attributes:
        temperature: 0 decodes greedily; above, the model's own generations are sampled.
        draws: How often each action is executed.

    Raises:
        ModelError: If the temperature is negative or not finite, or there are no draws, or several
            of greedy decoding.
    """

    temperature: float = 0.0
    draws: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise ModelError(
                f"the temperature must be 0 or above and finite, not {self.temperature}"
            )
        if self.draws < 1:
            raise ModelError(f"there must be at least 1 draw, not {self.draws}")
        if self.temperature == 0 and self.draws > 1:
            raise ModelError(
                f"{self.draws} draws at temperature 0 would all be the same, since decoding is "
                "greedy; give a temperature above 0, or 1 draw"
            )

    def in_words(self, max_new_tokens: int) -> str:
        """Say how answers are decoded, as the protocol holds it."""
        draws = "1 draw" if self.draws == 1 else f"{self.draws} draws"
        rule = f"sampled at temperature {float(self.temperature)}, {draws}"
        return (
            f"{rule if self.temperature else 'greedy'}, at most {max_new_tokens} new tokens, "
            "first line"
        )


class DrawingModel:
    """A language model that samples while a draw is in force, and decodes greedily otherwise.

    Editors are given this view, so that they need not know of draws: a decision never depends on
    one, an action does. Playback is left as it is, for its bias decides every token.

    Args:
        model: The model.
        temperature: The temperature of draws; 0: they are greedy.
        seed: Seeds them.
    """

    def __init__(self, model: LanguageModel, temperature: float, seed: int) -> None:
        self._model = model
        self._temperature = temperature
        self._seed = seed
        self._sampling: Sampling | None = None

    @property
    def ref(self) -> ModelRef:
        """The model's identity."""
        return self._model.ref

    @property
    def prompts(self) -> PromptSet:
        """The prompt templates of its family."""
        return self._model.prompts

    @property
    def max_new_tokens(self) -> int:
        """The answer length of the protocol, in tokens."""
        return self._model.max_new_tokens

    def answer_tokens(self, text: str) -> tuple[int, ...]:
        """Return the token ids of an answer as it would follow a prompt."""
        return self._model.answer_tokens(text)

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        """Return the first line of each continuation, by the draw in force."""
        return self._model.generate(
            [
                request if request.playback else replace(request, sampling=self._sampling)
                for request in requests
            ]
        )

    @contextmanager
    def draw(self, number: int) -> Iterator[None]:
        """Put a draw in force; under greedy decoding that changes nothing."""
        if self._temperature > 0:
            self._sampling = Sampling(self._temperature, self._seed, number)
        try:
            yield
        finally:
            self._sampling = None
