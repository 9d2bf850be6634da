"""The curve of a profile that is known for epsilons below 0 too: that of one ordered pair."""

from __future__ import annotations

import numpy as np

from gdpnum.bounds.claims import lower_hull
from gdpnum.bounds.lines import EVERYTHING, Lines, at_infinity
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.floats import Floats

__all__ = ["curve_of_whole_profile"]

# exp() of more would overflow; what is claimed beyond adds nothing that a curve could show.
_LARGEST_EPSILON = 700.0

# What rounding may have done to a point of the hull, relative to itself.
_ROUNDING = 2.0**-49


def curve_of_whole_profile(epsilons: Floats, deltas: Floats) -> PiecewiseCurve:
    """f(alpha) = sup over real eps of 1 - delta(eps) - exp(eps) alpha, from claims on delta.

    Profiles are convex in exp(eps) and 1 at minus infinity, so the lower convex hull of the claims
    and of (0, 1) bounds them. A chord of it, delta = tpr - exp(eps) alpha, is the vertex
    (alpha, 1 - tpr) of the curve: it belongs to the steep half if it holds anywhere above
    eps = 0, and to the other, which is the steep half of the inverse, if it holds anywhere below.
    """
    kept = epsilons <= _LARGEST_EPSILON
    x = np.concatenate([[0.0], np.exp(epsilons[kept])])
    y = np.concatenate([[1.0], deltas[kept]])
    distinct = np.append(True, np.diff(x) > 0.0)  # exp() of very small epsilons
    x, y = lower_hull(x[distinct], y[distinct])
    # A hull falls; where it does not, the claim before stays.
    last = int(np.argmin(y))
    x, y = x[: last + 1], y[: last + 1]
    if x.size < 2:
        return PiecewiseCurve(EVERYTHING)
    alphas = -np.diff(y) / np.diff(x)
    alphas = np.minimum(alphas * (1.0 - _ROUNDING), 1.0)
    tprs = np.minimum((y[1:] + alphas * x[1:]) * (1.0 + _ROUNDING) + 2.0**-60, 1.0)
    steep = _half(np.log(x[1:]), alphas, tprs, float(y[-1]))
    # After the last claim delta stays: a last line, of slope 0, that counts for the other half.
    alphas, tprs = np.append(alphas, 0.0), np.append(tprs, y[-1])
    flat = _half(
        *(-np.log(x[:0:-1]), (1.0 - tprs)[:0:-1], (1.0 - alphas)[:0:-1]), 1.0 - float(alphas[0])
    )
    return PiecewiseCurve(steep) if steep.same_as(flat) else PiecewiseCurve(steep, flat)


def _half(ends: Floats, alphas: Floats, tprs: Floats, infinite: float) -> Lines:
    """The lines that hold above eps = 0, each up to its end."""
    above = ends > 0.0
    if not above.any():
        return at_infinity(infinite)
    with np.errstate(divide="ignore"):
        log_alphas = np.log(alphas[above])
    # They fall but for rounding; where it raises one, take the one before.
    return Lines(
        ends[above],
        np.minimum.accumulate(log_alphas),
        np.maximum.accumulate(np.maximum(tprs[above], infinite)[::-1])[::-1],
        infinite,
    )
