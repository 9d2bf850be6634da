"""LossDistribution: masses on a lattice of losses; and factors, several whose losses add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.floats import UNIT, Floats
from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """Masses at the losses ``lowest + step * j``, and one more at plus infinity.

    Held for one measure, P or Q; which one, and whether the masses err upwards (pessimistic) or
    are those of a merged outcome (dominated), is said by the function that makes it. Rounding
    granted to that side makes the masses larger, or smaller, than those of a distribution by a
    factor of at most 1 + ``growth``, or 1 - ``growth``.
    """

    lowest: float
    step: float
    masses: Floats
    mass_at_infinity: float = 0.0
    growth: float = 0.0

    @cached_property
    def losses(self) -> Floats:
        """The lattice points."""
        return self.lowest + self.step * np.arange(self.masses.size, dtype=np.float64)

    def grown(self, growth: float) -> LossDistribution:
        """The same with finite masses larger by so much, relatively; smaller if it is below 0."""
        masses = self.masses * (1.0 + growth)
        return LossDistribution(
            self.lowest, self.step, masses, self.mass_at_infinity, self.growth + abs(growth)
        )

    def log_moment(self, tilt: float) -> float:
        """Log of the sum of exp(tilt * loss) times mass, over the finite losses."""
        exponents = tilt * self.losses
        # The largest exponent of a positive mass; the ends are looked at first, as one usually is.
        end = -1 if tilt > 0.0 else 0
        if self.masses[end] > 0.0:
            largest = float(exponents[end])
        elif self.masses.any():
            largest = float(exponents[self.masses > 0.0].max())
            exponents = np.minimum(exponents, largest)
        else:
            return -np.inf
        # A sum, not a dot product: BLAS may use threads, and then rounds differently each time.
        exponents -= largest
        weights = np.exp(exponents, out=exponents)
        weights *= self.masses
        return largest + float(np.log(weights.sum()))


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
