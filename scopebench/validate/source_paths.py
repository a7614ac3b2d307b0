"""Checks of multi-hop groups: facts on a group's path that another group edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from scopebench.construct.identity import Keys, Slot
from scopebench.construct.text import normalise
from scopebench.records import Edit
from scopebench.sources.case import Case, Link, Probe
from scopebench.validate.finding import Finding


def paths(cases: Sequence[Case]) -> Iterator[Finding]:
    """Yield groups with a link that they do not edit and another group sets to another object.

    In one pool of edits the group's answer is then wrong: after its own edits
    (`path_edited_elsewhere`) or before any (`path_before_edited_elsewhere`). field.md section 2.3
    counts 61 and 20 of the 354 groups of AKEW's MQuAKE-CF. One finding per group and check.
    """
    edits = [edit for case in cases for edit in case.edits]
    keys = Keys.of(edits)
    by_slot: defaultdict[Slot, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_slot[keys.slot(edit)].append(edit)
    for case in cases:
        chain = next((probe for probe in case.probes if probe.role == "chain"), None)
        if chain is None:
            continue
        own = {keys.slot(edit) for edit in case.edits}
        for check, links in (
            ("path_edited_elsewhere", chain.path_after),
            ("path_before_edited_elsewhere", chain.path_before),
        ):
            finding = _contradicted(check, case, chain, links, own, by_slot, keys)
            if finding is not None:
                yield finding


def _contradicted(
    check: str,
    case: Case,
    chain: Probe,
    links: Sequence[Link],
    own: set[Slot],
    by_slot: dict[Slot, list[Edit]],
    keys: Keys,
) -> Finding | None:
    """Return the finding on one path, naming its first contradicted link and all the groups."""
    records: dict[str, None] = {}
    reason = None
    for link in links:
        slot = _slot(link, keys)
        if slot is None or slot in own:
            continue
        for edit in by_slot.get(slot, ()):
            if edit.case == case.case_id or _is_object(edit, link):
                continue
            records[edit.source.record] = None
            reason = reason or (
                f"the path goes through {link.subject!r} to {link.object!r}, which record "
                f"{edit.source.record} sets to {edit.target_new.text!r}"
            )
    if reason is None:
        return None
    source = case.edits[0].source
    return Finding(check, source.file, source.record, chain.field, reason, tuple(records))


def _slot(link: Link, keys: Keys) -> Slot | None:
    """Return what a link asks, None where its relation is not told."""
    subject = keys.subject(link.subject, link.subject_id)
    if link.relation_id is not None:
        return subject, f"id:{link.relation_id}"
    if link.cloze is not None and link.subject in link.cloze:
        return subject, keys.relation(link.cloze.replace(link.subject, "{}", 1), None)
    return None


def _is_object(edit: Edit, link: Link) -> bool:
    """Whether an edit sets the link's own object."""
    target = edit.target_new
    if target.entity_id is not None and link.object_id is not None:
        return target.entity_id == link.object_id
    return normalise(target.text) == normalise(link.object)
