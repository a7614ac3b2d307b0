"""Runs the build's own checks again, on the rows as they are stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from scopebench.construct.checks.rows import CHECKS, Check, Effect, findings
from scopebench.construct.checks.world import World
from scopebench.records import Query
from scopebench.validate.benchmark_files import Tables
from scopebench.validate.finding import CheckInfo, Finding

_SPARED: Final[dict[Effect, tuple[str, str]]] = {
    "drop": ("undropped", "the row should have been dropped"),
    "decision_only": ("scored", "the row should have no outcome gold"),
    "strip_alias": ("unstripped", "the answer should have been taken out"),
    "flag": ("unflagged", "the row does not say so"),
}
"""By effect, what it is called and what it means when a check's effect did not happen."""

ROW_CHECKS: Final[dict[str, CheckInfo]] = {
    **{
        f"{_SPARED[effect][0]}_{check.id}": CheckInfo(
            "error", f"{check.meaning}; {_SPARED[effect][1]}"
        )
        for check in CHECKS
        if check.find is not None
        for effect in (check.curated, check.direct)
    },
    **{
        f"flagged_{check.id}": CheckInfo("note", f"{check.meaning}; the row says so")
        for check in CHECKS
        if check.find is not None and "flag" in (check.curated, check.direct)
    },
    "unfounded_flag": CheckInfo("warning", "a flag of the row is of no check that finds it"),
}

_BY_ID: Final[dict[str, Check]] = {check.id: check for check in CHECKS}


def check_rows(tables: Tables) -> Iterator[Finding]:
    """Yield what the build's checks find in the rows of one data set.

    The same row under several conditions is reported once. A row with an empty list of answers is
    left out: that it is so is found elsewhere, and the checks need a label to compare.
    """
    if tables.index is None:
        return
    worlds: dict[frozenset[str], World] = {}
    seen: set[tuple[object, ...]] = set()
    for cell, queries in tables.queries.items():
        in_force = frozenset(edit.edit_id for edit in tables.in_force(cell[1]))
        if in_force not in worlds:
            gone = {edit.edit_id for edit in tables.index} - in_force
            worlds[in_force] = World.of(tables.index, gone)
        for query in queries:
            key = (query.query_id, query.answers, query.governing_edit_ids, query.flags)
            if key not in seen and query.answers != ():
                seen.add(key)
                yield from _check_row(query, worlds[in_force], tables.path(cell))


def _check_row(query: Query, world: World, file: str) -> Iterator[Finding]:
    found = findings(query, world)
    for finding in found:
        effect = _effect(_BY_ID[finding.check], query)
        flagged = effect == "flag" and finding.check in query.flags
        name = f"{'flagged' if flagged else _SPARED[effect][0]}_{finding.check}"
        yield Finding(name, file, query.query_id, None, finding.reason, finding.edit_ids)
    for flag in _unfounded(query, {finding.check for finding in found}):
        what = "of which nothing is found" if flag in _BY_ID else "which is no check"
        reason = f"flagged as {flag}, {what}"
        yield Finding("unfounded_flag", file, query.query_id, "flags", reason)


def _unfounded(query: Query, told: Collection[str]) -> Iterator[str]:
    """Yield flags of which nothing is to be seen.

    Once a row's gold was mended, what was flagged of the old gold is rightly gone; and checks over
    many rows do not tell from one.
    """
    effects = {flag: _effect(_BY_ID[flag], query) for flag in query.flags if flag in _BY_ID}
    mended = any(effect != "flag" for effect in effects.values())
    for flag in query.flags:
        known = _BY_ID.get(flag)
        seen = known is not None and (flag in told or mended or known.find is None)
        if not seen:
            yield flag


def _effect(check: Check, query: Query) -> Effect:
    return check.curated if query.population == "curated" else check.direct
