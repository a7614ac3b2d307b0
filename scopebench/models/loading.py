"""Loading tokenizers and weights with `transformers`, from files that are already on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scopebench.errors import ModelError
from scopebench.models.locate import require

if TYPE_CHECKING:
    from scopebench.models.locate import ModelFiles


def load_tokenizer(files: ModelFiles) -> Any:
    """Load a model's tokenizer.

    Raises:
        ModelError: If the folder holds none that can be loaded.
        MissingDependency: If `transformers` is not installed.
    """
    require("transformers")
    with quiet_loading(), named_faults(files, "tokenizer"):
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(files.folder, local_files_only=True)


def load_causal_lm(files: ModelFiles, device: str, dtype: str) -> Any:
    """Load a causal language model, in evaluation mode.

    Args:
        files: The model on disk.
        device: A torch device.
        dtype: Name of a torch floating-point type.

    Raises:
        ModelError: If the weights are damaged, incomplete or of a kind `transformers` has no causal
            model for.
        MissingDependency: If torch or `transformers` is not installed.
    """
    require("torch")
    require("transformers")
    with quiet_loading(), named_faults(files, "weights"):
        import torch
        from transformers import AutoModelForCausalLM

        loader: Any = AutoModelForCausalLM
        model, report = loader.from_pretrained(
            files.folder,
            local_files_only=True,
            dtype=getattr(torch, dtype),
            output_loading_info=True,
        )
    # Absent weights would be filled with random numbers.
    if report["missing_keys"]:
        raise ModelError(
            f"model {files.id}: {files.folder} lacks {len(report['missing_keys'])} weights, among "
            f"them {min(report['missing_keys'])}; fetch the model again"
        )
    return model.to(device).eval()


@contextmanager
def named_faults(files: ModelFiles, part: str) -> Iterator[None]:
    """Turn a loader's complaint about a folder into one line that names the model."""
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        reason = (str(error).strip() or type(error).__name__).partition("\n")[0]
        raise ModelError(
            f"model {files.id}: the {part} in {files.folder} cannot be loaded ({reason})"
        ) from error


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Hold back the progress bars and advice of `transformers`."""
    from transformers import utils

    logging: Any = utils.logging
    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
