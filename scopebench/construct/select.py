"""Which edits of a data set enter its index."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence

from scopebench.construct.assign import draw
from scopebench.construct.drops import Drop
from scopebench.construct.identity import Slot, same_object, slots
from scopebench.construct.text import natural_key
from scopebench.errors import DataError
from scopebench.records import Edit
from scopebench.sources.case import Case


def limit_cases(cases: Sequence[Case], limit: int | None, seed: int) -> tuple[Case, ...]:
    """Return whole cases, drawn by seed, that hold at most `limit` edits together.

    A case too large for what is left is passed over. The draw ranks cases by a hash of their id,
    so it does not depend on the order of the file.
    """
    if limit is None:
        return tuple(cases)
    chosen: set[str] = set()
    left = limit
    for case in sorted(cases, key=lambda case: draw(seed, "limit", case.case_id)):
        if len(case.edits) <= left:
            chosen.add(case.case_id)
            left -= len(case.edits)
    return tuple(case for case in cases if case.case_id in chosen)


def in_order(cases: Sequence[Case]) -> list[Edit]:
    """Return the edits of the cases in the natural order of their ids.

    Raises:
        DataError: If two edits share an id.
    """
    edits = sorted(
        (edit for case in cases for edit in case.edits), key=lambda edit: natural_key(edit.edit_id)
    )
    for before, after in itertools.pairwise(edits):
        if before.edit_id == after.edit_id:
            raise DataError(
                f"two edits have the id {after.edit_id}",
                file=after.source.file,
                record=after.source.record,
                fix="give every source file once",
            )
    return edits


def select_edits(edits: Sequence[Edit]) -> tuple[tuple[Edit, ...], tuple[Drop, ...]]:
    """Return the edits one memory can hold together, and why the others were left out.

    An edit that changes nothing is no edit. Edits asserting one fact collapse to the first. Edits
    that set one subject and relation to different objects are all left out: the data gives no order
    in which they were made, so none can be defended as the one that holds (the CounterFact files
    hold 198 prompts with such edits, see the data sets' known faults).

    Args:
        edits: All edits of a data set, in the order in which "first" is meant.

    Returns:
        The kept edits in the order given, and the drops in the same order.
    """
    dropped: dict[str, Drop] = {}
    rivals: defaultdict[Slot, list[Edit]] = defaultdict(list)
    for edit, slot in zip(edits, slots(edits), strict=True):
        if edit.target_true is not None and same_object(edit.target_new, edit.target_true):
            dropped[edit.edit_id] = Drop("no_change", edit.edit_id)
        else:
            rivals[slot].append(edit)
    for first, *others in rivals.values():
        if all(same_object(first.target_new, other.target_new) for other in others):
            dropped.update((edit.edit_id, Drop("duplicate_edit", edit.edit_id)) for edit in others)
        else:
            dropped.update(
                (edit.edit_id, Drop("contradictory_edit", edit.edit_id))
                for edit in (first, *others)
            )
    kept = tuple(edit for edit in edits if edit.edit_id not in dropped)
    return kept, tuple(dropped[edit.edit_id] for edit in edits if edit.edit_id in dropped)
