"""Sentence encoders: unit-length embeddings that do not depend on a text's neighbours.

The default encoder is run with `transformers` directly, since `sentence_transformers` alone takes
seconds to import; a test holds the two to the same embeddings. Any other encoder is run with
`sentence_transformers`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from scopebench.errors import MissingDependency, ModelError
from scopebench.models import packaged
from scopebench.models.devices import resolve_device
from scopebench.models.loading import load_tokenizer, named_faults, quiet_loading
from scopebench.models.locate import ModelFiles, locate, require
from scopebench.records import ModelRef

if TYPE_CHECKING:
    import numpy.typing as npt

    Embeddings = npt.NDArray[np.float32]

DEFAULT_ENCODER: Final = "all-minilm-l6-v2"

GRID: Final = 1e-6
"""Embeddings are rounded to multiples of this. Padding changes a component by some 1e-7, so most
components come out bitwise equal in any batch, and a similarity moves by less than 1e-5."""

BATCH_SIZE: Final = 128
BATCH_CHARACTERS: Final = 32_768
"""A batch takes at most so many texts, and so many characters once all are padded to its longest,
so that one paragraph does not pad a hundred questions to its own length."""


class Backend(Protocol):
    """Something that embeds one batch of texts."""

    dimension: int

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one unit-length row per text."""
        ...


class SentenceEncoder:
    """An encoder as `protocols.Encoder` promises it; its weights are loaded when first needed.

    Embeddings are remembered by text for as long as the object lives.

    Args:
        files: The model on disk.
        device: Device to compute on, resolved.
        packaged: Whether it is the packaged encoder, which needs no `sentence_transformers`.
    """

    def __init__(self, files: ModelFiles, *, device: str, packaged: bool) -> None:
        self._files = files
        self._device = device
        self._packaged = packaged
        self._known: dict[str, Embeddings] = {}
        self._ref = ModelRef(
            id=files.id,
            revision=files.revision,
            dtype="float32",
            device=device,
            parameters=files.parameters(),
        )

    @property
    def ref(self) -> ModelRef:
        """The encoder's identity."""
        return self._ref

    @property
    def dimension(self) -> int:
        """Length of an embedding."""
        return self._backend.dimension

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return unit-length embeddings on a grid of `GRID`, shape (texts, dimension)."""
        new = sorted({text for text in texts if text not in self._known}, key=_length_then_text)
        for batch in _batches(new):
            self._known.update(zip(batch, _on_grid(self._backend.embed(batch)), strict=True))
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    @cached_property
    def _backend(self) -> Backend:
        kind = _MeanPooling if self._packaged else _SentenceTransformers
        return kind(self._files, self._device)


class _MeanPooling:
    """The packaged encoder: mean of the last hidden states over a text's tokens, normalised."""

    def __init__(self, files: ModelFiles, device: str) -> None:
        import torch

        self._tokenizer = load_tokenizer(files)
        with quiet_loading(), named_faults(files, "weights"):
            from transformers import AutoModel

            self._model: Any = AutoModel.from_pretrained(
                files.folder, local_files_only=True, dtype=torch.float32
            )
        self._model.to(device).eval()
        self._device = device
        limits = json.loads((files.folder / "sentence_bert_config.json").read_text("utf-8"))
        self._max_tokens = int(limits["max_seq_length"])
        self.dimension = int(self._model.config.hidden_size)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        import torch

        inputs = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._max_tokens,
            return_tensors="pt",
        ).to(self._device)
        with torch.inference_mode():
            hidden = self._model(**inputs).last_hidden_state
            weight = inputs["attention_mask"].unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weight).sum(dim=1) / weight.sum(dim=1)
            rows: Embeddings = torch.nn.functional.normalize(mean, dim=-1).cpu().numpy()
        return rows


class _SentenceTransformers:
    """Any encoder that `sentence_transformers` can load."""

    def __init__(self, files: ModelFiles, device: str) -> None:
        require("sentence_transformers")
        with quiet_loading(), named_faults(files, "encoder"):
            from sentence_transformers import SentenceTransformer

            self._model: Any = SentenceTransformer(
                str(files.folder), device=device, local_files_only=True
            )
        self.dimension = int(self._model.encode([""], show_progress_bar=False).shape[1])

    def embed(self, texts: Sequence[str]) -> Embeddings:
        rows: Embeddings = self._model.encode(
            list(texts),
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return rows


def load_encoder(encoder: str | None = None, *, device: str = "auto") -> SentenceEncoder:
    """Find a sentence encoder; its weights are loaded when they are first needed.

    Args:
        encoder: None for the packaged all-MiniLM-L6-v2, a folder, or a Hugging Face id (one without
            an owner is looked up under `sentence-transformers/`). Only an id is ever downloaded.
        device: `auto`, `cpu`, `cuda`, `cuda:<n>` or `mps`.

    Raises:
        ModelError: If the encoder is not here or the device cannot be used.
        MissingDependency: If the packaged encoder, or torch, is not installed.
    """
    name = DEFAULT_ENCODER if encoder is None else encoder
    entry = packaged.packaged().get(name)
    if isinstance(entry, packaged.PackagedModel):
        raise ModelError(f"{name} is a language model, no sentence encoder; leave --encoder out")
    if entry is not None and entry.locate() is None:
        raise MissingDependency(entry.package, "local")
    if entry is None and "/" not in name and not Path(name).is_dir():
        name = f"sentence-transformers/{name}"
    return SentenceEncoder(locate(name), device=resolve_device(device), packaged=entry is not None)


def _length_then_text(text: str) -> tuple[int, str]:
    return len(text), text


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut texts, shortest first, into batches."""
    batch: list[str] = []
    for text in texts:
        full = len(batch) == BATCH_SIZE or len(text) * (len(batch) + 1) > BATCH_CHARACTERS
        if batch and full:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _on_grid(rows: Embeddings) -> Embeddings:
    """Round to multiples of `GRID`; positive zero only, so that equal rows have equal bytes."""
    grid: Embeddings = (np.rint(rows.astype(np.float64) / GRID) * GRID + 0.0).astype(np.float32)
    return grid
