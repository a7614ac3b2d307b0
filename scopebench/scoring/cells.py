"""From headroom as arrays to the record of a cell, with a reason for each null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.records import Cell, Static
from scopebench.scoring.estimates import UNDEFINED, Reasons
from scopebench.scoring.headroom import STATICS, Headroom, Rule, headroom
from scopebench.scoring.matrix import Codes, OutcomeMatrix
from scopebench.scoring.stats.bootstrap import Bootstrap, Interval, percentile_interval

GRADED: Final = "outcomes are graded, and not just right or wrong"
ONE_FOLD: Final = "all clusters are in one fold, which leaves nothing to choose on"

OVERFITTED: Final = (
    "chosen in hindsight, it fits every resample better than the data; see static_cv"
)

_HINDSIGHT: Final = {"static_const": True, "static_cell": True, "static_cv": False}


def cell_row(
    labels: Mapping[str, Any],
    matrix: OutcomeMatrix,
    *,
    rule: Rule,
    cells: Codes,
    cell_names: Mapping[int, str],
    folds: Codes,
    bootstrap: Bootstrap,
) -> Cell:
    """Return the headroom of some rows.

    Args:
        labels: Which rows they are: the fields of `Rows` but the counts.
        matrix: The rows.
        rule: The declared static policy.
        cells: The cell of each row, shape (n,).
        cell_names: The name of each cell.
        folds: The fold of each cluster of the whole table.
        bootstrap: Resamples of the clusters of the whole table.
    """
    found = headroom(matrix, rule=rule, cells=cells, folds=folds, bootstrap=bootstrap)
    reasons = Reasons()
    absent = {name: _why_undefined(name, found, rule) for name in STATICS}
    gaps = {
        name: (
            reasons.undefined(_key(name), absent[name])
            if absent[name]
            else reasons.estimate(
                _key(name),
                float(found.values.headroom(name)),
                _interval(name, found, bootstrap),
            )
        )
        for name in STATICS
    }
    values = {name: None if absent[name] else float(found.values.share(name)) for name in STATICS}
    for name, value in values.items():
        if value is None:
            key = name if name == "static_fixed" else f"statics.{name}.value"
            reasons.undefined(key, absent[name])
    nothing = _emptiness(found)
    if nothing:
        for name in ("oracle", "coverage"):
            reasons.undefined(name, nothing)
    return Cell(
        **labels,
        n=found.n,
        n_scorable=found.n_scorable,
        n_clusters=found.n_clusters,
        accuracy=_accuracy(matrix, found, reasons),
        static_fixed=values["static_fixed"],
        oracle=None if nothing else float(found.values.share("oracle")),
        headroom=gaps["static_fixed"] if values["static_fixed"] is not None else UNDEFINED,
        statics={
            name: Static(
                value=values[name],
                headroom=gaps[name],
                choice=_choice(name, found, matrix, cell_names, reasons, absent[name]),
                hindsight=hindsight,
            )
            for name, hindsight in _HINDSIGHT.items()
        },
        coverage=None if nothing else found.covered / found.n_scorable,
        unique_wins=_unique_wins(matrix, found, reasons),
        oracle_without=_without(matrix, found, reasons),
        undefined=reasons.told,
    )


def _interval(static: str, found: Headroom, bootstrap: Bootstrap) -> Interval:
    """Return the interval of the headroom over a static policy.

    A policy chosen in hindsight is chosen anew in each resample and fits it better than it fitted
    the data, so resamples show less headroom; where they show less than the data throughout, their
    percentiles are no interval of it.
    """
    value = float(found.values.headroom(static))
    interval = percentile_interval(
        value,
        found.replicates.headroom(static),
        n_clusters=found.n_clusters,
        method=bootstrap.method,
    )
    if interval.low is None or interval.high is None or not _HINDSIGHT.get(static):
        return interval
    if interval.low <= value <= interval.high:
        return interval
    return Interval(None, None, None, OVERFITTED)


def _key(static: str) -> str:
    return "headroom" if static == "static_fixed" else f"statics.{static}.headroom"


def _emptiness(found: Headroom) -> str:
    """Return why nothing can be counted, or nothing if something can."""
    if found.n == 0:
        return "no queries"
    return "no query has outcome gold" if found.n_scorable == 0 else ""


def _why_undefined(static: str, found: Headroom, rule: Rule) -> str:
    """Return why a static policy has no value, or nothing if it has."""
    nothing = _emptiness(found)
    if nothing:
        return nothing
    if static == "static_fixed" and not rule.actions:
        return "no static policy is declared; name its action with --static"
    without = found.n_scorable - found.static_legal
    if static == "static_fixed" and without:
        return (
            f"{' or '.join(rule.actions)} is legal for "
            f"{found.static_legal} of {found.n_scorable} scorable queries only"
        )
    return ONE_FOLD if static == "static_cv" and found.one_fold else ""


def _accuracy(matrix: OutcomeMatrix, found: Headroom, reasons: Reasons) -> dict[str, float | None]:
    """Return the share right of each action where it is legal, null where it is nowhere."""
    shares: dict[str, float | None] = {}
    for action, legal, wins in zip(matrix.actions, found.legal, found.wins, strict=True):
        shares[action] = wins / legal if legal else None
        if not legal:
            reasons.undefined(f"accuracy.{action}", _nowhere(action, found))
    return shares


def _unique_wins(matrix: OutcomeMatrix, found: Headroom, reasons: Reasons) -> dict[str, int | None]:
    counts: dict[str, int | None] = {}
    for at, action in enumerate(matrix.actions):
        counted = bool(found.legal[at]) and found.unique_wins is not None
        counts[action] = found.unique_wins[at] if counted and found.unique_wins else None
        if not counted:
            reason = GRADED if found.legal[at] else _nowhere(action, found)
            reasons.undefined(f"unique_wins.{action}", reason)
    return counts


def _without(matrix: OutcomeMatrix, found: Headroom, reasons: Reasons) -> dict[str, float | None]:
    shares: dict[str, float | None] = {}
    for action, total in zip(matrix.actions, found.oracle_without, strict=True):
        shares[action] = total / found.n_scorable if found.n_scorable else None
        if not found.n_scorable:
            reasons.undefined(f"oracle_without.{action}", _emptiness(found))
    return shares


def _nowhere(action: str, found: Headroom) -> str:
    return _emptiness(found) or f"{action} is legal for no scorable query"


def _choice(
    static: str,
    found: Headroom,
    matrix: OutcomeMatrix,
    cell_names: Mapping[int, str],
    reasons: Reasons,
    absent: str,
) -> str | None:
    """Say which action a static policy takes."""
    if absent:
        reasons.undefined(f"statics.{static}.choice", absent)
        return None
    if static == "static_const":
        return matrix.actions[found.const_action]
    if static == "static_cv":
        return "the best action of each cell on the other folds"
    taken = {cell: matrix.actions[action] for cell, action in found.cell_actions.items()}
    if len(set(taken.values())) == 1:
        return next(iter(taken.values()))
    return "; ".join(f"{cell_names[cell]}: {action}" for cell, action in taken.items())
