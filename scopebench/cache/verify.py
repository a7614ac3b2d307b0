"""Verifies entries of the cache: hashes where one is known, databases by their own check."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from scopebench.cache.entries import Entry, list_cache
from scopebench.construct.reader import benchmark_files
from scopebench.errors import DataError
from scopebench.models.packaged import MANIFEST, PackagedModel, packaged
from scopebench.sources.pins import git_blob_id, pins

Status = Literal["sound", "damaged", "not known"]

_LONGEST_HEADER: Final = 100_000_000


@dataclass(frozen=True)
class Verified:
    """What verifying one entry found.

    Attributes:
        entry: The entry.
        status: Whether it is as it should be; `not known` where there is nothing to compare with.
        told: What was compared, or what is wrong.
    """

    entry: Entry
    status: Status
    told: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**self.entry.as_json(), "status": self.status, "told": self.told}


def verify_cache(root: Path | None = None) -> Iterator[Verified]:
    """Yield what verifying each entry of the cache folder found, one after the other.

    Args:
        root: The cache folder [default: `cache_dir()`].
    """
    for entry in list_cache(root):
        yield verify_entry(entry)


def verify_entry(entry: Entry) -> Verified:
    """Verify one entry."""
    check = _CHECKS.get(entry.kind)
    if check is None:
        return Verified(entry, "not known", "nothing to compare it with")
    try:
        status, told = check(entry)
    except OSError as error:
        return Verified(entry, "damaged", f"it cannot be read ({error.strerror})")
    return Verified(entry, status, told)


def _model(entry: Entry) -> tuple[Status, str]:
    """The package's file is not kept, so a converted model is checked by what it says of itself."""
    known = {
        model.folder.name: model
        for model in packaged().values()
        if isinstance(model, PackagedModel)
    }
    model = known.get(entry.path.name)
    if model is None:
        return "not known", "no model of this version lies there"
    try:
        if json.loads((entry.path / MANIFEST).read_text("utf-8")) != model.manifest:
            return "damaged", f"{MANIFEST} is not that of {model.name}"
    except ValueError:
        return "damaged", f"{MANIFEST} is not JSON"
    weights = sorted(entry.path.glob("*.safetensors"))
    if not weights:
        return "damaged", "its weights are missing"
    for file in weights:
        if not _is_whole(file):
            return "damaged", f"{file.name} is cut off or damaged"
    return "sound", f"{MANIFEST}, and the length of its weights"


def _is_whole(file: Path) -> bool:
    """Whether a safetensors file is as long as its header says."""
    with file.open("rb") as stream:
        prefix = stream.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else _LONGEST_HEADER + 1
        text = stream.read(length) if length <= _LONGEST_HEADER else b""
    try:
        header = json.loads(text)
        ends = [part["data_offsets"][1] for name, part in header.items() if name != "__metadata__"]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return False
    return bool(8 + length + max(ends, default=0) == file.stat().st_size)


def _data(entry: Entry) -> tuple[Status, str]:
    pin = next((pin for pin in pins().values() if pin.file_name == entry.path.name), None)
    if pin is None:
        return "not known", "no data file of this version is called so"
    if git_blob_id(entry.path) != pin.git_blob:
        return "damaged", f"its git blob id is not the pinned {pin.git_blob[:12]}"
    return "sound", "git blob id"


def _wheel(entry: Entry) -> tuple[Status, str]:
    parts = {
        f"{part.package.replace('-', '_')}-{part.version}-": part
        for model in packaged().values()
        if isinstance(model, PackagedModel)
        for part in model.parts
    }
    part = next((p for begin, p in parts.items() if entry.path.name.startswith(begin)), None)
    if part is None:
        return "not known", "no package of a model is called so"
    with entry.path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != part.wheel_sha256:
        return "damaged", f"its SHA-256 is not the pinned {part.wheel_sha256[:12]}"
    return "sound", "SHA-256"


def _benchmark(entry: Entry) -> tuple[Status, str]:
    try:
        files = benchmark_files(entry.path)
    except DataError as error:
        return "damaged", str(error)
    return "sound", f"SHA-256 of {len(files)} files"


def _hub_benchmark(entry: Entry) -> tuple[Status, str]:
    snapshots = sorted((entry.path / "snapshots").glob("*"))
    if not snapshots:
        return "not known", "no commit of it is there"
    files = 0
    for snapshot in snapshots:
        try:
            files += len(benchmark_files(snapshot))
        except DataError as error:
            return "damaged", str(error)
    return "sound", f"SHA-256 of {files} files in {len(snapshots)} commits"


def _generations(entry: Entry) -> tuple[Status, str]:
    try:
        connection = sqlite3.connect(f"{entry.path.as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            (told,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM generations").fetchone()
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return "not known", "a running process is writing it"
        return "damaged", str(error)
    except sqlite3.DatabaseError as error:
        return "damaged", str(error)
    return ("sound", f"SQLite's check of {count} answers") if told == "ok" else ("damaged", told)


_CHECKS: Final[dict[str, Callable[[Entry], tuple[Status, str]]]] = {
    "model": _model,
    "data": _data,
    "wheel": _wheel,
    "starter": _benchmark,
    "benchmark": _hub_benchmark,
    "generations": _generations,
}
