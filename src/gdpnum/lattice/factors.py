"""Factors: the distributions whose losses add up, and what their lattice masses say of the sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gdpnum import charges
from gdpnum.floats import UNIT
from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity
from gdpnum.lattice.distribution import LossDistribution

__all__ = ["Factor", "drift", "log_moment", "lowest", "mass_at_infinity"]


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
    return charges.drift(sum(reaches))


def mass_at_infinity(factors: Sequence[Factor]) -> float:
    """The mass at infinity of the sum, from above."""
    return joint_mass_at_infinity((one.mass_at_infinity, times) for one, times in factors)


def log_moment(factors: Sequence[Factor], tilt: float) -> float:
    """Log of the moment E exp(tilt * loss) of the sum, over its finite losses, from above."""
    total = 0.0
    for one, times in factors:
        largest = abs(tilt) * max(abs(one.lowest), abs(float(one.losses[-1])))
        rounding = UNIT * charges.tilt(largest, one.masses.size)
        total += times * (one.log_moment(tilt) + rounding)
    return total
