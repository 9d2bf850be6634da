"""Pairs with finitely many losses: randomised response, pure and approximate DP, discrete noise."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum import charges
from gdpnum.bounds.sums import sums_by_place
from gdpnum.floats import Floats
from gdpnum.pairs.pair import Ends, Pair, Quadrature, sampled_loss


@dataclass(frozen=True, eq=False)
class AtomicPair(Pair):
    """Losses in increasing order, the P mass of each, and the P and Q masses at infinity.

    The Q mass of an atom is exp(-loss) times its P mass, as a loss requires; it is stored, as it
    is often the more accurate of the two.
    """

    losses: Floats
    p: Floats
    q: Floats
    mass_at_infinity: float = 0.0
    mass_at_minus_infinity: float = 0.0
    symmetric: bool = False

    @property
    def ends(self) -> Ends:
        beyond = self.mass_at_infinity, self.mass_at_minus_infinity
        return Ends(float(self.losses[0]), float(self.losses[-1]), *beyond)

    @property
    def spacing(self) -> float | None:
        gaps = np.diff(self.losses)
        if gaps.size == 0:
            return None
        if gaps.min() <= 0.0:
            return None
        multiples = gaps / gaps.min()
        if np.abs(multiples - np.round(multiples)).max() > 1e-9:
            return None
        # From end to end, so that the last atom is met without accumulated rounding.
        return (self.highest - self.lowest) / float(np.round(multiples).sum())

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        cell = np.searchsorted(edges, self.losses, side="left")
        p = sums_by_place(cell, self.p, edges.size + 1)
        q = sums_by_place(cell, self.q, edges.size + 1)
        p[-1] += self.mass_at_infinity
        q[0] += self.mass_at_minus_infinity
        return p, q

    def points(self) -> Quadrature:
        return Quadrature(self.losses, self.p, self.q)


class ComputedPair(Pair):
    """A pair whose atoms are computed when it is first asked."""

    @cached_property
    @abstractmethod
    def atoms(self) -> AtomicPair:
        """The pair, outcome by outcome."""

    @property
    def ends(self) -> Ends:
        return self.atoms.ends

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        return self.atoms.cells(edges)

    def points(self) -> Quadrature:
        return self.atoms.points()


def ordered_atoms(p: Floats, q: Floats, p_cut: float = 0.0, q_cut: float = 0.0) -> AtomicPair:
    """The pair of these outcomes, in order of the loss log(P / Q)."""
    losses = np.log(p / q)
    order = np.argsort(losses, kind="stable")
    return AtomicPair(losses[order], p[order], q[order], p_cut, q_cut)


def mirrored_atoms(
    losses: Floats, p: Floats, q: Floats, rest: float, infinite: float = 0.0
) -> AtomicPair:
    """The outcomes of losses above zero, their mirror image, and the rest at loss zero."""
    return AtomicPair(
        np.concatenate([-losses[::-1], [0.0], losses]),
        np.concatenate([q[::-1], [rest], p]),
        np.concatenate([p[::-1], [rest], q]),
        infinite,
        infinite,
        symmetric=True,
    )


def randomized_response_pair(epsilon: float, categories: int) -> AtomicPair:
    """Keep the true answer with odds exp(epsilon) against each of the others."""
    low = np.exp(-epsilon)
    total = 1.0 + (categories - 1) * low
    kept, moved = 1.0 / total, low / total
    others = (categories - 2) * moved
    if categories == 2:
        losses, p = np.array([-epsilon, epsilon]), np.array([moved, kept])
    else:
        losses, p = np.array([-epsilon, 0.0, epsilon]), np.array([moved, others, kept])
    return AtomicPair(losses, p, p[::-1], symmetric=True)


def sampled_answer_pair(epsilon: float, categories: int, rate: float) -> AtomicPair:
    """Randomised response of who answers with probability q only, and is seen not to otherwise."""
    asked = randomized_response_pair(epsilon, categories)
    silent = 1.0 - rate
    others = rate * float(asked.p[1:-1].sum())
    p = np.array([rate * asked.p[0], silent + others, rate * asked.p[-1]])
    return AtomicPair(np.array([-epsilon, 0.0, epsilon]), p, p[::-1], symmetric=True)


def approx_dp_pair(epsilon: float, delta: float) -> AtomicPair:
    """The least private pair that satisfies (epsilon, delta)-DP (Kairouz, Oh, Viswanath 2015)."""
    if epsilon == 0.0:
        rest = np.array([1.0 - delta])
        return AtomicPair(np.zeros(1), rest, rest, delta, delta, symmetric=True)
    pure = randomized_response_pair(epsilon, 2)
    p = (1.0 - delta) * pure.p
    return AtomicPair(pure.losses, p, p[::-1], delta, delta, symmetric=True)


def discrete_laplace_pair(epsilon: float, shift: int) -> AtomicPair:
    """Integer noise with mass proportional to exp(-epsilon |k|), shifted by a whole number s.

    Outcomes k from 0 to s have the loss epsilon (2k - s); all below 0 are as one at 0, and all
    above s as one at s. With s = 1 it is randomised response.
    """
    if shift == 1:
        return randomized_response_pair(epsilon, 2)
    k = np.arange(shift + 1, dtype=np.float64)
    low = np.exp(-epsilon)
    q = -np.expm1(-epsilon) / (1.0 + low) * np.exp(-epsilon * k)
    q[0], q[-1] = 1.0 / (1.0 + low), np.exp(-epsilon * shift) / (1.0 + low)
    return AtomicPair(epsilon * (2.0 * k - shift), q[::-1], q, symmetric=True)


def discrete_gaussian_pair(sigma: float, shift: int = 1) -> AtomicPair:
    """Integer noise with mass proportional to exp(-k^2 / (2 sigma^2)), shifted by a whole number s.

    Outcome k has loss s (2k - s) / (2 sigma^2). Beyond 13 sigma, where less than 1e-36 lies, the
    P mass above counts as infinite, and so does the Q mass below.
    """
    reach = int(np.ceil(13.0 * sigma)) + 2
    k = np.arange(-reach, reach + shift + 1, dtype=np.float64)
    weights = np.exp(-0.5 * (k / sigma) ** 2)
    q = weights / weights.sum()
    losses = shift * (2.0 * k - shift) / (2.0 * sigma**2)
    inner = slice(1, -1)
    p = np.exp(-0.5 * ((k - shift) / sigma) ** 2) / weights.sum()
    cut = charges.cut_tail(float(q[0]), sigma)
    return AtomicPair(losses[inner], p[inner], q[inner], cut, cut, symmetric=True)


def sampled_atoms(pair: AtomicPair, rate: float) -> AtomicPair:
    """The pair after Poisson sampling at a rate below one."""
    losses, p = sampled_loss(pair.losses, rate), (1.0 - rate) * pair.q + rate * pair.p
    q, revealed = pair.q, pair.mass_at_minus_infinity
    if revealed > 0.0:
        # What only Q could produce now has the finite loss log(1 - q), below every other.
        losses = np.append(np.log1p(-rate), losses)
        p, q = np.append((1.0 - rate) * revealed, p), np.append(revealed, q)
    return AtomicPair(losses, p, q, rate * pair.mass_at_infinity)
