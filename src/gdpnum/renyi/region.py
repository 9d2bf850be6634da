"""From Renyi divergences to the best trade-off curve they imply.

A test with error rates (alpha, beta) makes two coins of a pair (P, Q), with chances tpr = 1 - beta
and alpha. Processing lowers divergences, so D_t of the coins is at most eps_t, both ways round. The
error rates that obey this form a convex set, and its lower edge is f_t; of several orders each
holds, so f is their maximum. Balle, Barthe, Gaboardi, Hsu, Sato 2020.

Chances are kept as logits, log(p / (1 - p)): these tell small ones from zero, large ones from one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import exprel

from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import EVERYTHING, NOTHING, Lines
from gdpnum.floats import Floats, quietly
from gdpnum.renyi.bound import LARGEST_EPSILON

__all__ = ["region_beta", "region_lines", "region_tpr"]

# Smaller divergences are raised to this: its advantage, 1e-13, drowns in rounding.
_SMALLEST_EPSILON = 1e-26
# The curve is followed down to a tpr of 1e-40, at most this far below its point alpha = beta.
_LOWEST_LOG_TPR = -92.0
_DEEPEST = 690.0
_HIGHEST_LOGIT = 3.0 * LARGEST_EPSILON
_MOST_STEPS = 100
# Depths, in logit(alpha) below the point alpha = beta, at which all orders are compared.
_NODES = np.concatenate(
    [np.linspace(0.0, 2.0, 12), np.linspace(2.5, 30.0, 23), np.geomspace(33.0, _DEEPEST, 10)]
)
_STRIDE = 2


def region_beta(orders: Floats, epsilons: Floats, alphas: Floats) -> Floats:
    """f(alpha): least beta with D_t(1 - beta || alpha) and D_t(alpha || 1 - beta) at most eps_t.

    D_t is the Renyi divergence of two coins, for orders in [1/2, 1), one (Kullback-Leibler) and
    above; of several orders the largest beta holds. Pessimistic, and accurate relative to beta.
    """
    logits = _logits(orders, epsilons, alphas)
    beta = np.exp(_logs(logits)[1])
    # Next to one a float is coarser than the logit; where nothing is told, beta is one itself.
    return np.where(np.isneginf(logits), beta, beta * (1.0 - 2.0**-52))


def region_tpr(orders: Floats, epsilons: Floats, alphas: Floats) -> Floats:
    """1 - f(alpha) as `region_beta`, but accurate relative to the tpr."""
    # Next to one a float is coarser than the logit.
    return np.minimum(np.exp(_logs(_logits(orders, epsilons, alphas))[0]) * (1.0 + 2.0**-52), 1.0)


@quietly
def region_lines(orders: Floats, epsilons: Floats) -> Lines:
    """The curve of `region_beta`, as the maximum of its tangents.

    Pessimistic: each line supports the convex set of one order, whether or not that order leads
    there. Within 3e-6 of f, and 1e-4 relative to tpr and delta, down to 1e-12 in these and as far
    as alpha is above 1e-24.
    """
    if np.any(epsilons == 0.0):
        return NOTHING
    orders, epsilons = _telling(orders, epsilons)
    if orders.size == 0:
        return EVERYTHING
    by_order = np.argsort(orders)
    orders, epsilons = orders[by_order], epsilons[by_order]
    # With alpha = beta the divergence is the same both ways round; the highest such point leads.
    top = -0.5 * float(_root(_on_diagonal, orders, epsilons, np.zeros(orders.size)).min())
    return lines_of_claims(*_tangents(*_touched(orders, epsilons, top)))


def _logits(orders: Floats, epsilons: Floats, alphas: Floats) -> Floats:
    """The logits of the tpr, rounded up."""
    with np.errstate(divide="ignore"):
        logit_alphas = np.log(alphas) - np.log1p(-alphas)
    if np.any(epsilons == 0.0):
        return logit_alphas
    orders, epsilons = _telling(orders, epsilons)
    logits = np.full(alphas.size, np.inf)
    inside = np.flatnonzero((alphas > 0.0) & (alphas < 1.0))
    for order, epsilon in zip(orders, epsilons, strict=True):
        fixed = logit_alphas[inside]
        both = np.full(inside.size, order), np.full(inside.size, epsilon)
        found = np.minimum(_root(_on_tpr, *both, fixed), _root(_on_beta, *both, fixed))
        found += 2.0**-48 * (1.0 + np.abs(found) + np.abs(fixed))
        logits[inside] = np.minimum(logits[inside], found)
        # At alpha = 0 only beta^t >= exp((t - 1) eps) is left, or beta = 1 for t >= 1.
        log_beta = min(1.0 - 1.0 / order, 0.0) * epsilon
        with np.errstate(divide="ignore"):
            at_zero = np.log(-np.expm1(log_beta)) - log_beta
        logits[alphas == 0.0] = np.minimum(logits[alphas == 0.0], at_zero)
    return logits


def _telling(orders: Floats, epsilons: Floats) -> tuple[Floats, Floats]:
    kept = epsilons <= LARGEST_EPSILON
    return orders[kept], np.maximum(epsilons[kept], _SMALLEST_EPSILON)


# --- two coins ----------------------------------------------------------------------------------


class _Coins(NamedTuple):
    """D_t(p || a) of two coins with p > a; logs of its derivatives by logit(p) and -logit(a)."""

    divergence: Floats
    log_by_p: Floats
    log_by_a: Floats


def _coins(orders: Floats, logit_p: Floats, logit_a: Floats) -> _Coins:
    """D = log(E) / (t - 1) with E = p^t a^(1 - t) + (1 - p)^t (1 - a)^(1 - t).

    Near E = 1 from E - 1 = (t - 1) (a g(p / a) + (1 - a) g((1 - p) / (1 - a))), where
    g(r) = (r^t - r) / (t - 1) - (r - 1) is never negative; at t = 1 its limit gives the
    Kullback-Leibler divergence.
    """
    power = orders - 1.0
    log_p, log_q = _logs(logit_p)
    log_a, log_b = _logs(logit_a)
    up, down = log_p - log_a, log_q - log_b
    log_moment = np.logaddexp(log_p + power * up, log_q + power * down)
    # Exponents that are capped here belong to moments far from one.
    gained = np.exp(log_p) * (up * exprel(np.minimum(power * up, 300.0)) + np.expm1(-up))
    lost = np.exp(log_q) * down * exprel(np.minimum(power * down, 300.0))
    total = np.maximum(gained + (lost - np.exp(log_b) * np.expm1(down)), 1e-300)
    change = np.maximum(power * total, -0.9)
    tiny = np.abs(change) < 1e-8
    shrunk = np.where(tiny, 1.0 - 0.5 * change, np.log1p(change) / np.where(tiny, 1.0, change))
    far = np.abs(log_moment) > 0.3
    divergence = np.where(far, log_moment / np.where(far, power, 1.0), total * shrunk)
    width = np.maximum(logit_p - logit_a, 1e-300)
    common = np.log(orders * width) - log_moment + power * up + log_p
    log_by_p = common + _log_exprel(-power * width) + log_q
    log_by_a = common + _log_exprel(-orders * width) + log_b
    return _Coins(divergence, log_by_p, log_by_a)


def _logs(logits: Floats) -> tuple[Floats, Floats]:
    """The logarithms of p and 1 - p."""
    common = np.log1p(np.exp(-np.abs(logits)))
    return np.minimum(logits, 0.0) - common, -np.maximum(logits, 0.0) - common


def _log_exprel(x: Floats) -> Floats:
    """The logarithm of (exp(x) - 1) / x."""
    return np.where(x > 50.0, x - np.log(np.maximum(x, 1.0)), np.log(exprel(np.minimum(x, 50.0))))


# --- where the divergence is as large as allowed ------------------------------------------------

_Path = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def _on_tpr(orders: Floats, at: Floats, logit_alphas: Floats) -> tuple[Floats, Floats]:
    """D_t(tpr || alpha) as logit(tpr) grows, and the log of its derivative."""
    coins = _coins(orders, at, logit_alphas)
    return coins.divergence, coins.log_by_p


def _on_beta(orders: Floats, at: Floats, logit_alphas: Floats) -> tuple[Floats, Floats]:
    """D_t(alpha || tpr), which is D_t(1 - alpha || beta), as logit(tpr) grows."""
    coins = _coins(orders, -logit_alphas, -at)
    return coins.divergence, coins.log_by_a


def _on_diagonal(orders: Floats, at: Floats, _: Floats) -> tuple[Floats, Floats]:
    """D_t(tpr || alpha) with alpha = beta, as 2 logit(tpr) grows."""
    coins = _coins(orders, 0.5 * at, -0.5 * at)
    return coins.divergence, np.logaddexp(coins.log_by_p, coins.log_by_a) - np.log(2.0)


def _root(
    path: _Path, orders: Floats, epsilons: Floats, origins: Floats, start: Floats | None = None
) -> Floats:
    """The logit(tpr) at which D_t = eps_t, or `_HIGHEST_LOGIT` if D_t stays below.

    Newton's method for log D, within a bracket. The losses of two coins differ by
    w = logit(p) - logit(a), so D_t <= min(w, t w^2 / 8): that is its lower end. From there log D,
    concave but for little, is not overstepped.
    """
    low = origins + np.maximum(epsilons, np.sqrt(8.0 * epsilons / orders))
    high = np.full(low.shape, _HIGHEST_LOGIT)
    at = low.copy() if start is None else np.maximum(start, low)
    todo = np.arange(low.size)
    for _ in range(_MOST_STEPS):
        now, wanted = at[todo], epsilons[todo]
        found, log_slope = path(orders[todo], now, origins[todo])
        below = found <= wanted
        lower, upper = np.where(below, now, low[todo]), np.where(below, high[todo], now)
        log_found = np.log(found)
        step = (np.log(wanted) - log_found) * np.exp(np.minimum(log_found - log_slope, 600.0))
        new = now + step
        new = np.where(upper == _HIGHEST_LOGIT, np.minimum(new, upper), new)
        new = np.where((new >= lower) & (new <= upper), new, 0.5 * (lower + upper))
        low[todo], high[todo], at[todo] = lower, upper, new
        # Newton's last step leaves an error of about the square of its length.
        settled = 1e-8 * (now - origins[todo]) + 2.0**-50 * (1.0 + np.abs(now))
        todo = todo[np.abs(new - now) > settled]
        if todo.size == 0:
            break
    return at


# --- tangents -----------------------------------------------------------------------------------


class _Edges(NamedTuple):
    """Log tpr on the edge of each order's set (rows) at the nodes, and -d log(tpr) / d depth."""

    log_tprs: Floats
    powers: Floats

    def between(self, which: NDArray[np.intp], depths: Floats) -> Floats:
        """Log tpr of given orders at any depth, by cubics: to choose an order and to start from."""
        right = _node_above(depths)
        left = right - 1
        width = _NODES[right] - _NODES[left]
        x = (depths - _NODES[left]) / width
        y = 1.0 - x
        high, low = self.log_tprs[which, left], self.log_tprs[which, right]
        bent = x * y * width * (x * self.powers[which, right] - y * self.powers[which, left])
        cubic = y * y * (1.0 + 2.0 * x) * high + x * x * (1.0 + 2.0 * y) * low + bent
        clipped: Floats = np.clip(cubic, low, high)
        return clipped


def _edges(orders: Floats, epsilons: Floats, top: float) -> _Edges:
    shape = orders.size, _NODES.size
    logit_alphas = np.tile(top - _NODES, orders.size)
    orders, epsilons = np.repeat(orders, _NODES.size), np.repeat(epsilons, _NODES.size)
    roots = _root(_on_tpr, orders, epsilons, logit_alphas)
    coins = _coins(orders, roots, logit_alphas)
    log_tprs, log_betas = _logs(roots)
    log_powers = coins.log_by_a - coins.log_by_p + log_betas - _logs(logit_alphas)[1]
    powers = np.where(roots < _HIGHEST_LOGIT, np.exp(np.minimum(log_powers, 0.0)), 0.0)
    return _Edges(log_tprs.reshape(shape), powers.reshape(shape))


def _node_above(depths: Floats) -> NDArray[np.intp]:
    return np.clip(np.searchsorted(_NODES, depths), 1, _NODES.size - 1)


def _depths(edges: _Edges) -> Floats:
    """Where to touch the curve: closer where it bends more, down to a tpr of 1e-40.

    With tpr = alpha^k nearby, what lies between two tangents misses by tpr (k (1 - k) + k') / 8
    times the square of their distance in log(alpha), with k' the change of k over that of depth;
    delta there is (1 - k) tpr. Where tpr is below 1e-13, a few will do.
    """
    leaders, every = edges.log_tprs.argmin(axis=0), np.arange(_NODES.size)
    log_tprs, powers = edges.log_tprs[leaders, every], edges.powers[leaders, every]
    bends = powers * (1.0 - powers)
    bends = np.maximum(bends[1:], bends[:-1]) + np.abs(np.diff(powers)) / np.diff(_NODES)
    bends = np.sqrt(np.exp(log_tprs[:-1]) * bends) * np.minimum(1.0, 30.0 / _NODES[1:]) ** 2
    slopes = np.sqrt(powers[1:]) * np.minimum(1.0, 60.0 / _NODES[1:]) ** 2
    density = np.where(log_tprs[:-1] > -30.0, 440.0 * bends + 54.0 * slopes, 0.0)
    density += 77.0 / np.maximum(_NODES[1:], 15.0)
    counts = np.append(0.0, np.cumsum(density * np.diff(_NODES)))
    last = int(np.argmax(np.append(log_tprs[:-1] < _LOWEST_LOG_TPR, True)))
    depths: Floats = np.interp(np.arange(counts[last]), counts, _NODES)
    return depths


def _touched(orders: Floats, epsilons: Floats, top: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Orders and their epsilons, logit(tpr) and logit(alpha) where the curve is touched."""
    edges = _edges(orders, epsilons, top)
    depths = _depths(edges)

    def roots(which: NDArray[np.intp], depths: Floats) -> Floats:
        start = edges.between(which, depths)
        with np.errstate(divide="ignore"):
            start -= np.log(-np.expm1(start))
        # Where tpr = 1 was allowed at both nodes, there is nothing to start from.
        start = np.where(np.isfinite(start), start, -np.inf)
        return _root(_on_tpr, orders[which], epsilons[which], top - depths, start)

    # Who seems to lead at the depths before and behind, and who does lead at the nodes.
    seems = edges.between(np.arange(orders.size)[:, None], depths[::_STRIDE]).argmin(axis=0)
    leads = edges.log_tprs.argmin(axis=0)
    block, above = np.arange(depths.size) // _STRIDE, _node_above(depths)
    behind = seems[np.minimum(block + 1, seems.size - 1)]
    leaders = seems[block]
    found = roots(leaders, depths)
    beside = (np.clip(leaders + step, 0, orders.size - 1) for step in (-1, 1))
    for others in (behind, leads[above - 1], leads[above], *beside):
        new = np.flatnonzero(others != leaders)
        logits = roots(others[new], depths[new])
        better = new[logits < found[new]]
        found[new] = np.minimum(logits, found[new])
        leaders[better] = others[better]
    # Where the lead changes the curve has a corner, which both orders' tangents have to reach.
    last = np.flatnonzero(leaders[1:] != leaders[:-1])
    late, early = (leaders[last], depths[last + 1]), (leaders[last + 1], depths[last])
    found = np.concatenate([found, roots(*late), roots(*early)])
    leaders, depths = map(np.concatenate, zip((leaders, depths), late, early, strict=True))
    return orders[leaders], epsilons[leaders], found, top - depths


def _tangents(
    orders: Floats, epsilons: Floats, logit_tprs: Floats, logit_alphas: Floats
) -> tuple[Floats, Floats]:
    """Claims (eps, delta): lines tpr <= delta + exp(eps) alpha that no allowed point is above.

    (E - 1) / (t - 1) is convex in (alpha, tpr), so its tangent plane at any point, on the edge or
    only near it, cuts off nothing that is allowed.
    """
    power, widths = orders - 1.0, logit_tprs - logit_alphas
    log_tprs, log_betas = _logs(logit_tprs)
    log_alphas, _ = _logs(logit_alphas)
    coins = _coins(orders, logit_tprs, logit_alphas)
    log_shares = _log_exprel(-orders * widths) - _log_exprel(-power * widths)
    rests = epsilons - coins.divergence
    growth = np.where(power * rests < 300.0, exprel(np.minimum(power * rests, 300.0)), np.inf)
    tprs = np.exp(log_tprs)
    deltas = -tprs * np.expm1(log_shares)
    deltas += rests * growth * np.exp(log_tprs + log_betas - coins.log_by_p)
    # u = log(tpr / alpha) is known to the rounding of its parts.
    deltas += 2.0**-50 * tprs * (4.0 - log_alphas)
    return np.maximum(log_tprs - log_alphas + log_shares, 0.0), deltas
