"""`temporal`: a fact that changed, asked for a date before or after the change.

A date alone must not tell which object is asked for. So rows come in twos: the same date in the
same wording, before the change of one edit and after that of another. Where all facts of a source
changed between the same two days (WikiFactDiff) there are no such twos, and the kind is left out.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.assign import draw
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.dates import every_date, in_words, overlaps
from scopebench.construct.direct import Direct
from scopebench.construct.leak import part_of
from scopebench.records import Edit

LAST_DAY: Final = datetime.date(2024, 6, 30)
"""End assumed for a fact without an end: before the latest of the sources was collected, so that
an open end means that it still held."""

_FUNCTION_WORDS: Final = frozenset(
    "who what which where when whose whom how in on at the is was from of to name".split()
)


@dataclass(frozen=True)
class _Dated:
    """An edit in force with the dates at which one of its objects alone held.

    Attributes:
        direct: The edit.
        old: Dates of the old object.
        new: Dates of the new one.
    """

    direct: Direct
    old: tuple[str, ...]
    new: tuple[str, ...]


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield twos of one date and wording, one for an old object and one for a new one."""
    alike: defaultdict[tuple[str, ...], list[_Dated]] = defaultdict(list)
    for direct in pool.kept.values():
        dated = _dates_of(direct)
        if dated is not None:
            edit = direct.edit
            fold = pool.layout.folds[pool.layout.clusters[edit.edit_id]]
            alike[edit.form, _wording(edit), fold].append(dated)
    for rows in alike.values():
        for before, after, date in _twos(pool, rows):
            yield _dated(pool, before.direct, "old", date)
            yield _dated(pool, after.direct, "new", date)


def _dates_of(direct: Direct) -> _Dated | None:
    edit = direct.edit
    if edit.time_true is None or edit.time_new is None or edit.target_true is None:
        return None
    old, new = edit.time_true, edit.time_new
    return _Dated(
        direct,
        # An old object without an end may have held on: then no date is surely its own.
        tuple(date for date in every_date(old, until=LAST_DAY) if not overlaps(date, new))
        if old.end is not None
        else (),
        tuple(date for date in every_date(new, until=LAST_DAY) if not overlaps(date, old)),
    )


def _twos(pool: Pool, rows: Sequence[_Dated]) -> Iterator[tuple[_Dated, _Dated, str]]:
    """Yield two edits and a date before the change of the first and after that of the second.

    No edit is asked for its old object twice, nor for its new one. Twos inside one part of the leak
    test come first, for the reason given there.
    """

    def part(row: _Dated) -> int:
        return part_of(pool.layout.clusters[row.direct.edit.edit_id], pool.seed)

    order = sorted(rows, key=lambda row: draw(pool.seed, "dated", row.direct.edit.edit_id))
    after: defaultdict[str, list[_Dated]] = defaultdict(list)
    for row in order:
        for date in row.new:
            after[date].append(row)
    used: set[str] = set()
    left = order
    for same_part in (True, False):
        waiting, left = left, []
        for row in waiting:
            own = row.direct.edit.edit_id
            found = next(
                (
                    (other, date)
                    for date in sorted(row.old, key=lambda date: draw(pool.seed, own, date))
                    for other in after[date]
                    if other.direct.edit.edit_id not in {own, *used}
                    and (not same_part or part(other) == part(row))
                ),
                None,
            )
            if found is None:
                left.append(row)
            else:
                used.add(found[0].direct.edit.edit_id)
                yield row, *found


def _wording(edit: Edit) -> str:
    return wording_of(edit.asked, [edit.subject])


def _dated(pool: Pool, direct: Direct, which: str, date: str) -> Draft:
    edit = direct.edit
    assert edit.target_true is not None
    new = which == "new"
    told = edit.target_new if new else edit.target_true
    governing = tuple(other.edit_id for other in direct.governing) if new else ()
    return Draft(
        kind=KIND.name,
        name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{which}",
        question=f"As of {in_words(date)}, {lower_start(edit)}",
        form=edit.form,
        answers=told.answers,
        pre_edit_answers=edit.target_true.answers,
        hops=(pool.hop_of(edit, object=told.text, edit_ids=governing),),
        near_edit_id=edit.edit_id,
        anchor=edit.edit_id,
        wording=f"{_wording(edit)} as of {date}",
        source=edit.source,
        date=date,
        exact=True,
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
    "inside one interval and outside the other are asked; a date could tell the label, so every "
    "date is asked in the same words before the change of one edit and after that of another, and "
    "a source whose facts all changed between the same two days (WikiFactDiff) has no such rows",
    needs="dates of the old and the new object that differ between edits of one wording, so that "
    "no date tells the label",
    share=0.1,
    propose=propose,
)
