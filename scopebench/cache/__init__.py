"""What is kept in the cache folder: listed, verified, and thrown away when asked for."""

from scopebench.cache.entries import KINDS, Entry, list_cache
from scopebench.cache.prune import Pruned, prune_cache
from scopebench.cache.verify import Verified, verify_cache

__all__ = [
    "KINDS",
    "Entry",
    "Pruned",
    "Verified",
    "list_cache",
    "prune_cache",
    "verify_cache",
]
