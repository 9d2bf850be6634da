"""A dominating pair (P, Q) of one release, read through its privacy loss L = log P/Q.

Everything downstream asks a pair two questions only: how much P and Q mass lies in given cells of
the loss (exact, the ground of every bound), and a few quadrature points (to plan with, never a
bound). ``gaussian``, ``laplace`` and ``atomic`` hold the pairs themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.floats import Floats


class Quadrature(NamedTuple):
    """Losses in increasing order with P and Q weights: a quadrature of the pair."""

    losses: Floats
    p: Floats
    q: Floats


class Divergences(NamedTuple):
    """Renyi divergences D_t(P || Q) and D_t(Q || P) at each order t."""

    forward: Floats
    backward: Floats

    @property
    def worst(self) -> Floats:
        """The larger of the two directions: what holds for neighbours in either role."""
        return np.maximum(self.forward, self.backward)


class Ends(NamedTuple):
    """Between which the finite losses of a pair lie, and its masses beyond, which are exact."""

    lowest: float = -np.inf
    highest: float = np.inf
    mass_at_infinity: float = 0.0
    mass_at_minus_infinity: float = 0.0


class Pair(ABC):
    """One ordered pair (P, Q), which says its ``ends`` unless losses are finite and unbounded."""

    @property
    def ends(self) -> Ends:
        """The ends of the loss, of which the four below are read."""
        return Ends()

    @property
    def symmetric(self) -> bool:
        """Whether (Q, P) has the same curve as (P, Q), so that one direction tells both."""
        return False

    @property
    def lowest(self) -> float:
        """A lower bound of the finite losses."""
        return self.ends.lowest

    @property
    def highest(self) -> float:
        """An upper bound of the finite losses."""
        return self.ends.highest

    @property
    def spacing(self) -> float | None:
        """The step of the lattice on which all losses lie, or None if there is none."""
        return None

    @property
    def mass_at_infinity(self) -> float:
        """The P mass of infinite loss, exactly."""
        return self.ends.mass_at_infinity

    @property
    def mass_at_minus_infinity(self) -> float:
        """The Q mass of loss minus infinity, exactly."""
        return self.ends.mass_at_minus_infinity

    @abstractmethod
    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        """P and Q masses of the loss cells (-inf, e_0], (e_0, e_1], ..., (e_n, inf].

        Each tail sum of the result is exact to a few units in the last place, relative to itself.
        """

    @abstractmethod
    def points(self) -> Quadrature:
        """Quadrature points that resolve masses down to about 1e-20."""

    def reversed(self) -> Pair:
        """The pair (Q, P), whose loss is the negative of this one's."""
        return ReversedPair(self)


class Bracket(NamedTuple):
    """Two pairs around a release whose own is unknown: one that dominates, one it dominates.

    ``below`` is that of an attack that exists, None where none is known; ``above`` is None where
    another release already covers this one.
    """

    above: Pair | None
    below: Pair | None


class Release(NamedTuple):
    """A pair and how often it is released."""

    pair: Pair
    times: int


@dataclass(frozen=True)
class ReversedPair(Pair):
    """(Q, P) of a pair (P, Q)."""

    inner: Pair

    @property
    def symmetric(self) -> bool:
        return self.inner.symmetric

    @property
    def ends(self) -> Ends:
        lowest, highest, above, below = self.inner.ends
        return Ends(-highest, -lowest, below, above)

    @property
    def spacing(self) -> float | None:
        return self.inner.spacing

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        p, q = self.inner.cells(-edges[::-1])
        return q[::-1], p[::-1]

    def points(self) -> Quadrature:
        losses, p, q = self.inner.points()
        return Quadrature(-losses[::-1], q[::-1], p[::-1])

    def reversed(self) -> Pair:
        return self.inner


class MonotonePair(Pair):
    """A pair known by its loss's distribution functions."""

    @abstractmethod
    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """P[L <= w], P[L > w], Q[L <= w], Q[L > w], each accurate relative to itself."""

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        p_below, p_above, q_below, q_above = self.tails(edges)
        return _between(p_below, p_above), _between(q_below, q_above)


@dataclass(frozen=True)
class BoundedPair(MonotonePair):
    """A symmetric pair of noise whose losses lie in [-epsilon, epsilon]."""

    epsilon: float
    symmetric = True

    @property
    def ends(self) -> Ends:
        return Ends(-self.epsilon, self.epsilon)


def _between(below: Floats, above: Floats) -> Floats:
    """Cell masses from both tails, each cell from the smaller one.

    A difference of numbers near one would lose the digits of a small cell.
    """
    cells = np.empty(below.size + 1)
    cells[0], cells[-1], middle = below[0], above[-1], cells[1:-1]
    np.subtract(above[:-1], above[1:], out=middle)
    np.subtract(below[1:], below[:-1], out=middle, where=below[1:] < above[:-1])
    np.maximum(middle, 0.0, out=middle)
    return cells


class Sampled(Pair):
    """(1 - q) Q + q P against Q: the inner pair after Poisson sampling at rate q.

    The loss becomes log(1 - q + q exp(loss)), an increasing function of the inner loss, so cells
    of the one are cells of the other. This is the direction in which the record is present; the
    other is its reverse.
    """

    inner: Pair
    rate: float
    mass_at_infinity = mass_at_minus_infinity = 0.0

    @cached_property
    def ends(self) -> Ends:
        low, high = sampled_loss(np.array(self.inner.ends[:2]), self.rate)
        # Outwards: no loss lies beyond.
        outwards = 1.0 + charges.chord()
        return Ends(float(low) * outwards, float(high) * outwards)

    def _mix(self, p: Floats, q: Floats) -> Floats:
        return (1.0 - self.rate) * q + self.rate * p

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        p, q = self.inner.cells(unsampled_loss(edges, self.rate))
        return self._mix(p, q), q

    @cached_property
    def _points(self) -> Quadrature:
        """Asked for in either direction."""
        losses, p, q = self.inner.points()
        return Quadrature(sampled_loss(losses, self.rate), self._mix(p, q), q)

    def points(self) -> Quadrature:
        return self._points


@dataclass(frozen=True)
class SampledPair(Sampled):
    """Any pair after Poisson sampling."""

    inner: Pair
    rate: float


def sampled_loss(loss: Floats, rate: float) -> Floats:
    """log(1 - q + q exp(loss)), the loss after Poisson sampling at rate q.

    Relative to itself as accurate as a double can be.
    """
    # expm1 keeps the digits of a small loss, the second form neither overflows nor cancels.
    small = rate * np.expm1(np.minimum(loss, 100.0))
    stay = np.log1p(-rate) if rate < 1.0 else -np.inf
    large = np.logaddexp(stay, np.log(rate) + loss)
    inside = np.abs(small) < 0.5
    return np.where(inside, np.log1p(np.where(inside, small, 0.0)), large)


def unsampled_loss(loss: Floats, rate: float) -> Floats:
    """The inverse of `sampled_loss`, of rising losses; minus infinity at or below log(1 - q)."""
    lowest, log_rate = np.log1p(-rate), np.log(rate)
    found = np.empty(loss.size)
    first, last = int(loss.searchsorted(0.5 * lowest)), int(loss.searchsorted(1.0))
    with np.errstate(divide="ignore"):
        found[first:last] = np.log1p(np.maximum(np.expm1(loss[first:last]) / rate, -1.0))
        if first > 0:
            # Close to the lowest loss that cancels; there, with w counted from it, it is this.
            above = np.maximum(loss[:first] - lowest, 0.0)
            found[:first] = np.log(np.expm1(above)) + lowest - log_rate
    if last < loss.size:
        far = loss[last:]
        found[last:] = far + np.log1p(-(1.0 - rate) * np.exp(-far)) - log_rate
    return found
