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

# Smaller divergences are raised to this: its advantage, 1e-13, drowns in rounding.
_SMALLEST_EPSILON = 1e-26
_HIGHEST_LOGIT = 3.0 * LARGEST_EPSILON
_MOST_STEPS = 100
# The curve is first touched at these depths, in logit(alpha) below its point alpha = beta; down to
# a tpr of 1e-40.
_NODES = np.append(0.0, np.geomspace(0.2, 690.0, 24))
_LOWEST_LOG_TPR = -92.0
# All curves end in that mass at infinity, so that those of two guarantees do not cross there.
_LOWEST = float(np.exp(_LOWEST_LOG_TPR))
# What tangents may miss a tpr by, and relative to delta; in the far tail, and relative to the tpr.
_MISSED, _OF_DELTA = 0.9e-6, 0.9e-4
_FAR_MISSED, _OF_FAR_TPR = 1e-5, 2e-3
_FAR_TPR, _FAR_DEPTH = 1e-12, 55.5
_MOST_ROUNDS = 30


@quietly
def region_lines(orders: Floats, epsilons: Floats) -> Lines:
    """The curve of the least beta with D_t(1 - beta || alpha) and D_t(alpha || 1 - beta) <= eps_t.

    D_t is the Renyi divergence of two coins, for orders in [1/2, 1), one (Kullback-Leibler) and
    above; of several orders the largest beta holds. As the maximum of its tangents.

    Pessimistic: each line supports the convex set of one order, whether or not that order leads
    there. Within 1e-6 of f, and 1e-4 relative to tpr and delta, down to 1e-12 in these and as far
    as alpha is above 1e-24.
    """
    if np.any(epsilons == 0.0):
        return NOTHING
    orders, epsilons = _telling(orders, epsilons)
    if orders.size == 0:
        return EVERYTHING
    return _cut_off(orders, epsilons)


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


def _on_diagonal(orders: Floats, at: Floats, _: Floats) -> tuple[Floats, Floats]:
    """D_t(tpr || alpha) with alpha = beta, as 2 logit(tpr) grows."""
    coins = _coins(orders, 0.5 * at, -0.5 * at)
    return coins.divergence, np.logaddexp(coins.log_by_p, coins.log_by_a) - np.log(2.0)


def _root(path: _Path, orders: Floats, epsilons: Floats, origins: Floats) -> Floats:
    """The logit(tpr) at which D_t = eps_t, or `_HIGHEST_LOGIT` if D_t stays below.

    Newton's method for log D, within a bracket. The losses of two coins differ by
    w = logit(p) - logit(a), so D_t <= min(w, t w^2 / 8): that is its lower end. From there log D,
    concave but for little, is not overstepped.
    """
    low = origins + np.maximum(epsilons, np.sqrt(8.0 * epsilons / orders))
    high = np.full(low.shape, _HIGHEST_LOGIT)
    at: Floats = low.copy()
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


def _cut_off(orders: Floats, epsilons: Floats) -> Lines:
    """Tangents of which every corner is as near to what all orders allow as promised.

    What is allowed is convex, so tangents miss most at the corners between them. Where a corner is
    too far outside of some order's set, that order gets a tangent at the corner's alpha.
    """
    claims = _touched(orders, epsilons)
    corners, outside = np.empty(0), np.ones((2, orders.size), dtype=bool)
    for _ in range(_MOST_ROUNDS):
        lines = lines_of_claims(claims[0], np.maximum(claims[1], _LOWEST))
        if lines is EVERYTHING:
            break
        # Beside a new corner were two others: if an order's set has both, it has the new one.
        place = np.searchsorted(-corners, -lines.log_alphas)
        logit_alphas = lines.log_alphas - np.log1p(-np.exp(lines.log_alphas))
        asked = outside[place] | outside[place + 1]
        logits = _cut_back(orders, epsilons, lines.tprs, logit_alphas, asked)
        leaders, lowest = logits.argmin(axis=1), logits.min(axis=1)
        far = np.flatnonzero(lines.tprs - np.exp(_logs(lowest)[0]) > _allowed(lines))
        if far.size == 0:
            break
        corners, outside = lines.log_alphas, np.isfinite(logits)
        outside = np.pad(outside, ((1, 1), (0, 0)), constant_values=True)
        # Tangents far apart meet close to the steeper one: there, touch half way as well.
        halves = 0.5 * np.append(0.0, -np.diff(logit_alphas))[far]
        wide = halves > 0.5
        which = leaders[np.append(far, far[wide])]
        at = np.append(logit_alphas[far], (logit_alphas[far] + halves)[wide])
        roots = _root(_on_tpr, orders[which], epsilons[which], at)
        kept = claims[:, np.isin(claims[0], np.append(0.0, lines.epsilons))]
        claims = np.hstack([kept, _tangents(orders[which], epsilons[which], roots, at)])
    return lines


def _touched(orders: Floats, epsilons: Floats) -> Floats:
    """The claims of the tangents at the nodes, each of the order that leads there."""
    # With alpha = beta the divergence is the same both ways round; the highest such point leads.
    top = -0.5 * float(_root(_on_diagonal, orders, epsilons, np.zeros(orders.size)).min())
    logit_alphas = top - _NODES
    every = np.repeat(orders, _NODES.size), np.repeat(epsilons, _NODES.size)
    roots = _root(_on_tpr, *every, np.tile(logit_alphas, orders.size)).reshape(orders.size, -1)
    leaders, lowest = roots.argmin(axis=0), roots.min(axis=0)
    seen = slice(1 + int(np.argmax(np.append(lowest[:-1] < _LOWEST_LOG_TPR, True))))
    both = orders[leaders[seen]], epsilons[leaders[seen]]
    return np.array(_tangents(*both, lowest[seen], logit_alphas[seen]))


def _cut_back(
    orders: Floats, epsilons: Floats, tprs: Floats, logit_alphas: Floats, asked: NDArray[np.bool_]
) -> Floats:
    """About logit(tpr) on the edge of each order's set (columns); infinite for a point inside.

    By a step of Newton's method for log D, which from outside goes too far rather than not enough.
    """
    point, which = np.nonzero(asked)
    below_one = np.minimum(tprs, 1.0 - 2.0**-53)
    now = (np.log(below_one) - np.log1p(-below_one))[point]
    coins = _coins(orders[which], now, logit_alphas[point])
    log_found, log_wanted = np.log(coins.divergence), np.log(epsilons[which])
    step = (log_wanted - log_found) * np.exp(np.minimum(log_found - coins.log_by_p, 600.0))
    logits = np.full(asked.shape, np.inf)
    logits[point, which] = np.where(log_found > log_wanted, now + step, np.inf)
    return logits


def _allowed(lines: Lines) -> Floats:
    """How far outside a corner may be: a delta above it is missed by no more than its tpr is."""
    near = np.minimum(_MISSED, _OF_DELTA * lines.deltas_at_ends())
    is_far = (lines.tprs < _FAR_TPR) | (lines.log_alphas < lines.log_alphas[0] - _FAR_DEPTH)
    rounding = 2.0**-46 * lines.tprs * (4.0 - lines.log_alphas)
    far = np.minimum(_FAR_MISSED, _OF_FAR_TPR * lines.tprs) + _LOWEST
    return np.where(is_far, far, near) + rounding


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
