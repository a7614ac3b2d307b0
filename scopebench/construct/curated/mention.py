"""`mention`: an edit is quoted, imagined or denied, and something else is asked.

Both labels come in the same frames: after the mention the question asks either a fact that no edit
sets or the fact of another edit, so the frame itself gives nothing away. Only forms with one gold
are used: what is asked after the mention is a plain question of another kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from scopebench.construct.assign import draw
from scopebench.construct.curated.direct import propose as direct_drafts
from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.curated.refilled import propose as refilled_drafts
from scopebench.construct.curated.unedited_hop import propose as hop_drafts
from scopebench.construct.leak import part_of
from scopebench.construct.text import holds_phrase, normalise
from scopebench.records import Edit

FRAMES: Final = {
    "quoted": 'A sign in a shop reads: "{statement}" {question}',
    "imagined": 'A novel opens with the words: "{statement}" Apart from the novel: {question}',
    "denied": 'Someone denied that they had said: "{statement}" {question}',
}
"""The forms of mention; each leaves the question after it with the gold it has alone."""

MOST: Final = 400
"""Drafts of each label at most: the kind is a small share of any mix."""


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield plain questions of both labels behind a mention of an edit in force."""
    mentioned = sorted(
        (direct.edit for direct in pool.kept.values()),
        key=lambda edit: draw(pool.seed, "mention", edit.edit_id),
    )
    if not mentioned:
        return
    outside = [*hop_drafts(pool), *refilled_drafts(pool)]
    for n, pair in enumerate(
        islice(_of_one_wording(pool, list(direct_drafts(pool)), outside), MOST)
    ):
        frame = sorted(FRAMES)[n % len(FRAMES)]
        for draft in pair:
            edit = _unlike(mentioned, n, draft)
            if edit is not None:
                yield _behind(draft, edit, frame)


def _of_one_wording(
    pool: Pool, inside: Sequence[Draft], outside: Sequence[Draft]
) -> Iterator[tuple[Draft, Draft]]:
    """Yield pairs of one draft of each label that ask in the same words, in a seeded order.

    Pairs inside one part of the leak test come first, for the reason given there.
    """

    def order(draft: Draft) -> float:
        return draw(pool.seed, "mention", draft.key)

    def part(draft: Draft) -> int:
        return part_of(pool.layout.clusters[draft.anchor], pool.seed)

    waiting: defaultdict[tuple[str, str], list[Draft]] = defaultdict(list)
    for draft in sorted(inside, key=order):
        waiting[draft.form, draft.wording].append(draft)
    left: list[Draft] = []
    for draft in sorted(outside, key=order):
        same = waiting[draft.form, draft.wording]
        at = next((at for at, other in enumerate(same) if part(other) == part(draft)), None)
        if at is None:
            left.append(draft)
        else:
            yield same.pop(at), draft
    for draft in left:
        if waiting[draft.form, draft.wording]:
            yield waiting[draft.form, draft.wording].pop(0), draft


def _unlike(mentioned: list[Edit], n: int, draft: Draft) -> Edit | None:
    """Return an edit of other names than a question's, the n-th and following ones being tried."""
    asked = normalise(draft.question)
    for step in range(min(5, len(mentioned))):
        edit = mentioned[(n + step) % len(mentioned)]
        told = normalise(edit.statement)
        answers = (*(draft.answers or ()), *(draft.pre_edit_answers or ()))
        if holds_phrase(asked, normalise(edit.subject)):
            continue
        if any(holds_phrase(told, normalise(answer)) for answer in answers):
            continue
        if any(hop.subject and holds_phrase(told, normalise(hop.subject)) for hop in draft.hops):
            continue
        return edit
    return None


def _behind(draft: Draft, edit: Edit, frame: str) -> Draft:
    text = FRAMES[frame].format(statement=edit.statement, question=draft.question)
    return replace(
        draft,
        kind=KIND.name,
        name=f"{draft.name}.{draft.kind}.{frame}",
        question=text,
        near_edit_id=draft.near_edit_id if draft.in_scope else edit.edit_id,
        wording=f"{frame} {draft.wording}",
    )


KIND = Kind(
    name="mention",
    scope="both",
    tests="whether naming an edit is told from asking for it",
    gold="that of the plain question behind the mention",
    pitfalls="negated or reported facts often have no single answer; only mentions of one fact "
    "before a question about another are used, in the same frames for both labels",
    needs="any edit",
    share=0.1,
    propose=propose,
)
