"""The model and the encoder that a run names, loaded from this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scopebench.errors import ModelError
from scopebench.hub.names import safe_model_id
from scopebench.models.generation_cache import GenerationCache
from scopebench.protocols import Encoder, LanguageModel
from scopebench.records import ModelRef


class Weights(Protocol):
    """Gives the weights that a run names, or a `ModelError` that says what to fetch."""

    def model(self, ref: ModelRef, cache: GenerationCache | None) -> LanguageModel:
        """Return the language model.

        Args:
            ref: What the run names.
            cache: Where generations are kept until the sample is whole; None: nowhere.
        """
        ...

    def encoder(self, ref: ModelRef) -> Encoder:
        """Return the sentence encoder."""
        ...


@dataclass(frozen=True)
class LocalWeights:
    """Weights at hand, of the very revision; the shared cache of generations is not asked.

    Attributes:
        device: Device to compute on.
        batch_size: At most so many sequences are decoded at a time.
        folders: Folders of models, for runs whose model was a folder.
    """

    device: str = "auto"
    batch_size: int = 64
    folders: Sequence[Path] = ()

    def model(self, ref: ModelRef, cache: GenerationCache | None) -> LanguageModel:
        """Return the language model, in the floating-point type that the run names.

        Raises:
            ModelError: If it is not here, or cannot be computed in that type.
        """
        from scopebench.models.at_hand import at_hand
        from scopebench.models.causal_lm import CausalLM
        from scopebench.models.devices import resolve_device, resolve_dtype

        files = at_hand(_checked(ref), self.folders)
        return CausalLM(
            files,
            device=resolve_device(self.device),
            dtype=resolve_dtype(ref.dtype, files.settings()),
            batch_size=self.batch_size,
            cache=cache,
        )

    def encoder(self, ref: ModelRef) -> Encoder:
        """Return the sentence encoder.

        Raises:
            ModelError: If it is not here.
        """
        from scopebench.models import packaged
        from scopebench.models.at_hand import at_hand
        from scopebench.models.devices import resolve_device
        from scopebench.models.encoder import SentenceEncoder

        files = at_hand(_checked(ref), self.folders)
        known = ref.id in packaged.packaged()
        return SentenceEncoder(files, device=resolve_device(self.device), packaged=known)


def _checked(ref: ModelRef) -> ModelRef:
    if safe_model_id(ref.id) is None:
        raise ModelError(f"{ref.id[:60]!r} is no model id")
    return ref
