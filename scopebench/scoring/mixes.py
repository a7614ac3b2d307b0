"""What policies are worth under another mix of traffic than the benchmark's.

A benchmark fixes the share of out-of-scope queries; a deployment has its own, and headroom varies
many-fold with it at the same skill (field survey, sections 0 and 4.3). A mix gives each group of
rows, the two labels or the kinds, a share of the traffic; within a group rows count alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scopebench.records import MixRow
from scopebench.scoring.decisions import NO_CHOICE, NO_GOLD, NO_LABELS, taken_outcomes
from scopebench.scoring.estimates import UNDEFINED, Reasons
from scopebench.scoring.headroom import oracle
from scopebench.scoring.matrix import Codes, DecisionTable, Flags, Floats, OutcomeMatrix, Strings
from scopebench.scoring.stats.bootstrap import (
    CLOPPER_PEARSON,
    Bootstrap,
    Interval,
    cluster_sums,
    percentile_interval,
)
from scopebench.scoring.stats.proportions import clopper_pearson

CURVE: Final = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Shares of out-of-scope traffic that H(pi) is computed at (field survey, section 4.1)."""

INSIDE: Final = "in_scope"
OUTSIDE: Final = "out_of_scope"


@dataclass(frozen=True)
class Mix:
    """A mix of traffic.

    Attributes:
        name: How it is shown.
        shares: The share of each group: `in_scope` and `out_of_scope`, or kinds. They sum to 1.
    """

    name: str
    shares: Mapping[str, float]

    @property
    def by_label(self) -> bool:
        """Whether the groups are the two labels."""
        return set(self.shares) <= {INSIDE, OUTSIDE}


def label_mix(out_of_scope: float, name: str = "curve") -> Mix:
    """Return the mix with this share of out-of-scope traffic."""
    return Mix(name, {INSIDE: 1 - out_of_scope, OUTSIDE: out_of_scope})


def mix_rows(
    population: str,
    matrix: OutcomeMatrix,
    decisions: DecisionTable,
    *,
    fixed: Floats | None,
    mixes: Sequence[Mix],
    bootstrap: Bootstrap,
) -> list[MixRow]:
    """Return the mix the rows have, H(pi), and the mixes asked for.

    Args:
        population: The population the rows are of.
        matrix: Its rows.
        decisions: The decisions on them.
        fixed: The outcome of `static_fixed` on each row, shape (n,); None: it is undefined.
        mixes: Deployment mixes.
        bootstrap: Resamples of the clusters of the whole table.
    """
    inside = decisions.in_scope
    if inside is None or not matrix.scorable.any():
        return [_undefined_row(population, NO_LABELS if inside is None else NO_GOLD)]
    keep = matrix.scorable
    outside = ~inside[keep]
    labels = np.where(outside, OUTSIDE, INSIDE).astype(object)
    both = bool(outside.any() and not outside.all())
    observed = label_mix(float(outside.mean()), "observed")
    curve = [label_mix(share) for share in CURVE] if both else []
    rows = _Weighed.of(matrix, decisions, fixed, bootstrap)
    found = [rows.row(population, mix, labels, outside) for mix in (observed, *curve)]
    if not both:
        found.append(
            _undefined_row(
                population, f"no scorable query is {'in' if outside.all() else 'out of'} scope"
            )
        )
    for mix in mixes:
        groups = labels if mix.by_label else matrix.kinds[keep]
        found.append(rows.row(population, mix, groups, outside))
    return found


@dataclass(frozen=True)
class _Weighed:
    """The scorable rows of a population as columns to be weighed.

    Attributes:
        columns: A actions, static_fixed, oracle and editor by row, shape (n, A + 3).
        clusters: The cluster of each row.
        static: Whether `static_fixed` is defined.
        chosen: Whether the editor's action is known.
        bootstrap: Resamples of clusters.
    """

    columns: Floats
    clusters: Codes
    static: bool
    chosen: bool
    bootstrap: Bootstrap

    @classmethod
    def of(
        cls,
        matrix: OutcomeMatrix,
        decisions: DecisionTable,
        fixed: Floats | None,
        bootstrap: Bootstrap,
    ) -> _Weighed:
        taken, nothing = taken_outcomes(matrix, decisions), np.zeros(len(matrix))
        columns = np.column_stack(
            [
                matrix.won,
                nothing if fixed is None else fixed,
                oracle(matrix.won),
                nothing if taken is None else taken,
            ]
        )
        keep = matrix.scorable
        return cls(
            columns[keep], matrix.clusters[keep], fixed is not None, taken is not None, bootstrap
        )

    def _interval(self, sums: Floats, numbers: Codes, shares: Floats) -> Interval:
        """Return the interval of headroom under a mix.

        A group without any gain would enter every resample as a certain 0, and a small share of it
        as certainty. The exact bound on its clusters, times its share, is added to the upper end.

        Args:
            sums: The sums of each group's columns by cluster, shape (c, G * (F + 1)).
            numbers: The clusters' numbers, shape (c,).
            shares: The share of each group, shape (G,).
        """
        by_group = sums.reshape(len(sums), len(shares), -1)
        gains = (by_group[..., -3] - by_group[..., -4]).sum(axis=0)
        clusters = (by_group[..., -1] > 0).sum(axis=0)
        if (clusters < 2).any():
            return Interval(None, None, None, "a group of the mix is one cluster only")
        silent = np.abs(gains) < 1e-12
        bound = sum(
            float(share) * clopper_pearson(0, int(count))[1]
            for share, count in zip(shares[silent], clusters[silent], strict=True)
        )
        if silent.all():
            return Interval(0.0, bound, CLOPPER_PEARSON)
        found = percentile_interval(
            float(_headroom(sums.sum(axis=0), shares)),
            _headroom(self.bootstrap.totals(sums, numbers)[:, 0], shares),
            n_clusters=len(numbers),
            method=self.bootstrap.method,
        )
        if found.high is None or not bound:
            return found
        return Interval(
            found.low,
            found.high + bound,
            f"{found.method}; {CLOPPER_PEARSON} of groups without gain",
        )

    def row(self, population: str, mix: Mix, groups: Strings, outside: Flags) -> MixRow:
        """Return the numbers under a mix of groups, shape (n,)."""
        names = [name for name, share in mix.shares.items() if share > 0]
        absent = [name for name in names if not (groups == name).any()]
        if absent:
            return _undefined_row(
                population, f"no scorable query is of {', '.join(absent)}", name=mix.name
            )
        masks = [groups == name for name in names]
        share_out = sum(
            mix.shares[name] * float(outside[mask].mean())
            for name, mask in zip(names, masks, strict=True)
        )
        parts = [
            np.column_stack([self.columns, np.ones(len(mask))]) * mask[:, None] for mask in masks
        ]
        sums, numbers = cluster_sums(np.column_stack(parts), self.clusters)
        shares = np.array([mix.shares[name] for name in names])
        value = _mixed(sums.sum(axis=0), shares)
        static, best, editor = (float(x) for x in value[-3:])
        reasons = Reasons()
        headroom = (
            reasons.estimate("headroom", best - static, self._interval(sums, numbers, shares))
            if self.static
            else reasons.undefined("headroom", "static_fixed is undefined")
        )
        if not self.static:
            reasons.undefined("static_fixed", "static_fixed is undefined")
        if not self.chosen:
            reasons.undefined("editor", NO_CHOICE)
        return MixRow(
            population=population,
            name=mix.name,
            out_of_scope=round(share_out, 12),
            static_fixed=static if self.static else None,
            static_const=float(value[:-3].max()),
            oracle=best,
            editor=editor if self.chosen else None,
            headroom=headroom,
            undefined=reasons.told,
        )


def _headroom(totals: Floats, shares: Floats) -> Floats:
    mixed = _mixed(totals, shares)
    gap: Floats = mixed[..., -2] - mixed[..., -3]
    return gap


def _mixed(totals: Floats, shares: Floats) -> Floats:
    """Return each column's mean under the shares of the groups.

    Args:
        totals: Sums of the columns and the number of rows of each group, shape (..., G * (F + 1)).
        shares: The share of each group, shape (G,).

    Returns:
        Shape (..., F); NaN where a resample left a group empty.
    """
    by_group = totals.reshape(*totals.shape[:-1], len(shares), -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = by_group[..., :-1] / by_group[..., -1:]
    mixed: Floats = (means * shares[:, None]).sum(axis=-2)
    return mixed


def _undefined_row(population: str, reason: str, name: str = "curve") -> MixRow:
    numbers = ("out_of_scope", "static_fixed", "static_const", "oracle", "editor", "headroom")
    return MixRow(
        population=population,
        name=name,
        out_of_scope=None,
        static_fixed=None,
        static_const=None,
        oracle=None,
        editor=None,
        headroom=UNDEFINED,
        undefined=dict.fromkeys(numbers, reason),
    )
