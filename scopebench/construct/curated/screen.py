"""Runs the checks on drafts: what fails is dropped, made decision-only or flagged, and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scopebench.construct.checks.rows import (
    CHECKS,
    CheckId,
    Effect,
    findings,
    without_paid_aliases,
)
from scopebench.construct.checks.world import World
from scopebench.construct.curated.draft import Draft
from scopebench.construct.text import normalise

EXAMPLES: Final = 20
"""At most so many rows are named for each check."""

FREE_ANCHOR_KINDS: Final = frozenset({"mention"})
"""Kinds whose near edit is no twin, so that they may lie in another cluster than it."""

_EFFECTS: Final[Mapping[CheckId, Effect]] = {check.id: check.curated for check in CHECKS}


@dataclass(frozen=True)
class Screened:
    """A draft that passed.

    Attributes:
        draft: The draft, its gold mended where a check says so.
        flags: Ids of the checks that found something and did not drop it.
        where_supported: The same under the conditions in which a card supports the answer.
    """

    draft: Draft
    flags: tuple[CheckId, ...]
    where_supported: Screened | None = None


@dataclass
class Tally:
    """How many rows each check found, by what became of them, with examples.

    Attributes:
        counts: By check and effect.
        examples: The first rows of each check, as `id: reason`.
        proposed: Drafts by kind.
        passed: Drafts that passed, by kind.
        lost: Drafts dropped, by kind and check.
    """

    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    proposed: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    lost: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def found(self, check: CheckId, effect: Effect, draft: Draft, reason: str) -> None:
        """Count one finding."""
        self.counts[check][effect] += 1
        if effect == "drop":
            self.lost[draft.kind][check] += 1
        if len(self.examples[check]) < EXAMPLES:
            self.examples[check].append(f"{draft.key}: {reason}")


def screen(
    drafts: Iterable[Draft], world: World, clusters: Mapping[str, str], tally: Tally
) -> list[Screened]:
    """Return the drafts that pass every check, in the order given.

    Args:
        drafts: The drafts; of two with the same words the first is kept. What asks about a subject
            without an edit goes to the cluster in which that subject is first asked about.
        world: The edits around them.
        clusters: Cluster by anchor.
        tally: Counts what is found.
    """
    kept: list[Screened] = []
    asked: set[str] = set()
    home: dict[str, str] = {}
    for draft in drafts:
        tally.proposed[draft.kind] += 1
        screened = _screen_one(draft, world, tally)
        if screened is None:
            continue
        words = normalise(draft.question)
        if words in asked:
            tally.found("duplicate", "drop", draft, "an earlier row asks the same words")
            continue
        subject = _unedited_subject(draft, world)
        anchor = draft.anchor if subject is None else home.setdefault(subject, draft.anchor)
        if clusters[anchor] != clusters[draft.anchor]:
            if draft.near_edit_id is not None and draft.kind not in FREE_ANCHOR_KINDS:
                reason = f"{subject!r} is asked about in cluster {clusters[anchor]}"
                tally.found("split_subject", "drop", draft, reason)
                continue
            screened = replace(screened, draft=replace(screened.draft, anchor=anchor))
        asked.add(words)
        tally.passed[draft.kind] += 1
        kept.append(screened)
    return kept


def _screen_one(draft: Draft, world: World, tally: Tally) -> Screened | None:
    found = findings(draft, world)
    for finding in found:
        if _EFFECTS[finding.check] == "drop":
            tally.found(finding.check, "drop", draft, finding.reason)
            return None
    flags: list[CheckId] = []
    for finding in found:
        effect = _EFFECTS[finding.check]
        tally.found(finding.check, effect, draft, finding.reason)
        if effect == "decision_only":
            draft = replace(draft, answers=None)
        elif effect == "strip_alias" and draft.answers is not None:
            draft = replace(draft, answers=without_paid_aliases(draft.answers))
        flags.append(finding.check)
    supported = None
    if draft.supported:
        supported = _screen_one(draft.where_supported, world, tally)
        if supported is None:
            return None
    return Screened(draft, tuple(dict.fromkeys(flags)), supported)


def _unedited_subject(draft: Draft, world: World) -> str | None:
    """Return the key of the draft's first subject where no edit gives it a cluster."""
    for hop in draft.hops[:1]:
        if hop.subject is not None and not world.of_subject(hop.subject, hop.subject_id):
            return hop.subject_id or normalise(hop.subject)
    return None


def by_label(rows: Sequence[Screened]) -> tuple[list[Screened], list[Screened]]:
    """Split rows into those in scope and those out of scope."""
    inside = [row for row in rows if row.draft.in_scope]
    return inside, [row for row in rows if not row.draft.in_scope]
