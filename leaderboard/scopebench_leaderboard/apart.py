"""Work done in other processes, so that a reader waits only for what he asked for himself."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from typing import Final, ParamSpec, TypeVar

from scopebench.errors import ScopeBenchError

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
            ScopeBenchError: If it raised one of any kind, with the same message.
            BrokenProcessPool: If the process died; the next call gets a new one.
        """
        pool = self._started()
        try:
            return pool.submit(_told, partial(work, *args, **kwargs)).result()
        except BrokenProcessPool:
            with self._lock:
                if self._pool is pool:
                    self._pool = None
            raise

    def stop(self) -> None:
        """Drop what waits, and let go of the processes once they are done with what they do."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)

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


def _told(work: Callable[[], T]) -> T:
    """Call a function; what it raises for a reader travels as its message alone.

    An error that cannot be made anew on the other side would end the pool, with all that waits.
    """
    try:
        return work()
    except ScopeBenchError as error:
        raise ScopeBenchError(str(error)) from None


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
