"""Fixtures of the loopback Hub. A test module takes them so, whatever its folder:

sys.path.insert(0, str(FOLDER_OF_LOOPBACK))
pytest_plugins = ["loopback.fixtures"]
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from huggingface_hub import constants
from loopback.server import LoopbackHub

from scopebench.hub.remote import Remote
from scopebench.hub.retry import RetryPolicy

QUICK = RetryPolicy(attempts=30, first_wait=0.02, longest_wait=0.5, total_seconds=50)


@pytest.fixture
def plain_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upload by the protocol the loopback speaks; draw no bars; log in as nobody.

    The client reads its variables when it is imported, which another test may have done.
    """
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nowhere/token")
    monkeypatch.delenv("HF_TOKEN", raising=False)


@pytest.fixture
def loopback(plain_client: None) -> Iterator[LoopbackHub]:
    """A Hub of this test's own."""
    with LoopbackHub() as hub:
        yield hub


@pytest.fixture
def told() -> list[str]:
    """What the remote tells while it waits."""
    return []


@pytest.fixture
def remote(loopback: LoopbackHub, told: list[str]) -> Remote:
    """The loopback Hub, logged in, with short waits."""
    return Remote(endpoint=loopback.url, token=loopback.token, policy=QUICK, tell=told.append)
