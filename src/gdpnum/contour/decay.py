"""How fast a transform dies out: bounds on it at frequencies, and beyond the last (Lemma T3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.contour.grid import QUARTER, cut, shrunk
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.floats import Floats

# No line for R_a is higher than this part of a turn of the loss: with a negative power less, so
# that there is room up to a quarter.
_HIGH, _LOW = 0.35, 0.25

#: Terms of a sum for R_a that underflow are less than this together.
TINIEST = 1e-300

#: The share of the digits of a quadrature (natural) that the height of its line may cost, twice.
LIFTED = 0.9

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

    def part(self, runs: npt.NDArray[np.intp]) -> Decay:
        """Some of the runs."""
        return Decay(*(one[runs] for one in self))

    def at(self, index: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Some of the thetas, and their logs."""
        runs, lines = (np.arange(size) for size in index.shape[:2])
        place = runs[:, None, None], lines[:, None], index
        return self.thetas[place], self.logs[place]

    def joined(self, thetas: Floats, logs: Floats) -> Decay:
        """With these between; a bound at one theta holds at all larger ones."""
        thetas = np.concatenate([self.thetas, thetas], axis=2)
        every = self._replace(thetas=thetas, logs=np.concatenate([self.logs, logs], axis=2))
        thetas, logs = every.at(np.argsort(thetas, axis=2))
        return self._replace(thetas=thetas, logs=np.minimum.accumulate(logs, axis=2))

    def first(self, digits: Floats) -> npt.NDArray[np.intp]:
        """The first theta from which on it has died out, by run and line."""
        enough = self.logs <= -digits[:, :, None]
        enough[:, :, -1] = True
        found: npt.NDArray[np.intp] = np.argmax(enough, axis=2)[:, :, None]
        return found


class Weighed(NamedTuple):
    """Nodes for R_a, by segment, and the tilted weights there, by line."""

    nodes: Nodes
    step: Floats
    tilts: Floats
    """S, by segment and line."""
    weights: Floats
    sampled: Floats
    """The mean of sum_j j pi_j, by segment and line."""
    lost: Floats
    """The charge for what lies beyond the nodes."""


def weighed(steps: Steps, nodes: Nodes, step: Floats, tilts: Floats) -> Weighed:
    """The weights at these nodes on the lines Re s = tilts."""
    s = tilts[steps.owner]
    weights = s[:, :, None] * nodes.loss[:, None, :]
    weights += (nodes.log_q - 0.5 * nodes.u**2)[:, None, :]
    weights -= weights.max(axis=2, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=2, keepdims=True)
    sampled = np.einsum("nsj,nj->ns", weights, _mean_shift(nodes))
    lost = cut(steps, nodes, step, weights[:, :, [0, -1]], tilts)
    return Weighed(nodes, step, s, weights, sampled, lost)


def decay(steps: Steps, places: Weighed, thetas: Floats) -> Floats:
    """The log of prod R_a^T on lines, at thetas by run and line, a near its best."""
    falling = 0.5 * steps.variance[:, None, None] * thetas**2
    if not steps.c.size:
        return -falling
    nodes, step, s, weights, sampled, lost = places
    theta = thetas[steps.owner]
    c, k = steps.c[:, None, None], steps.shifts[:, None, None]
    # The best height is about theta times the slope of the tilted loss's argument.
    turn = np.where(s < 0.0, _LOW, _HIGH)[:, :, None] * np.pi
    # No higher than where exp(a^2 / 2) times what is lost is still small.
    highest = np.sqrt(LIFTED * np.maximum(-np.log(lost), 1.0))
    most = np.minimum(turn / (c * k), highest[:, :, None])
    heights = np.minimum(c * sampled[:, :, None] * theta, most)
    values = np.empty(heights.shape)
    # Some segments at a time, so that tables stay near the processor.
    some = max(1, int(_NEAR / (heights[0].size * nodes.u.shape[1])))
    for begin in range(0, heights.shape[0], some):
        own = slice(begin, begin + some)
        flat = heights[own].reshape(-1, heights[0].size)
        shape = (*heights[own].shape, -1)
        log_a, log_c, arg = steps.lifted(nodes.rows(own), steps.c[own, None] * flat)
        exponent, turned = log_a.reshape(shape), arg.reshape(shape)
        power = s[own][:, :, None, None]
        exponent *= power
        turned *= theta[own][:, :, :, None]
        exponent -= turned
        if log_c is not None:
            exponent += (1.0 - power) * log_c.reshape(shape)
        values[own] = np.einsum("nstj,nsj->nst", np.exp(exponent, out=exponent), weights[own])
    values += _wrong(steps, step, s, heights)
    values += (2.0 * lost)[:, :, None] + TINIEST
    logs = np.log(values)
    # By segment: losses grow with u.
    loss, u = (np.abs(one[:, [0, -1]]).max(axis=1)[:, None] for one in (nodes.loss, nodes.u))
    slope = (steps.c * steps.shifts)[:, None]
    rounding = charges.decay_rounding(
        loss * np.abs(s) + 0.5 * u * u, slope * u + 0.5 * slope * slope, nodes.u.shape[1]
    )
    logs += 0.5 * heights**2 + rounding[:, :, None]
    logs *= steps.counts[:, None, None]
    total = np.minimum(steps.total(logs) - falling, 0.0)
    # A bound at one theta holds at all larger ones.
    bounds: Floats = np.minimum.accumulate(total, axis=2)
    return bounds


def _mean_shift(nodes: Nodes) -> Floats:
    """sum_j j pi_j, of A and of C's mirror image."""
    mean = np.zeros_like(nodes.loss)
    for part in (nodes.posteriors, nodes.mirrored):
        for j, one in enumerate(part, start=1):
            mean += j * one
    return mean


def _wrong(steps: Steps, step: Floats, s: Floats, heights: Floats) -> Floats:
    """The trapezoid's error for R_a without its factor exp(a^2 / 2), by segment, line and theta."""
    quarter = (QUARTER * np.pi / (steps.c * steps.shifts))[:, None, None]
    # Up to a quarter turn in all the argument grows with the height, and any b will do; beyond it
    # b <= a will.
    strip, wide = (0.98 * steps.strip)[:, None, None], (2.0 * np.pi / step)[:, None, None]
    b = np.maximum(quarter - heights, np.minimum(heights, strip - heights))
    # Larger ones do not pay.
    b = np.minimum(b, wide)
    growth = 0.5 * b * b
    negative, mirrored = np.maximum(-s, 0.0), steps.replaced[:, None] * np.maximum(s - 1.0, 0.0)
    wrong = charges.shifted_quadrature(growth, b * wide)
    for i in np.flatnonzero((negative + mirrored).any(axis=0)):
        # Negative powers may grow fast beyond a quarter turn: up to it, too, where that is less.
        up_to = np.maximum((quarter - heights)[:, i], 0.0)
        each = np.full(wrong[:, i].shape, np.inf)
        for room in (b[:, i], up_to) if (b[:, i] > up_to).any() else (b[:, i],):
            own = 0.5 * room * room + shrunk(
                steps, room + heights[:, i], negative[:, i, None], mirrored[:, i, None]
            )
            one = charges.shifted_quadrature(own, room * wide[:, 0])
            each = np.fmin(each, np.where(room > 0.0, one, np.inf))
        wrong[:, i] = each
    return wrong


def power_bound(steps: Steps, tilts: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """The best bound (Theta / theta)^power exp(last) for theta beyond Theta, by run and line.

    R_a(theta) <= e^(a^2/2) (p / (e theta sin(c a)))^p E[(A / (w_1 r))^p], by Jensen from p = 1 for
    p <= 1 and from (x + y)^p <= 2^(p - 1) (x^p + y^p) for larger ones.
    """
    if not steps.c.size:
        return -0.5 * steps.variance[:, None] * theta**2, np.full(tilts.shape, 2.0)
    logs = steps.total(_falling(steps, tilts, theta, steps.total(steps.counts)[steps.owner]))
    if steps.c.size > steps.runs:
        # Or of one segment's releases alone: those of another may fall too slowly.
        alone = _falling(steps, tilts, theta, steps.counts)
        np.minimum.at(logs, steps.owner, alone)
    return logs.min(axis=2), _POWERS[np.argmin(logs, axis=2)]


def _falling(steps: Steps, tilts: Floats, theta: Floats, among: Floats) -> Floats:
    """The log of that bound for all releases of a segment, by segment, line and power.

    A power is that of ``among`` so many releases together, by segment.
    """
    s = tilts[steps.owner][:, :, None]
    p = (_POWERS / among[:, None])[:, None, :]
    c, slope = steps.c[:, None, None], (steps.shifts * steps.c)[:, None, None]
    height = np.minimum(np.sqrt(p), 0.5 * np.pi / slope)
    replaced = steps.replaced[:, None, None]
    odds = np.log(np.maximum(steps.absent, 1e-300)) - np.log(steps.weights[:, 0])
    q = np.maximum(p, 1.0)
    negative = np.maximum(-s, 0.0) + np.maximum(1.0 - s, 0.0) * replaced
    shifted = q * (odds[:, None, None] + c * slope * negative) + 0.5 * c * c * q * (q + 1.0)
    growth = (np.logaddexp(0.0, shifted) + (q - 1.0) * np.log(2.0)) * (p / q)
    growth += 0.5 * height**2
    lost = np.maximum(-s, 0.0) + replaced * np.maximum(s - 1.0, 0.0)
    growth += lost * steps.log_shrink(height[:, 0])[:, None, :]
    scale = 1.0 / (theta[steps.owner][:, :, None] * np.sin(c * height))
    return steps.counts[:, None, None] * charges.slow_decay(p, scale, growth)
