"""`renyi_divergences`: from what was run to its Renyi divergences, of any order from 1/2 up.

They are taken from the mechanism itself: a loss that was put on a lattice and cut has infinite
divergence. ``quadrature`` does the sums.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.kind import kind_of
from gdpnum.mechanisms import Mechanism
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.gaussian import GaussianPair, ReplacedGaussianPair
from gdpnum.pairs.laplace import LaplacePair
from gdpnum.pairs.mixture import MixturePair
from gdpnum.pairs.pair import Divergences, Pair, Sampled, sampled_loss
from gdpnum.renyi.quadrature import (
    LARGEST_LOSS,
    Bumps,
    Density,
    Shifts,
    divergences,
    lattice_divergences,
    mixed,
)

#: Orders that serve most mechanisms: dense near 1, sparse where only tiny deltas need them.
ORDERS = np.concatenate(
    [
        [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0],
        1.0 + np.geomspace(1e-4, 63.0, 80),
        np.geomspace(64.0, 1e4, 21)[1:],
    ]
)

_LARGEST_ORDER = 1e6

# The least that a release is said to reveal, where what it does reveal underflows.
_LEAST = 1e-300

#: A smaller sampling rate counts as this one: its square must not underflow.
SMALLEST_RATE = 1e-30

# From here on N(mu, 1) and N(0, 1) share less than exp(-mu^2 / 8) = 1e-31.
_APART = 24.0

# How far from either end the losses of a large epsilon matter: exp(-200 / 2) = 1e-43.
_REACH = 200.0

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def renyi_divergences(mechanism: Mechanism, orders: Floats) -> Divergences:
    """The Renyi divergences of a mechanism's dominating pair (P, Q), in both directions.

    D_t(P || Q) = log(integral of p^t q^(1 - t)) / (t - 1), and D_1 is the KL divergence; those of
    releases add up. Forward, P is the outcome with the record present.

    Guarantee: never below the exact value, and above it by less than 1e-9, relative, or 1e-13 t if
    that is more. Infinite where the exact one is. Not tight, as they are rounded up first:
    divergences below 1e-300, sampling rates below 1e-30 and losses above 1e100.

    >>> import gdpnum
    >>> step = gdpnum.PoissonSampled(gdpnum.Gaussian(sigma=9.4), rate=0.32768)
    >>> found = renyi_divergences(step * 2000, np.array([1.0, 1.1, 8.0]))
    >>> np.round(found.worst, 4)
    array([1.2183, 1.3405, 9.9203])
    """
    orders = _checked(orders)
    forward, backward = np.zeros(orders.size), np.zeros(orders.size)
    for leaf, count in mechanism.parts:
        if count > 0 and (found := kind_of(leaf).divergences(leaf, orders)) is not None:
            forward += count * np.maximum(found.forward, _LEAST)
            backward += count * np.maximum(found.backward, _LEAST)
    raised = 1.0 + charges.renyi(orders)
    return Divergences(forward * raised, backward * raised)


def _checked(orders: Floats) -> Floats:
    orders = np.asarray(orders, dtype=np.float64)
    wrong = np.flatnonzero(~((orders >= 0.5) & (orders <= _LARGEST_ORDER)))
    if wrong.size:
        first = int(wrong[0])
        raise InvalidArgument(
            f"orders[{first}]={float(orders[first])!r} is outside [0.5, {_LARGEST_ORDER:g}]; "
            "pass Renyi orders of at least 1/2"
        )
    return orders


# --- by pair -------------------------------------------------------------------------------------


class Outcomes(NamedTuple):
    """Finitely many outcomes: the logs of their masses, and their losses."""

    log_p: Floats
    log_q: Floats
    losses: Floats

    def sampled(self, rate: float) -> Outcomes:
        """The same after Poisson sampling."""
        log_p = mixed(self.log_q, self.log_p, rate)
        return Outcomes(log_p, self.log_q, sampled_loss(self.losses, rate))

    def divergences(self, orders: Floats, only_p: float = 0.0, only_q: float = 0.0) -> Divergences:
        """Both directions, with what only P or only Q can produce beside."""
        log_p, log_q, losses = self
        return Divergences(
            divergences(orders, log_p, log_q, losses, only_p=only_p, only_q=only_q),
            divergences(orders, log_q, log_p, -losses, only_p=only_q, only_q=only_p),
        )


@singledispatch
def pair_divergences(one: Pair, _: Floats) -> Divergences:
    """Of one pair, in both directions."""
    raise UnsupportedMechanism(
        f"no Renyi divergences are known for {one!r}; describe the release as PureDP, "
        "which bounds them"
    )


@pair_divergences.register
def _(one: GaussianPair, orders: Floats) -> Divergences:
    """D_t = t mu^2 / 2."""
    with np.errstate(over="ignore"):
        found = 0.5 * orders * np.float64(one.mu) ** 2
    return Divergences(found, found)


@pair_divergences.register
def _(one: LaplacePair, orders: Floats) -> Divergences:
    """D_t = log((t exp((t - 1) eps) + (t - 1) exp(-t eps)) / (2t - 1)) / (t - 1)."""
    if one.epsilon <= 1.0:
        # The formula cancels there.
        found = divergences(orders, *_laplace_outcomes(one.epsilon, orders))
        return Divergences(found, found)
    if one.epsilon > LARGEST_LOSS:
        return Divergences(*np.full((2, orders.size), np.inf))
    # Divided by exp((t - 1) eps), so that nothing overflows, vanishes, or is 0 / 0 at t = 1/2.
    twice, excess = 2.0 * orders - 1.0, orders - 1.0
    divisor = np.where(twice == 0.0, 1.0, twice)
    mean = np.where(twice == 0.0, one.epsilon, -np.expm1(-twice * one.epsilon) / divisor)
    divisor = np.where(excess == 0.0, 1.0, excess)
    gain = np.where(excess == 0.0, -mean, np.log1p(-excess * mean) / divisor)
    return Divergences(one.epsilon + gain, one.epsilon + gain)


@pair_divergences.register
def _(one: AtomicPair, orders: Floats) -> Divergences:
    return _atoms(one).divergences(orders, one.mass_at_infinity, one.mass_at_minus_infinity)


@pair_divergences.register
def _(one: Sampled, orders: Floats) -> Divergences:
    inner, rate = one.inner, one.rate
    if isinstance(inner, MixturePair):
        return _mixture(inner, rate, orders)
    if isinstance(inner, GaussianPair):
        return bumps(inner.mu, rate, orders)
    if isinstance(inner, LaplacePair):
        outcomes = _laplace_outcomes(inner.epsilon, orders).sampled(rate)
        return outcomes.divergences(orders)
    if (
        isinstance(inner, AtomicPair)
        and inner.mass_at_infinity == inner.mass_at_minus_infinity == 0.0
    ):
        return _atoms(inner).sampled(rate).divergences(orders)
    raise UnsupportedMechanism(f"no Renyi divergences are known for a sample of {inner!r}")


@pair_divergences.register
def _(one: MixturePair, orders: Floats) -> Divergences:
    return _mixture(one, 1.0, orders)


@pair_divergences.register
def _(one: ReplacedGaussianPair, orders: Floats) -> Divergences:
    mu, rate = 1.0 / one.sigma, one.rate
    if mu > _APART:
        found = _apart(mu, rate, orders, stay=0.0)
    else:
        spacing = _spacing(mu, rate, orders, narrowing=True)
        found = lattice_divergences(Bumps(mu, rate), Bumps(-mu, rate), orders, spacing)
    return Divergences(found, found)


def _atoms(one: AtomicPair) -> Outcomes:
    with np.errstate(divide="ignore"):  # exp(-epsilon) may have underflowed
        return Outcomes(np.log(one.p), np.log(one.q), one.losses)


# --- Gaussian and Laplace noise on a sample ------------------------------------------------------


def bumps(mu: float, rate: float, orders: Floats, *, lattice: float = 0.0) -> Divergences:
    """(1 - rate) N(0, 1) + rate N(mu, 1) against N(0, 1), or the same on a lattice of that step."""
    if mu > LARGEST_LOSS:
        return Divergences(*np.full((2, orders.size), np.inf))
    if mu > _APART and lattice == 0.0:
        stay = float(np.log1p(-rate))
        return Divergences(_apart(mu, rate, orders, stay=stay), np.full(orders.size, -stay))
    found, ends = [], (Bumps(mu, rate), Bumps(0.0, rate))
    for p, q in (ends, ends[::-1]):
        spacing = _spacing(mu, rate, orders, narrowing=q.shift > 0.0)
        # On a finer lattice than needed the sum is the integral, as it is on one just enough.
        spacing = np.maximum(spacing, lattice)
        found.append(lattice_divergences(p, q, orders, spacing))
        if rate == 1.0:  # symmetric
            return Divergences(found[0], found[0])
    return Divergences(*found)


def _mixture(mixture: MixturePair, rate: float, orders: Floats) -> Divergences:
    """(1 - rate) N(0, 1) + rate (the mixture) against N(0, 1)."""
    if mixture.centres[-1] > _APART:
        raise UnsupportedMechanism(
            f"no Renyi divergences are computed where the records of a person move the query by "
            f"{mixture.centres[-1]:.3g} standard deviations; they are at most t mu^2 / 2 with that "
            "mu, as in GDP(mu=...)"
        )
    # The largest shift stands for all in how fine the lattice must be.
    mu, share = mixture.centres[0], min(0.5, 1.0 - (1.0 - rate) * 0.5)
    ends: tuple[Density, Density] = (Shifts(mixture, rate), Bumps(0.0, rate))
    found = []
    for p, q in (ends, ends[::-1]):
        spacing = _spacing(mu, share, orders, narrowing=q is ends[0])
        found.append(lattice_divergences(p, q, orders, 0.5 * spacing))
    return Divergences(*found)


def _spacing(mu: float, rate: float, orders: Floats, *, narrowing: bool) -> Floats:
    """A spacing that is fine enough for a trapezoid rule, in standard deviations.

    Moved by iy, the normal density grows by exp(y^2 / 2) and no power of the ratio p / q above
    zero grows at all, until y = pi / mu where its logarithm branches; the error is about
    exp(-2 pi y / spacing) times that. A negative power 1 - t of a mixture narrows the integrand;
    v, the curvature it adds, solves v exp(v) = (t - 1) mu^2 odds exp(-mu^2 / 2) or is smaller.
    """
    curvature = np.zeros(orders.size)
    if narrowing and rate < 1.0:
        odds = rate / (1.0 - rate)
        curvature = np.log1p(np.maximum(orders - 1.0, 0.0) * odds * mu**2 * np.exp(-0.5 * mu**2))
    return np.asarray(0.44 * min(1.0, 1.0 / mu) / np.sqrt(1.0 + curvature))


def _apart(mu: float, rate: float, orders: Floats, *, stay: float) -> Floats:
    """D_t where N(0, 1) and N(mu, 1) hardly overlap, and the record stays out with loss `stay`.

    The loss of a record that came in grows with the order: as far as sums of p^t q^(1 - t) go it
    is log(rate) + t mu^2 / 2, less the log of what Q has of N(0, 1).
    """
    log_out, log_in = float(np.log1p(-rate)), float(np.log(rate))
    # min: beyond it all is infinite, and the square itself must not be.
    moved = log_in + stay - log_out + 0.5 * orders * min(mu, LARGEST_LOSS) ** 2
    losses = np.stack([np.full(orders.size, stay), moved], axis=1)
    log_p = np.array([log_out, log_in])
    log_q = log_p - losses
    return divergences(orders, log_p, log_q, losses, only_q=-float(np.expm1(log_q[0, 0])))


def _laplace_outcomes(epsilon: float, orders: Floats) -> Outcomes:
    """Gauss-Legendre points of the Laplace pair's losses: one atom at each end, a density between.

    Panels are at most one wide, as a sampled loss bends within that, and shrink towards the ends,
    where a power t of the ratio falls off within 1 / t.
    """
    steepest = max(8.0, float(orders.max(initial=1.0)))
    shrinking = 2.0 ** -np.arange(np.ceil(np.log2(steepest / 8.0)), -1.0, -1.0)
    whole = np.arange(1.0, np.ceil(min(epsilon, _REACH)) + 1.0)
    edges = np.minimum(np.concatenate([[0.0], shrinking, whole]), min(epsilon, _REACH))
    edges = np.unique(edges)
    half = 0.5 * np.diff(edges)[:, None]
    # How far above the lowest loss, -epsilon; its atom first.
    above = np.append(0.0, (edges[:-1, None] + half * (1.0 + _NODES)).ravel())
    log_q = np.append(np.log(0.5), np.log(0.25 * half * _WEIGHTS).ravel() - 0.5 * above[1:])
    losses = above - epsilon
    log_p = log_q + losses
    # The upper half is the lower one with P and Q exchanged.
    return Outcomes(np.append(log_p, log_q), np.append(log_q, log_p), np.append(losses, -losses))
