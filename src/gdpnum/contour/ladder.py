"""K on a ladder of tilts: what locates the saddle points and bounds what aliases.

With Gamma(s) = prod_i E_Q[exp(s l_i)]^T_i: K(lam) = log Gamma(1 + lam) when a record is removed,
log Gamma(-lam) when one is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.contour.charges import UNIT, Floats
from gdpnum.contour.grid import cut, grid, spacing
from gdpnum.contour.pairs import Nodes, Steps

__all__ = ["Ladder", "ladder"]

# lam as multiples of one over the run's mu: up to where exp(K - lam K') is far below any slack.
_FARTHEST = 22.0
_UP = np.geomspace(0.15, _FARTHEST, 20) / _FARTHEST
_DOWN = np.geomspace(0.3, _FARTHEST, 11)

# Where jumps decide, K turns steep within a small part of the ladder.
_STEEP = np.concatenate([np.geomspace(0.01, 0.4, 6)[:-1], np.linspace(0.4, 1.0, 15)])

# Beyond this K is of no use: a bound exp(K) there is worth nothing.
_ENOUGH = 60.0

# How far the normal density is followed, in standard deviations.
_REACH = 9.3


class Ladder(NamedTuple):
    """K and its first two derivatives at tilts of both directions, for each run."""

    tilts: Floats
    """S, by run: 1 + lam for the first ``removing``, -lam for the rest, 1/2 last."""
    removing: int
    values: Floats
    """log Gamma(S), rounded up."""
    slopes: Floats
    curvatures: Floats
    nodes: Nodes
    """What it was computed from, and will do for the transform too if it is fine enough."""
    step: Floats
    exponents: Floats
    """log of the weights at the nodes without a tilt: log C - u^2 / 2."""

    def removed(self) -> tuple[Floats, Floats, Floats, Floats]:
        """lam, K, K' and K'' for removing."""
        n = self.removing
        return self.tilts[:, :n] - 1.0, self.values[:, :n], self.slopes[:, :n], self.curvatures[:, :n]

    def added(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The same for adding."""
        n = self.removing
        if n == self.tilts.shape[1] - 1:
            return self.removed()
        lam = -self.tilts[:, n:-1]
        return lam, self.values[:, n:-1], -self.slopes[:, n:-1], self.curvatures[:, n:-1]


def _rough_mu(steps: Steps) -> Floats:
    """About the mu of each run: the root of the variance of its loss under Q."""
    c2 = np.minimum((steps.shifts * steps.c) ** 2, 50.0)
    one = steps.rate**2 * np.expm1(c2) * (1.0 + 3.0 * steps.replaced)
    one = one / (1.0 + one / np.maximum(c2, 1.0))
    return np.sqrt(steps.total(steps.counts * one) + steps.variance)


def _largest_tilt(steps: Steps) -> Floats:
    """The tilt at which jumps alone, T w^S exp(k^2 c^2 S (S - 1) / 2), make K large."""
    c2 = (steps.shifts * steps.c) ** 2
    last = steps.weights[np.arange(steps.c.size), steps.shifts.astype(np.intp) - 1]
    b = 0.5 * c2 - np.log(last)
    inside = b * b - 2.0 * c2 * np.log(steps.counts / _ENOUGH)
    root = (b + np.sqrt(np.maximum(inside, 0.0))) / c2
    root = np.where(inside < 0.0, np.inf, root)
    result = np.full(steps.runs, np.inf)
    np.minimum.at(result, steps.owner, root)
    return result


def ladder(steps: Steps, digits: float) -> Ladder:
    """K on the ladder, with its own error added: an upper bound."""
    mu = np.maximum(_rough_mu(steps), 1e-8)
    up = _FARTHEST / mu
    largest = np.maximum(_largest_tilt(steps) - 1.0, 1.0)
    steep = (largest < up)[:, None]
    lam = np.minimum(up, largest)[:, None] * np.where(steep, _STEEP, _UP)
    if steps.symmetric:
        tilts = np.concatenate([1.0 + lam, np.full((steps.runs, 1), 0.5)], axis=1)
    else:
        tilts = np.concatenate(
            [1.0 + lam, -_DOWN / mu[:, None], np.full((steps.runs, 1), 0.5)], axis=1
        )
    need = digits + np.log(steps.counts)
    step, missed = spacing(steps, need, tilts, np.zeros(steps.runs))
    low, high = _reach(steps, tilts, need)
    nodes = steps.at(grid(step, low, high))
    exponents = nodes.log_q - 0.5 * nodes.u**2
    s = tilts[steps.owner]
    with np.errstate(under="ignore"):
        exponent = s[:, :, None] * nodes.loss[:, None, :] + exponents[:, None, :]
        top = exponent.max(axis=2)
        weights = np.exp(exponent - top[:, :, None])
        sums = weights.sum(axis=2)
        weights /= sums[:, :, None]
        means = np.einsum("nsj,nj->ns", weights, nodes.loss)
        # About the middle's mean, so that no digits are lost.
        away = (nodes.loss - means[:, -1:]) ** 2
        variances = np.einsum("nsj,nj->ns", weights, away) - (means - means[:, -1:]) ** 2
    wrong = missed[:, None] + cut(steps, nodes, step, weights[:, :, [0, -1]], tilts)
    # The exponents' rounding is that of S l, mostly.
    wrong = 1.5 * wrong + UNIT * (64.0 + nodes.u.shape[1] + 8.0 * np.abs(top))
    wrong = wrong + UNIT * 8.0 * np.abs(s) * nodes.units.max(axis=1)[:, None]
    logs = np.log(sums) + top + np.log(step / np.sqrt(2.0 * np.pi))[:, None]
    counts = steps.counts[:, None]
    gaussian = 0.5 * steps.variance[:, None]
    return Ladder(
        tilts,
        _UP.size,
        steps.total(counts * (logs + wrong)) + gaussian * tilts * (tilts - 1.0),
        steps.total(counts * means) + gaussian * (2.0 * tilts - 1.0),
        np.maximum(steps.total(counts * variances), 0.0) + 2.0 * gaussian,
        nodes,
        step,
        exponents,
    )


def _reach(steps: Steps, tilts: Floats, need: Floats) -> tuple[Floats, Floats]:
    """How far out nodes must go, for all tilts."""
    s = tilts[steps.owner]
    tail = np.sqrt(2.0 * need)
    slope = steps.shifts * steps.c
    most, least = s.max(axis=1), s.min(axis=1)
    right = most + steps.replaced * np.maximum(most - 1.0, 0.0)
    # To the left the tilt pulls only as far as the posterior of being sampled reaches.
    posterior = np.minimum(1.0, steps.rate * np.exp(-0.5 * steps.c**2))
    left = np.maximum(-least, 0.0) * slope * posterior + steps.replaced * 0.5 * slope
    return -(tail + np.minimum(left, tail)), tail + right * slope
