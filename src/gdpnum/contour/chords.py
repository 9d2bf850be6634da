"""Chords of a profile: the curve that they make, and what mu they need."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.bounds.lines import Lines
from gdpnum.contour.rungs import Rungs
from gdpnum.floats import UNIT, Floats

# Exponentials of gaps stay below this.
_LARGEST = 600.0

# What a chord between two knots of a curve may add to mu, relatively; and knots at most.
_CHORD, _MOST = 4e-7, 8_000


def chernoff(epsilons: Floats, rungs: Rungs) -> Floats:
    """Bounds that delta never exceeds, at epsilons by row."""
    logs = (rungs.values + rungs.log_kappa)[:, :, None]
    logs = (logs - rungs.lam[:, :, None] * epsilons[:, None, :]).min(axis=1)
    bound: Floats = np.exp(np.minimum(logs, 0.0)) * (1.0 + 1e-12)
    return bound


def chords(epsilons: Floats, upper: Floats, slack: float, starts: Floats, ends: Floats) -> Floats:
    """The mu that cells between starts and ends need, from chords between any two knots.

    ``upper`` bounds delta at the knots, which may be in any order.
    """
    order = np.argsort(epsilons, kind="stable")
    places, bounds = epsilons[order], np.minimum.accumulate(upper[order])
    kept = _convex(places, bounds)
    needed = mus(places[kept], bounds[kept], slack)
    first = np.searchsorted(places[kept], starts, "right") - 1
    last = np.searchsorted(places[kept], ends, "left")
    # A cell may be below several of them.
    every = [needed[a:b].max(initial=-np.inf) for a, b in zip(first, last, strict=True)]
    return np.array(every)


def mus(epsilons: Floats, upper: Floats, slack: float) -> Floats:
    """The mu that each chord between two knots needs, from above (Lemma T16)."""
    gaps, start, end = np.diff(epsilons), upper[:-1], upper[1:]
    lifted = (start - end) / np.expm1(gaps)
    # A smaller slope and a higher line: both towards a larger mu.
    power = (start - slack) + lifted * (1.0 + 64.0 * UNIT) + (4.0 * UNIT) * start
    slope = lifted * (1.0 - 64.0 * UNIT)
    # No TPR is above one: the chord from exp(eps) = 0, where delta is one, is lower then.
    above, other = power > 1.0 - slack, (1.0 - 4.0 * UNIT - end) * np.exp(-gaps)
    power = np.where(above, 1.0 - 0.5 * slack, power)
    slope = np.maximum(np.where(above, np.fmin(slope, other), slope), 0.0)
    low, high = ndtri(power), ndtri_exp(np.log(slope) - epsilons[:-1])
    found: Floats = (low - high) + charges.one_quantile(1.0 + np.abs(low) + np.abs(high))
    found[np.isnan(found)] = np.inf
    found[(start <= slack) | (gaps <= 0.0)] = -np.inf
    return found


def _convex(epsilons: Floats, upper: Floats) -> npt.NDArray[np.intp]:
    """Knots on the lower convex hull over exp(eps), the first and the last among them.

    In plain numbers, which are quicker one by one. Any choice of knots is a sound one.
    """
    places, values = epsilons.tolist(), upper.tolist()
    kept: list[int] = []
    for k, (place, value) in enumerate(zip(places, values, strict=True)):
        while len(kept) > 1:
            i, j = kept[-2:]
            gap = min(places[j] - places[i], _LARGEST)
            after = math.expm1(min(place - places[j], _LARGEST - gap)) * math.exp(gap)
            if (values[i] - values[j]) * after > (values[j] - value) * math.expm1(gap):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)


def chord_knots(epsilons: Floats, delta: Floats, lifted_alpha: Floats) -> Floats:
    """Epsilons so close that a chord between two adds little to mu, from those of a first look.

    A chord of length D adds D^2 p / 8 to delta, p the density of the loss under P, and a share r of
    delta adds about r / (2 log 1/delta) to mu, relatively.
    """
    delta, gaps = np.maximum(delta, 1e-300), np.diff(epsilons)
    density = np.maximum(-np.diff(delta + lifted_alpha), 0.0) / gaps
    middle = np.sqrt(delta[:-1]) * np.sqrt(delta[1:])
    room = 8.0 * _CHORD * np.maximum(1.0, -2.0 * np.log(middle)) * middle
    parts = gaps * np.sqrt(density / room)
    counted = np.concatenate([[0.0], np.cumsum(np.clip(parts, 1.0, 400.0))])
    number = int(min(counted[-1], _MOST))
    return np.interp(np.linspace(0.0, counted[-1], number + 1), counted, epsilons)


def chord_lines(epsilons: Floats, upper: Floats) -> Lines:
    """The chords through bounds on delta at increasing epsilons from zero on."""
    upper = np.minimum.accumulate(np.minimum(upper, 1.0))
    # What is one but for rounding, as next to zero where mu is large, takes one chord.
    kept = np.append(True, upper[1:] < upper[:-1])
    places, upper = epsilons[kept], upper[kept]
    gaps = np.diff(places)
    # Logs, as exp(gap) may overflow where mu is large.
    falls, grown = np.log(upper[:-1] - upper[1:]), gaps + np.log(-np.expm1(-gaps))
    logs = falls - grown
    tprs = (upper[:-1] + np.exp(logs)) * (1.0 + charges.chord())
    lost = charges.chord() * (1.0 + places[1:] + np.abs(falls) + np.abs(grown))
    return Lines(places[1:], logs - places[:-1] - lost, tprs, float(upper[-1]))
