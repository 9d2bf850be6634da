"""Binomial counts: the probability of so few, and the largest rate that they leave possible."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, lambertw

from gdpnum.floats import Floats

# The incomplete beta function is good to far fewer units than this in relative terms.
_ERROR = 1e-10


def few(counts: ArrayLike, trials: int, rates: ArrayLike) -> Floats:
    """P[Bin(trials, rate) <= count], from above."""
    kept = np.minimum(np.asarray(counts, dtype=np.float64), trials - 1.0)
    with np.errstate(all="ignore"):
        found = betainc(trials - kept, kept + 1.0, 1.0 - np.asarray(rates, dtype=np.float64))
        found = np.minimum(1.0, found * (1.0 + _ERROR))
    return np.where(np.asarray(counts) >= trials, 1.0, found)


def many(counts: ArrayLike, trials: int, rates: ArrayLike) -> Floats:
    """P[Bin(trials, rate) >= count], from above."""
    kept = np.clip(np.asarray(counts, dtype=np.float64), 1.0, float(trials))
    with np.errstate(all="ignore"):
        found = betainc(kept, trials - kept + 1.0, np.asarray(rates, dtype=np.float64))
        found = np.minimum(1.0, found * (1.0 + _ERROR))
    return np.where(np.asarray(counts) <= 0, 1.0, np.where(np.asarray(counts) > trials, 0.0, found))


def upper_rate(counts: ArrayLike, trials: int, levels: ArrayLike) -> Floats:
    """The rate at which so few have a probability of ``level``: Clopper-Pearson, from above.

    Whatever the true rate is, a count that puts it above the result has a probability of at most
    the level (Clopper and Pearson 1934).
    """
    counts, levels = np.broadcast_arrays(counts, np.asarray(levels, dtype=np.float64))
    kept = np.minimum(counts.astype(np.float64), trials - 1.0)
    with np.errstate(all="ignore"):
        rates = np.asarray(1.0 - betaincinv(trials - kept, kept + 1.0, levels))
        rates = np.where(counts >= trials, 1.0, rates)
        # The inverse is only as good as the platform's; the function itself decides.
        step = 1e-13
        while (short := (few(counts, trials, rates) > levels) & (rates < 1.0)).any():
            rates = np.where(short, np.minimum(1.0, rates * (1.0 + step) + 1e-3 * step), rates)
            step *= 4.0
    return rates


def last_held(holds: Callable[[float], bool], most: float = math.inf) -> float:
    """The number from 0 on up to which a test holds, from below; one above ``most`` will do."""
    low, high = 0.0, 1.0
    if not holds(0.0):
        return 0.0
    while holds(high):
        if high > most:
            return high
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def product_below(level: float) -> float:
    """The t with P[U V <= t] = level for independent uniforms: t (1 - ln t) = level, from below."""
    with np.errstate(all="ignore"):
        t = float(np.exp(lambertw(-level / np.e, -1).real + 1.0))
    while t * (1.0 - math.log(t)) > level * (1.0 - 1e-12):
        t *= 1.0 - 1e-12
    return t
