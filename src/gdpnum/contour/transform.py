"""The transform: prod_i M_i(z)^T_i on a few lines Re s = S, at common frequencies, with its error.

On each line the values are kept relative to exp(K) and without the phase exp(i theta c), c near
the mean of the tilted loss: M(z) / M(lam) = exp(i theta c) (1 + E[exp(i theta (l - c)) - 1]), whose
last term is small, so that the power T costs sqrt(T) units of rounding and not T.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.contour.grid import cut, grid, lifted_cut
from gdpnum.contour.ladder import small_cumulants
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.contour.turns import (
    Complexes,
    half_turns,
    log_of_one_plus,
    product,
    turns,
    turns_less_one,
)
from gdpnum.floats import FUNCTION, UNIT, Floats

_Numbers = TypeVar("_Numbers", Floats, Complexes)

# Beyond this exp(l) is not summed as it is.
_LARGEST = 600.0

#: The tilts at which M is one.
KNOWN = np.array([1.0, 0.0])

# Nodes are summed in blocks of this many, so that rounding does not grow with their number.
_BLOCK = 16

# The same where frequencies are many, at most; and on lifted lines, where they are complex.
_CHUNK, _LIFTED = 48, 32

# Numbers of a table that are held at once.
_NEAR = 60_000

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
            a, b = (_summed(one, weights) for one in turns_less_one(half))
            terms = _terms(nodes.u.shape[1])
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


def phases(
    weights: Floats | Complexes, away: Floats, arg: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """sum_j V_j (exp(i theta (l_j - c)) - 1), real and imaginary, by segment, line and frequency.

    Frequencies are equally spaced: with theta = t' + t, E' = exp(i t' (l - c)) and E for t it is
    the sum of V (E' - 1) and of V E' (E - 1): two short tables, and no function of all pairs. On
    the real line t' is in the middle of a block, and t on either side of it: so the sines and
    cosines of half a block serve for all of it.
    """
    if np.iscomplexobj(weights):
        return _lifted_phases(np.asarray(weights, dtype=np.complex128), away, arg, theta)
    weights = np.asarray(weights, dtype=np.float64)
    (segments, lines, nodes), number = weights.shape, theta.shape[1]
    half = _half_block(number)
    blocks = -(-(number + half) // (2 * half))
    small, large = np.arange(half) + 0.5, 2.0 * half * np.arange(1, blocks)
    parts, wide = _chunks(nodes, _CHUNK)
    weights, away = (_padded(one, parts * wide) for one in (weights, away))
    middle = np.empty((segments, lines, 2 * blocks - 2))
    sums = np.empty((segments, (2 * blocks - 1) * lines, 2 * half))
    # Some segments at a time, so that tables stay near the processor; they come last but for the
    # nodes, so that each table is one piece.
    some = max(1, int(_NEAR / (2 * blocks * lines * nodes)))
    for begin in range(0, segments, some):
        own = slice(begin, begin + some)
        shares = np.ascontiguousarray(weights[own].swapaxes(0, 1))
        angle = theta[own, :1] * away[own]
        columns, turned = (half_turns(one[:, None, None] * angle) for one in (small, large))
        rows = np.empty((2 * blocks - 1, *shares.shape))
        np.multiply(0.5, shares, out=rows[0])
        middle[own] = _products(shares, turned, parts)
        np.subtract(0.5, turned[0], out=turned[0])
        np.multiply(turned.reshape(-1, 1, *angle.shape), shares, out=rows[1:])
        sums[own] = _products(rows, columns, parts)
    # They are of halves.
    middle *= 2.0
    sums *= 4.0
    each = sums.reshape(segments, -1, lines, 2, half).transpose(3, 0, 2, 1, 4)
    cosine, sine = each[:, :, :, :blocks], each[:, :, :, blocks:]
    real, imaginary = np.empty((2, segments, lines, blocks, 2, half))
    np.negative(cosine[0, :, :, 0], out=real[:, :, 0, 1])
    imaginary[:, :, 0, 1] = cosine[1, :, :, 0]
    even = -middle[:, :, : blocks - 1, None] - cosine[0, :, :, 1:]
    np.subtract(even, sine[1], out=real[:, :, 1:, 1])
    np.add(even, sine[1], out=real[:, :, 1:, 0, ::-1])
    even = middle[:, :, blocks - 1 :, None] - sine[0]
    np.add(even, cosine[1, :, :, 1:], out=imaginary[:, :, 1:, 1])
    np.subtract(even, cosine[1, :, :, 1:], out=imaginary[:, :, 1:, 0, ::-1])
    found = (one.reshape(segments, lines, -1) for one in (real, imaginary))
    a, b = (one[:, :, half : half + number] for one in found)
    return a, b


def _padded(values: _Numbers, size: int) -> _Numbers:
    """With zeros at the end of the last axis."""
    if values.shape[-1] == size:
        return values
    found = np.zeros((*values.shape[:-1], size), dtype=values.dtype)
    found[..., : values.shape[-1]] = values
    return found


def _products(left: _Numbers, right: _Numbers, parts: int) -> _Numbers:
    """Sums of products over the nodes, in so many parts, by segment and what comes before it."""
    shape = (-1, left.shape[-2], parts, left.shape[-1] // parts)
    rows, columns = (one.reshape(shape).swapaxes(0, 1) for one in (left, right))
    found: _Numbers = product(rows.swapaxes(1, 2), columns.transpose(0, 2, 3, 1)).sum(axis=1)
    return found


def _half_block(number: int) -> int:
    """Half as many of so many frequencies as are in one block."""
    return 4 if number < 48 else 8 if number < 640 else 16


def _chunks(nodes: int, most: int) -> tuple[int, int]:
    """In how many parts nodes are summed, and of how many each: at most so many."""
    parts = -(-nodes // most)
    return parts, -(-nodes // parts)


def roundings(nodes: int, number: int) -> Floats:
    """How many roundings a term of `phases` meets on the real line, by frequency.

    There |t'| + |t| is more than theta where t is negative, and errors are relative to that. Each
    product is computed to 16 units more than a turn.
    """
    half = _half_block(number)
    place = np.arange(number)
    before = np.maximum(half - 0.5 - (place + half) % (2 * half), 0.0)
    before[:half] = 0.0
    parts, wide = _chunks(nodes, _CHUNK)
    once = wide + parts + 10.0
    found: Floats = once + (once + 3.0 * FUNCTION + 12.0) * (2.0 * before / (place + 0.5))
    return found


def _lifted_phases(
    weights: Complexes, away: Floats, arg: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """The same on lifted lines, t' and t both positive: so that no turn is larger than one."""
    (segments, lines, nodes), number = weights.shape, theta.shape[1]
    few = 8 if number < 128 else 16 if number < 512 else 32
    blocks = -(-number // few)
    small, large = np.arange(0.5, few), few * np.arange(1.0, blocks)
    parts, wide = _chunks(nodes, _LIFTED)
    weights = _padded(weights, parts * wide)
    away, arg = (_padded(one, parts * wide) for one in (away, arg))
    total = np.empty((segments, lines, blocks, few), dtype=np.complex128)
    some = max(1, int(_NEAR / (few * lines * nodes)))
    for begin in range(0, segments, some):
        own = slice(begin, begin + some)
        shares: Complexes = np.ascontiguousarray(weights[own].swapaxes(0, 1))
        angle, fall = theta[own, :1] * away[own], theta[own, :1] * arg[own]
        first, after = (_less_one(one, angle, fall) for one in (small, large))
        total[own] = _products(shares, first, parts)[:, :, None]
        first += 1.0
        later = _products(after, first[:, None] * shares, parts)
        later = later.reshape(angle.shape[0], blocks - 1, few, lines)
        total[own, :, 1:] += later.transpose(0, 3, 1, 2)
    found = total.reshape(segments, lines, -1)[:, :, :number]
    return found.real, found.imag


def _less_one(multiples: npt.NDArray[Any], angle: Floats, fall: Floats) -> Complexes:
    """exp(ix - y) - 1 = expm1(-y) + exp(-y) (exp(ix) - 1), x and y so many times twice these."""
    multiples = multiples[:, None, None]
    real, imaginary = turns_less_one(multiples * angle)
    found = np.empty(real.shape, dtype=np.complex128)
    falls = np.expm1((-2.0 * multiples) * fall)
    kept = 1.0 + falls
    imaginary *= kept
    real *= kept
    real += falls
    found.real, found.imag = real, imaginary
    return found


def _summed(values: Floats, weights: Floats) -> Floats:
    """Sums over the nodes, by segment, line and frequency: in blocks where there are many."""
    number = values.shape[2]
    if number <= 2 * _BLOCK:
        found: Floats = np.einsum("nmj,nsj->nsm", values, weights)
        return found
    whole = number - number % _BLOCK
    shape = (whole // _BLOCK, _BLOCK)
    parts = np.einsum(
        "nmbj,nsbj->nsmb",
        values[:, :, :whole].reshape(*values.shape[:2], *shape),
        weights[:, :, :whole].reshape(*weights.shape[:2], *shape),
    )
    found = parts.sum(axis=3)
    if whole < number:
        found += np.einsum("nmj,nsj->nsm", values[:, :, whole:], weights[:, :, whole:])
    return found


def _terms(number: int) -> float:
    """How many roundings a term meets in `_summed`."""
    return float(number) if number <= 2 * _BLOCK else _BLOCK + number / _BLOCK + 2.0


def chunked(number: int) -> float:
    """The same in `_lifted_phases`: the products of a chunk are two each, and in any order."""
    return 2.0 * _LIFTED + number / _LIFTED + 2.0


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
