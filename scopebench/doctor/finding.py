"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "note", "problem", "missing"]
"""`note`: something optional is not there; `problem`: something is not as it should be; `missing`:
`scopebench score` with its defaults cannot run without it."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        part: The part of the system it belongs to.
        name: What was looked at.
        found: What was found, in words.
        status: Whether that is as it should be.
        suggestion: What to do about it, where it is not.
    """

    part: str
    name: str
    found: str
    status: Status = "ok"
    suggestion: str | None = None
