"""`unrelated`: a question of another data set of the build. Easy, so its share is capped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from scopebench.construct.assign import draw
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.records import Hop

MOST: Final = 1_000
"""Drafts at most: a tenth of the largest mix that is sensible."""


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield questions of other data sets' edits about subjects that no edit here is about."""
    order = sorted(
        pool.others, key=lambda direct: draw(pool.seed, "unrelated", direct.edit.edit_id)
    )
    for direct in order[:MOST]:
        edit = direct.edit
        if edit.target_true is None or pool.world.of_subject(edit.subject, edit.subject_id):
            continue
        # The old object of a real update is false in the world of the other data set.
        updated = edit.time_true is not None or edit.time_new is not None
        before = None if updated else edit.target_true.answers
        yield Draft(
            kind=KIND.name,
            name=f"{edit.dataset}.{edit.case}/{edit.edit_id.split('/')[2]}",
            question=edit.asked,
            form=edit.form,
            answers=before,
            pre_edit_answers=before,
            hops=(
                Hop(
                    subject=edit.subject,
                    subject_id=edit.subject_id,
                    relation=edit.relation_id or edit.prompt,
                    object=None if updated else edit.target_true.text,
                ),
            ),
            near_edit_id=None,
            anchor=edit.edit_id,
            wording=wording_of(edit.asked, [edit.subject]),
            source=edit.source,
        )


KIND = Kind(
    name="unrelated",
    scope="out",
    tests="the floor: nothing in the memory is near",
    gold="the old object in its own data set; decision-only where that one holds real updates, "
    "whose old objects are outdated",
    pitfalls="too easy to say much, hence at most a tenth of the rows",
    needs="a second data set in the build",
    share=0.1,
    propose=propose,
)
