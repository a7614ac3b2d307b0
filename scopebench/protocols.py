"""What the parts promise each other: editors, language models and encoders, as protocols.

An editor is given an `EditorContext`, so that it never loads a model itself: generations then go
through one batched, cached path whoever asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from scopebench.records import (
        Action,
        Answer,
        Condition,
        Decision,
        Edit,
        Form,
        ModelRef,
        Query,
    )


@dataclass(frozen=True)
class Sampling:
    """How one sample of a continuation is drawn.

    Equal samplings of equal requests give equal texts, whatever else is generated with them.

    Attributes:
        temperature: Tokens are drawn from softmax(logits / temperature); above 0.
        seed: Seeds all draws.
        draw: Which of several independent draws.
    """

    temperature: float
    seed: int
    draw: int


@dataclass(frozen=True)
class GenerationRequest:
    """One generation.

    Attributes:
        prompt: The whole text given to the model.
        max_new_tokens: At most so many tokens are generated.
        playback: Token ids to favour, one per step, after which generation stops; empty for an
            ordinary generation (paper section 3.3: a bias on one token's logit per step).
        sampling: How tokens are drawn; None: greedily.
    """

    prompt: str
    max_new_tokens: int = 16
    playback: tuple[int, ...] = ()
    sampling: Sampling | None = None


class PromptSet(Protocol):
    """Prompt templates of one model family; part of the protocol id."""

    @property
    def family(self) -> str:
        """The model family the templates are for."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change of a template."""
        ...

    def abstain(self, question: str, form: Form) -> str:
        """Return the prompt that asks the unedited model."""
        ...

    def reason(self, question: str, form: Form, evidence: str) -> str:
        """Return the prompt that asks the model to answer from evidence."""
        ...

    def fingerprint(self) -> str:
        """Return a short hash over the template texts."""
        ...


class LanguageModel(Protocol):
    """A frozen causal language model that decodes in batches, through a cache."""

    @property
    def ref(self) -> ModelRef:
        """The model's identity."""
        ...

    @property
    def prompts(self) -> PromptSet:
        """The prompt templates of its family."""
        ...

    @property
    def max_new_tokens(self) -> int:
        """The answer length of the protocol, in tokens."""
        ...

    def answer_tokens(self, text: str) -> tuple[int, ...]:
        """Return the token ids of an answer as it would follow a prompt."""
        ...

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        """Return the first line of each continuation, stripped, in the order asked.

        Equal requests are generated once; requests whose result is cached are not generated.
        """
        ...


class Encoder(Protocol):
    """A sentence encoder."""

    @property
    def ref(self) -> ModelRef:
        """The encoder's identity."""
        ...

    @property
    def dimension(self) -> int:
        """Length of an embedding."""
        ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit-length embeddings, one row per text; a text's row ignores its neighbours."""
        ...


@dataclass(frozen=True)
class EditorContext:
    """What an editor is built with.

    Attributes:
        model: The frozen language model.
        encoder: The sentence encoder.
        seed: Seeds whatever is random in the editor.
        params: Overrides of the editor's default parameters.
    """

    model: LanguageModel
    encoder: Encoder
    seed: int = 0
    params: dict[str, Any] = field(default_factory=dict)


class Editor(Protocol):
    """A memory of edits beside a frozen model, with a scope decision.

    The routed answer is always selected among the executed outcomes, so `route` is the only place
    where a decision is taken (paper section 8: the gate-bypass bug had two).
    """

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in force, as JSON values."""
        ...

    def write(self, edits: Iterable[Edit]) -> None:
        """Install edits; idempotent by `edit_id`."""
        ...

    def delete(self, edit_ids: Iterable[str]) -> None:
        """Remove edits exactly; unknown ids raise `EditorError`."""
        ...

    def route(
        self,
        queries: Sequence[Query],
        *,
        condition: Condition,
        hidden: Sequence[frozenset[str]],
    ) -> list[Decision]:
        """Decide for each query, as if the edits in its `hidden` set had never been written.

        Must not read a query's answers or decision label.
        """
        ...

    def act(
        self,
        queries: Sequence[Query],
        action: Action,
        decisions: Sequence[Decision],
        *,
        condition: Condition,
    ) -> list[Answer]:
        """Execute one action on each query with the card its decision names (`edit_id`).

        Under stochastic decoding it is called once per draw, and the context's model gives other
        texts each time: texts must not be kept from one call to the next.
        """
        ...


class EditorFactory(Protocol):
    """Builds an empty editor."""

    def __call__(self, context: EditorContext) -> Editor:
        """Return an editor with nothing written."""
        ...


@dataclass(frozen=True)
class EditorInfo:
    """What an editor declares without being imported.

    Attributes:
        name: The name it is registered and asked for by.
        version: Its own version.
        summary: One sentence.
        factory: `package.module:callable`, an `EditorFactory`.
        paper: Where the method is described.
        conditions: The conditions it can be given edits in.
        actions: The legal actions under each condition.
        needs_gradients: Whether writing an edit needs a gradient.
        can_mask: Whether `route` honours `hidden`.
        can_delete: Whether `delete` is exact.
    """

    name: str
    version: str
    summary: str
    factory: str
    paper: str | None = None
    conditions: tuple[Condition, ...] = ("structured", "unstructured", "extracted")
    actions: dict[Condition, tuple[Action, ...]] = field(
        default_factory=lambda: {
            "structured": ("recite", "reason", "abstain"),
            "unstructured": ("reason", "abstain"),
            "extracted": ("reason", "abstain"),
        }
    )
    needs_gradients: bool = False
    can_mask: bool = True
    can_delete: bool = True
