"""Finds the very weights that a run names, on this machine alone: nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scopebench.errors import ModelError
from scopebench.models import packaged
from scopebench.models.locate import ModelFiles, folder_revision
from scopebench.records import ModelRef

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_WEIGHTS: Final = ("*.safetensors", "*.bin")


def at_hand(ref: ModelRef, folders: Sequence[Path] = ()) -> ModelFiles:
    """Return the files of a model or encoder, under the id and revision that a run gives it.

    A packaged model is looked for where it was installed, a Hub id in the Hub's cache at that very
    commit, and whatever it is called among the folders given, by what their files hold.

    Args:
        ref: What the run names.
        folders: Folders of models, for runs whose model was a folder.

    Raises:
        ModelError: If it is not here; the message says what to fetch.
    """
    for folder in folders:
        if folder_revision(folder) == ref.revision:
            return ModelFiles(ref.id, folder, ref.revision)
    if ref.id in packaged.packaged():
        return _packaged(ref)
    if _COMMIT.fullmatch(ref.revision):
        return _cached(ref)
    raise ModelError(
        f"model {ref.id} was a folder, and none that was given holds revision {ref.revision[:12]}; "
        "name its folder with --model-folder"
    )


def _packaged(ref: ModelRef) -> ModelFiles:
    folder = packaged.model_dir(ref.id)
    if folder is None:
        raise ModelError(f"model {ref.id} is not here; run: scopebench fetch {ref.id}")
    found = folder_revision(folder)
    if found != ref.revision:
        raise ModelError(
            f"model {ref.id} is here at revision {found[:12]}, and the run has "
            f"{ref.revision[:12]}; install the scopebench that it was made with"
        )
    return ModelFiles(ref.id, folder, found)


def _cached(ref: ModelRef) -> ModelFiles:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        settings = try_to_load_from_cache(ref.id, "config.json", revision=ref.revision)
    except HFValidationError:
        settings = None
    folder = Path(settings).parent if isinstance(settings, str) else None
    if folder is None or not any(any(folder.glob(name)) for name in _WEIGHTS):
        raise ModelError(
            f"model {ref.id} at revision {ref.revision[:12]} is not in the Hub's cache; run: "
            f"hf download {ref.id} --revision {ref.revision}"
        )
    return ModelFiles(ref.id, folder, ref.revision)
