"""How a run tells its caller where it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the state of a run; implementations talk to people, never to stdout."""

    def start(self, total: int, done: int) -> None:
        """Learn how many outcomes there are and how many an earlier session finished."""
        ...

    def phase(self, text: str) -> None:
        """Learn what is being done now."""
        ...

    def finished(self, outcomes: int) -> None:
        """Learn that so many more outcomes are done."""
        ...


class NoProgress:
    """Says nothing."""

    def start(self, total: int, done: int) -> None:
        """Ignore the totals."""

    def phase(self, text: str) -> None:
        """Ignore the phase."""

    def finished(self, outcomes: int) -> None:
        """Ignore the advance."""
