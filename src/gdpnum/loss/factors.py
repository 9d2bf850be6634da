"""Factors: the distributions whose losses add up, and what their lattice masses say of the sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gdpnum.loss.distribution import LossDistribution
from gdpnum.loss.sums import UNIT

__all__ = ["Factor", "chernoff", "drift", "infinite_loss", "log_moment", "lowest"]


class Factor(NamedTuple):
    """A distribution and how often it enters the sum."""

    distribution: LossDistribution
    times: int


def lowest(factors: Sequence[Factor]) -> float:
    """The lowest loss of the sum."""
    return sum(times * one.lowest for one, times in factors)


def drift(factors: Sequence[Factor]) -> float:
    """How far a sum of lattice points may be from where it is said to be."""
    reaches = (times * max(abs(one.lowest), abs(float(one.losses[-1]))) for one, times in factors)
    return 4.0 * UNIT * sum(reaches)


def infinite_loss(factors: Sequence[Factor]) -> float:
    """The mass at infinity, 1 - prod (1 - m_i)^n_i, without cancellation."""
    masses = [(min(one.mass_at_infinity, 1.0), times) for one, times in factors]
    if any(mass == 1.0 for mass, _ in masses):
        return 1.0
    return -math.expm1(sum(times * math.log1p(-mass) for mass, times in masses))


def log_moment(factors: Sequence[Factor], tilt: float) -> float:
    """Log of the moment E exp(tilt * loss) of the sum, over its finite losses."""
    return sum(times * one.log_moment(tilt) for one, times in factors)


def chernoff(factors: Sequence[Factor], tilt: float, loss: float) -> float:
    """A bound on the mass at or beyond a loss: above for a positive tilt, below for a negative."""
    return math.exp(min(0.0, log_moment(factors, tilt) - tilt * loss + 1e-6))
