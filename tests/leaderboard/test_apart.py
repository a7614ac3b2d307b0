"""Work in other processes: polite, replaced when they die, gone when their parent is."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import psutil
import pytest

from scopebench.errors import ScopeBenchError
from scopebench.hub.remote import checked_repo_id
from scopebench_leaderboard.apart import POLITE, Apart

PARENT = """
import os, time
from scopebench_leaderboard.apart import Apart
if __name__ == "__main__":
    print(Apart().run(os.getpid), flush=True)
    time.sleep(60)
"""


def test_work_is_done_elsewhere_and_after_what_readers_ask() -> None:
    apart = Apart()
    try:
        assert apart.run(math.factorial, 5) == 120
        assert apart.run(os.getpid) != os.getpid()
        assert apart.run(os.nice, 0) >= min(os.nice(0) + POLITE, 19)
    finally:
        apart.stop()


def test_a_process_that_dies_fails_its_own_work_and_no_other() -> None:
    apart = Apart()
    try:
        with pytest.raises(BrokenProcessPool):
            apart.run(os._exit, 1)
        assert apart.run(math.factorial, 5) == 120
    finally:
        apart.stop()


def test_a_fault_of_the_reader_keeps_its_message_and_the_process() -> None:
    apart = Apart()
    try:
        before = apart.run(os.getpid)
        with pytest.raises(ScopeBenchError, match="'no name' is no name of a repository"):
            apart.run(checked_repo_id, "no name")
        assert apart.run(os.getpid) == before
    finally:
        apart.stop()


def test_what_the_work_raises_is_raised_here() -> None:
    apart = Apart()
    try:
        with pytest.raises(ValueError, match=r"math domain|nonnegative"):
            apart.run(math.sqrt, -1)
    finally:
        apart.stop()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="NO SIGKILL on this platform")
def test_a_worker_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    deadline = time.monotonic() + 20
    while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the worker is still there"
        time.sleep(0.05)
