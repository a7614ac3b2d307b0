"""Loading a language model by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from scopebench.errors import ModelError
from scopebench.models.causal_lm import CausalLM
from scopebench.models.devices import resolve_device, resolve_dtype
from scopebench.models.locate import locate

if TYPE_CHECKING:
    from scopebench.models.generation_cache import GenerationCache

DEFAULT_MODEL: Final = "smollm2-135m"


def load_language_model(
    model: str = DEFAULT_MODEL,
    *,
    device: str = "auto",
    dtype: str = "float32",
    batch_size: int = 64,
    cache: GenerationCache | None = None,
    progress: Callable[[int], None] | None = None,
) -> CausalLM:
    """Find a causal language model; its weights are loaded when they are first needed.

    Args:
        model: A packaged name (`smollm2-135m`, `gemma3-270m`), a folder, or a Hugging Face id. Only
            the last is downloaded, when it is not in the Hub's cache.
        device: `auto`, `cpu`, `cuda`, `cuda:<n>` or `mps`.
        dtype: `auto` (as stored), `float32`, `bfloat16` or `float16`.
        batch_size: At most so many sequences are decoded at a time.
        cache: Where generations are kept and looked up; None for none.
        progress: Told, each time, how many more requests of a call are done.

    Raises:
        ModelError: If the model is not here, or device, dtype or batch size cannot be used.
        MissingDependency: If torch is not installed.
    """
    if batch_size < 1:
        raise ModelError(f"the batch size must be at least 1, not {batch_size}")
    files = locate(model)
    return CausalLM(
        files,
        device=resolve_device(device),
        dtype=resolve_dtype(dtype, files.settings()),
        batch_size=batch_size,
        cache=cache,
        progress=progress,
    )
