"""Renyi divergences as a guarantee: at many orders, and the tight rho over a range of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gdpnum.errors import UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.kind import kind_of
from gdpnum.mechanisms import Mechanism
from gdpnum.pairs.pair import Bracket, Divergences, Pair
from gdpnum.releases import exact_mu
from gdpnum.renyi.divergences import pair_divergences, renyi_divergences

# Orders at which a supremum is first looked for, and how finely the best places are divided.
_ORDERS, _PARTS, _ROUNDS = 200, 8, 3

# Cells that exceed what was reached by no more than this are not looked into further; the result
# is raised by it.
_LEFT = 1e-5

# Up to here divergences are computed; beyond, they are bounded by what they tend to.
_LARGEST_ORDER = 1e4


def renyi_epsilons(mechanism: Mechanism, orders: Floats) -> Floats:
    """The larger of D_t(P||Q) and D_t(Q||P) at each order t, from above."""
    return renyi_divergences(mechanism, orders).worst


def rho_up_to(mechanism: Mechanism, cap: float) -> float:
    """The supremum over 1 < t <= cap of D_t / t, over both directions, from above.

    (t - 1) D_t is convex in t, so between two orders it lies below its chord c + m t, and D_t / t
    below (c + m t) / (t (t - 1)), whose maximum is known.
    """
    mu = exact_mu(mechanism)
    if mu is not None:
        return 0.5 * mu**2 * (1.0 + 2.0**-50)
    excess = np.geomspace(min(1e-6, 0.01 * (cap - 1.0)), cap - 1.0, _ORDERS)
    orders = np.unique(np.append(1.0, np.minimum(1.0 + excess, cap)))
    reached, bound = 0.0, math.inf
    for _ in range(_ROUNDS):
        divergences = renyi_epsilons(mechanism, orders)
        if math.isinf(divergences.max()):
            raise UnsupportedMechanism(
                f"{mechanism!r} has infinite Renyi divergences: it may reveal everything with "
                "positive probability, so no rho holds for it"
            )
        reached = max(reached, float((divergences / orders).max()))
        cells = _chord_bounds(orders, (orders - 1.0) * divergences)
        # Cells that were left out hold no more than what was reached.
        bound = min(bound, max(reached, float(cells.max())))
        hiding = np.flatnonzero(cells > reached * (1.0 + _LEFT))
        if hiding.size == 0:
            break
        shares = np.linspace(0.0, 1.0, _PARTS + 1)
        lows, highs = orders[hiding], orders[hiding + 1]
        orders = np.unique(lows[:, None] + shares * (highs - lows)[:, None])
    # What was left out may exceed what was reached by the tolerance.
    return min(bound * (1.0 + _LEFT), _concentration(mechanism, 1.0))


def _chord_bounds(orders: Floats, powers: Floats) -> Floats:
    """The largest (c + m t) / (t (t - 1)) on each cell, for the chords of ``powers``."""
    low, high = orders[:-1], orders[1:]
    slope = np.diff(powers) / (high - low)
    # The chord at t = 1, at most zero as powers are convex and start there.
    start = np.minimum(powers[:-1] - slope * (low - 1.0), 0.0)
    depth = slope - start
    with np.errstate(divide="ignore", invalid="ignore"):
        top = (depth + np.sqrt(np.maximum(depth * -start, 0.0))) / slope
    top = np.clip(np.nan_to_num(top, nan=1.0), low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (start / (top - 1.0) + slope) / top
    # At t = 1 the chord passes through zero, and the ratio is its slope.
    return np.where(top > 1.0, ratio, slope)


def limiting_rho(mechanism: Mechanism) -> float:
    """The supremum over all t > 1 of D_t / t, over both directions, from above.

    For Gaussians, sampled or not, D_t / t tends to the unamplified 1 / (2 sigma^2).
    """
    beyond = _concentration(mechanism, _LARGEST_ORDER)
    if math.isinf(beyond):
        raise UnsupportedMechanism(
            f"no rho holds for {mechanism!r} at all orders; fit TruncatedCDP, up to an order"
        )
    return max(beyond, rho_up_to(mechanism, _LARGEST_ORDER)) if beyond > 0.0 else 0.0


def pair_concentration(one: Pair | None, order: float) -> float:
    """A bound on D_t / t of a pair of bounded loss, at all orders t from ``order`` on.

    epsilon-DP has D_t <= min(epsilon, t epsilon^2 / 2) (Bun and Steinke 2016, Prop. 3.3).
    """
    if one is None:
        return 0.0
    if max(one.mass_at_infinity, one.mass_at_minus_infinity) > 0.0:
        return math.inf
    epsilon = max(one.highest, -one.lowest)
    return min(epsilon / order, 0.5 * epsilon**2)


def by_pair(pair: Callable[[Any], Pair | Bracket | None]) -> dict[str, Any]:
    """The divergences and the concentration of a kind, as they follow from its pair."""

    def above(leaf: Mechanism) -> Pair | None:
        found = pair(leaf)
        return found.above if isinstance(found, Bracket) else found

    def divergences(leaf: Mechanism, orders: Floats) -> Divergences | None:
        one = above(leaf)
        return None if one is None else pair_divergences(one, orders)

    def concentration(leaf: Mechanism, order: float) -> float:
        return pair_concentration(above(leaf), order)

    return {"divergences": divergences, "concentration": concentration}


def _concentration(mechanism: Mechanism, order: float) -> float:
    """A bound on D_t / t of all releases together, at all orders t from ``order`` on."""
    return sum(count * kind_of(leaf).concentration(leaf, order) for leaf, count in mechanism.parts)
