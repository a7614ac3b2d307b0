"""The canonical data files: where each lies and the hash its bytes must have.

The statement itself is `pins.toml`, beside this module.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import tomllib
import urllib.parse
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Final

from scopebench.errors import DataError

DEFAULT_BASE_URL: Final = "https://raw.githubusercontent.com"
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Pin:
    """One data file at one commit of its public repository.

    Attributes:
        name: The name it is fetched by.
        repo: Repository, `owner/name`.
        commit: Commit, 40 hexadecimal digits.
        path: Path in the repository.
        git_blob: Git's id of the file's bytes; see `git_blob_id`.
        licence: Licence as the repository states it.
        records: Number of records, where known.
        bytes: Size in bytes, where known.
    """

    name: str
    repo: str
    commit: str
    path: str
    git_blob: str
    licence: str
    records: int | None = None
    bytes: int | None = None

    @property
    def file_name(self) -> str:
        """The local file name; the pin's own name, as base names of repositories repeat."""
        return self.name + PurePosixPath(self.path).suffix

    def address(self, base_url: str | None = None) -> str:
        """Return the address of the file on GitHub, or on a mirror laid out alike."""
        base = DEFAULT_BASE_URL if base_url is None else base_url.rstrip("/")
        return f"{base}/{self.repo}/{self.commit}/{urllib.parse.quote(self.path)}"


@functools.cache
def _read_pins() -> tuple[Pin, ...]:
    text = resources.files("scopebench.sources").joinpath("pins.toml").read_text("utf-8")
    return tuple(Pin(name=name, **fields) for name, fields in tomllib.loads(text).items())


def pins() -> dict[str, Pin]:
    """Return every pin by name, in the order of `pins.toml`."""
    return {pin.name: pin for pin in _read_pins()}


def get_pin(name: str) -> Pin:
    """Return the pin of that name.

    Raises:
        DataError: If no data file has the name.
    """
    known = pins()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise DataError(f"no data file is called {name!r}", fix=f"{hint}known: {', '.join(known)}")


def git_blob_id(path: Path) -> str:
    r"""Return the id git gives a file's bytes: SHA-1 over `blob <size>\0` + content.

    The file is read in chunks, so its size does not matter. (Git, "Git Internals - Git Objects".)
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
