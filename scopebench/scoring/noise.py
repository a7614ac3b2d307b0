"""What stochastic decoding alone adds to an oracle.

An oracle takes the best of what it is shown, and the best of several draws of one identical action
beats one of them without any decision: 0.04 to 0.2 in simulation, as much as the founding paper's
headroom (field survey, section 4.3). With D draws of each action four numbers are told apart:

- naive: the best of all draws of all actions, minus the static policy's mean over its draws;
- null: the same with the static policy's own action alone, so pure noise: the null oracle;
- corrected: naive minus null;
- held out: the action that is best on the other draws, judged on the draw left out and averaged
  over which one that is, minus the static policy on that draw. Nothing is chosen on the draw it is
  judged on, so equal actions give 0 on average; it can be negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scopebench.records import NoiseRow
from scopebench.scoring.estimates import Ratio, Reasons, ratio_estimates
from scopebench.scoring.matrix import Codes, Flags, Floats, OutcomeMatrix
from scopebench.scoring.stats.bootstrap import Bootstrap


def noise_row(
    labels: Mapping[str, Any], matrix: OutcomeMatrix, chosen: Codes, bootstrap: Bootstrap
) -> NoiseRow | None:
    """Return the decoding noise of some rows; None where there is one draw of each action.

    Args:
        labels: Which rows they are: the fields of `Rows` but the counts.
        matrix: The rows.
        chosen: The position of `static_fixed`'s action on each row, shape (n,).
        bootstrap: Resamples of the clusters of the whole table.
    """
    if matrix.draws is None:
        return None
    keep = matrix.scorable
    reasons = Reasons()
    values: dict[str, Any]
    names = ("naive", "null", "corrected", "held_out")
    if keep.any() and (chosen[keep] >= 0).all():
        gains = noise_gains(np.nan_to_num(matrix.draws[keep]), matrix.legal[keep], chosen[keep])
        ones = np.ones(int(keep.sum()))
        ratios = {
            name: Ratio(gain, ones, "", signed=name == "held_out")
            for name, gain in zip(names, gains, strict=True)
        }
        values = ratio_estimates(ratios, matrix.clusters[keep], bootstrap, reasons)
    else:
        reason = "static_fixed is undefined" if keep.any() else "no query has outcome gold"
        values = {name: reasons.undefined(name, reason) for name in names}
    return NoiseRow(
        **labels,
        n=len(matrix),
        n_scorable=int(keep.sum()),
        draws=matrix.draws.shape[2],
        **values,
        undefined=reasons.told,
    )


def noise_gains(
    draws: Floats, legal: Flags, chosen: Codes
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return naive, null, corrected and held-out gain of each row.

    Args:
        draws: Outcomes, 0 where an action is not legal, shape (n, A, D), D at least 2.
        legal: Legality, shape (n, A).
        chosen: The static policy's action, shape (n,).
    """
    rows = np.arange(len(draws))
    static = draws[rows, chosen]
    mean = static.mean(axis=1)
    naive = draws.max(axis=(1, 2)) - mean
    null = static.max(axis=1) - mean
    return naive, null, naive - null, _held_out(draws, legal, chosen)


def _held_out(draws: Floats, legal: Flags, chosen: Codes) -> Floats:
    """Return the held-out gain; the static policy's action is kept where none is better."""
    rows, n_draws = np.arange(len(draws)), draws.shape[2]
    gain = np.zeros(len(draws))
    for left_out in range(n_draws):
        others = np.delete(draws, left_out, axis=2).mean(axis=2)
        others = np.where(legal, others, -1.0)
        best = others.argmax(axis=1)
        best = np.where(others[rows, best] > others[rows, chosen], best, chosen)
        gain += draws[rows, best, left_out] - draws[rows, chosen, left_out]
    gain /= n_draws
    return gain
