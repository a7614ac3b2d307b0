"""Throws entries of the cache away: by kind, by age, or oldest first down to a size."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from scopebench.cache.entries import KINDS, Entry, list_cache
from scopebench.cache.in_use import held
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, UsageError

Outcome = Literal["removed", "would be removed", "in use"]

DISPOSABLE: Final = tuple(kind for kind in KINDS if kind != "other")
"""Kinds that are thrown away unless others are named: never what is not known."""


@dataclass(frozen=True)
class Pruned:
    """What became of one entry.

    Attributes:
        entry: The entry.
        outcome: Whether it was thrown away.
        reason: Why it is in use.
    """

    entry: Entry
    outcome: Outcome
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**self.entry.as_json(), "outcome": self.outcome, "reason": self.reason}


def prune_cache(
    *,
    kinds: Collection[str] = (),
    older_than: float | None = None,
    to_size: int | None = None,
    dry_run: bool = False,
    root: Path | None = None,
) -> list[Pruned]:
    """Throw entries away; what a running process uses stays.

    An entry goes where all that is given holds of it.

    Args:
        kinds: Kinds to throw away [default: all that are known].
        older_than: Days since it was last used, at least.
        to_size: Bytes that all entries together may take afterwards: the ones not used for longest
            go first, and no more than is needed.
        dry_run: Whether only to say what would go.
        root: The cache folder [default: `cache_dir()`].

    Raises:
        UsageError: If nothing says what is to go, or a kind is not known.
        DataError: If the folder cannot be written.
    """
    if not kinds and older_than is None and to_size is None:
        raise UsageError("say what is to go: a kind, an age or a size")
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise UsageError(f"no kind is called {unknown[0]!r}; known: {', '.join(KINDS)}")
    entries = list_cache(root)
    return list(_pruned(entries, _chosen(entries, kinds, older_than), to_size, dry_run))


def _chosen(entries: list[Entry], kinds: Collection[str], older_than: float | None) -> list[Entry]:
    """Return the entries of the kinds and the age asked for, those longest unused first."""
    now = datetime.now(UTC)
    never = datetime.fromtimestamp(0, UTC)
    wanted = kinds or DISPOSABLE
    found = [
        entry
        for entry in entries
        if entry.kind in wanted
        and (older_than is None or now - (entry.last_used or never) >= timedelta(days=older_than))
    ]
    return sorted(found, key=lambda entry: (entry.last_used or never, entry.name))


def _pruned(
    entries: list[Entry], chosen: list[Entry], to_size: int | None, dry_run: bool
) -> Iterator[Pruned]:
    left = sum(entry.size for entry in entries)
    for entry in chosen:
        if to_size is not None and left <= to_size:
            return
        with held(entry) as reason:
            if reason is not None:
                yield Pruned(entry, "in use", reason)
                continue
            if not dry_run:
                _remove(entry)
        left -= entry.size
        yield Pruned(entry, "would be removed" if dry_run else "removed")


def _remove(entry: Entry) -> None:
    """Throw an entry away; interrupted, it leaves either all of it or a leftover."""
    with clear_disk_errors(entry.path, DataError):
        for part in entry.parts:
            if part.is_symlink() or not part.is_dir():
                part.unlink(missing_ok=True)
                continue
            aside = part.with_name(f"{part.name}.{os.getpid()}.pruned")
            part.rename(aside)
            shutil.rmtree(aside)
