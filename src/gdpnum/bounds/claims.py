"""Lower convex hulls: of vertices, and of the claims that a privacy profile makes."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import charges
from gdpnum.bounds.lines import EVERYTHING, NOTHING, Lines
from gdpnum.floats import Floats


def lower_hull(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points on the lower convex hull, x strictly increasing."""
    with np.errstate(over="ignore"):
        slopes = np.diff(y) / np.diff(x)
    if (slopes[1:] > slopes[:-1]).all():
        return x, y
    x_list, y_list = x.tolist(), y.tolist()
    kept: list[int] = []
    for i in range(x.size):
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            steep = (y_list[k] - y_list[j]) / (x_list[k] - x_list[j])
            if steep < (y_list[i] - y_list[k]) / (x_list[i] - x_list[k]):
                break
            kept.pop()
        kept.append(i)
    return x[kept], y[kept]


def lines_of_claims(epsilons: Floats, deltas: Floats) -> Lines:
    """The curve of the claims delta(eps_i) <= delta_i and their mirror images, eps_i >= 0.

    That is the lower convex hull of both, in exp(eps). Its lines are chords between claims, so they
    bound the profile wherever the claims are true; rounding goes to smaller alpha and larger tpr.
    """
    order = np.lexsort((deltas, epsilons))
    epsilons, deltas = epsilons[order], np.maximum(deltas[order], 0.0)
    # Profiles fall: a claim that is not below all before it says nothing.
    falls = deltas < np.minimum.accumulate(np.append(1.0, deltas[:-1]))
    epsilons, deltas = epsilons[falls], deltas[falls]
    if epsilons.size == 0:
        return EVERYTHING
    if epsilons[0] == deltas[0] == 0.0:
        return NOTHING
    # The hull meets its own mirror image in the line of the point alpha = beta of the curve. The
    # claim that puts this point highest is a vertex; those before it are below the diagonal.
    log_middles = np.log1p(-deltas) - np.logaddexp(0.0, epsilons)
    start = int(np.argmax(log_middles))
    middle, epsilons, deltas = float(log_middles[start]), epsilons[start:], deltas[start:]
    kept = _hull(epsilons, deltas, middle)
    epsilons, deltas = epsilons[kept], deltas[kept]
    # exp(eps) alpha at the upper end of each chord
    weights = -np.diff(deltas) / -np.expm1(-np.diff(epsilons))
    log_alphas, tprs = np.log(weights) - epsilons[1:], deltas[1:] + weights
    ends = epsilons[1:]
    if epsilons[0] > 0.0 or ends.size == 0:
        ends = epsilons
        log_alphas, tprs = np.append(middle, log_alphas), np.append(-math.expm1(middle), tprs)
    # They fall but for rounding; where it raises one, take the one before.
    log_alphas = np.minimum.accumulate(log_alphas) - charges.chord() * (1.0 + ends)
    tprs = np.maximum.accumulate(tprs[::-1])[::-1] * (1.0 + charges.chord())
    return Lines(ends, log_alphas, tprs, float(deltas[-1]))


def _hull(epsilons: Floats, deltas: Floats, log_steepest: float) -> list[int] | slice:
    """Vertices of the lower convex hull, in exp(eps), of points with strictly falling deltas.

    No chord may be steeper than given; among points next to each other rounding can make one so.
    """
    widths = np.diff(epsilons)
    chords = np.log(-np.diff(deltas)) - epsilons[1:] - np.log(-np.expm1(-widths))
    if (np.diff(chords, prepend=log_steepest) < 0.0).all():
        return slice(None)
    return _hull_of_some(epsilons.tolist(), deltas.tolist(), log_steepest)


def _hull_of_some(epsilons: list[float], deltas: list[float], log_steepest: float) -> list[int]:

    def log_slope(i: int, j: int) -> float:
        width = epsilons[j] - epsilons[i]
        return math.log(deltas[i] - deltas[j]) - epsilons[j] - math.log(-math.expm1(-width))

    kept, slopes = [0], [log_steepest]
    for i in range(1, len(epsilons)):
        slope = log_slope(kept[-1], i)
        while slope >= slopes[-1] and len(kept) > 1:
            kept.pop()
            slopes.pop()
            slope = log_slope(kept[-1], i)
        if slope < slopes[-1]:
            kept.append(i)
            slopes.append(slope)
        else:
            # On the steepest line but for rounding, which then holds up to here.
            kept[0] = i
    return kept
