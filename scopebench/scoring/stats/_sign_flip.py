"""The null distribution of a sum of numbers with fair, independent random signs.

Each function returns P(|sum_i s_i m_i| >= observed), never below `SMALLEST_P`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

SMALLEST_P: Final = float(np.finfo(np.float64).tiny)
N_FLIPS: Final = 10_000

_ROUNDING: Final = 1e-12
"""Float sums within this share of their range count as equal."""
_LOG_NEGLECTED: Final = 37.0
"""exp(-37) < 1e-16: probability, relative to 1, that may be left outside a window."""


def enumerated(magnitudes: npt.NDArray[np.float64], observed: float) -> float:
    """Return the exact probability by walking through all sign vectors.

    Args:
        magnitudes: Positive numbers, shape (c,); few, for there are 2^c sign vectors.
        observed: The absolute value of the observed sum.
    """
    sums = np.zeros(1)
    for magnitude in np.sort(magnitudes):
        sums = np.concatenate([sums + magnitude, sums - magnitude])
    return float(np.mean(np.abs(sums) >= _reached(observed, float(magnitudes.sum()))))


def sampled(
    magnitudes: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    observed: float,
    seed: int,
) -> float:
    """Return a Monte Carlo p value, (1 + as extreme) / (1 + flips), over `N_FLIPS` sign vectors.

    Args:
        magnitudes: Distinct positive numbers, shape (g,).
        counts: How often each occurs, shape (g,).
        observed: The absolute value of the observed sum.
        seed: Seeds the signs.
    """
    rng = np.random.default_rng(seed)
    sums = np.zeros(N_FLIPS)
    # Signs of equal numbers only matter by how many of them are positive.
    for magnitude, count in zip(magnitudes.tolist(), counts.tolist(), strict=True):
        sums += magnitude * (2.0 * rng.binomial(count, 0.5, size=N_FLIPS) - count)
    extreme = np.count_nonzero(np.abs(sums) >= _reached(observed, float(magnitudes @ counts)))
    return (1 + int(extreme)) / (1 + N_FLIPS)


def tail_on_lattice(
    magnitudes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int
) -> float:
    """Return the exact probability for whole numbers, to a relative error near 1e-10.

    With X the sum of the numbers of positive sign and M the sum of all, the signed sum is 2X - M,
    so the probability is 2 P(X >= x) with x = (M + observed) / 2. X is a sum of scaled binomials,
    one for each distinct number. A plain Fourier inversion of it would be right only to an absolute
    1e-16; so the signs are first tilted (Esscher, 1932), each number m being positive with
    probability q_m = 1 / (1 + exp(-m t)), with t chosen to make x the mean. Then

        P(X >= x) = prod_m [(1 + exp(m t)) / 2]^count_m exp(-t x)
                    * sum_(y >= 0) exp(-t y) P_t(X = x + y)

    where the sum, inverted near the mode, is of ordinary size, and what stands before it is a
    closed form (as Keich and Nagarajan, 2006, J. Comput. Graph. Stat. 15:779-802, do for the
    multinomial goodness-of-fit statistic).

    Args:
        magnitudes: Distinct positive whole numbers, shape (g,).
        counts: How often each occurs, shape (g,).
        observed: The absolute value of the observed sum, of the parity of the sum of all.
    """
    from scipy.special import expit

    total = int(magnitudes @ counts)
    if observed == 0:
        return 1.0
    if observed == total:
        return max(2.0 ** (1 - int(counts.sum())), SMALLEST_P)
    reached = (total + observed) // 2
    tilt = _tilt(magnitudes, counts, reached)
    positive = expit(magnitudes * tilt)
    variance = float(np.sum(counts * magnitudes**2 * positive * (1 - positive)))
    reach = min(total, _window(variance, int(magnitudes.max())))
    masses = _masses(magnitudes, counts, positive, reached, reach)
    upper = masses[: min(reach, total - reached) + 1]
    tail = float(upper @ np.exp(-tilt * np.arange(len(upper))))
    log_factor = counts @ (np.logaddexp(0, magnitudes * tilt) - math.log(2)) - tilt * reached
    return min(1.0, max(2 * math.exp(float(log_factor)) * tail, SMALLEST_P))


def _reached(observed: float, total: float) -> float:
    """Return the least sum that counts as at least the observed one, rounding errors allowed."""
    return observed - _ROUNDING * total


def _tilt(magnitudes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], mean: int) -> float:
    """Return t with sum_m count_m m / (1 + exp(-m t)) = mean, half the total < mean < the total."""
    from scipy.optimize import brentq
    from scipy.special import expit

    weights = (counts * magnitudes).astype(np.float64)

    def excess(tilt: float) -> float:
        return float(weights @ expit(magnitudes * tilt)) - mean

    # At log(total) + 1 the mean lies within total * exp(-t) < 1 of the total, so above `mean`.
    return float(brentq(excess, 0.0, math.log(float(weights.sum())) + 1))


def _window(variance: float, largest: int) -> int:
    """Return a distance from the mean beyond which less than 1e-16 lies on a side.

    Bernstein's inequality, exp(-w^2 / 2 / (variance + largest w / 3)) = exp(-37), solved for w.
    """
    third = _LOG_NEGLECTED * largest / 3
    return math.ceil(third + math.sqrt(third**2 + 2 * _LOG_NEGLECTED * variance))


def _masses(
    magnitudes: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    positive: npt.NDArray[np.float64],
    centre: int,
    reach: int,
) -> npt.NDArray[np.float64]:
    """Return P(X = centre + y) for y = 0, 1, ..., reach, by inverting its Fourier transform.

    The transform on 2 reach + 1 frequencies is that of X modulo 2 reach + 1: what lies further
    from the centre than `reach` is added to the wrong place, so it must be next to nothing.
    """
    size = 2 * reach + 1
    steps = np.arange(reach + 1, dtype=np.int64)

    def turns(by: int) -> npt.NDArray[np.complex128]:
        # Whole turns are taken off in integers, which keeps the phases exact.
        turned: npt.NDArray[np.complex128] = np.exp(2j * np.pi * ((by * steps) % size) / size)
        return turned

    transform = turns(centre)
    for magnitude, count, share in zip(magnitudes, counts, positive, strict=True):
        transform = transform * (1 - share + share * turns(-int(magnitude))) ** int(count)
    return np.fft.irfft(transform, n=size)[: reach + 1]
