"""LossDistribution: masses on a lattice of losses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum.floats import Floats

__all__ = ["LossDistribution"]


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
        return largest + float(np.log((self.masses * np.exp(exponents - largest)).sum()))
