"""`temporal`: a fact that changed, asked for a date before or after the change."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

from scopebench.construct.curated.dates import in_words, inside, overlaps
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.direct import Direct
from scopebench.records import Edit

LAST_DAY: Final = datetime.date(2024, 6, 30)
"""End assumed for a fact without an end: before the latest of the sources was collected, so that
an open end means that it still held."""

_FUNCTION_WORDS: Final = frozenset(
    "who what which where when whose whom how in on at the is was from of to name".split()
)


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield each dated edit in force asked for a date of its old and for one of its new object."""
    for direct in pool.kept.values():
        edit = direct.edit
        if edit.time_true is None or edit.time_new is None or edit.target_true is None:
            continue
        before = inside(edit.time_true)
        after = inside(edit.time_new, until=LAST_DAY)
        if before is not None and not overlaps(before, edit.time_new):
            yield _dated(pool, direct, "old", f"As of {in_words(before)}, ", before, new=False)
        if after is not None and not overlaps(after, edit.time_true):
            yield _dated(pool, direct, "new", f"As of {in_words(after)}, ", after, new=True)
        if edit.time_true.end is not None and edit.time_true.end == edit.time_new.start:
            # Consecutive holders: only then is the previous one certain.
            change = in_words(edit.time_true.end)
            yield _dated(
                pool, direct, "previously", f"Just before the change of {change}, ",
                edit.time_true.end, new=False,
            )  # fmt: skip
            yield _dated(
                pool, direct, "currently", f"Since the change of {change}, ",
                edit.time_true.end, new=True,
            )  # fmt: skip


def _dated(pool: Pool, direct: Direct, n: str, opening: str, date: str, *, new: bool) -> Draft:
    edit = direct.edit
    assert edit.target_true is not None
    question = opening + lower_start(edit)
    governing = tuple(other.edit_id for other in direct.governing) if new else ()
    told = edit.target_new if new else edit.target_true
    return Draft(
        kind=KIND.name,
        name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{n}",
        question=question,
        form=edit.form,
        answers=told.answers,
        pre_edit_answers=edit.target_true.answers,
        hops=(pool.hop_of(edit, object=told.text, edit_ids=governing),),
        near_edit_id=edit.edit_id,
        anchor=edit.edit_id,
        wording=wording_of(edit.asked, [edit.subject]) + " dated",
        source=edit.source,
        date=date,
    )


def lower_start(edit: Edit) -> str:
    """Return the question of an edit as it stands inside a sentence."""
    first = edit.asked.split(maxsplit=1)[0]
    inner = first.casefold() in _FUNCTION_WORDS and not edit.asked.startswith(edit.subject)
    return edit.asked[:1].lower() + edit.asked[1:] if inner else edit.asked


KIND = Kind(
    name="temporal",
    scope="both",
    tests="whether the date asked about is heeded: the old object held then, the new one does now",
    gold="the object that held at the date",
    pitfalls="unknown or open ends, overlapping terms and coarse dates: only dates that surely lie "
    "inside one interval and outside the other are asked; the dates are a cue where all facts of a "
    "source changed between the same two days (WikiFactDiff), so its share is small",
    needs="dates of the old and the new object",
    share=0.1,
    propose=propose,
)
