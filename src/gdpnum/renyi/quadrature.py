"""Renyi divergences of a pair, from sums over outcomes in which no term is negative.

With r = p / q, psi_t(r) = (r^t - 1 - t (r - 1)) / (t (t - 1)) and S = sum of q psi_t(r),

    D_t(P || Q) = log(1 + t (t - 1) S) / (t - 1),    D_1(P || Q) = S.

Every psi_t(r) is non-negative, so S keeps its digits however little P and Q differ and however
near t is to one. Outcomes come as logs of p and q, so that nothing overflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gdpnum.floats import Floats
from gdpnum.pairs.mixture import MixturePair
from gdpnum.pairs.pair import sampled_loss

# Terms below exp(-40) = 4e-18 of the largest are left out.
_NEGLIGIBLE = 40.0

# A cell of the lattice is cut into so many; the smallest holds so many points.
_CUT = 8

#: Losses beyond this count as infinite: their squares would overflow.
LARGEST_LOSS = 1e100

# Terms of one sum, and orders of one lattice, that are held in memory at a time.
_TERMS, _ORDERS = 2**18, 128


def divergences(
    orders: Floats,
    log_p: Floats,
    log_q: Floats,
    losses: Floats,
    *,
    only_p: float = 0.0,
    only_q: float = 0.0,
) -> Floats:
    """D_t(P || Q) of finitely many outcomes, and the masses of what only P or only Q produces.

    The outcomes may differ by order: a row for each.
    """
    if np.abs(losses).max() > LARGEST_LOSS:
        return np.full(orders.size, np.inf)
    shape = orders.size, losses.shape[-1]
    outcomes = [np.broadcast_to(values, shape) for values in (log_p, log_q, losses)]
    found = np.empty(orders.size)
    step = max(1, _TERMS // shape[1])
    for start in range(0, orders.size, step):
        part = slice(start, start + step)
        order, those = orders[part, None], [values[part] for values in outcomes]
        powers = _log_sums(_log_power(order, *those))
        affinities = _log_sums(_log_affinity(order, *those))
        found[part] = _divergence(orders[part], powers, affinities, only_p, only_q)
    return found


def _log_sums(logs: Floats) -> Floats:
    # Where every term vanishes the largest is minus infinity, which cannot be subtracted.
    largest = np.maximum(logs.max(axis=1), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(largest + np.log(np.exp(logs - largest[:, None]).sum(axis=1)))


def _divergence(
    order: Floats,
    log_power: Floats,
    log_affinity: Floats,
    only_p: float = 0.0,
    only_q: float = 0.0,
) -> Floats:
    """D_t from log S and, for t < 1, the log of the sum of p^t q^(1 - t)."""
    excess = order - 1.0
    away = np.where(excess == 0.0, 1.0, np.abs(excess))
    with np.errstate(divide="ignore", over="ignore"):
        # The masses missing from the sum of q psi_t(r) enter as psi_t(0) and its like.
        log_power = np.logaddexp(np.log(order) + log_power, np.log(only_q))
        at_one = np.exp(log_power)
        above = np.logaddexp(0.0, np.log(away) + log_power) / away
        lost = away * np.exp(np.where(excess < 0.0, log_power, -np.inf)) + order * only_p
    # Where P and Q hardly overlap 1 - lost has no digits, and the affinity has them all.
    near = -np.log1p(-np.minimum(lost, 0.5)) / away
    below = np.where(lost < 0.5, near, -log_affinity / away)
    if only_p > 0.0:
        at_one = above = np.full(order.size, np.inf)
    return np.where(excess > 0.0, above, np.where(excess < 0.0, below, at_one))


def _log_power(order: Floats, log_p: Floats, log_q: Floats, losses: Floats) -> Floats:
    """log(q psi_t(p / q)).

    With L the loss and f(x) = (exp(x) - 1 - x) / x^2, psi_t(exp(L)) is
    L^2 exp(L) (f(-L) + (t - 1) f((t - 1) L)) / t: for t > 1 a sum of positive terms. For t < 1 the
    second is negative, and near the first only where L is large; psi is exp(L) / (1 - t) there.
    """
    excess = order - 1.0
    tilted = excess * losses
    up = losses > 0.0
    first, second = _curvature(-losses), _curvature(tilted)
    # Each f is scaled by the exponential it grows with, and both by the larger of these.
    first *= np.exp(np.where(up, -np.maximum(tilted, 0.0), 0.0))
    second *= excess * np.exp(np.where(up, 0.0, losses + np.maximum(tilted, 0.0)))
    value = losses**2 * (first + second) / order
    value = np.where(up & (tilted < -50.0), 1.0 / np.maximum(-excess, 1e-300), value)
    scale = np.where(up, log_p + np.maximum(tilted, 0.0), log_q)
    # Not zero: the logarithm of a loss of zero is as good as minus infinity, and no trouble.
    return np.asarray(scale + np.log(np.maximum(value, 1e-300)))


def _log_affinity(order: Floats, log_p: Floats, log_q: Floats, losses: Floats) -> Floats:
    """log(p^t q^(1 - t))."""
    return np.where(losses > 0.0, log_p + (order - 1.0) * losses, log_q + order * losses)


def mixed(log_still: Floats, log_moved: Floats, rate: float) -> Floats:
    """log((1 - rate) exp(log_still) + rate exp(log_moved))."""
    log_stay = np.log1p(-rate) if rate < 1.0 else -np.inf
    return np.asarray(np.logaddexp(log_stay + log_still, np.log(rate) + log_moved))


def _curvature(x: Floats) -> Floats:
    """(exp(x) - 1 - x) / x^2, divided by exp(x) where x > 0."""
    y = np.abs(x)
    # Below 0.01 both forms cancel, and five terms of the series have sixteen digits.
    far = np.maximum(y, 1e-2)
    minus = np.expm1(-far)
    rest = far + minus
    # Two forms of 1 - (1 + y) exp(-y): differences of small numbers below one, of one above it.
    risen = np.where(y < 1.0, -far * minus - rest, 1.0 - (1.0 + far) * (1.0 + minus))
    direct = np.where(x > 0.0, risen, rest) / far**2
    near = np.minimum(y, 1e-2)
    falling = 0.5 - near * (1 / 6 - near * (1 / 24 - near * (1 / 120 - near / 720)))
    rising = 0.5 - near * (1 / 3 - near * (1 / 8 - near * (1 / 30 - near / 144)))
    return np.where(y > 1e-2, direct, np.where(x > 0.0, rising, falling))


class Density(Protocol):
    """A density by its log-ratio u(z) to N(0, 1), which is convex."""

    @property
    def shift(self) -> float:
        """How far out its bulk reaches."""

    def log_ratio(self, z: Floats) -> Floats:
        """u(z)."""

    def slope(self, z: Floats, log_ratio: Floats) -> Floats:
        """The derivative of u, given u."""

    def log_weight(self, z: Floats) -> Floats:
        """The log-density but for a constant."""


@dataclass(frozen=True)
class Bumps:
    """(1 - rate) N(0, 1) + rate N(shift, 1), by its log-ratio u(z) to N(0, 1), which is convex."""

    shift: float
    rate: float

    def log_ratio(self, z: Floats) -> Floats:
        """u(z)."""
        if self.shift == 0.0:
            return np.zeros_like(z)
        return sampled_loss(self._loss(z), self.rate)

    def slope(self, z: Floats, log_ratio: Floats) -> Floats:
        """The derivative of u, given u."""
        log_share = np.log(self.rate) + self._loss(z) - log_ratio
        return np.asarray(self.shift * np.exp(np.minimum(log_share, 0.0)))

    def log_weight(self, z: Floats) -> Floats:
        """The log-density but for a constant, not from u: where it is near zero, u is not."""
        still = -0.5 * z**2
        if self.shift == 0.0:
            return still
        return mixed(still, -0.5 * (z - self.shift) ** 2, self.rate)

    def _loss(self, z: Floats) -> Floats:
        return self.shift * (z - 0.5 * self.shift)


@dataclass(frozen=True)
class Shifts:
    """(1 - rate) N(0, 1) + rate (the mixture).

    Its log-ratio to N(0, 1) is convex, and analytic as far from the real line as that of a single
    record: exp(-j^2 s^2 / 2) is a multiplier sequence, so all roots of the polynomial in exp(s z)
    are negative.
    """

    mixture: MixturePair
    rate: float

    @property
    def shift(self) -> float:
        """The largest of the shifts."""
        return self.mixture.centres[-1]

    def log_ratio(self, z: Floats) -> Floats:
        """u(z)."""
        return sampled_loss(self.mixture.losses(z), self.rate)

    def slope(self, z: Floats, log_ratio: Floats) -> Floats:
        """The derivative of u, given u."""
        losses, slopes = self.mixture.losses_and_slopes(z)
        return np.asarray(slopes * np.exp(np.minimum(np.log(self.rate) + losses - log_ratio, 0.0)))

    def log_weight(self, z: Floats) -> Floats:
        """The log-density but for a constant."""
        still = -0.5 * z**2
        return mixed(still, still + self.mixture.losses(z), self.rate)


def lattice_divergences(p: Density, q: Density, orders: Floats, spacing: Floats) -> Floats:
    """D_t(P || Q) of both restricted to the multiples of a spacing, one for each order.

    Where the spacing is fine this is the trapezoid rule for the densities, whose error falls
    exponentially with its inverse.
    """
    found = np.empty(orders.size)
    for start in range(0, orders.size, _ORDERS):
        part = slice(start, start + _ORDERS)
        found[part] = _lattice_divergences(p, q, orders[part], spacing[part])
    return found


def _lattice_divergences(p: Density, q: Density, orders: Floats, spacing: Floats) -> Floats:
    which, cells = _cells(p, q, orders, spacing)
    first = _firsts(which)
    z = _cut(cells) * spacing[which, None]
    order = orders[which, None]
    outcomes = p.log_weight(z), q.log_weight(z), p.log_ratio(z) - q.log_ratio(z)

    def log_sums(logs: Floats) -> Floats:
        largest = np.maximum.reduceat(logs.max(axis=1), first)
        terms = np.exp(logs - largest[which, None]).sum(axis=1)
        return np.asarray(largest + np.log(np.add.reduceat(terms, first)) - _log_totals(spacing))

    powers = log_sums(_log_power(order, *outcomes))
    affinities = log_sums(_log_affinity(order, *outcomes))
    return _divergence(orders, powers, affinities)


def _log_totals(spacing: Floats) -> Floats:
    """The log of the sum of exp(-z^2 / 2) over the multiples of a spacing."""
    z = spacing[:, None] * np.arange(1.0, 41.0)
    # Forty terms are enough above 1/4, and below it the sum is the integral to every digit.
    summed = 1.0 + 2.0 * np.exp(-0.5 * z**2).sum(axis=1)
    return np.asarray(np.log(np.where(spacing < 0.25, np.sqrt(2.0 * np.pi) / spacing, summed)))


def _cut(cells: Floats) -> Floats:
    return cells[:, None] * _CUT + np.arange(float(_CUT))


def _firsts(which: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where each number first occurs among numbers in order."""
    return np.flatnonzero(np.diff(which, prepend=-1))


class _Ends:
    """A log-ratio u, and its slope, at both ends of cells."""

    def __init__(self, bumps: Density, low: Floats, high: Floats) -> None:
        self.values = bumps.log_ratio(low), bumps.log_ratio(high)
        self.slopes = bumps.slope(low, self.values[0]), bumps.slope(high, self.values[1])
        self.chord = (self.values[1] - self.values[0]) / (high - low)


def _bound(low: Floats, high: Floats, p: _Ends, q: _Ends, power: Floats) -> Floats:
    """A bound on log(p^s q^(1 - s)) within each cell, for a power s of 0, 1 or above 1.

    It is s u_p + (1 - s) u_q - z^2 / 2. A convex part lies below its chord, a concave one below
    its tangents; what then is left to maximise is a parabola.
    """
    bound = np.full(low.size, np.inf)
    for side, end in enumerate((low, high)):
        value = power * p.values[side] + (1.0 - power) * q.values[side]
        slope = power * p.chord + (1.0 - power) * np.where(power > 1.0, q.slopes[side], q.chord)
        top = np.clip(slope, low, high)
        bound = np.minimum(bound, value + slope * (top - end) - 0.5 * top**2)
    return bound


def _cells(
    p: Density, q: Density, orders: Floats, spacing: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """The cells of eight lattice points, by number, that hold all but a negligible part.

    Cells are cut in eight and left out where a bound on every term inside is negligible against a
    term met elsewhere. Returned after the number of the order that each belongs to.
    """
    # The bulk of no p^s q^(1 - s) lies farther out than this.
    shift = max(abs(p.shift), abs(q.shift))
    reach = float(((20.0 + 2.0 * np.maximum(orders, 1.0) * shift) / spacing).max())
    which = np.repeat(np.arange(orders.size), 2)
    cells = np.tile([-1.0, 0.0], orders.size)
    powers = affinities = np.full(orders.size, -np.inf)
    for level in range(max(1, int(np.ceil(np.log(reach) / np.log(_CUT)))), 0, -1):
        order, width = orders[which], spacing[which] * float(_CUT) ** level
        low, high = cells * width, (cells + 1.0) * width
        p_ends, q_ends = _Ends(p, low, high), _Ends(q, low, high)
        # psi_t(r) is at most of the order of 1 + r^t, or 1 + r where t < 1.
        bound = np.maximum(
            _bound(low, high, p_ends, q_ends, np.zeros(order.size)),
            _bound(low, high, p_ends, q_ends, np.maximum(order, 1.0)),
        )
        first = _firsts(which)
        for side, z in enumerate((low, high)):
            met = p.log_weight(z), q.log_weight(z), p_ends.values[side] - q_ends.values[side]
            powers = np.maximum(powers, np.maximum.reduceat(_log_power(order, *met), first))
            affinities = np.maximum(
                affinities, np.maximum.reduceat(_log_affinity(order, *met), first)
            )
        needed = np.where(orders < 1.0, np.minimum(powers, affinities), powers)
        # Huge exponents carry rounding; some cell must stay whatever they say.
        needed = needed - _NEGLIGIBLE - np.minimum(1e-15 * np.abs(needed), 1e3)
        needed = np.minimum(needed, np.maximum.reduceat(bound, first))
        kept = bound >= needed[which]
        which, cells = which[kept], cells[kept]
        if level > 1:
            which, cells = np.repeat(which, _CUT), _cut(cells).ravel()
    return which, cells
