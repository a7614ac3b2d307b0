"""The installation and the cache: looked at, verified and cleaned."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scopebench.cache import Entry, Pruned, Verified
    from scopebench.doctor import Checkup


def doctor(*, deep: bool = False) -> Checkup:
    """Look at what is installed and there, with one suggestion for each problem.

    Args:
        deep: Whether to ask torch for devices and to verify models and files, which takes longer.

    Returns:
        What was found; `ok` says whether `score` with its defaults can run.
    """
    from scopebench.doctor import examine

    return examine(deep=deep)


def list_cache() -> list[Entry]:
    """Return everything kept in the cache folder, with its size and when it was last used."""
    from scopebench.cache import list_cache as listed

    return listed()


def verify_cache() -> Iterator[Verified]:
    """Yield what verifying each entry of the cache folder found, one after the other."""
    from scopebench.cache import verify_cache as verified

    return verified()


def prune_cache(
    *,
    kinds: Collection[str] = (),
    older_than: float | None = None,
    to_size: int | None = None,
    dry_run: bool = False,
) -> list[Pruned]:
    """Throw entries of the cache away; what a running process uses stays.

    Args:
        kinds: Kinds to throw away [default: all that are known].
        older_than: Days since it was last used, at least.
        to_size: Bytes that all entries together may take afterwards, the ones not used for longest
            going first.
        dry_run: Whether only to say what would go.

    Raises:
        UsageError: If nothing says what is to go, or a kind is not known.
    """
    from scopebench.cache import prune_cache as prune

    return prune(kinds=kinds, older_than=older_than, to_size=to_size, dry_run=dry_run)
