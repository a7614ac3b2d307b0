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
from scopebench.construct.many_valued import Asked, golds_of
from scopebench.construct.text import normalise
from scopebench.construct.true_values import TrueValues

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
    """

    draft: Draft
    flags: tuple[CheckId, ...]


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
    drafts: Iterable[Draft],
    world: World,
    clusters: Mapping[str, str],
    truths: TrueValues,
    tally: Tally,
) -> list[Screened]:
    """Return the drafts that pass every check, in the order given.

    Args:
        drafts: The drafts; of two with the same words the first is kept. What asks about a subject
            without an edit goes to the cluster in which that subject is first asked about.
        world: The edits around them.
        clusters: Cluster by anchor.
        truths: The true objects of each fact.
        tally: Counts what is found.
    """
    kept: list[Screened] = []
    asked: set[str] = set()
    home: dict[str, str] = {}
    for draft in drafts:
        tally.proposed[draft.kind] += 1
        screened = _screen_one(draft, world, truths, tally)
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


def _screen_one(proposed: Draft, world: World, truths: TrueValues, tally: Tally) -> Screened | None:
    golds = golds_of(_gold_rests_on(proposed), world.edits, truths)
    draft = replace(proposed, answers=golds.answers, pre_edit_answers=golds.pre_edit_answers)
    found = findings(draft, world)
    for finding in found:
        if _EFFECTS[finding.check] == "drop":
            tally.found(finding.check, "drop", draft, finding.reason)
            return None
    flags: list[CheckId] = []
    if golds.outcome is not None:
        tally.found("many_valued", golds.outcome, draft, golds.reason)
        flags.append("many_valued")
    for finding in found:
        effect = _EFFECTS[finding.check]
        tally.found(finding.check, effect, draft, finding.reason)
        if effect == "decision_only":
            draft = replace(draft, answers=None)
        elif effect == "strip_alias" and draft.answers is not None:
            draft = replace(draft, answers=without_paid_aliases(draft.answers))
        flags.append(finding.check)
    return Screened(draft, tuple(dict.fromkeys(flags)))


def _gold_rests_on(draft: Draft) -> Asked:
    return Asked(
        hops=draft.hops,
        hidden_edit_ids=draft.hidden_edit_ids,
        answers=draft.answers,
        pre_edit_answers=draft.pre_edit_answers,
        dated=draft.date is not None,
    )


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
