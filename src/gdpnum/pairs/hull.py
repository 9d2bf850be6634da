"""Pairs made of others: the symmetric hull of one direction, and a choice that is no secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum.floats import Floats
from gdpnum.pairs.pair import Ends, Pair, Quadrature


@dataclass(frozen=True)
class HullPair(Pair):
    """The pair whose curve is the convex hull of min(f, f^-1), where f is the worse for eps >= 0.

    What the inner pair has at positive losses, the mirror image of that, and the rest at loss zero.
    The inner profile must be nowhere below that of its reverse at eps >= 0; of a mechanism on a
    random part of the data it is not, if the mechanism's own curve is symmetric (lemma B1).
    """

    inner: Pair
    symmetric = True

    @property
    def ends(self) -> Ends:
        _, highest, infinite, _ = self.inner.ends
        return Ends(-highest, highest, infinite, infinite)

    @cached_property
    def _rest(self) -> float:
        """The mass of loss zero: what is neither above it nor in the mirror image."""
        p, q = self.inner.cells(np.zeros(1))
        return max(0.0, 1.0 - float(p[1] + q[1]))

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        negative = edges < 0.0
        p, q = self._above(edges[~negative])
        q_low, p_low = self._above(-edges[negative][::-1])
        p, q = p.copy(), q.copy()
        p[0] += p_low[0] + self._rest
        q[0] += q_low[0] + self._rest
        return np.concatenate([p_low[:0:-1], p]), np.concatenate([q_low[:0:-1], q])

    def _above(self, edges: Floats) -> tuple[Floats, Floats]:
        """P and Q masses of (0, e_0], (e_0, e_1], ..., (e_n, inf]."""
        p, q = self.inner.cells(np.append(0.0, edges))
        return p[1:], q[1:]

    def points(self) -> Quadrature:
        losses, p, q = self.inner.points()
        kept = losses > 0.0
        losses, p, q = losses[kept], p[kept], q[kept]
        return Quadrature(
            np.concatenate([-losses[::-1], [0.0], losses]),
            np.concatenate([q[::-1], [self._rest], p]),
            np.concatenate([p[::-1], [self._rest], q]),
        )


@dataclass(frozen=True)
class MixedPair(Pair):
    """One of several pairs, chosen by a coin that everybody sees: profiles add up, weighted.

    Weights may sum to a little more than one, which is pessimistic.
    """

    weights: Sequence[float]
    pairs: Sequence[Pair]

    @property
    def symmetric(self) -> bool:
        return all(pair.symmetric for pair in self.pairs)

    @property
    def ends(self) -> Ends:
        ends = [pair.ends for pair in self.pairs]
        weighted = list(zip(self.weights, ends, strict=True))
        return Ends(
            min(one.lowest for one in ends),
            max(one.highest for one in ends),
            sum(weight * one.mass_at_infinity for weight, one in weighted),
            sum(weight * one.mass_at_minus_infinity for weight, one in weighted),
        )

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        p, q = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
        for weight, pair in zip(self.weights, self.pairs, strict=True):
            p_one, q_one = pair.cells(edges)
            p += weight * p_one
            q += weight * q_one
        return p, q

    def points(self) -> Quadrature:
        found = [pair.points() for pair in self.pairs]
        losses = np.concatenate([one.losses for one in found])
        p = np.concatenate([w * one.p for w, one in zip(self.weights, found, strict=True)])
        q = np.concatenate([w * one.q for w, one in zip(self.weights, found, strict=True)])
        order = np.argsort(losses, kind="stable")
        return Quadrature(losses[order], p[order], q[order])
