"""`unedited_chain`: a multi-hop question none of whose hops is edited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.multi_hop import of_chain
from scopebench.construct.curated.paths import compositions, walk
from scopebench.construct.curated.pool import Pool, link_hop
from scopebench.sources.case import Link


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield questions of cases without an edit in force, and compositions of untouched facts."""
    for case, n, probe in pool.probes("chain"):
        walked = None if not probe.path_before else walk(probe.path_before, pool.world)
        if walked is None or walked.edits or probe.before is None:
            continue
        draft = of_chain(pool, KIND.name, case, n, probe, walked, probe.before)
        deleted = [edit.edit_id for hop in walked.hops for edit in pool.world.of_fact(hop)]
        anchors = [edit.edit_id for edit in pool.edits_of(case)]
        if anchors:
            hidden = tuple(dict.fromkeys(deleted))
            yield replace(draft, anchor=anchors[0], hidden_edit_ids=hidden)
    home = _homes(pool)
    for composed in compositions(pool):
        if _key(composed.first) not in home:
            continue
        yield Draft(
            kind=KIND.name,
            name=f"composed/{composed.name}",
            question=composed.question,
            form="question",
            answers=composed.second.answers,
            pre_edit_answers=composed.second.answers,
            hops=(link_hop(composed.first), link_hop(composed.second)),
            near_edit_id=None,
            anchor=home[_key(composed.first)][0],
            wording=composed.wording,
            source=pool.world.edits[home[_key(composed.first)][0]].source,
        )


def _homes(pool: Pool) -> dict[tuple[str | None, str | None], list[str]]:
    """Return, by fact, the edits of the first case with an edit in the index whose path has it."""
    found: dict[tuple[str | None, str | None], list[str]] = {}
    for case, _, probe in pool.probes("chain"):
        edits = [edit.edit_id for edit in pool.edits_of(case)]
        for link in (*probe.path_before, *probe.path_after):
            if edits:
                found.setdefault(_key(link), edits)
    return found


def _key(link: Link) -> tuple[str | None, str | None]:
    return link.subject_id, link.relation_id


KIND = Kind(
    name="unedited_chain",
    scope="out",
    tests="multi-hop questions, the wording of edited ones, that no edit touches",
    gold="the answer at the end of the path before any edit, aliases included",
    pitfalls="every hop is checked against every edit; composed questions are plainer than the "
    "source's own, so that edited ones are composed in the same words",
    needs="multi-hop questions with their paths",
    share=1.0,
    propose=propose,
)
