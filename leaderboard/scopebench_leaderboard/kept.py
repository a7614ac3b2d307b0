"""Answers that are made once, however many readers ask for them at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

Found = TypeVar("Found")


@dataclass(eq=False)
class Kept:
    """Values by key, each made by the first who asks for it; safe to share between threads.

    Attributes:
        most: Values kept: beyond that the ones not asked for longest are dropped.
    """

    most: int
    _values: OrderedDict[tuple[str, ...], Future[Any]] = field(
        default_factory=OrderedDict, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def get(self, key: tuple[str, ...], make: Callable[[], Found]) -> Found:
        """Return the value of a key, made now if nobody made it yet.

        Who asks while it is being made waits for it. What `make` raises is raised to all who wait,
        and is not kept.
        """
        with self._lock:
            known = self._values.get(key)
            future: Future[Found] = Future() if known is None else known
            self._values[key] = future
            self._values.move_to_end(key)
            while len(self._values) > self.most:
                self._values.popitem(last=False)
        if known is None:
            self._make(key, make, future)
        return future.result()

    def _make(self, key: tuple[str, ...], make: Callable[[], Found], future: Future[Found]) -> None:
        try:
            future.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is future:
                    del self._values[key]
            future.set_exception(error)
