"""Gives the objects of edits the aliases that their own data set tells elsewhere.

RippleEdits' flattened form names the objects of its edits by one label and gives aliases only with
the answers of its probes. Without them "United States" is wrong where "United States of America"
is right, and one fact has other golds in other kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scopebench.construct.text import normalise
from scopebench.records import Edit, FactObject
from scopebench.sources.case import Case, Probe


def with_known_aliases(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases, objects without aliases having those of their label's answers in probes.

    A data set whose edits have aliases of their own is left as it is: there no alias is a
    statement. A label that two probes give different aliases keeps those that both accept.
    """
    if any(_has_aliases(edit) for case in cases for edit in case.edits):
        return tuple(cases)
    known: dict[str, dict[str, None]] = {}
    for answers in (
        answers for case in cases for probe in case.probes for answers in _named(probe)
    ):
        if len(answers) < 2:
            continue
        given = dict.fromkeys(answers[1:])
        label = normalise(answers[0])
        both = known.setdefault(label, given)
        known[label] = {alias: None for alias in both if alias in given}
    if not known:
        return tuple(cases)
    return tuple(
        replace(case, edits=tuple(_enriched(edit, known) for edit in case.edits)) for case in cases
    )


def _named(probe: Probe) -> tuple[tuple[str, ...], ...]:
    """Return the answers of each object that a probe tells, label first."""
    return probe.objects or tuple(found for found in (probe.before, probe.after) if found)


def _has_aliases(edit: Edit) -> bool:
    old = edit.target_true
    return bool(edit.target_new.aliases) or (old is not None and bool(old.aliases))


def _enriched(edit: Edit, known: dict[str, dict[str, None]]) -> Edit:
    new = _with(edit.target_new, known)
    old = None if edit.target_true is None else _with(edit.target_true, known)
    return edit.model_copy(update={"target_new": new, "target_true": old})


def _with(target: FactObject, known: dict[str, dict[str, None]]) -> FactObject:
    aliases = tuple(
        alias for alias in known.get(normalise(target.text), ()) if alias != target.text
    )
    return target.model_copy(update={"aliases": aliases}) if aliases else target
