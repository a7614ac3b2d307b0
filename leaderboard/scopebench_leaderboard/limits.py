"""Who may have how much verified: a sliding window per user, else per address."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

HOUR: Final = 3600.0
"""Seconds of the window."""

MOST_KEYS: Final = 10_000
"""Users remembered: beyond that the ones not seen for longest are forgotten."""


@dataclass
class RateLimit:
    """At most so many events a key within a window; safe to share between threads.

    Attributes:
        most: Events a key may have within the window.
        window: Seconds.
    """

    most: int
    window: float = HOUR
    _seen: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self, key: str, now: float) -> float:
        """Count an event if it is allowed.

        Args:
            key: Whose event it is.
            now: Seconds on a clock that never goes back.

        Returns:
            0 where it was allowed and counted; else the seconds until the next one will be.
        """
        with self._lock:
            times = self._seen.setdefault(key, deque())
            self._seen.move_to_end(key)
            while len(self._seen) > MOST_KEYS:
                self._seen.popitem(last=False)
            while times and times[0] <= now - self.window:
                times.popleft()
            if len(times) < self.most:
                times.append(now)
                return 0.0
            return times[0] + self.window - now if times else self.window


def reader_key(
    user: str | None, headers: Mapping[str, str], host: str | None, *, trust_proxy: bool
) -> str:
    """Return whom a request counts for: the signed-in user, else the address it came from.

    Only the last address of `X-Forwarded-For` is believed, the one that the proxy in front itself
    added: those before it are what the sender claims.
    """
    if user:
        return f"user {user}"
    forwarded = [part.strip() for part in headers.get("x-forwarded-for", "").split(",")]
    if trust_proxy and forwarded[-1]:
        return f"address {forwarded[-1]}"
    return f"address {host or 'unknown'}"
