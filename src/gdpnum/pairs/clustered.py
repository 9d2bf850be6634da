"""Attacks on batches of a fixed size, in which all others stand at -1.

A batch that has a person's record has one of the others less. So the sum moves by 2 where the
record is at 1, by 1 where it is blanked out: mixtures of Gaussians at whole places, against one
another. A bound for Poisson samples, where nobody gives way, does not hold here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, gammaln, ndtr

from gdpnum import charges
from gdpnum.floats import Floats
from gdpnum.mechanisms.mechanism import Neighbouring
from gdpnum.pairs.atomic import AtomicPair, ComputedPair, ordered_atoms
from gdpnum.pairs.pair import Pair

# Eight points in cells this short leave less than 1e-16, relative, out to the reach.
_ROOTS, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_WIDTH, _REACH = 1.0 / 64.0, 9.3

# What may be missing of the weights.
_MISSING = 1e-21

# Places that are told apart beside what noise blurs, and the most of them all.
_PLACES, _MOST_PLACES = 32, 600

# Outcomes further out than this, in deviations, are left out.
_FARTHEST = 1000.0


@dataclass(frozen=True, eq=False)
class ClusteredPair(ComputedPair):
    """sum_j ours_j N(j, sigma^2) against sum_j theirs_j N(j, sigma^2), from below.

    Outcomes are merged in short cells, which is an attack like any other; it does not reject beyond
    them. Weights may be wrong by a factor of 1 +- ``grown``, and what is missing of them, 1e-21 at
    most, counts as a false alarm of every test.
    """

    ours: Floats
    theirs: Floats
    sigma: float
    grown: float = 0.0
    beyond: float = 0.0
    """What either has at further places: outcomes that may be from there are one."""
    # To say so takes no computing.
    mass_at_infinity = mass_at_minus_infinity = 0.0

    @cached_property
    def atoms(self) -> AtomicPair:
        """The pair, cell by cell, in order of the loss."""
        last = min((max(self.ours.size, self.theirs.size) - 1) / self.sigma, _FARTHEST)
        last += -_REACH if self.beyond > 0.0 else _REACH
        edges = np.arange(-math.ceil(_REACH / _WIDTH), math.ceil(last / _WIDTH)) * _WIDTH
        x = edges[:, None] + (0.5 * _WIDTH) * (1.0 + _ROOTS)
        with np.errstate(under="ignore"):
            p, q = (self._masses(weights, x) for weights in (self.ours, self.theirs))
        if self.beyond > 0.0:
            far = np.arange(self.ours.size) / self.sigma - (edges[-1] + _WIDTH)
            p, q = (
                np.append(masses, self.beyond + float((weights * ndtr(far)).sum()))
                for masses, weights in ((p, self.ours), (q, self.theirs))
            )
        p, q = p * (1.0 - self.grown), (q + _MISSING) * (1.0 + self.grown)
        kept = (p > 1e-300) & (q > 1e-300)
        return ordered_atoms(p[kept], q[kept])

    def _masses(self, weights: Floats, x: Floats) -> Floats:
        """Of the cells that have these points."""
        scale = 0.5 * _WIDTH / math.sqrt(2.0 * math.pi)
        found = np.zeros(x.shape[0])
        for j in np.flatnonzero(weights).tolist():
            density = np.exp(-0.5 * (x - j / self.sigma) ** 2)
            found += (scale * weights[j]) * (density * _WEIGHTS).sum(axis=1)
        return found

    def reversed(self) -> Pair:
        return replace(self, ours=self.theirs, theirs=self.ours)


def blanked_pair(weights: Floats, sigma: float) -> ClusteredPair:
    """A person's records, j of them in a batch with these weights: at 1 or blanked out."""
    ours = np.zeros(2 * weights.size - 1)
    ours[::2] = weights
    return ClusteredPair(ours, weights, sigma)


def truncated_pair(
    relation: Neighbouring, sigma: float, rate: float, size: int, most: int
) -> ClusteredPair | None:
    """Poisson samples cut to ``most`` of ``size``; None where noise hides how full one was.

    If N others were drawn, at least ``most``, the sum is at its lowest place, the record's own two
    above it; otherwise it is most - N higher, for the record, blanked out, gone or at -1 as well.
    """
    number = min(most, _PLACES + math.ceil(2.0 * _REACH * sigma))
    if number > _MOST_PLACES or rate == 1.0:
        return None
    full, over = float(bdtrc(most - 1, size - 1, rate)), float(bdtrc(most, size, rate))
    joins = over * most / size
    places = np.arange(1, number + 1)
    drawn = np.exp(_log_binomial(size - 1, rate, most - places))
    ours, theirs = np.zeros((2, number + 2))
    ours[0], ours[2] = full - joins, joins
    ours[places] += (1.0 - rate) * drawn
    ours[places + 1] += rate * drawn
    moved = rate if relation == "replace" else 0.0
    theirs[0], theirs[1] = (full - joins, joins) if relation == "zero_out" else (full, 0.0)
    theirs[places] += (1.0 - moved) * drawn
    theirs[places - 1] += moved * drawn
    beyond = float(bdtr(most - number - 1, size - 1, rate)) if number < most else 0.0
    return ClusteredPair(ours, theirs, sigma, charges.binomial_tail(size), beyond)


def _log_binomial(draws: int, rate: float, hits: NDArray[np.int64]) -> Floats:
    ways = gammaln(draws + 1.0) - gammaln(hits + 1.0) - gammaln(draws - hits + 1.0)
    found: Floats = ways + hits * math.log(rate) + (draws - hits) * math.log1p(-rate)
    return found
