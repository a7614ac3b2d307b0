"""Verdicts stored under an earlier version of the strict matcher, which are judged anew.

The answers of a run do not depend on the matcher, only what is said of them does. So a run whose
`run.json` names an earlier version loses nothing: every verdict is made again from the stored text.
A version is `NAME/NUMBER`; a greater number is a later one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scopebench.errors import DataError
from scopebench.scoring.match import MATCHER_VERSIONS

CURRENT: Final = MATCHER_VERSIONS["strict"]
"""The strict matcher of today."""

BY_STRICT: Final = frozenset({"correct", "refused"})
"""Columns of the outcomes that the strict matcher's version changes; the paper's has its own."""


@dataclass(frozen=True)
class JudgedAnew:
    """What judging stored answers again changed.

    Attributes:
        stored: The version that the stored verdicts are of.
        now: The version they were judged under.
        changed: Outcomes whose stored verdict is another one now.
        n: Outcomes with a text.
    """

    stored: str
    now: str
    changed: int
    n: int

    @property
    def words(self) -> str:
        """Say it in one line."""
        return (
            f"verdicts stored under {self.stored}; judged anew under {self.now}: "
            f"{self.changed:,} of {self.n:,} changed"
        )


def is_earlier(matcher: str) -> bool:
    """Return whether a stored matcher is an earlier version of the strict one.

    Raises:
        DataError: If it is a later version than this scopebench has.
    """
    name, number = _parts(CURRENT)
    stored_name, stored = _parts(matcher)
    if stored_name != name or stored is None or number is None:
        return False
    if stored > number:
        raise DataError(
            f"verdicts stored under {matcher}, where this scopebench has {CURRENT}",
            fix="use the scopebench that wrote them, or a newer one",
        )
    return 1 <= stored < number


def _parts(matcher: str) -> tuple[str, int | None]:
    name, _, number = matcher.partition("/")
    return name, int(number) if number.isascii() and number.isdecimal() else None
