"""What verifying yields: faults that each fit on one line, whatever the submission holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Final

LONGEST: Final = 400
"""Characters of each part of a fault."""

MOST_OF_A_CHECK: Final = 20
"""Faults of one check that are told; the rest are counted in one more."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a submission.

    Every part is made one short line of visible characters, since it may quote the submission.

    Attributes:
        check: Id of the check.
        where: The file, with the record and field where there are any; empty: the whole.
        text: What is wrong and, where it helps, what to do.
    """

    check: str
    where: str
    text: str

    def __post_init__(self) -> None:
        for part in fields(self):
            object.__setattr__(self, part.name, one_line(getattr(self, part.name)))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{self.check}: {place}{self.text}"


def one_line(text: str) -> str:
    """Return a text as one short line, with invisible characters spelled out."""
    flat = " ".join(text[: 2 * LONGEST].split())
    visible = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in flat
    )
    return visible if len(visible) <= LONGEST else visible[: LONGEST - 3] + "..."


def told(faults: Iterable[Fault], most: int = MOST_OF_A_CHECK) -> Iterator[Fault]:
    """Yield the first faults of every check, and for each check how many more there are.

    However many faults there are, only those that are yielded are held.
    """
    counts: Counter[str] = Counter()
    for fault in faults:
        counts[fault.check] += 1
        if counts[fault.check] <= most:
            yield fault
    for check, count in counts.items():
        if count > most:
            yield Fault(check, "", f"{count - most:,} more of these")
