"""A reading of one ordinary run, from one set of nodes: DP-SGD as most people run it.

Ordinary: sampled Gaussians, neighbours by adding or removing, and no jump so rare that it decides.
The bounds are those of the general way (`gdpnum.contour.reading`), by the same lemmas and charges;
but the ladder, the decay and the transform share nodes and weights, and all lines frequencies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.contour.charges import (
    FUNCTION,
    UNIT,
    Floats,
    cumulant_rounding,
    cut_ends,
    phase_units,
    power,
    shifted_quadrature,
    weight_units,
)
from gdpnum.contour.grid import grid, shrunk, spacing
from gdpnum.contour.ladder import Ladder, Rungs, outlook, reach
from gdpnum.contour.line import lines
from gdpnum.contour.pairs import Nodes, Steps, lifted
from gdpnum.contour.plan import Decay, beyond
from gdpnum.contour.reading import CLOSE, FAR, Approximate, Reading, guessed, limit
from gdpnum.contour.transform import Transform

__all__ = ["is_ordinary", "ordinary"]

# lam as multiples of one over the run's mu.
_LAM = np.geomspace(0.15, 22.0, 20)

# Where the last frequency is looked for, as multiples of that of a Gaussian of the same variance.
_CANDIDATES = np.array([0.85, 0.92, 1.0, 1.08, 1.2, 1.4, 1.8, 2.6, 5.0, 15.0, 100.0, 1e4])

# The log of one over what quadrature may take from all releases together, relatively.
_DIGITS = 36.0

# A last frequency beyond this over mu is not ordinary: the nodes are as close as it needs.
_WIDEST = 12.0

# Frequencies that a plain sum is charged for.
_MOST = 40

# A log Gamma(1/2) below this leaves next to no privacy, and 1 - delta too small.
_LEAST = -7.0

# exp(S l) is summed as it is up to here.
_LARGEST = 600.0

_HALF, _EVERY = np.array([0.5]), np.ones((1, 1))
_NORM = 1.0 / np.sqrt(2.0 * np.pi)
_SIGNS = np.array([[1.0], [-1.0]])
_HUNDREDTH = float(np.log(0.01))


class _Grid(NamedTuple):
    """The nodes, by segment, how far apart they are, and what lies beyond them."""

    nodes: Nodes
    step: Floats
    missed: Floats
    """The charge for the quadrature."""
    exponents: Floats
    """-u^2 / 2."""
    left: Floats
    right: Floats
    """By how much the integrand's logarithm falls at the ends, whichever the tilt."""

    def cut(self, ends: Floats) -> Floats:
        """The charge for what lies beyond, with ``ends`` the integrand there over M."""
        step = self.step[:, None]
        return cut_ends(ends / step[:, :, None], self.left, [self.right], [_EVERY], step)


class _Tilted(NamedTuple):
    """Weights at the nodes, by segment and tilt."""

    tilts: Floats
    weights: Floats
    """They sum to one."""
    lost: Floats
    """What quadrature and cut ends may have taken from that sum."""


def is_ordinary(steps: Steps) -> bool:
    """Whether a run may be one; the rest shows on the way."""
    one = steps.runs == 1 and steps.c.size > 0 and steps.weights.shape[1] == 1
    return one and not bool(steps.replaced.any())


def ordinary(steps: Steps, slack: Floats, tolerance: float) -> tuple[Ladder, Reading] | None:
    """The ladder, and a reading around where mu is decided; None where the run is not ordinary.

    For removing delta is known there to about ``tolerance`` times the slack, for adding to a
    hundredth of delta of removing.
    """
    mu, steep = outlook(steps)
    if steep[0] < 1.0:
        return None
    lam = _LAM / mu[0]
    tilts = np.concatenate([1.0 + lam, -lam, _HALF])
    places = _placed(steps, tilts, _WIDEST / mu)
    if places is None:
        return None
    ladder, weights, sums, lost, centre = _ladder(steps, places, lam, tilts, steep)
    if ladder.middle[0] < _LEAST:
        return None
    rungs = ladder.rungs
    near = Approximate.of(rungs)
    guess = guessed(near, rungs, 1, slack)
    # Adding matters only as far as it is the worse direction: beside delta of removing.
    least = float(np.log(slack[0]))
    beside = near.log_delta(rungs, 0, float(guess[1]))
    beside = min(beside, 0.0) if beside > least + 10.0 else least
    errors = np.array([least + np.log(3.0 * tolerance), beside + _HUNDREDTH])
    fine = float(np.log(min(float(ladder.deviation[0]), 1.0) * tolerance)) + _HUNDREDTH
    # The rungs next to the saddle points.
    scales = rungs.values - lam * guess[:, None]
    best = np.argmin(scales, axis=1)
    tails, middle = scales.min(axis=1) - errors, float(ladder.middle[0]) - fine
    digits = np.array([[tails[0]], [tails[1]], [middle]])
    kept = [int(best[0]), lam.size + int(best[1]), 2 * lam.size]
    chosen = _Tilted(tilts[kept], weights[:, kept] / sums[:, kept][:, :, None], lost[:, kept])
    decayed = _decay(steps, places, chosen, digits, float(ladder.deviation[0]))
    length = _period(rungs, lam[best], guess, errors, fine)
    last = float(decayed.thetas[0, 0, 0])
    number = int(last * length / (2.0 * np.pi)) + 1
    if number > _MOST or not last * (1.0 + 1e-6) <= _WIDEST / mu[0]:
        return None
    # Few bits, so that the frequencies are exact; a hair wider, so that the last is not short.
    width = float(np.float32(last * ((1.0 + 2e-7) / number)))
    frequencies = width * (np.arange(number) + 0.5)
    found = _transform(steps, places, chosen, centre, frequencies)
    references = [guess[:, None] * CLOSE, guess[:, None] * FAR]
    two = lines(found, decayed, rungs, picks=[[2, 2], [0, 1]], references=references)
    return ladder, Reading(tuple(two), limit(*two, guess)[None, :])


def _placed(steps: Steps, tilts: Floats, most: Floats) -> _Grid | None:
    """Nodes for these tilts and for frequencies up to ``most``; None where they do not reach."""
    need = np.log(steps.counts) + _DIGITS
    step, missed = spacing(steps, need, tilts[None, :], most)
    nodes = steps.at(grid(step, *reach(steps, tilts[None, :], need)))
    steepest = float(tilts[:-1].max()) * steps.c
    left = -nodes.u[:, 0] - (steepest - steps.c) * nodes.posteriors[0][:, 0]
    right = nodes.u[:, -1] - steepest
    if not (left.min() > 0.0 and right.min() > 0.5 and nodes.loss.max() * tilts.max() < _LARGEST):
        return None
    return _Grid(nodes, step, missed, -0.5 * nodes.u**2, left[:, None], right[:, None])


def _ladder(
    steps: Steps, places: _Grid, lam: Floats, tilts: Floats, steep: Floats
) -> tuple[Ladder, Floats, Floats, Floats, Floats]:
    """The ladder; and weights, their sums, what is lost and the losses' means in the middle."""
    nodes, count = places.nodes, steps.counts
    weights = tilts[:, None] * nodes.loss[:, None, :]
    weights += places.exponents[:, None, :]
    top = weights.max(axis=2)
    weights -= top[:, :, None]
    np.exp(weights, out=weights)
    powers = np.empty((*nodes.loss.shape, 3))
    powers[:, :, 0], powers[:, :, 1] = 1.0, nodes.loss
    np.multiply(nodes.loss, nodes.loss, out=powers[:, :, 2])
    moments = weights @ powers
    sums = moments[:, :, 0]
    moments = moments / sums[:, :, None]
    means = moments[:, :, 1]
    lost = places.missed[:, None] + places.cut(weights[:, :, [0, -1]] / sums[:, :, None])
    # The exponents' rounding is that of S l, mostly.
    units = (64.0 + nodes.u.shape[1]) + 8.0 * np.abs(top)
    units += np.abs(tilts) * (8.0 * nodes.units.max(axis=1))[:, None]
    logs = np.log(sums * (places.step * _NORM)[:, None])
    logs += top + 1.5 * lost + UNIT * units
    variance = float(steps.variance[0])
    values = count @ logs + (0.5 * variance) * (tilts * (tilts - 1.0))
    slopes = count @ means + variance * (tilts - 0.5)
    curvatures = count @ (moments[:, :, 2] - means * means) + variance
    kappa = lam * np.log(lam) - (1.0 + lam) * np.log1p(lam)
    both = (2, lam.size)
    rungs = Rungs(
        np.broadcast_to(lam, both),
        values[:-1].reshape(both),
        slopes[:-1].reshape(both) * _SIGNS,
        np.maximum(curvatures[:-1], 0.0).reshape(both),
        np.broadcast_to(kappa, both),
    )
    deviation = np.sqrt(curvatures[-1:])
    ladder = Ladder(
        rungs, values[-1:], deviation, nodes, places.step, places.exponents, steep
    )
    return ladder, weights, sums, lost, means[:, -1]


def _period(
    rungs: Rungs, lam: Floats, epsilons: Floats, errors: Floats, fine: float
) -> float:
    """The least period for which images add no more than allowed, on all lines (Lemma C2).

    On the lines in the tail at their epsilons and half way to zero, in the middle at zero.
    """
    places = np.concatenate([epsilons, 0.5 * epsilons, [0.0, 0.0]])[:, None]
    wanted = np.concatenate([errors, 0.5 * (errors + fine), [fine, fine]])[:, None]
    own = np.concatenate([lam, lam, [-0.5, -0.5]])[:, None]
    ladder = rungs.lam[0]
    values = np.concatenate([rungs.values] * 3)
    others = np.concatenate([rungs.values[::-1]] * 3)
    gap = ladder - own
    above = np.where(gap > 0.0, (values - ladder * places - wanted) / gap, np.inf)
    slope = 1.0 + ladder
    below = (others + slope * places - wanted) / (slope + own)
    return 1.01 * max(float(above.min(axis=1).max()), float(below.min(axis=1).max()))


def _decay(
    steps: Steps, places: _Grid, tilted: _Tilted, digits: Floats, deviation: float
) -> Decay:
    """R_a of all lines from the last frequency on that any of them needs (Lemma C3)."""
    guess = float(np.sqrt(2.0 * max(float(digits.max()), 5.0))) / deviation
    thetas = guess * _CANDIDATES
    nodes, c = places.nodes, steps.c[:, None]
    # The best height is about theta times the slope of the tilted loss's argument.
    sampled = np.einsum("nj,nj->n", tilted.weights[:, -1], nodes.posteriors[0])
    heights = np.minimum((steps.c * sampled)[:, None] * thetas, (0.35 * np.pi) / c)
    log_a, arg = lifted(nodes.posteriors, c * heights)
    arg *= thetas[:, None]
    exponent = tilted.tilts[:, None, None] * log_a[:, None]
    exponent -= arg[:, None]
    values = np.einsum("nstj,nsj->nst", np.exp(exponent, out=exponent), tilted.weights)
    # Up to a quarter turn any b will do, beyond it b <= a (Lemma C6).
    turn, wide = np.pi / c, 2.0 * np.pi / places.step[:, None]
    b = np.maximum(0.5 * turn - heights, np.minimum(heights, 0.98 * turn - heights))
    b = np.minimum(b, wide)
    negative = np.full((1, 1), -float(tilted.tilts[1]))
    growth = 0.5 * b * b + shrunk(steps, b + heights, negative, np.zeros((1, 1)))
    values += shifted_quadrature(growth, b * wide)[:, None]
    values += (2.0 * tilted.lost)[:, :, None] + 64.0 * UNIT
    logs = np.log(values)
    logs += (0.5 * heights * heights + 64.0 * UNIT)[:, None]
    total = np.tensordot(steps.counts, logs, axes=1)
    total -= 0.5 * float(steps.variance[0]) * thetas * thetas
    # A bound at one theta holds at all larger ones.
    total = np.minimum.accumulate(np.minimum(total, 0.0), axis=1)
    first = int(np.argmax((total <= -digits).all(axis=0)))
    first = first if (total[:, first] <= -digits[:, 0]).all() else thetas.size - 1
    last, falling = beyond(steps, tilted.tilts[None, :], np.full((1, 3), thetas[-1]))
    kept = np.broadcast_to(thetas[first:], (1, 3, thetas.size - first))
    return Decay(kept, total[None, :, first:], last, falling)


def _transform(
    steps: Steps, places: _Grid, tilted: _Tilted, centre: Floats, theta: Floats
) -> Transform:
    """The transform on three lines, as `gdpnum.contour.transform` has it (Lemmas C8, C9)."""
    nodes, count, number = places.nodes, steps.counts, places.nodes.u.shape[1]
    weights, s = tilted.weights, tilted.tilts
    away = nodes.loss - centre[:, None]
    half = away[:, :, None] * (0.5 * theta)
    sine, cosine = np.sin(half), np.cos(half)
    # exp(ix) - 1 = -2 sin(x/2)^2 + 2i sin(x/2) cos(x/2).
    cosine *= sine
    sine *= sine
    a, b = -2.0 * (weights @ sine), 2.0 * (weights @ cosine)
    size = np.abs(s)[:, None]
    exponents = np.abs(places.exponents)
    units = weight_units(
        size * np.abs(nodes.loss)[:, None, :] + exponents[:, None, :],
        (size + 1.0) * nodes.units[:, None, :],
    )
    distance = np.abs(away)[:, None, :]
    shared = (weights * units).sum(axis=2)
    drift = (weights * (units * distance + nodes.units[:, None, :])).sum(axis=2)
    drift += (shared + (2.0 * number + 6.0 * FUNCTION + 24.0)) * (weights * distance).sum(axis=2)
    eta = phase_units(theta, drift[:, :, None])
    eta += (2.1 * tilted.lost)[:, :, None]
    real = 1.0 + a
    modulus = np.hypot(real, b)
    angle = np.arctan2(b, real)
    squared = a * (2.0 + a) + b * b
    # Near one the logarithm keeps its digits in this form, elsewhere in that.
    logs = np.where(squared > -0.5, 0.5 * np.log1p(squared), np.log(modulus))
    parts = np.stack([logs, angle, np.log1p(eta / modulus), np.log(modulus + eta), np.abs(angle)])
    parts *= count[:, None, None]
    log_modulus, phase, relative, raised, turned = parts.sum(axis=1)
    variance = float(steps.variance[0])
    if variance > 0.0:
        fall = 0.5 * variance * theta * theta
        log_modulus, raised = log_modulus - fall, raised - fall
        # The Gaussians' mean at S is (S - 1/2) times their variance.
        phase = phase + (variance * (s - 0.5))[:, None] * theta
    segments = steps.c.size
    rounding = UNIT * (
        (segments + 4.0) * (np.minimum(-log_modulus, 800.0) + turned + np.abs(phase))
        + (4.0 * FUNCTION + 8.0)
    )
    modulus = np.exp(log_modulus)
    one, wrong = _cumulants(places, tilted)
    cumulant = count @ one
    gaussian = (0.5 * variance) * (s * (s - 1.0))
    return Transform(
        s[None, :],
        (cumulant + gaussian)[None, :],
        (count @ wrong + (segments + 8.0) * UNIT * (np.abs(gaussian) + np.abs(cumulant)))[None, :],
        theta[None, :],
        np.array([count @ centre]),
        np.array([(segments + 4.0) * UNIT * (count @ np.abs(centre))]),
        (modulus * np.cos(phase))[None],
        (modulus * np.sin(phase))[None],
        power(raised + rounding, relative + rounding)[None],
    )


def _cumulants(places: _Grid, tilted: _Tilted) -> tuple[Floats, Floats]:
    """log M of one release, and its error, by segment and line (Lemma C10).

    M - 1 = E_Q[e^(S l) - 1 - S (e^l - 1)] keeps the digits that log M would lose in 1 + tiny.
    """
    nodes, s = places.nodes, tilted.tilts
    density = np.exp(places.exponents) * (places.step * _NORM)[:, None]
    exponent = s[:, None] * nodes.loss[:, None, :]
    powers, odds = np.expm1(exponent), np.expm1(nodes.loss)
    line = s[:, None] * odds[:, None, :]
    terms = powers - line
    size, absolute = np.abs(s), np.abs(terms)
    # What the errors of the losses and of the functions do, then those of the densities.
    units = size[:, None] * np.abs(powers - odds[:, None, :]) * nodes.units[:, None, :]
    units += (2.0 * FUNCTION + 4.0) * (np.abs(powers) + np.abs(line))
    units += np.abs(exponent) * (powers + 1.0)
    relative = nodes.units - 2.0 * places.exponents
    relative += FUNCTION + 8.0
    units += absolute * relative[:, None, :]
    excess, rounding, sizes = (
        (np.stack([terms, units, absolute]) @ density[:, :, None])[..., 0]
    )
    # The terms E_Q[e^l] = 1 and E_Q[1] = 1 are quadratures, too.
    ends = density[:, [0, -1]]
    ends = np.stack([ends * (1.0 + odds[:, [0, -1]]), ends], axis=1)
    both = places.missed[:, None] + places.cut(ends)
    others = size * both[:, :1] + np.abs(1.0 - s) * both[:, 1:]
    rounding = cumulant_rounding(np.stack([rounding, sizes], axis=-1), nodes.u.shape[1])
    logs = np.log1p(excess)
    wrong = tilted.lost + (others + rounding) / (1.0 + excess)
    return logs, 1.01 * wrong + UNIT * FUNCTION * np.abs(logs)
