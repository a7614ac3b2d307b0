"""Which other names of a subject surely mean it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from scopebench.construct.curated.pool import Pool
from scopebench.construct.text import bare, normalise
from scopebench.records import Edit

Bearers = Mapping[str, set[str]]
"""Who bears each bare name: entity ids, or normalised labels where there are none."""

SHORTEST: Final = 4
"""Characters of the shortest alias: shorter ones are words or codes that name many things."""


def bearers(pool: Pool) -> Bearers:
    """Return who bears each name: edited subjects and entities on paths, by bare name."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for edit in pool.world.edits.values():
        names[bare(edit.subject)].add(edit.subject_id or normalise(edit.subject))
    for _, _, probe in pool.probes("chain"):
        for link in (*probe.path_before, *probe.path_after):
            for answer in link.answers:
                names[bare(answer)].add(link.object_id or normalise(link.object))
    return dict(names)


def is_own(alias: str, edit: Edit, names: Bearers) -> bool:
    """Whether an alias is long enough, more than a part of the label, and of nobody else."""
    plain = bare(alias)
    if len(plain) < SHORTEST or plain == bare(edit.subject) or not alias[:1].isupper():
        return False
    if set(plain.split()) < set(bare(edit.subject).split()):
        return False  # a part of the label, such as a surname, names many
    own = {edit.subject_id or normalise(edit.subject), normalise(edit.subject)}
    return names.get(plain, set()) <= own
