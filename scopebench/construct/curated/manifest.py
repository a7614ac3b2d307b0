"""What the manifest says of `curated`: yields, checks, leaks and what static policies lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scopebench.construct.checks.direct import EXAMPLES, FlagTally
from scopebench.construct.checks.rows import CHECKS
from scopebench.construct.curated import KINDS
from scopebench.construct.curated.plan import Curated
from scopebench.construct.leak import POOLED_LIMIT, measured
from scopebench.records import Query


def curated_section(curated: Curated) -> dict[str, Any]:
    """Return the section on `curated` of one data set, as JSON values."""
    tally = curated.tally
    queries = curated.queries
    in_mix = {kind.name: _in_mix(kind.name, queries) for kind in KINDS}
    return {
        "kinds": {
            kind.name: {
                "proposed": tally.proposed[kind.name],
                "passed": tally.passed[kind.name],
                "in_mix": in_mix[kind.name],
                "dropped": dict(sorted(tally.lost[kind.name].items())),
                "needs": kind.needs,
                "example": _example(kind.name, queries),
            }
            for kind in KINDS
        },
        "checks": {
            check.id: {
                "meaning": check.meaning,
                "effect": check.curated,
                "count": tally.counts[check.id].total(),
                "by_effect": dict(sorted(tally.counts[check.id].items())),
                "examples": tally.examples[check.id],
            }
            for check in CHECKS
        },
        "leak_passed": all((leak.pooled or 0.0) <= POOLED_LIMIT for leak in curated.leak.values()),
        "leaking_kinds": _leaking_kinds(curated),
        "leak": {condition: asdict(leak) for condition, leak in curated.leak.items()},
        "unequal_wording_share": curated.slack,
        "wrong_fire_plays_gold": dict(curated.collision),
        "one_entity": {
            "count": len(curated.one_entity),
            "examples": [list(pair) for pair in curated.one_entity[:EXAMPLES]],
        },
        "policies": {condition: policies(rows) for condition, rows in queries.items()},
    }


def _leaking_kinds(curated: Curated) -> dict[str, dict[str, float]]:
    """Return, by condition, the kinds that have enough rows and whose wording tells the label."""
    found = {
        condition: {
            kind: auroc
            for kind, auroc in measured(leak, [q.kind for q in curated.queries[condition]]).items()
            if auroc > POOLED_LIMIT
        }
        for condition, leak in curated.leak.items()
    }
    return {condition: kinds for condition, kinds in found.items() if kinds}


def policies(queries: Sequence[Query]) -> dict[str, float]:
    """Return the share of decisions that each policy gets right, from the labels alone."""
    share = sum(query.in_scope for query in queries) / len(queries)
    return {
        "oracle": 1.0,
        "always_fire": round(share, 4),
        "always_abstain": round(1 - share, 4),
        "oracle_over_best_static": round(1 - max(share, 1 - share), 4),
    }


def flag_counts(tally: FlagTally) -> dict[str, Any]:
    """Return how many direct rows each check flagged, with the first ones."""
    return {
        check.id: {
            "meaning": check.meaning,
            "count": len(tally.rows[check.id]),
            "examples": [
                f"{key}: {reason}" for key, reason in list(tally.rows[check.id].items())[:EXAMPLES]
            ],
        }
        for check in CHECKS
        if tally.rows.get(check.id)
    }


def _in_mix(kind: str, queries: Mapping[Any, Sequence[Query]]) -> dict[str, int]:
    return {
        condition: sum(query.kind == kind for query in rows) for condition, rows in queries.items()
    }


def _example(kind: str, queries: Mapping[Any, Sequence[Query]]) -> dict[str, Any] | None:
    """Return the first row of a kind, out of scope if it has such, as it is first asked."""
    rows = [
        (query.in_scope, condition, query)
        for condition, asked in queries.items()
        for query in asked
        if query.kind == kind
    ]
    if not rows:
        return None
    _, condition, query = min(rows, key=lambda row: (row[0], row[2].query_id))
    return {
        "query_id": query.query_id,
        "condition": condition,
        "question": query.question,
        "answers": None if query.answers is None else list(query.answers),
        "in_scope": query.in_scope,
    }
