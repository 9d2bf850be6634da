"""Rare jumps apart from the bulk: two small lattices in place of one huge one.

With a tiny sampling rate a step's loss is almost always very small and very rarely large; one
lattice would have to be as fine as the first and as long as the second. Cut the loss at c. Then
the step (P, Q) is a post-processing of two independent releases,

- the **bulk**, (P | L <= c, Q | L <= c), and
- the **jump**, which says "none" (mass 1 - r under P) or which loss above c it was:

output the jump if there is one and the bulk otherwise. So bulk^T and jump^T together dominate T
steps, and each gets a lattice of its own scale. Conversely T steps with at most k jumps contain at
least T - k bulk draws: bulk^(T - k) and jump^T, on the event of at most k jumps, are dominated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum import charges
from gdpnum.floats import Floats
from gdpnum.lattice.discretize import (
    connect_the_dots,
    dominated,
    lattice,
    pessimistic,
)
from gdpnum.lattice.distribution import LossDistribution
from gdpnum.pairs.pair import Pair, Quadrature


@dataclass(frozen=True, eq=False)
class SplitPair:
    """A pair cut at a loss."""

    pair: Pair
    cut: float

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """P and Q masses below and above the cut."""
        return self.pair.cells(np.array([self.cut]))

    @property
    def _below(self) -> tuple[float, float]:
        p, q = self._sides
        return float(p[0]), float(q[0])

    @property
    def jump_rate(self) -> float:
        """P mass above the cut."""
        return float(self._sides[0][1])

    @property
    def rest(self) -> float:
        """The loss of "no jump", log P[L <= c] / Q[L <= c]: negative and small."""
        p, q = self._below
        return float(np.log(p / q))

    def pessimistic_bulk(self, step: float, low: float) -> LossDistribution:
        """The bulk by connect-the-dots, on a lattice that ends at the cut."""
        nodes = lattice(step, low, self.cut, self.cut)[:-1]
        whole = pessimistic(_Bulk(self.pair, self.cut), nodes, step)
        # Dividing P by P[L <= c] and Q by Q[L <= c] moves every loss by minus that of "no jump".
        lowest, masses = whole.lowest - self.rest, whole.masses / self._below[0]
        bulk = LossDistribution(lowest, step, masses, growth=whole.growth)
        return bulk.grown(charges.growth())

    def dominated_bulk(self, step: float, low: float) -> tuple[LossDistribution, LossDistribution]:
        """The bulk with losses rounded to the nearest node, under P and under Q."""
        nodes = lattice(step, low, self.cut, self.cut)[:-1]
        p, q = dominated(_Bulk(self.pair, self.cut), nodes, step)
        p_below, q_below = self._below
        # As `dominated` saw unnormalised masses, its correction left the mean of "no jump" in.
        lowest = p.lowest - p_below * self.rest
        bulk_p = LossDistribution(lowest, step, p.masses / p_below, growth=p.growth)
        bulk_q = LossDistribution(lowest, step, q.masses / q_below, growth=q.growth)
        return bulk_p.grown(-charges.growth()), bulk_q.grown(charges.growth())

    def _jump_nodes(self, step: float, high: float) -> Floats:
        return lattice(step, self.rest, high, self.rest)

    def pessimistic_jump(self, step: float, high: float) -> LossDistribution:
        """The jump by connect-the-dots, "no jump" exactly on the lattice."""
        nodes = self._jump_nodes(step, high)
        # The cell that contains the cut begins at the cut; it is split between its nodes as ever.
        first = int(np.clip(np.floor((self.cut - nodes[0]) / step), 0, nodes.size - 2))
        p, q = self.pair.cells(np.concatenate([[self.cut], nodes[first + 1 :]]))
        none, p[0], q[0] = p[0], 0.0, 0.0
        masses = np.zeros(nodes.size + 1)
        masses[first:], beyond = connect_the_dots(p, q, nodes[first:], step)
        masses[0] += none * (1.0 + charges.growth())
        return LossDistribution(float(nodes[0]), step, masses, beyond, charges.growth())

    def dominated_jump(self, step: float, high: float) -> tuple[LossDistribution, LossDistribution]:
        """The jump rounded to the nearest node, under P and under Q."""
        nodes = self._jump_nodes(step, high)
        edges = nodes[:-1] + 0.5 * step
        first = int(np.searchsorted(edges, self.cut))
        masses = self.pair.cells(np.concatenate([[self.cut], edges[first:]]))

        def placed(mass: Floats, growth: float) -> LossDistribution:
            on_nodes = np.zeros(nodes.size)
            on_nodes[first:] = mass[1:]
            on_nodes[0] += mass[0]
            return LossDistribution(float(nodes[0]), step, on_nodes).grown(growth)

        return placed(masses[0], -charges.growth()), placed(masses[1], charges.growth())


@dataclass(frozen=True, eq=False)
class _Bulk(Pair):
    """What a pair has at or below a cut, not normalised. Never asked about losses above it."""

    inner: Pair
    cut: float

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        p, q = self.inner.cells(np.append(edges, self.cut))
        return p[:-1], q[:-1]

    def points(self) -> Quadrature:
        return self.inner.points()
