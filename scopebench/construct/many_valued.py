"""Rows whose gold rests on a fact with several true objects: all of them are accepted, or none.

Where every other true object is known not to be what some edit writes, it is accepted beside the
row's own. Where an edit of the fact writes one of them, an answer that gives it says nothing, and
the row is decision-only; so is a row through such a fact to another one, since each of its objects
leads elsewhere. A row in scope keeps the new object of its edit, which is what the edit asserts;
what the model may have known before it then has all true objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scopebench.construct.identity import Slot, answers_collide
from scopebench.construct.true_values import TrueValues, Value
from scopebench.records import Edit, Hop

Outcome = Literal["multi_gold", "decision_only"]


@dataclass(frozen=True)
class Golds:
    """The golds of a row once all true objects are considered.

    Attributes:
        answers: Outcome gold, the row's own answers first; None: decision-only.
        pre_edit_answers: Accepted answers before any edit; None: unknown.
        outcome: What became of the row; None: it rests on no fact with several objects.
        reason: The fact's objects, in words.
    """

    answers: tuple[str, ...] | None
    pre_edit_answers: tuple[str, ...] | None
    outcome: Outcome | None = None
    reason: str = ""


@dataclass(frozen=True)
class Asked:
    """What the gold of a row rests on.

    Attributes:
        hops: The facts asked, in order, each with the edits in force that set it.
        hidden_edit_ids: Edits of the fact that were deleted.
        answers: Outcome gold.
        pre_edit_answers: Accepted answers before any edit.
        dated: Whether it asks about a date.
    """

    hops: Sequence[Hop]
    hidden_edit_ids: Sequence[str]
    answers: tuple[str, ...] | None
    pre_edit_answers: tuple[str, ...] | None
    dated: bool = False


def golds_of(asked: Asked, edits: Mapping[str, Edit], truths: TrueValues) -> Golds:
    """Return the golds of a row with every true object accepted, or none where that is unsafe.

    Args:
        asked: What its gold rests on.
        edits: The edits of its data set by id.
        truths: The true objects of each fact.
    """
    same = Golds(asked.answers, asked.pre_edit_answers)
    if not asked.hops:
        return same
    *through, last = asked.hops
    for hop in through:
        slot = truths.slot_of(hop)
        told = (hop.object,) if hop.object is not None else ()
        if slot is None or hop.edit_ids:
            continue
        others = truths.others(slot, told)
        if told and others:
            return Golds(None, asked.pre_edit_answers, "decision_only", _told(hop, others))
    slots = [slot for slot in _slots(last, asked, edits, truths) if slot is not None]
    gold = asked.pre_edit_answers if last.edit_ids else asked.answers or asked.pre_edit_answers
    if not slots or not gold or (last.edit_ids and through):
        return same
    several = [value for slot in slots for value in truths.values(slot)]
    others = [value for slot in slots for value in truths.others(slot, gold)]
    if not others and len([one for one in several if one.names(gold)]) < 2:
        return same
    return _widened(asked, last, slots, others, truths)


def _slots(
    last: Hop, asked: Asked, edits: Mapping[str, Edit], truths: TrueValues
) -> list[Slot | None]:
    """Return the facts under which the last hop is known: its own and those of its edits.

    The subject may go by another name there, as in questions about an alias.
    """
    ids = last.edit_ids or (asked.hidden_edit_ids if len(asked.hops) == 1 else ())
    slots = [truths.slot_of(last), *(truths.slot(edits[key]) for key in ids if key in edits)]
    return list(dict.fromkeys(slots))


def _widened(
    asked: Asked, last: Hop, slots: Sequence[Slot], others: Sequence[Value], truths: TrueValues
) -> Golds:
    reason = _told(last, others)
    more = tuple(answer for value in others for answer in value.answers)
    before = None
    if asked.pre_edit_answers is not None:
        before = asked.pre_edit_answers
        if last.edit_ids or not any(hop.edit_ids for hop in asked.hops):
            before = tuple(dict.fromkeys((*before, *more)))
    if last.edit_ids:
        if any(answers_collide(asked.answers or (), tuple(value.answers)) for value in others):
            return Golds(None, before, "decision_only", reason)
        return Golds(asked.answers, before, "multi_gold", reason)
    if asked.answers is None:
        return Golds(None, before)
    written = any(truths.is_new(slot, value) for slot in slots for value in others)
    if written or (asked.dated and others):
        return Golds(None, before, "decision_only", reason)
    return Golds(tuple(dict.fromkeys((*asked.answers, *more))), before, "multi_gold", reason)


def _told(hop: Hop, others: Sequence[Value]) -> str:
    also = ", ".join(repr(value.label) for value in others)
    return f"{hop.subject} has several true objects{f', also {also}' if also else ''}"
