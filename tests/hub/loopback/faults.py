"""Faults to inject: which request meets them, and what it then gets instead of its answer."""

from __future__ import annotations

import random
import re
import threading
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["status", "slow", "cut", "lost", "refused"]


@dataclass
class Fault:
    """One kind of trouble.

    Attributes:
        kind: `status` answers with that status and changes nothing; `slow` answers after
            `seconds`; `cut` sends half of the body and closes; `lost` does what was asked and
            closes without an answer; `refused` closes without doing it.
        path: Pattern that the request's path must match somewhere.
        method: The request's method, or any.
        status: For `status`.
        headers: More headers, for `status`.
        message: The error message, for `status`; `{authorization}` becomes what the client sent.
        seconds: For `slow`.
        times: How many requests meet it; none: all.
        share: The chance that a matching request meets it.
    """

    kind: Kind
    path: str = "."
    method: str | None = None
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "injected"
    seconds: float = 0.0
    times: int | None = 1
    share: float = 1.0
    met: int = 0


class Faults:
    """The faults in force, drawn in order and from a fixed seed."""

    def __init__(self, seed: int = 0) -> None:
        self._faults: list[Fault] = []
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def meet(self, method: str, path: str) -> Fault | None:
        """Return the fault that this request meets, and count it."""
        with self._lock:
            for fault in self._faults:
                if fault.times is not None and fault.met >= fault.times:
                    continue
                if fault.method not in (None, method) or not re.search(fault.path, path):
                    continue
                if self._random.random() >= fault.share:
                    continue
                fault.met += 1
                return fault
        return None
