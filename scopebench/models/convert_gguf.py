"""Turns a GGUF file into a folder that `from_pretrained` loads at once."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scopebench.errors import ModelError

CONVERTER: Final = 1
"""Version of `convert`: raised when the same GGUF file would make another model."""

NEEDED: Final = ("torch", "transformers", "accelerate", "gguf")
"""The modules that `convert` imports, itself or through transformers."""


def convert(gguf: Path, folder: Path) -> None:
    """Write the fp32 model and the tokenizer of a GGUF file to a folder.

    A model read from GGUF is marked quantized and refuses to be saved, so its dequantized weights
    move into a fresh model of the same class, built from the configuration without that mark.

    Raises:
        ModelError: If the weights cannot be written.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source: dict[str, Any] = {"gguf_file": gguf.name, "local_files_only": True}
    with _quiet():
        loaded = AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **source)
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, **source)
        fields = loaded.config.to_dict()
        fields.pop("quantization_config", None)
        model = type(loaded)(type(loaded.config).from_dict(fields))
        model.load_state_dict(loaded.state_dict())
        try:
            model.save_pretrained(folder)
        except SafetensorError as error:  # how its writer reports a full disk
            raise ModelError(f"cannot write the converted model to {folder}: {error}") from error
        tokenizer.save_pretrained(folder)
    mode = (folder / "config.json").stat().st_mode
    for weights in folder.glob("*.safetensors"):  # written readable by their owner only
        weights.chmod(mode)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the progress bars and the log lines of transformers."""
    chatter: Any = importlib.import_module("transformers.utils.logging")
    verbosity = chatter.get_verbosity()
    chatter.set_verbosity_error()  # its log handler has kept the stderr of its import
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # the bars look stderr up when drawn
            yield
    finally:
        chatter.set_verbosity(verbosity)
