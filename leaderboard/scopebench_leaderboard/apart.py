"""Work done in other processes, so that a reader waits only for what he asked for himself."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

POLITE: Final = 10
"""Niceness of a worker: the process that answers readers goes first."""


@dataclass(eq=False)
class Apart:
    """A few processes that do what they are given, in turn; safe to share between threads.

    They are started when first needed, and end with the process that started them, however that
    ends.

    Attributes:
        workers: Processes.
    """

    workers: int = 1
    _pool: ProcessPoolExecutor | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function of a module returns, called in another process.

        Raises:
            BrokenProcessPool: If the process died; the next call gets a new one.
        """
        pool = self._started()
        try:
            return pool.submit(work, *args, **kwargs).result()
        except BrokenProcessPool:
            with self._lock:
                if self._pool is pool:
                    self._pool = None
            raise

    def stop(self) -> None:
        """Let go of the processes, and of what waits for them."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = process_pool(self.workers)
            return self._pool


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of polite processes that do not outlive this one."""
    # Not forked: the app has threads.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)


def _begin() -> None:
    if hasattr(os, "nice"):
        os.nice(POLITE)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    """End this process when another has ended: a pool's own processes would wait for ever."""
    parent.join()
    os._exit(1)
