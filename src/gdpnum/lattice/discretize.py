"""A pair put on a lattice of losses, to a named side.

`pessimistic` (connect-the-dots) gives the P masses of a lattice pair of which the original is a
post-processing: for every gamma, H_gamma can only grow. `dominated` merges outcomes, which is a
post-processing of the original: no test on the result beats the best test on the original.

Source: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the Dots" (PETS 2022).
"""

from __future__ import annotations

import numpy as np

from gdpnum import charges
from gdpnum.bounds.sums import sums_by_place
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.lattice.distribution import LossDistribution
from gdpnum.pairs.pair import Pair

#: Points of the longest lattice that one release may have: about half a gigabyte of work space.
LARGEST_LATTICE = 2**23

# exp() of more would overflow. A smaller factor errs towards pessimism wherever it is used.
_LARGEST_EXPONENT = 700.0


def lattice(step: float, low: float, high: float, anchor: float = 0.0) -> Floats:
    """The points ``anchor + step * j`` from the last one at or below low to one above high.

    Above high also where high is on the lattice but for rounding: no loss is left outside.
    """
    first = np.floor((low - anchor) / step + 1e-9)
    last = np.floor((high - anchor) / step + 1e-9) + 1
    if last - first > LARGEST_LATTICE:
        raise BudgetExceeded(
            f"a lattice step of {step:.3g} needs {last - first:.3g} points for one release, more "
            f"than the {LARGEST_LATTICE:.3g} allowed; pass a larger tolerance or grid_step"
        )
    return anchor + step * np.arange(first, last + 1)


def _exp(loss: Floats) -> Floats:
    return np.exp(np.minimum(loss, _LARGEST_EXPONENT))


def connect_the_dots(p: Floats, q: Floats, nodes: Floats, step: float) -> tuple[Floats, float]:
    """P masses on the nodes and one more above them, after splitting each cell, and at infinity.

    ``p`` and ``q`` are cell masses as `Pair.cells` returns them: below the first node, between
    the nodes, above the last. A cell [w, w + h] keeps its P and its Q mass if the upper end gets
    (p - exp(w) q) / (1 - exp(-h)) of P. The P mass below the first node goes to it; of what lies
    above the last node w, that node gets the exp(w) q which its Q mass supports, infinity the rest.

    Rounding. The profile of the result at a node is P[L > w] - exp(w) Q[L > w], so it errs by no
    more than the charge of a cell times the sum of these two, delta(w) + 2 exp(w) Q[L > w]. Moving
    a share of twice that over 1 - exp(-h) of all mass up by one node makes good for the second, as
    delta(w - h) - delta(w) >= (1 - exp(-h)) exp(w) Q[L > w], and scaling for the first; twice
    that is moved. Single masses that rounding made negative are raised to zero.
    """
    inner, weight, width = p[1:-1], _exp(nodes[:-1]), -np.expm1(-step)
    upper = (inner - weight * q[1:-1]) / width
    supported = min(float(p[-1]), float(_exp(nodes[-1:])[0] * q[-1]) * (1.0 - charges.end_cell()))
    masses = np.zeros(nodes.size + 1)
    masses[1:-1] = upper
    masses[:-2] += inner - upper
    masses[0] += p[0]
    masses[-2] += supported
    masses = np.maximum(masses, 0.0)
    moved = masses[:-1] * charges.lift(width)
    masses[:-1] -= moved
    masses[1:] += moved
    grown = 1.0 + charges.growth()
    return masses * grown, (float(p[-1]) - supported) * grown


def pessimistic(pair: Pair, nodes: Floats, step: float) -> LossDistribution:
    """P masses on the nodes, whose profile is nowhere below that of the pair."""
    p, q = pair.cells(nodes)
    masses, beyond = connect_the_dots(p, q, nodes, step)
    if q[-1] == 0.0 and p[-1] == pair.mass_at_infinity:
        beyond = pair.mass_at_infinity  # nothing was computed, so nothing is granted
    return LossDistribution(float(nodes[0]), step, masses, beyond, charges.growth())


def dominated(pair: Pair, nodes: Floats, step: float) -> tuple[LossDistribution, LossDistribution]:
    """P and Q masses of the loss rounded to the nearest node, P from below and Q from above.

    A function of the outcome like any other, so each threshold on its sum is an attack that
    exists. It loses a variance of about h^2 / 12 a step. Where the loss hardly spreads over a cell
    the rounding has a bias; the lattice is moved by it, so that the sum is of the size of a loss.
    """
    p, q = pair.cells(nodes[:-1] + 0.5 * step)
    if pair.mass_at_infinity > 0.0:
        p[-1] = max(0.0, p[-1] - pair.mass_at_infinity * (1.0 + charges.growth()))
    lowest = float(nodes[0]) - _bias(p, q, nodes)
    infinite = pair.mass_at_infinity * (1.0 - charges.growth())
    return (
        LossDistribution(lowest, step, p, infinite).grown(-charges.growth()),
        LossDistribution(lowest, step, q).grown(charges.growth()),
    )


def _bias(p: Floats, q: Floats, nodes: Floats) -> float:
    """How far the nodes exceed the losses log(p / q) of the merged outcomes, on average."""
    both = (p > 0.0) & (q > 0.0)
    return float((p[both] * (nodes[both] - np.log(p[both] / q[both]))).sum())


def regridded(fine: LossDistribution, step: float) -> LossDistribution:
    """A pessimistic distribution moved to a coarser lattice by connect-the-dots, atom by atom."""
    nodes = lattice(step, fine.lowest, float(fine.losses[-1]))
    place = (fine.losses - nodes[0]) / step
    cell = np.clip(np.floor(place).astype(np.intp), 0, nodes.size - 2)
    # 1 - exp(-x) from expm1: an atom's own loss is known, so nothing cancels here. That the place
    # is rounded moves the atom a little, as drift allows for; the rest is within the growth.
    share = np.clip(np.expm1(-(place - cell) * step) / np.expm1(-step), 0.0, 1.0)
    masses = sums_by_place(cell, fine.masses * (1.0 - share), nodes.size)
    masses += sums_by_place(cell + 1, fine.masses * share, nodes.size)
    moved = LossDistribution(float(nodes[0]), step, masses, fine.mass_at_infinity, fine.growth)
    return moved.grown(charges.growth())


def nearest(fine: LossDistribution, step: float, *, growth: float) -> LossDistribution:
    """A dominated distribution whose losses are rounded once more, to a coarser lattice.

    ``growth`` is negative for P masses and positive for Q masses.
    """
    nodes = lattice(step, fine.lowest, float(fine.losses[-1]))
    cell = np.rint((fine.losses - nodes[0]) / step).astype(np.intp)
    masses = sums_by_place(cell, fine.masses, nodes.size)
    moved = LossDistribution(float(nodes[0]), step, masses, fine.mass_at_infinity, fine.growth)
    return moved.grown(growth)
