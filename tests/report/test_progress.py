"""Progress as a notebook shows it, in a real kernel, and as a log file does."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from scopebench.report.progress import BarProgress, in_notebook, shows_bars

WAIT = 60.0

RUNS = """
from scopebench.report.progress import BarProgress, in_notebook
with BarProgress() as progress:
    progress.phase("loading")
    progress.start(8, 2)
    progress.phase("asking")
    progress.generated(3)
    progress.finished(6)
in_notebook()
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[BlockingKernelClient]:
    """The kernel of a notebook: this Python, started anew."""
    manager, client = start_new_kernel(startup_timeout=WAIT)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def messages(client: BlockingKernelClient, code: str) -> list[dict[str, Any]]:
    """Return what a cell sends to the notebook."""
    sent: list[dict[str, Any]] = []
    client.execute_interactive(code, output_hook=sent.append, timeout=WAIT)
    return [message for message in sent if message["msg_type"] not in ("status", "execute_input")]


def test_a_notebook_shows_a_bar(kernel: BlockingKernelClient) -> None:
    sent = messages(kernel, RUNS)
    results = [
        m["content"]["data"]["text/plain"] for m in sent if m["msg_type"] == "execute_result"
    ]
    assert results == ["True"]
    shown = [m["content"]["data"] for m in sent if m["msg_type"] == "display_data"]
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)
    widgets = {
        m["content"]["comm_id"]: m["content"]["data"]["state"]
        for m in sent
        if m["msg_type"] == "comm_open"
    }
    [bar] = [key for key, of in widgets.items() if of["_model_name"] == "FloatProgressModel"]
    assert widgets[bar]["max"] == 8
    told = [m["content"]["data"]["state"] for m in sent if m["content"].get("comm_id") == bar]
    assert [of["value"] for of in told if "value" in of][-1] == 8
    texts = [m["content"]["text"] for m in sent if m["msg_type"] == "stream"]
    assert "scopebench: loading\n" in texts


def test_a_run_shows_itself_in_a_cell(kernel: BlockingKernelClient) -> None:
    code = (
        "import pandas as pd, scopebench as sb\n"
        "sb.headroom(pd.DataFrame({'query_id': ['a', 'a', 'b', 'b'], 'action': ['recite', 'reason']"
        " * 2, 'correct': [1, 0, 0, 1]}), resamples=100)"
    )
    [result] = [m for m in messages(kernel, code) if m["msg_type"] == "execute_result"]
    assert '<div class="scopebench">' in result["content"]["data"]["text/html"]


def test_a_log_file_gets_no_bar() -> None:
    assert not in_notebook()
    log = io.StringIO()
    with redirect_stderr(log):
        assert not shows_bars()
        with BarProgress() as progress:
            progress.phase("loading")
            progress.start(4, 0)
            progress.finished(4)
    assert log.getvalue() == ""
    assert sys.stderr is not log
