"""Checks that the answers, kind and date of a row are those of the edits and facts it names.

Linear in the rows: each is compared with the edits it names and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from scopebench.construct.checks.rows import without_paid_aliases
from scopebench.construct.curated import KINDS
from scopebench.construct.dates import first_day, in_words
from scopebench.construct.direct import MANY_VALUED
from scopebench.construct.text import holds_phrase, normalise
from scopebench.records import Edit, FactObject, Query
from scopebench.scoring.match import credits_refusal
from scopebench.validate.benchmark_files import Tables
from scopebench.validate.finding import CheckInfo, Finding

GOLD_CHECKS: Final[dict[str, CheckInfo]] = {
    key: CheckInfo("error", meaning)
    for key, meaning in {
        "gold_not_of_edit": "the answers are not those of the edit that the row rests on",
        "hop_not_gold": "the object of the last hop is none of the answers",
        "unknown_kind": "the kind is none that a build makes",
        "kind_not_of_label": "queries of the kind are never in scope, or never out of it",
        "date_not_asked": "the question does not say the date that the row is about",
    }.items()
}

_SCOPES: Final = {kind.name: kind.scope for kind in KINDS}

_ASKS_ITS_EDIT: Final = frozenset({"direct", "paraphrase"})
"""Kinds that ask the fact of their edit under its subject's own name."""

_OTHER_ALIASES: Final = "subject_alias"
"""The kind that asks the fact of its edit, too, with the aliases that its source gives there."""

_DATE: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


def check_golds(tables: Tables) -> Iterator[Finding]:
    """Yield rows whose answers, kind or date are not those of what they name.

    The same row under several conditions is reported once, under the first.
    """
    index = {edit.edit_id: edit for edit in tables.index or ()}
    seen: set[tuple[str, str, str]] = set()
    for cell, queries in tables.queries.items():
        place = tables.path(cell)
        for query in queries:
            found = [*_kind(query), *_date(query)]
            if tables.index is not None:
                found += [*_answers(query, index), *_pre_edit(query, index), *_hop(query, index)]
            for check, field, reason in found:
                key = (query.query_id, check, reason)
                if key not in seen:
                    seen.add(key)
                    yield Finding(check, place, query.query_id, field, reason)


_Fault = tuple[str, str, str]
"""A check, the field at fault and the reason."""


def _kind(query: Query) -> Iterator[_Fault]:
    scope = _SCOPES.get(query.kind)
    if scope is None:
        reason = f"{query.kind!r} is not one of {', '.join(_SCOPES)}"
        yield "unknown_kind", "kind", reason
        return
    if query.kind == "direct" and query.population == "withheld":
        return  # the row's edit is in force or hidden
    if scope == ("out" if query.in_scope else "in"):
        label = "in scope" if query.in_scope else "out of scope"
        yield "kind_not_of_label", "kind", f"the row is {label}, {query.kind!r} never is"


def _date(query: Query) -> Iterator[_Fault]:
    if query.date is None:
        return
    said = _said(query.date)
    if said is None:
        reason = f"{query.date!r} is no date of the form YYYY, YYYY-MM or YYYY-MM-DD"
        yield "date_not_asked", "date", reason
    elif not holds_phrase(normalise(query.question), normalise(said)):
        yield "date_not_asked", "question", f"it does not say {said!r}"


def _said(date: str) -> str | None:
    """Return a date in words, None where it is none."""
    try:
        if _DATE.fullmatch(date) is None:
            return None
        first_day(date)
    except ValueError:
        return None
    return in_words(date)


def _answers(query: Query, index: Mapping[str, Edit]) -> Iterator[_Fault]:
    if not query.answers:
        return
    if query.in_scope and _asks_its_edit(query):
        edits = _known(_set_by(query), index)
        objects = [edit.target_new for edit in edits]
        what = "new object"
    elif not query.in_scope and query.hidden_edit_ids and len(query.hops) == 1:
        edits = _known(query.hidden_edit_ids, index)
        objects = [edit.target_true for edit in edits if edit.target_true is not None]
        what = "old object"
    else:
        return
    if edits and not any(_told_by(query, query.answers, one) for one in objects):
        yield "gold_not_of_edit", "answers", _unlike(query.answers, what, objects, edits)


def _told_by(query: Query, answers: tuple[str, ...], told: FactObject) -> bool:
    """Whether answers are those of an object, as the row's kind and population have them."""
    if query.in_scope and query.kind == _OTHER_ALIASES:
        return bool(_folded(answers) & _folded(told.answers))
    if _holds(query, answers, told.answers):
        return True
    paid = without_paid_aliases(told.answers)
    return query.population == "curated" and paid is not None and _holds(query, answers, paid)


def _holds(query: Query, answers: tuple[str, ...], told: tuple[str, ...]) -> bool:
    """Whether answers are those of an object; of a fact with several, others may follow."""
    if query.in_scope or MANY_VALUED not in query.flags:
        return answers == told
    return answers[: len(told)] == told


def _known_before(query: Query, before: tuple[str, ...] | None, old: FactObject | None) -> bool:
    """Whether answers before an edit are those of its old object, followed by other true ones."""
    if before is None or old is None:
        return before is None and old is None
    if MANY_VALUED not in query.flags:
        return before == old.answers
    return before[: len(old.answers)] == old.answers


def _pre_edit(query: Query, index: Mapping[str, Edit]) -> Iterator[_Fault]:
    """Yield answers before the edit that are not those of its old object."""
    before = query.pre_edit_answers
    if len(query.hops) != 1:
        return
    if query.in_scope and (_asks_its_edit(query) or query.kind == _OTHER_ALIASES):
        edits = _known(_set_by(query), index)
    elif not query.in_scope and query.hidden_edit_ids and before is not None:
        edits = _known(query.hidden_edit_ids, index)
    else:
        return
    olds = [edit.target_true for edit in edits]
    if edits and not any(_known_before(query, before, old) for old in olds):
        objects = [old for old in olds if old is not None]
        reason = _unlike(before, "old object", objects, edits)
        yield "gold_not_of_edit", "pre_edit_answers", reason


def _hop(query: Query, index: Mapping[str, Edit]) -> Iterator[_Fault]:
    told = query.hops[-1].object if query.hops else None
    if told is None or not query.answers:
        return
    if credits_refusal(told):
        return  # an answer that a refusal holds is taken out of a curated row
    if normalise(told) not in _folded(query.answers):
        yield (
            "hop_not_gold",
            "hops",
            f"the last one ends in {told!r}, the answer is {query.answers[0]!r}",
        )


def _asks_its_edit(query: Query) -> bool:
    kinds = _ASKS_ITS_EDIT | {_OTHER_ALIASES}
    return query.population != "curated" or query.kind in kinds


def _set_by(query: Query) -> tuple[str, ...]:
    """Return the edits that a row asks, those without a card under its condition included."""
    of_hops = (edit_id for hop in query.hops for edit_id in hop.edit_ids)
    return tuple(dict.fromkeys((*query.governing_edit_ids, *of_hops)))


def _known(edit_ids: Iterable[str], index: Mapping[str, Edit]) -> list[Edit]:
    return [index[edit_id] for edit_id in edit_ids if edit_id in index]


def _folded(answers: Iterable[str]) -> set[str]:
    return {normalise(answer) for answer in answers}


def _unlike(
    found: tuple[str, ...] | None, what: str, objects: list[FactObject], edits: list[Edit]
) -> str:
    shown = "null" if found is None else ", ".join(map(repr, found))
    expected = ", ".join(map(repr, objects[0].answers)) if objects else "none"
    return f"{shown}; the {what} of {edits[0].edit_id} is {expected}"
