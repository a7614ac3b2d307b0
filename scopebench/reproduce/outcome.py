"""What reproducing a run found, and the rule by which it counts as reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from scopebench.hub.marks import ENOUGH, State

CONFIDENCE: Final = 0.95
"""Confidence of the one-sided bound on the share of outcomes that are as generated."""

TriedState = State | Literal["not tried"]


@dataclass(frozen=True)
class Mismatch:
    """An outcome whose text the model does not give.

    Attributes:
        query_id: The query.
        condition: The condition.
        action: `abstain` or `reason`.
        draw: The draw.
        stored: The text of the run.
        generated: The text of this machine.
    """

    query_id: str
    condition: str
    action: str
    draw: int
    stored: str
    generated: str


@dataclass(frozen=True)
class Reproduction:
    """A sample of a run's answers beside those that its model gives here.

    Attributes:
        state: Whether enough are equal, or that none was generated.
        reason: Why none was; empty otherwise.
        seed: Seeds the sample.
        asked: Outcomes asked for.
        rows: Outcomes that the sample was drawn from.
        equal: Outcomes of the sample with the same text, by action.
        n: Outcomes of the sample, by action.
        left_out: Actions that were not generated, each with the reason.
        mismatches: Outcomes with another text, in the order of the sample.
        machine: What it was generated with: device, versions.
    """

    state: TriedState
    reason: str
    seed: int
    asked: int
    rows: int = 0
    equal: Mapping[str, int] = field(default_factory=dict)
    n: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    mismatches: tuple[Mismatch, ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)

    @property
    def tried(self) -> bool:
        """Whether anything was generated."""
        return self.state != "not tried"

    @property
    def total_equal(self) -> int:
        """Outcomes of the sample with the same text."""
        return sum(self.equal.values())

    @property
    def total(self) -> int:
        """Outcomes of the sample."""
        return sum(self.n.values())

    @property
    def low(self) -> float | None:
        """A lower bound on the share of `rows` that are as generated; null where none was tried.

        One-sided and exact (Clopper and Pearson, 1934), so the lower end of the two-sided interval
        of twice the error. Drawing without replacement only makes it safer.
        """
        from scopebench.scoring.stats.proportions import clopper_pearson

        if not self.total:
            return None
        return clopper_pearson(self.total_equal, self.total, 2 * CONFIDENCE - 1)[0]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            **asdict(self),
            "total_equal": self.total_equal,
            "total": self.total,
            "low": self.low,
            "confidence": CONFIDENCE,
            "enough": ENOUGH,
        }


def not_tried(reason: str, *, seed: int, asked: int) -> Reproduction:
    """Return what is said where nothing could be generated."""
    return Reproduction("not tried", reason, seed, asked)
