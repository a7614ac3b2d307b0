"""What a build leaves out, each with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from scopebench.construct.text import natural_key

Reason = Literal[
    "duplicate_edit",
    "contradictory_edit",
    "no_change",
    "ambiguous_question",
    "gold_equals_target",
    "lacks_condition",
]

REASONS: Final[dict[Reason, str]] = {
    "duplicate_edit": "an earlier edit of the data set asserts the same fact",
    "contradictory_edit": "another edit sets the same subject and relation to another object",
    "no_change": "the new object is the old one",
    "ambiguous_question": "another edit with another answer is asked in the same words",
    "gold_equals_target": "an answer of the old object would pass for the new one, or the reverse",
    "lacks_condition": "the edit has no evidence of this form",
}

EXAMPLES: Final = 20
"""At most so many ids are listed for each reason."""


@dataclass(frozen=True)
class Drop:
    """One edit, or the direct query or outcome gold of one edit, that was left out.

    Attributes:
        reason: Why; a key of `REASONS`.
        edit_id: The edit.
    """

    reason: Reason
    edit_id: str


def summarise(drops: Iterable[Drop]) -> dict[str, dict[str, Any]]:
    """Return, by reason, what it means, how many fell to it and the first ids."""
    by_reason: defaultdict[Reason, list[str]] = defaultdict(list)
    for drop in drops:
        by_reason[drop.reason].append(drop.edit_id)
    return {
        reason: {
            "meaning": REASONS[reason],
            "count": len(ids),
            "examples": sorted(ids, key=natural_key)[:EXAMPLES],
        }
        for reason, ids in sorted(by_reason.items())
    }
