"""The transform: prod_i M_i(z)^T_i on a few lines Re s = S, at common frequencies, with its error.

On each line the values are kept relative to exp(K) and without the phase exp(i theta c), c near
the mean of the tilted loss: M(z) / M(lam) = exp(i theta c) (1 + E[exp(i theta (l - c)) - 1]), whose
last term is small, so that the power T costs sqrt(T) units of rounding and not T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.contour.grid import cut, grid, lifted_cut
from gdpnum.contour.ladder import small_cumulants
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.contour.phases import chunked, phases, roundings, summed, summed_roundings
from gdpnum.contour.turns import Complexes, log_of_one_plus, turns, turns_less_one
from gdpnum.floats import FUNCTION, UNIT, Floats

# Beyond this exp(l) is not summed as it is.
_LARGEST = 600.0

#: The tilts at which M is one.
KNOWN = np.array([1.0, 0.0])

# More frequencies times nodes than this are taken by blocks.
_MANY = 12_000


class Transform(NamedTuple):
    """exp(-K) prod M(z)^T exp(-i theta c), by run, line and frequency."""

    tilts: Floats
    """S, by run and line."""
    cumulants: Floats
    """K = log Gamma(S)."""
    cumulant_errors: Floats
    frequencies: Floats
    """theta, by run."""
    centre: Floats
    """c, by run."""
    centre_error: Floats
    values: Complexes
    errors: Floats
    """How wrong each value may be, in modulus."""


class Quadrature(NamedTuple):
    """Arrays by segment: how M is summed."""

    step: Floats
    low: Floats
    high: Floats
    missed: Floats
    """The charge for M(lam)."""
    turned: Floats
    """The charge for M(z)."""
    height: Floats
    """M(z) is summed on the line Im u = height."""

    def only(self, kept: npt.NDArray[np.intp]) -> Quadrature:
        """Some of the segments."""
        return Quadrature(*(one[kept] for one in self))


def transform(
    steps: Steps,
    quadrature: Quadrature,
    groups: list[npt.NDArray[np.intp]],
    *,
    tilts: Floats,
    frequencies: Floats,
    centre: Floats | None = None,
) -> Transform:
    """The transform on the lines Re s = tilts (by run and line), at frequencies by run.

    Segments of a group have as many nodes. Any ``centre`` will do.
    """
    if not steps.c.size:
        return _gaussian(steps, tilts, frequencies)
    number = steps.c.size
    each = []
    for own in groups:
        given = None if centre is None else centre[own]
        each.append(_releases(steps.only(own), quadrature.only(own), tilts, frequencies, given))
    total, cumulants, centres = (sum(some[1:], some[0]) for some in zip(*each, strict=True))
    log_modulus, phase, relative, turned = (total[:, i] for i in range(4))
    raised = log_modulus + relative
    if steps.variance.any():
        fall = (0.5 * steps.variance[:, None] * frequencies**2)[:, None, :]
        log_modulus = log_modulus - fall
        raised = raised - fall
        # The Gaussians' mean at S is (S - 1/2) times their variance.
        shift = (tilts - 0.5) * steps.variance[:, None]
        phase = phase + shift[:, :, None] * frequencies[:, None, :]
    rounding = UNIT * (
        (number + 4.0) * (np.minimum(-log_modulus, 800.0) + turned + np.abs(phase))
        + (4.0 * FUNCTION + 8.0)
    )
    gaussian = (0.5 * steps.variance)[:, None] * (tilts * (tilts - 1.0))
    return Transform(
        tilts,
        cumulants[:, 0] + gaussian,
        cumulants[:, 1] + (number + 8.0) * UNIT * (np.abs(gaussian) + np.abs(cumulants[:, 0])),
        frequencies,
        centres[:, 0],
        (number + 4.0) * UNIT * centres[:, 1],
        np.exp(log_modulus) * turns(phase),
        charges.transform_power(raised + rounding, relative + rounding),
    )


def _releases(
    steps: Steps,
    quadrature: Quadrature,
    tilts: Floats,
    frequencies: Floats,
    centre: Floats | None,
) -> tuple[Floats, Floats, Floats]:
    """What the segments add to the transform of each run, and about which centre.

    By line and frequency: log of its modulus, argument, the log of one and the relative error, and
    the argument's size. By line: log M(lam) and its error. And the centre, and its size.
    """
    step, low, high, missed, turned, height = quadrature
    nodes = steps.at(grid(step, low, high))
    exponents = nodes.log_q - 0.5 * nodes.u**2
    s = tilts[steps.owner]
    loss = nodes.loss
    weights = s[:, :, None] * loss[:, None, :]
    weights += exponents[:, None, :]
    top = weights.max(axis=2)
    weights -= top[:, :, None]
    np.exp(weights, out=weights)
    sums = weights.sum(axis=2)
    weights /= sums[:, :, None]
    if centre is None:
        centre = np.einsum("nj,nj->n", weights[:, -1], loss)
    away = loss - centre[:, None]
    theta = frequencies[steps.owner]
    # With the two integrals that are known to be one.
    norm = step / np.sqrt(2.0 * np.pi)
    ends = [weights[:, :, [0, -1]], _known_ends(nodes, exponents, norm)]
    every = np.concatenate([tilts, np.broadcast_to(KNOWN, (steps.runs, 2))], axis=1)
    lost = missed[:, None] + cut(steps, nodes, step, np.concatenate(ends, axis=1), every)
    lost, known_lost = lost[:, : s.shape[1]], lost[:, s.shape[1] :]
    if height.any():
        a, b, eta = _lifted(
            steps, nodes, exponents, step, s, weights, away, theta, lost, turned, height
        )
    else:
        if loss.size * frequencies.shape[1] > _MANY:
            a, b = phases(weights, away, away, theta)
            terms: float | Floats = roundings(nodes.u.shape[1], frequencies.shape[1])
        else:
            half = (0.5 * theta)[:, :, None] * away[:, None, :]
            a, b = (summed(one, weights) for one in turns_less_one(half))
            terms = summed_roundings(nodes.u.shape[1])
        eta = one_release(nodes, exponents, s, weights, away, theta, lost, terms)
    logs, angle, modulus = log_of_one_plus(a, b)
    times = steps.counts[:, None, None]
    parts = np.empty((loss.shape[0], 4, *a.shape[1:]))
    np.multiply(logs, times, out=parts[:, 0])
    np.multiply(angle, times, out=parts[:, 1])
    np.multiply(np.log1p(eta / modulus), times, out=parts[:, 2])
    np.abs(parts[:, 1], out=parts[:, 3])
    if float(loss.max(initial=0.0)) > _LARGEST:
        known = _large_cumulants(nodes, exponents, norm, s, weights, lost, top, sums)
    else:
        known = small_cumulants(nodes, exponents, step, s, lost, known_lost)
    centres = steps.counts * np.array([centre, np.abs(centre)])
    return (
        steps.total(parts),
        steps.total(times * np.stack(known, axis=1)),
        steps.total(centres.T),
    )


def _known_ends(nodes: Nodes, exponents: Floats, norm: Floats) -> Floats:
    """The shares of the first and the last node in E_Q[e^l] and in E_Q[1]."""
    ends = exponents[:, None, [0, -1]] + KNOWN[:, None] * nodes.loss[:, None, [0, -1]]
    return np.exp(ends) * norm[:, None, None]


def one_release(
    nodes: Nodes,
    exponents: Floats,
    s: Floats,
    weights: Floats,
    away: Floats,
    theta: Floats,
    lost: Floats,
    terms: float | Floats,
) -> Floats:
    """What is wrong with one release, relative to M(lam), by segment, line and frequency.

    ``terms`` is how many roundings a term of the sum over the nodes meets, all the same or by
    frequency.
    """
    # A weight's units are linear in |S|.
    sizes = np.abs(exponents) + 2.0 * np.abs(nodes.log_q)
    bare = charges.weight_units(sizes, nodes.units)
    slope = charges.weight_units(sizes + np.abs(nodes.loss), 2.0 * nodes.units) - bare
    distance = np.abs(away)
    columns = [distance, bare, slope, bare * distance + nodes.units, slope * distance]
    sums = weights @ np.array(columns).transpose(1, 2, 0)
    size, spread = np.abs(s), sums[:, :, 0]
    drift = sums[:, :, 3] + size * sums[:, :, 4] + (sums[:, :, 1] + size * sums[:, :, 2]) * spread
    turned = (2.0 * terms + (6.0 * FUNCTION + 24.0)) * spread[:, :, None]
    eta = charges.phase_units(theta[:, None, :], turned + drift[:, :, None])
    eta += (2.1 * lost)[:, :, None]
    return eta


def _lifted(
    steps: Steps,
    nodes: Nodes,
    exponents: Floats,
    step: Floats,
    s: Floats,
    weights: Floats,
    away: Floats,
    theta: Floats,
    lost: Floats,
    turned: Floats,
    height: Floats,
) -> tuple[Floats, Floats, Floats]:
    """M(z) / M(lam) - 1 on the lines Im u = height, real and imaginary, and what is wrong with it.

    With l = log A(u + ia): sum of V (exp(i theta (l - c)) - 1), V = W exp(a^2 / 2 - i a u)
    (A(u + ia) / A(u))^S, which is one in all but for the quadrature (Lemma T8).
    """
    angles = (steps.c * height)[:, None]
    log_a, _, arg = steps.lifted(nodes, angles)
    log_a, arg = log_a[:, 0], arg[:, 0]
    up = height[:, None]
    grown = (0.5 * up * up)[:, :, None] + s[:, :, None] * log_a[:, None, :]
    sizes = weights * np.exp(grown)
    phase = s[:, :, None] * arg[:, None, :] - (up * nodes.u)[:, None, :]
    away = away + log_a
    shares = sizes * turns(phase)
    a, b = phases(shares, away, arg, theta)
    # As on the real line, with the losses' imaginary parts and what lifting them may be wrong by.
    c, losses = steps.c[:, None], nodes.units
    for j, posterior in enumerate(nodes.posteriors, start=1):
        spread = (j * c) * (np.abs(nodes.u) + (0.5 * j) * c)
        losses = losses + charges.lifted_units(j * angles, posterior, spread, nodes.units)
    size = np.abs(s)[:, :, None]
    bare = np.abs(exponents) + 2.0 * np.abs(nodes.log_q)
    exponent = size * np.abs(nodes.loss)[:, None, :] + bare[:, None, :]
    shared = np.einsum(
        "nsj,nsj->ns",
        weights,
        charges.weight_units(exponent, (size + 1.0) * nodes.units[:, None, :]),
    )
    exponent += np.abs(grown) + size * np.abs(arg)[:, None, :] + np.abs(up * nodes.u)[:, None, :]
    units = charges.weight_units(exponent, (size + 1.0) * losses[:, None, :]) + (
        2.0 * FUNCTION + 8.0
    )
    distance = np.abs(away) + arg
    far = np.einsum("nsj,nj->ns", sizes, distance)
    units *= distance[:, None, :]
    units += losses[:, None, :]
    drift = np.einsum("nsj,nsj->ns", sizes, units)
    drift += (shared + (2.0 * chunked(nodes.u.shape[1]) + 6.0 * FUNCTION + 40.0)) * far
    eta = charges.phase_units(theta[:, None, :], drift[:, :, None])
    if height.any():
        ends = weights[:, :, [0, -1]]
        across = turned[:, None] + lifted_cut(steps, nodes, step, height, s, ends)
        lost = lost + np.where(up > 0.0, across, 0.0)
    eta += (2.1 * lost)[:, :, None]
    return a, b, eta


def _gaussian(steps: Steps, tilts: Floats, frequencies: Floats) -> Transform:
    """Nothing but Gaussians: exp(s (s - 1) variance / 2)."""
    fall = (0.5 * steps.variance[:, None] * frequencies**2)[:, None, :]
    shift = (tilts - 0.5) * steps.variance[:, None]
    phase = shift[:, :, None] * frequencies[:, None, :]
    k = (0.5 * steps.variance)[:, None] * (tilts * (tilts - 1.0))
    relative = UNIT * (3.0 * (np.minimum(fall, 800.0) + np.abs(phase)) + 4.0 * FUNCTION + 8.0)
    return Transform(
        tilts,
        k,
        8.0 * UNIT * np.abs(k),
        frequencies,
        np.zeros(steps.runs),
        np.zeros(steps.runs),
        np.exp(-fall) * turns(phase),
        charges.transform_power(relative - fall, relative),
    )


def _large_cumulants(
    nodes: Nodes,
    exponents: Floats,
    norm: Floats,
    s: Floats,
    weights: Floats,
    lost: Floats,
    top: Floats,
    sums: Floats,
) -> tuple[Floats, Floats]:
    """The log of M of one release, and its error, by segment and line, of large losses."""
    size = np.abs(s)[:, :, None]
    logs = np.log(sums) + top + np.log(norm)[:, None]
    units = charges.weight_units(
        size * np.abs(nodes.loss)[:, None, :]
        + (np.abs(exponents) + 2.0 * np.abs(nodes.log_q))[:, None, :],
        (size + 1.0) * nodes.units[:, None, :],
    )
    rounding = UNIT * ((weights * units).sum(axis=2) + nodes.u.shape[1] + 40.0 + 4.0 * np.abs(top))
    return logs, 1.01 * lost + rounding
