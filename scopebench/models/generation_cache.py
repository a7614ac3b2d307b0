"""A content-addressed store of generations in one SQLite file.

An entry's key is a hash over everything that determines the text, so it never goes stale and may be
shared by editors, conditions, runs and processes. The file is kept in write-ahead mode: a batch is
one transaction, readers never wait for writers, and a process killed in the middle of a write
leaves what was committed before.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from scopebench.cache_dir import cache_dir
from scopebench.errors import ModelError

if TYPE_CHECKING:
    from scopebench.protocols import GenerationRequest
    from scopebench.records import ModelRef

CACHE_VERSION: Final = 1
"""Part of every key; raised whenever decoding changes the text of an unchanged request."""

FILE_NAME: Final = "generations.sqlite3"
BUSY_SECONDS: Final = 60.0
_KEYS_A_STATEMENT: Final = 500


@dataclass(frozen=True)
class Generation:
    """One stored result.

    Attributes:
        text: The answer.
        tokens: How many tokens were generated for it.
    """

    text: str
    tokens: int


def generation_key(model: ModelRef, decoding: str, request: GenerationRequest) -> bytes:
    """Return the SHA-256 digest of all that determines a generation.

    The device is left out: it is no part of what was asked for.

    Args:
        model: The model; its id, revision and dtype count.
        decoding: Name of the decoding rule in force.
        request: The prompt, length limit, playback and sampling.
    """
    parts = [
        CACHE_VERSION,
        [model.id, model.revision, model.dtype],
        decoding,
        request.prompt,
        request.max_new_tokens,
        request.playback,
    ]
    if request.sampling is not None:  # a greedy request keeps the key it always had
        sampling = request.sampling
        parts.append([float(sampling.temperature), sampling.seed, sampling.draw])
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).digest()


class GenerationCache:
    """Generations by key; a context manager that closes its file.

    Args:
        path: The file, made with its folder when missing; by default
            `generations.sqlite3` in the cache folder.

    Raises:
        ModelError: If the file cannot be made, read or written, or is not such a cache.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = cache_dir() / FILE_NAME if path is None else path
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(
                f"generation cache {self.path}: its folder cannot be made ({error.strerror}); "
                "set SCOPEBENCH_CACHE to a folder that can be written"
            ) from error
        with self._named_faults():
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None
            )
        try:
            with self._named_faults():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, Generation]:
        """Return the entries that exist, by key."""
        found: dict[bytes, Generation] = {}
        with self._named_faults():
            for start in range(0, len(keys), _KEYS_A_STATEMENT):
                chunk = keys[start : start + _KEYS_A_STATEMENT]
                marks = ",".join("?" * len(chunk))
                rows = self._connection.execute(
                    f"SELECT key, text, tokens FROM generations WHERE key IN ({marks})",  # noqa: S608
                    chunk,
                )
                found.update((key, Generation(text, tokens)) for key, text, tokens in rows)
        return found

    def put_many(self, entries: Mapping[bytes, Generation]) -> None:
        """Store entries in one transaction; an entry that exists already is kept as it is."""
        rows = [(key, entry.text, entry.tokens) for key, entry in entries.items()]
        with self._named_faults(), self._transaction():
            self._connection.executemany(
                "INSERT INTO generations (key, text, tokens) VALUES (?, ?, ?) "
                "ON CONFLICT (key) DO NOTHING",
                rows,
            )

    def __len__(self) -> int:
        """Return how many generations are stored."""
        with self._named_faults():
            row = self._connection.execute("SELECT count(*) FROM generations").fetchone()
        return int(row[0])

    def close(self) -> None:
        """Close the file; the object cannot be used afterwards."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the cache itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def _prepare(self) -> None:
        """Bring the file into write-ahead mode and make its table."""
        self._enter_wal_mode()
        # NORMAL survives the death of the process; only a power cut can lose the last batches.
        self._connection.execute("PRAGMA synchronous=NORMAL")
        with self._transaction():
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS generations ("
                "key BLOB PRIMARY KEY, text TEXT NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID"
            )
        self._connection.execute("SELECT key, text, tokens FROM generations LIMIT 1").fetchone()

    def _enter_wal_mode(self) -> None:
        """Switch the journal mode, waiting while another process does the same.

        The busy timeout does not cover this switch, which needs the file for itself.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit on success, roll back on any failure."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def _named_faults(self) -> Iterator[None]:
        """Turn SQLite's faults into a `ModelError` that names the file and the way out."""
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise  # a caller's mistake, not a fault of the file
        except sqlite3.OperationalError as error:
            if "no such column" in str(error):
                raise self._not_a_cache(error) from error
            raise ModelError(
                f"generation cache {self.path} cannot be used ({error}); "
                "make it writable, or set SCOPEBENCH_CACHE to a folder that can be written"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._not_a_cache(error) from error

    def _not_a_cache(self, error: sqlite3.DatabaseError) -> ModelError:
        """Describe a file whose contents are not what this class wrote."""
        return ModelError(
            f"generation cache {self.path} is damaged ({error}); delete {self.path} together with "
            f"{self.path.name}-wal and {self.path.name}-shm, and run again"
        )
