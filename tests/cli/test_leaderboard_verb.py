"""`scopebench leaderboard`: where it listens, and what it says where it cannot."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scopebench.api.leaderboard import _free_port
from scopebench.errors import DataError

LOOPBACK = "127.0.0.1"


@contextmanager
def taken() -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind((LOOPBACK, 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_the_first_free_port_is_taken() -> None:
    with taken() as one:
        with socket.socket() as other:
            other.bind((LOOPBACK, 0))
            free = other.getsockname()[1]
        assert _free_port(LOOPBACK, [one, free]) == free


def test_a_taken_port_is_one_clear_line() -> None:
    with (
        taken() as port,
        pytest.raises(DataError, match=rf"{port} \(Address already in use\); give another --port"),
    ):
        _free_port(LOOPBACK, [port])


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_this_machine_is_told_at_once(host: str) -> None:
    with pytest.raises(DataError, match=f"cannot listen at {host}:7860"):
        _free_port(host, range(7860, 7960))
