"""K on a ladder of tilts: what locates the saddle points and bounds what aliases.

With Gamma(s) = prod_i E_Q[exp(s l_i)]^T_i: K(lam) = log Gamma(1 + lam) when a record is removed,
log Gamma(-lam) when one is added.
"""

from __future__ import annotations

import numpy as np

from gdpnum import charges
from gdpnum.contour.grid import PULL, bulk_end, cut, grid, spacing
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.rungs import (
    BEFORE_JUMPS,
    FARTHEST,
    LAST_LEVEL,
    LEAST_MU,
    RARELY,
    Ladder,
    Rungs,
    logs_of,
    one_outlook,
)
from gdpnum.floats import FUNCTION, UNIT, Floats

# Up to where exp(K - lam K') is far below any slack, as shares of that.
_UP = np.geomspace(0.15, FARTHEST, 20) / FARTHEST

# Where jumps decide, K turns steep within a small part of the ladder: where what they alone make
# of it is as large as this.
_LEVELS = np.array([0.001, 0.005, 0.02, 0.06, 0.2, 0.6, 1.6, 5.0, 15.0, LAST_LEVEL])
_LOG_LEVELS = np.log(_LEVELS)

# These rungs are at least as far apart, as shares of the last; and those before them follow.
_STEEP = np.concatenate([np.geomspace(0.01, 0.4, 6)[:-1], np.linspace(0.4, 1.0, 15)])
_BEFORE_THEM, _SHARES = np.split(_STEEP, [-_LEVELS.size])

# exp(S l) is summed as it is up to here.
_LARGEST = 600.0

# Weights that a ladder may take, by run.
_MOST = 2e6

# And for each of its segments.
_MORE = 1e4


def _rough_mu(steps: Steps) -> Floats:
    """About the mu of each run: the root of the variance of its loss under Q."""
    shifts = np.arange(1.0, 1.0 + steps.weights.shape[1])
    c2 = np.minimum(steps.c**2 * steps.shifts**2, 50.0)
    # E_Q[(A - 1)^2] = sum_jl w_j w_l (exp(j l c^2) - 1).
    powers = np.expm1(np.minimum(np.multiply.outer(steps.c**2, np.outer(shifts, shifts)), 50.0))
    one = np.einsum("nj,njl,nl->n", steps.weights, powers, steps.weights)
    one *= 1.0 + 3.0 * steps.replaced
    one = one / (1.0 + one / np.maximum(c2, 1.0))
    return np.sqrt(steps.total(steps.counts * one) + steps.variance)


def _jumps(steps: Steps) -> Floats:
    """The tilts at which jumps alone, T w_j^S exp(j^2 c^2 S (S - 1) / 2), make K large.

    By run and level, the least of all jumps.
    """
    c2 = ((np.arange(1.0, 1.0 + steps.weights.shape[1]) * steps.c[:, None]) ** 2)[:, :, None]
    b = 0.5 * c2 - np.log(steps.weights)[:, :, None]
    # Much noise has its jumps beyond a valley: the ladder ends before them, hardly earlier.
    deep = b * b > np.maximum(PULL * PULL * c2, RARELY)
    levels = _LOG_LEVELS - np.where(deep, BEFORE_JUMPS, 0.0)
    # There 1 - w_j adds w_j to the log of what A is, S times.
    b = np.where(deep, b - steps.weights[:, :, None], b)
    inside = b * b - 2.0 * c2 * (np.log(steps.counts)[:, None, None] - levels)
    # Of more noise than squares of floats hold, any tilt will do.
    root = (b + np.sqrt(np.maximum(inside, 0.0))) / np.maximum(c2, 5e-324)
    root = np.where(inside[:, :, -1:] < 0.0, np.inf, root).min(axis=1)
    if steps.is_plain:
        least: Floats = root.min(axis=0, keepdims=True)
        return least
    result = np.full((steps.runs, _LEVELS.size), np.inf)
    np.minimum.at(result, steps.owner, root)
    return result


def turning(steps: Steps, last: Floats) -> Floats:
    """Lam up to the last, by run, for runs in which jumps decide: close where K turns steep."""
    levels = np.clip(_jumps(steps) - 1.0, last[:, None] * _SHARES, last[:, None])
    return np.concatenate([levels[:, :1] * (_BEFORE_THEM / _SHARES[0]), levels], axis=1)


def outlook(steps: Steps) -> tuple[Floats, Floats]:
    """About each run's mu, and how far its ladder reaches of where a Gaussian's would."""
    if steps.is_plain:
        one, reach = one_outlook(steps)
        return np.array([one]), np.array([reach])
    mu = np.maximum(_rough_mu(steps), LEAST_MU)
    largest = np.maximum(_jumps(steps)[:, -1] - 1.0, 1.0)
    return mu, np.minimum(largest * mu / FARTHEST, 1.0)


def ladder(steps: Steps, digits: float) -> Ladder:
    """K on the ladder, with its own error added: an upper bound."""
    mu, steep = outlook(steps)
    up = FARTHEST / mu
    lam = up[:, None] * _UP
    above = lam
    if steep.min() < 1.0:
        above = np.where(steep[:, None] < 1.0, turning(steps, steep * up), lam)
    half = np.full((steps.runs, 1), 0.5)
    parts = [1.0 + above, half] if steps.symmetric else [1.0 + above, -lam, half]
    tilts = np.concatenate(parts, axis=1)
    gaussian = (0.5 * steps.variance)[:, None]
    values = gaussian * (tilts * (tilts - 1.0))
    slopes, curvatures = gaussian * (2.0 * tilts - 1.0), gaussian * 2.0 + 0.0 * tilts
    need = digits + np.log(steps.counts)
    step, missed = spacing(steps, need, tilts, np.zeros(steps.runs))
    if not steps.c.size:
        nodes = steps.at(np.zeros((0, 1)))
        return Ladder(
            _rungs(steps, tilts, values, slopes, curvatures),
            values[:, -1],
            np.sqrt(curvatures[:, -1]),
            nodes,
            step,
            nodes.loss,
            steep,
        )
    low, high = reach(steps, tilts, need)
    weights_needed = (high - low) / step * tilts.shape[1]
    work = float(weights_needed.max()) * steps.c.size
    if not work <= _MOST * steps.runs + _MORE * steps.c.size:
        raise OutOfReach(
            f"the contour would look at {work:.2g} weights before it begins: mu is about "
            f"{float(mu.min()):.2g}, and jumps too rare beside it; use the lattice",
            np.where(steps.total(weights_needed) > _MOST, np.inf, steps.total(weights_needed)),
        )
    nodes = steps.at(grid(step, low, high))
    exponents = nodes.log_q - 0.5 * nodes.u**2
    known = _tilted(steps, nodes, exponents, step, missed, tilts)
    total = steps.total(steps.counts[:, None, None] * np.stack(known, axis=1))
    values += total[:, 0]
    slopes += total[:, 1]
    curvatures += np.maximum(total[:, 2], 0.0)
    return Ladder(
        _rungs(steps, tilts, values, slopes, curvatures),
        values[:, -1],
        np.sqrt(curvatures[:, -1]),
        nodes,
        step,
        exponents,
        steep,
    )


def _tilted(
    steps: Steps, nodes: Nodes, exponents: Floats, step: Floats, missed: Floats, tilts: Floats
) -> tuple[Floats, Floats, Floats]:
    """K of one release, rounded up, and its first two derivatives, by segment and tilt."""
    s, loss = tilts[steps.owner], nodes.loss
    weights = _exponents(s, loss, exponents)
    top = np.zeros(s.shape)
    farthest = _exponents(np.stack([s.min(axis=1), s.max(axis=1)], axis=1), loss, exponents)
    if not float(farthest.max()) < _LARGEST:
        top = weights.max(axis=2)
        weights -= top[:, :, None]
    np.exp(weights, out=weights)
    # About the middle's mean, so that no digits are lost.
    middle = np.einsum("nj,nj->n", weights[:, -1], loss) / weights[:, -1].sum(axis=1)
    away = loss - middle[:, None]
    sums, means, squares = np.moveaxis(
        weights @ np.stack([np.ones_like(away), away, away * away], axis=2), 2, 0
    )
    means, squares = means / sums, squares / sums
    ends = weights[:, :, [0, -1]] / sums[:, :, None]
    wrong = missed[:, None] + cut(steps, nodes, step, ends, tilts)
    # The exponents' rounding is that of S l, mostly.
    units = (64.0 + nodes.u.shape[1]) + 8.0 * np.abs(top)
    units += np.abs(s) * (8.0 * nodes.units.max(axis=1))[:, None]
    logs = np.log(sums * (step * (1.0 / np.sqrt(2.0 * np.pi)))[:, None])
    logs += top
    logs += 1.5 * wrong
    logs += UNIT * units
    return logs, means + middle[:, None], squares - means * means


def _exponents(s: Floats, loss: Floats, exponents: Floats) -> Floats:
    """S l + log C - u^2 / 2, by segment, tilt and node."""
    found: Floats = np.stack([s, np.ones_like(s)], axis=2) @ np.stack([loss, exponents], axis=1)
    return found


def _rungs(
    steps: Steps, tilts: Floats, values: Floats, slopes: Floats, curvatures: Floats
) -> Rungs:
    n = _UP.size
    if steps.symmetric:
        parts = [one[:, :n] for one in (tilts - 1.0, values, slopes, curvatures)]
    else:
        parts = [
            np.concatenate([one[:, :n], sign * one[:, n:-1]])
            for one, sign in ((tilts, -1.0), (values, 1.0), (slopes, -1.0), (curvatures, 1.0))
        ]
        parts[0][: steps.runs] -= 1.0
    lam, values, slopes, curvatures = parts
    kappa = -(lam * np.log1p(1.0 / lam) + np.log1p(lam))
    return Rungs(lam, values, slopes, curvatures, kappa)


def reach(steps: Steps, tilts: Floats, need: Floats) -> tuple[Floats, Floats]:
    """How far out nodes must go, for all tilts."""
    s = tilts[steps.owner]
    tail = np.sqrt(2.0 * need)
    slope = steps.shifts * steps.c
    most, least = s.max(axis=1), s.min(axis=1)
    right = most + steps.replaced * np.maximum(most - 1.0, 0.0)
    # To the left the tilt pulls only as far as the posterior of being sampled reaches.
    posterior = np.minimum(1.0, steps.rate * np.exp(-0.5 * steps.c**2))
    left = np.maximum(-least, 0.0) * slope * posterior + steps.replaced * 0.5 * slope
    high = tail + right * slope if steps.replaced.any() else bulk_end(steps, most, need)
    return -(tail + np.minimum(left, tail)), high


def small_cumulants(
    nodes: Nodes, exponents: Floats, step: Floats, s: Floats, lost: Floats, known_lost: Floats
) -> tuple[Floats, Floats]:
    """The log of M of one release, and its error, by segment and line (Lemma T10).

    M - 1 = E_Q[e^(S l) - 1 - S (e^l - 1)] keeps the digits that log M would lose in 1 + tiny; for
    losses so small that exp(l) can be summed as it is. Where exp(S l) cannot, a factor e^k, with k
    whole, goes from it to the density.

    ``lost`` is what M may have lost as a quadrature, ``known_lost`` what E_Q[e^l] = 1 and E_Q[1]
    = 1.
    """
    size, each = np.abs(s), s[:, :, None]
    tilted, odds = each * nodes.loss[:, None, :], np.expm1(nodes.loss)[:, None, :]
    relative = 4.0 * np.abs(nodes.log_q) + 2.0 * np.abs(exponents) + nodes.units
    relative = (relative + (FUNCTION + 8.0))[:, None, :]
    density = exponents[:, None, :]
    if float(tilted.max(initial=0.0)) > _LARGEST:
        moved = np.floor(np.maximum(tilted - _LARGEST, 0.0))
        tilted, odds, relative = tilted - moved, odds * np.exp(-moved), relative + 4.0 * moved
        density = density + moved
    density = np.exp(density) * (step / np.sqrt(2.0 * np.pi))[:, None, None]
    powers, losses = np.expm1(tilted, out=tilted), np.abs(nodes.loss)[:, None, :]
    # Terms, their sizes and those of their parts, by segment and line.
    values = np.empty((*s.shape, 4, nodes.u.shape[1]))
    np.subtract(powers, each * odds, out=values[:, :, 0])
    np.abs(values[:, :, 0], out=values[:, :, 1])
    np.abs(powers, out=values[:, :, 2])
    values[:, :, 3] = np.abs(odds)
    # Lines share their columns, unless some of their powers are moved.
    columns = [density, density * losses, density * relative, density * nodes.units[:, None, :]]
    every = np.array(columns).reshape(4, -1, values.shape[3]).transpose(1, 2, 0)
    sums = values.reshape(every.shape[0], -1, values.shape[3]) @ every
    terms, sizes, powered, odd = sums.reshape(*s.shape, 4, 4).transpose(2, 3, 0, 1)
    excess = terms[0]
    # What the errors of the functions do, then those of the losses and of the densities; where
    # |e^(S l) - e^l| is at most a term and |S - 1| times the odds.
    others = np.abs(1.0 - s)
    rounded = (2.0 * FUNCTION + 4.0) * (powered[0] + size * odd[0]) + sizes[2]
    rounded += size * (powered[1] + columns[1].sum(axis=2) + sizes[3] + others * odd[3])
    rounding = charges.cumulant_rounding(rounded, sizes[0], nodes.u.shape[1])
    return logs_of(excess, rounding, s, lost, known_lost)
