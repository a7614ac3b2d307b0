"""Where a model's files lie and what identifies them, without loading any weights."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Final

from scopebench.errors import MissingDependency, ModelError
from scopebench.models import packaged

HASHED_SUFFIXES: Final = frozenset({".safetensors", ".bin", ".json", ".jinja", ".model", ".txt"})
"""Files of a folder that can change what a model computes: weights, settings, tokenizer."""

_TEXT_FILES: Final = ("*.json", "*.jinja", "*.model", "*.txt")
_CHUNK: Final = 1 << 20
_LONGEST_HEADER: Final = 100_000_000


@dataclass(frozen=True)
class ModelFiles:
    """A model on disk.

    Attributes:
        id: The name it was asked for by: a packaged name, a folder's name or a Hub id.
        folder: Where its files lie.
        revision: SHA-256 of the GGUF file a packaged model was converted from, else the Hub
            commit, else SHA-256 over the folder's weights, settings and tokenizer.
    """

    id: str
    folder: Path
    revision: str

    def settings(self) -> dict[str, Any]:
        """Return the contents of `config.json`.

        Raises:
            ModelError: If the file is absent or not a JSON object.
        """
        return _read_object(self.folder / "config.json")

    def chat_template(self) -> str | None:
        """Return the tokenizer's chat template, if it has one."""
        alone = self.folder / "chat_template.jinja"
        if alone.is_file():
            return alone.read_text("utf-8")
        file = self.folder / "tokenizer_config.json"
        template = _read_object(file).get("chat_template") if file.is_file() else None
        return template if isinstance(template, str) else None

    def parameters(self) -> int | None:
        """Return the parameter count by the safetensors headers; None without such files."""
        files = sorted(self.folder.glob("*.safetensors"))
        return sum(map(_count_parameters, files)) if files else None


def locate(model: str) -> ModelFiles:
    """Find a model: a packaged name, a folder or a Hugging Face id.

    Only a Hub id is ever downloaded, and only as far as it is not in the Hub's own cache.

    Raises:
        ModelError: If there is no such model here, or the Hub cannot provide it.
    """
    if model in packaged.packaged():
        folder = packaged.model_dir(model)
        if folder is None:
            raise ModelError(f"model {model} is not here yet; run: scopebench fetch {model}")
        return ModelFiles(model, folder, folder_revision(folder))
    folder = Path(model).expanduser()
    if model and folder.is_dir():
        if not _is_model(folder):
            raise ModelError(f"folder {folder} holds no config.json, so it is no model folder")
        return ModelFiles(folder.resolve().name, folder, folder_revision(folder))
    _check_hub_id(model)
    folder = _snapshot(model)
    return ModelFiles(model, folder, folder.name)


def folder_revision(folder: Path) -> str:
    """Return what identifies a folder's contents.

    That is the GGUF file's SHA-256 where the folder was converted from a packaged model, else a
    SHA-256 over the relative paths and contents of its weights, settings and tokenizer.
    """
    manifest = folder / packaged.MANIFEST
    if manifest.is_file():
        return str(_read_object(manifest)["gguf_sha256"])
    digest = hashlib.sha256()
    files = (path for path in folder.rglob("*") if path.suffix in HASHED_SUFFIXES)
    for path in sorted(files, key=lambda path: path.relative_to(folder).as_posix()):
        name = path.relative_to(folder).as_posix().encode()
        digest.update(struct.pack("<QQ", len(name), path.stat().st_size) + name)
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _is_model(folder: Path) -> bool:
    """Whether a folder holds a model, or the modules of a sentence encoder."""
    return any((folder / name).is_file() for name in ("config.json", "modules.json"))


def _count_parameters(file: Path) -> int:
    """Sum the tensor sizes that a safetensors file's header declares."""
    with file.open("rb") as stream:
        prefix = stream.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else _LONGEST_HEADER + 1
        text = stream.read(length) if length <= _LONGEST_HEADER else b""
    try:
        header = json.loads(text)
    except ValueError as error:
        raise ModelError(f"{file} is no safetensors file; fetch the model again") from error
    return sum(prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")


def _read_object(file: Path) -> dict[str, Any]:
    """Read a JSON object from a model's folder."""
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{file} cannot be read as JSON ({error}); fetch the model again"
        ) from error
    if not isinstance(value, dict):
        raise ModelError(f"{file} holds no JSON object; fetch the model again")
    return value


def _check_hub_id(model: str) -> None:
    """Refuse what is neither a packaged name nor a folder nor a possible Hub id."""
    import difflib

    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    local = ", ".join(packaged.packaged())
    near = difflib.get_close_matches(model, packaged.packaged(), n=1, cutoff=0.8)
    if near:
        raise ModelError(f"no model is called {model!r}; did you mean {near[0]!r}?")
    try:
        validate_repo_id(model)
    except HFValidationError as error:
        raise ModelError(
            f"{model!r} is no folder and no Hub id; packaged models: {local}"
        ) from error


def _snapshot(model: str) -> Path:
    """Return the folder of a Hub model's newest reachable commit; its name is the commit."""
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = _download(model, ("*.safetensors", *_TEXT_FILES))
        if not any(folder.glob("*.safetensors")):
            folder = _download(model, ("*.bin", *_TEXT_FILES))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(
            f"model {model!r} is no folder here and cannot be had from the Hugging Face Hub "
            f"({type(error).__name__}); check the id, your connection and your access rights"
        ) from error
    if not _is_model(folder):
        raise ModelError(f"Hub model {model!r} holds no config.json, so it cannot be loaded")
    return folder


def _download(model: str, patterns: Sequence[str]) -> Path:
    from huggingface_hub import snapshot_download

    # Some repositories carry the same weights twice, the second time for another loader.
    unwanted = ["consolidated*", "original/*", "onnx/*", "openvino/*"]
    return Path(snapshot_download(model, allow_patterns=list(patterns), ignore_patterns=unwanted))


def require(module: str) -> None:
    """Check that an optional package of the `editors` extra is installed.

    Raises:
        MissingDependency: If it is not.
    """
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise MissingDependency(module, "editors")
