"""From Renyi divergences to a trade-off curve, by the closed-form bound on delta.

A claim is a point (eps, delta) with delta(eps) <= delta. A profile is convex in exp(eps), so every
chord between two claims bounds it too, and neighbours are a symmetric relation, so every claim has
a mirror image. `lines_of_claims` draws what a set of claims says in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import exprel

from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import EVERYTHING, NOTHING, Lines
from gdpnum.floats import Floats

#: A divergence above this says nothing: its curve is zero down to an alpha of exp(-10000).
LARGEST_EPSILON = 1e4

# Knots go no further than a delta of 1e-40, or than this far behind the first claim below one.
_LOWEST_LEVEL = -92.0
_FARTHEST = 1e4
# Accuracy of the chords: absolute, and relative to delta.
_ABSOLUTE, _RELATIVE = 5e-7, 5e-5
_MOST_KNOTS = 6000
# A smaller rho is raised to this: its advantage is 1e-50.
_SMALLEST_RHO = 1e-100
_NEWTON_STEPS = 8

_Claims = Callable[[Floats], Floats]


def closed_form_delta(orders: Floats, epsilons: Floats, at: Floats) -> Floats:
    """The least exp((t - 1) (eps_t - eps)) / t * (1 - 1/t)^(t - 1) over t > 1, at most one.

    An upper bound of delta(eps) for every real eps in ``at`` when D_t(P||Q) <= eps_t; orders up to
    one say nothing. By itself it is not a profile: it need be neither convex nor symmetric.
    Canonne, Kamath, Steinke 2020, Proposition 12.
    """
    return np.exp(_log_bound(*_telling(orders, epsilons, 1e300), at))


def closed_form_lines(orders: Floats, epsilons: Floats) -> Lines:
    """The curve of all that `closed_form_delta` claims, for both directions of all neighbours.

    f(alpha) = sup over real eps of 1 - delta - exp(eps) alpha and exp(-eps) (1 - delta - alpha);
    its profile is the lower convex hull, in exp(eps), of the claims, their mirror images and
    (0, 1). Pessimistic: within 1e-6 of that hull, and 1e-4 relative to delta down to 1e-12. A
    divergence of zero, at any order, says that nothing was released.
    """
    if np.any(epsilons == 0.0):
        return NOTHING
    orders, epsilons = _telling(orders, epsilons, LARGEST_EPSILON)
    if orders.size == 0:
        return EVERYTHING
    # The eps at which the bound reaches a level.
    levels = -np.geomspace(1e-6, -_LOWEST_LEVEL, 300)[:, None]
    reached = np.min(epsilons + (_log_factor(orders) - levels) / (orders - 1.0), axis=1)
    turns = _turns(orders, epsilons)

    def claims(at: Floats) -> Floats:
        return np.minimum(np.exp(_log_bound(orders, epsilons, at)), _mirrored(orders, epsilons, at))

    return _lines(claims, np.append(reached, turns[turns > 0.0]))


def concentrated_delta(rho: float, cap: float, at: Floats) -> Floats:
    """`closed_form_delta` of D_t <= rho t for all 1 < t <= cap, the minimum over all real t.

    ``cap`` may be infinite: rho-zCDP. With a finite one this is truncated CDP, and no order above
    the cap is used. Bun, Steinke 2016; Bun, Dwork, Rothblum, Steinke 2018.
    """
    return np.exp(_log_concentrated(rho, cap, at))


def concentrated_lines(rho: float, cap: float) -> Lines:
    """The curve of all that `concentrated_delta` claims; guarantees as `closed_form_lines`."""
    if rho == 0.0:
        return NOTHING
    if rho > LARGEST_EPSILON:
        return EVERYTHING
    # The order that is best at eps has eps = rho (2t - 1) - log(t / (t - 1)), and the bound there
    # is exp(-rho (t - 1)^2) / t. Beyond the cap the bound falls like exp(-(cap - 1) eps).
    most = min(math.sqrt(-_LOWEST_LEVEL / max(rho, _SMALLEST_RHO)), cap - 1.0)
    excess = np.geomspace(min(1e-8, 0.5 * most), most, 300)
    reached = rho * (1.0 + 2.0 * excess) - np.log1p(1.0 / excess)
    beyond = np.linspace(0.0, -_LOWEST_LEVEL / most, 300)[1:] if most == cap - 1.0 else np.zeros(0)

    def claims(at: Floats) -> Floats:
        # delta(eps) = 1 - exp(eps) (1 - delta(-eps)); far out its rounding is all there is.
        near = np.minimum(at, 50.0)
        mirrored = 1.0 + np.exp(near) * (np.expm1(_log_concentrated(rho, cap, -near)) + 2.0**-50)
        return np.minimum(np.exp(_log_concentrated(rho, cap, at)), mirrored)

    return _lines(claims, np.append(reached, reached[-1] + beyond))


def _lines(claims: _Claims, reached: Floats) -> Lines:
    """The curve of a bound on delta(eps), known at every eps >= 0.

    ``reached`` holds eps all over the range in which the bound falls, and those where it turns.
    The knots are these, mirrored where negative, and midpoints where a chord is too far off.
    """
    start = max(float(reached.min()), 0.0)
    end = min(float(reached.max()), start + _FARTHEST)
    knots = np.unique(np.clip(np.append(np.abs(reached), 0.0), 0.0, end))
    deltas = np.minimum.accumulate(claims(knots))
    unsettled = np.ones(knots.size - 1, dtype=bool)
    while unsettled.any() and knots.size < _MOST_KNOTS:
        left = np.flatnonzero(unsettled)
        half = 0.5 * (knots[left + 1] - knots[left])
        middles = knots[left] + half
        # Profiles fall, so a claim holds further out too, where others may claim less.
        found = np.minimum(claims(middles), deltas[left])
        # In exp(eps) the middle of a cell is nearer to its lower end.
        share = 1.0 / (1.0 + np.exp(np.minimum(half, 700.0)))
        chords = deltas[left] + share * (deltas[left + 1] - deltas[left])
        # Claims above the chord count as well: they hide where one order takes over from another.
        bad = np.abs(chords - found) > _allowed(found, middles - start)
        bad &= (middles > knots[left]) & (middles < knots[left + 1])
        inserted = left[bad] + 1
        knots = np.insert(knots, inserted, middles[bad])
        deltas = np.minimum.accumulate(np.insert(deltas, inserted, found[bad]))
        unsettled = np.zeros(knots.size - 1, dtype=bool)
        new = inserted + np.arange(inserted.size)
        unsettled[new - 1] = unsettled[new] = True
    return lines_of_claims(knots, deltas)


def _allowed(deltas: Floats, depths: Floats) -> Floats:
    """By how much a chord may miss; more below 1e-12, in delta or (far out) in alpha."""
    relative = _RELATIVE * np.maximum(deltas, np.sqrt(1e-12 * deltas))
    allowed: Floats = np.minimum(relative * np.maximum(1.0, depths / 40.0) ** 2, _ABSOLUTE)
    return allowed


def _telling(orders: Floats, epsilons: Floats, largest: float) -> tuple[Floats, Floats]:
    """The orders above one whose divergence says something."""
    kept = (orders > 1.0) & (epsilons <= largest)
    return orders[kept], epsilons[kept]


def _log_factor(orders: Floats) -> Floats:
    """The logarithm of (1 - 1/t)^(t - 1) / t."""
    return (orders - 1.0) * np.log1p(-1.0 / orders) - np.log(orders)


def _log_bound(orders: Floats, epsilons: Floats, at: Floats) -> Floats:
    logs: Floats = _log_factor(orders) + (orders - 1.0) * (epsilons - at[:, None])
    least: Floats = logs.min(axis=1, initial=0.0)
    # Above what rounding took, and still at most zero.
    return np.minimum(least * (1.0 - 2.0**-49) + 2.0**-49, 0.0)


def _turns(orders: Floats, epsilons: Floats) -> Floats:
    """Where the mirror image of an order's bound is least: at log(t / (t - 1)) - eps_t."""
    turns: Floats = np.log1p(1.0 / (orders - 1.0)) - epsilons
    return turns


def _mirrored(orders: Floats, epsilons: Floats, at: Floats) -> Floats:
    """1 - exp(eps) (1 - delta(-eps)), of the bound on delta(-eps) for eps >= 0.

    With v the distance from where it turns that is 1 - exp(-eps_t) + exp(-eps_t) g(v), with
    g(v) = (exp(t v) - 1 - t (exp(v) - 1)) / (t - 1): nothing that cancels, for all t > 1.
    """
    # Further out, in eps or in v, it is above one.
    near = np.minimum(at, 50.0)
    best = (_log_factor(orders) + (orders - 1.0) * (epsilons + near[:, None])).argmin(axis=1)
    t, least = orders[best], epsilons[best]
    v = np.minimum(near - _turns(t, least), 60.0)
    bent = v * np.exp(v) * exprel(np.minimum((t - 1.0) * v, 300.0)) - np.expm1(v)
    rounding = 2.0**-50 * np.abs(v) * (1.0 + np.exp(v))
    deltas: Floats = np.exp(-least) * (bent + rounding) - np.expm1(-least)
    return deltas * (1.0 + 2.0**-50)


def _log_concentrated(rho: float, cap: float, at: Floats) -> Floats:
    """The exponent (t - 1) (rho t - eps) + (t - 1) log(1 - 1/t) - log t, least over t <= cap.

    It is convex in t. With w = log(t / (t - 1)) its derivative is zero where
    rho coth(w / 2) - w = eps, a convex falling function of w: Newton's method from the left
    never oversteps. Any t gives a bound, so what it lacks in the end is accuracy, not soundness.
    """
    # No order above the cap, and none that is infinite.
    rho, least = max(rho, _SMALLEST_RHO), max(-math.log1p(-1.0 / cap), 1e-150)
    # On the left of the root, as coth(x) >= 1 / x and coth(x) >= 1.
    root = np.sqrt(at**2 + 8.0 * rho)
    w = np.where(at > 0.0, 4.0 * rho / (np.abs(at) + root), 0.5 * (root - at))
    w = np.clip(np.maximum(w, rho - at), least, 700.0)
    for _ in range(_NEWTON_STEPS):
        value = rho / np.tanh(0.5 * w) - w - at
        w = np.clip(w + value / (1.0 + 0.5 * rho / np.sinh(0.5 * w) ** 2), least, 700.0)
    excess = 1.0 / np.expm1(w)
    size = excess * (rho * (1.0 + excess) + np.abs(at) + w) + np.log1p(excess)
    logs = excess * (rho * (1.0 + excess) - at - w) - np.log1p(excess)
    return np.minimum(logs + 2.0**-49 * size, 0.0)
