"""How fast the transform dies out: bounds on |M(lam + i theta)| / M(lam) for all theta >= Theta."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.contour.charges import UNIT, Floats, shifted_quadrature, slow_decay
from gdpnum.contour.grid import cut, shrunk
from gdpnum.contour.pairs import Nodes, Steps

__all__ = ["Decay", "decay"]

# Powers of theta tried for the bound that holds however large theta is.
_POWERS = np.geomspace(1.0, 256.0, 9)

# Numbers of a table that are held at once.
_NEAR = 60_000


class Decay(NamedTuple):
    """log prod R_a(theta)^T on a ladder of theta, by run, line and theta."""

    thetas: Floats
    logs: Floats
    last: Floats
    """The log of a bound at the last theta that falls like a power beyond it, by run and line."""
    power: Floats
    """That power."""

    def only(self, lines: list[int]) -> Decay:
        """Some of the lines."""
        return Decay(
            self.thetas[:, lines], self.logs[:, lines], self.last[:, lines], self.power[:, lines]
        )


def decay(
    steps: Steps, nodes: Nodes, exponents: Floats, *, step: Floats, tilts: Floats, thetas: Floats
) -> Decay:
    """R_a on the lines Re s = tilts, at thetas by run and line, with a near its best."""
    falling = 0.5 * steps.variance[:, None, None] * thetas**2
    if not steps.c.size:
        return Decay(thetas, -falling, -falling[:, :, -1], np.full(tilts.shape, 2.0))
    s = tilts[steps.owner]
    theta = thetas[steps.owner]
    c, k = steps.c[:, None, None], steps.shifts[:, None, None]
    exponent = s[:, :, None] * nodes.loss[:, None, :] + exponents[:, None, :]
    weights = np.exp(exponent - exponent.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    # The best height is about theta times the slope of the tilted loss's argument.
    sampled = np.einsum("nsj,nj->ns", weights, _mean_shift(nodes))
    heights = np.minimum(c * sampled[:, :, None] * theta, (0.35 * np.pi) / (c * k))
    values = np.empty(heights.shape)
    # Some segments at a time, so that tables stay near the processor.
    some = max(1, int(_NEAR / (heights[0].size * nodes.u.shape[1])))
    for begin in range(0, heights.shape[0], some):
        own = slice(begin, begin + some)
        flat = heights[own].reshape(-1, heights[0].size)
        shape = (*heights[own].shape, -1)
        log_a, log_c, arg = steps.lifted(nodes.rows(own), steps.c[own, None] * flat)
        power = s[own][:, :, None, None]
        exponent = power * log_a.reshape(shape)
        exponent -= theta[own][:, :, :, None] * arg.reshape(shape)
        if log_c is not None:
            exponent += (1.0 - power) * log_c.reshape(shape)
        values[own] = np.einsum("nstj,nsj->nst", np.exp(exponent, out=exponent), weights[own])
    values += _wrong(steps, step, s, heights)
    values += 64.0 * UNIT
    values += 2.0 * cut(steps, nodes, step, weights[:, :, [0, -1]], tilts)[:, :, None]
    logs = np.log(values)
    logs += 0.5 * heights**2 + 64.0 * UNIT
    logs *= steps.counts[:, None, None]
    last, power = _last(steps, tilts, thetas[:, :, -1])
    total = np.minimum(steps.total(logs) - falling, 0.0)
    # A bound at one theta holds at all larger ones.
    return Decay(thetas, np.minimum.accumulate(total, axis=2), last, power)


def _mean_shift(nodes: Nodes) -> Floats:
    """sum_j j pi_j, of A and of C's mirror image."""
    mean = np.zeros_like(nodes.loss)
    for part in (nodes.posteriors, nodes.mirrored):
        for j, one in enumerate(part, start=1):
            mean += j * one
    return mean


def _wrong(steps: Steps, step: Floats, s: Floats, heights: Floats) -> Floats:
    """The trapezoid's error for R_a without its factor exp(a^2 / 2), by segment, line and theta."""
    quarter = (0.5 * np.pi / (steps.c * steps.shifts))[:, None, None]
    # Up to a quarter turn in all the argument grows with the height, and any b will do; beyond it
    # b <= a will.
    strip, wide = (0.98 * steps.strip)[:, None, None], (2.0 * np.pi / step)[:, None, None]
    b = np.maximum(quarter - heights, np.minimum(heights, strip - heights))
    # Larger ones do not pay.
    b = np.minimum(b, wide)
    growth = 0.5 * b * b
    negative, mirrored = np.maximum(-s, 0.0), steps.replaced[:, None] * np.maximum(s - 1.0, 0.0)
    if negative.any() or mirrored.any():
        for i in np.flatnonzero((negative + mirrored).any(axis=0)):
            growth[:, i] += shrunk(
                steps, (b + heights)[:, i], negative[:, i, None], mirrored[:, i, None]
            )
    return shifted_quadrature(growth, b * wide)


def _last(steps: Steps, tilts: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """The best bound (Theta / theta)^power exp(last) for theta beyond Theta, by run and line.

    R_a(theta) <= e^(a^2/2) (p / (e theta sin(c a)))^p E[(A / (w_1 r))^p], by Jensen from p = 1 for
    p <= 1 and from (x + y)^p <= 2^(p - 1) (x^p + y^p) for larger ones.
    """
    s = tilts[steps.owner][:, :, None]
    total = steps.total(steps.counts)[steps.owner]
    p = (_POWERS / total[:, None])[:, None, :]
    c, slope = steps.c[:, None, None], (steps.shifts * steps.c)[:, None, None]
    height = np.minimum(np.sqrt(p), 0.5 * np.pi / slope)
    replaced = steps.replaced[:, None, None]
    odds = np.log(np.maximum(1.0 - steps.rate, 1e-300)) - np.log(steps.weights[:, 0])
    q = np.maximum(p, 1.0)
    negative = np.maximum(-s, 0.0) + np.maximum(1.0 - s, 0.0) * replaced
    shifted = q * (odds[:, None, None] + c * slope * negative) + 0.5 * c * c * q * (q + 1.0)
    growth = (np.logaddexp(0.0, shifted) + (q - 1.0) * np.log(2.0)) * (p / q)
    growth += 0.5 * height**2
    lost = np.maximum(-s, 0.0) + replaced * np.maximum(s - 1.0, 0.0)
    growth += lost * steps.log_shrink(height[:, 0])[:, None, :]
    scale = 1.0 / (theta[steps.owner][:, :, None] * np.sin(c * height))
    logs = steps.total(steps.counts[:, None, None] * slow_decay(p, scale, growth))
    best = np.argmin(logs, axis=2)
    return np.take_along_axis(logs, best[:, :, None], axis=2)[:, :, 0], _POWERS[best]
