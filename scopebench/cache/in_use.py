"""Whether a running process uses an entry of the cache, and holding it while it is thrown away."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from scopebench.cache.entries import Entry

_PROC = Path("/proc")


@contextmanager
def held(entry: Entry) -> Iterator[str | None]:
    """Hold an entry for oneself; yields why it cannot be had, None where it is.

    What makes or reads an entry locks `<entry>.lock`; a database is had where SQLite lets it leave
    write-ahead mode, for which no other connection may be open. Where the system tells which files
    a process has open (Linux), those are looked at too.
    """
    reason = _open_elsewhere(entry)
    if reason is not None:
        yield reason
        return
    if entry.kind == "generations":
        with _database(entry.path) as reason:
            yield reason
        return
    path = Path(f"{entry.path}.lock")
    if entry.kind == "leftover":  # made under the lock of what it was to become
        path = entry.path.with_name(f"{entry.path.stem}.lock")
    if not path.exists():
        yield None
        return
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield f"a running process holds {path.name}"
        return
    try:
        yield None
    finally:
        lock.release()


@contextmanager
def _database(path: Path) -> Iterator[str | None]:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        reason = None
    except sqlite3.OperationalError as error:
        reason = f"a running process has the database open ({error})"
    except sqlite3.DatabaseError:
        reason = None  # no database any more: nobody can be using it
    try:
        yield reason
    finally:
        connection.close()


def _open_elsewhere(entry: Entry) -> str | None:
    """Say which process has a file of an entry open or mapped, where the system tells."""
    if not _PROC.is_dir():
        return None
    inside = tuple(str(path.resolve()) for path in entry.parts)
    for process in _PROC.iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        if any(_is_in(name, inside) for name in _files_of(process)):
            return f"process {process.name} has a file of it open"
    return None


def _files_of(process: Path) -> Iterator[str]:
    """Yield the files a process has open or mapped; none where it may not be looked at."""
    try:
        for handle in (process / "fd").iterdir():
            yield str(handle.readlink())
        for line in (process / "maps").read_text("utf-8", "replace").splitlines():
            _, separator, name = line.partition("/")
            if separator:
                yield "/" + name
    except OSError:
        return


def _is_in(name: str, inside: tuple[str, ...]) -> bool:
    return any(name == path or name.startswith(path + os.sep) for path in inside)
