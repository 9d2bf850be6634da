"""A person with several records, as the quadrature of Renyi divergences asks for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdpnum.floats import Floats
from gdpnum.pairs.mixture import MixturePair
from gdpnum.renyi.quadrature import mixed, sampled

__all__ = ["Shifts"]


@dataclass(frozen=True)
class Shifts:
    """(1 - rate) N(0, 1) + rate (the mixture).

    Its log-ratio to N(0, 1) is convex, and analytic as far from the real line as that of a single
    record: exp(-j^2 s^2 / 2) is a multiplier sequence, so all roots of the polynomial in exp(s z)
    are negative.
    """

    mixture: MixturePair
    rate: float

    @property
    def shift(self) -> float:
        """The largest of the shifts."""
        return self.mixture.centres[-1]

    def log_ratio(self, z: Floats) -> Floats:
        """The log of the density over that of N(0, 1)."""
        return sampled(self.mixture.losses(z), self.rate)

    def slope(self, z: Floats, log_ratio: Floats) -> Floats:
        """The derivative of the log-ratio, given it."""
        losses, slopes = self.mixture.losses_and_slopes(z)
        return np.asarray(slopes * np.exp(np.minimum(np.log(self.rate) + losses - log_ratio, 0.0)))

    def log_weight(self, z: Floats) -> Floats:
        """The log-density but for a constant."""
        still = -0.5 * z**2
        return mixed(still, still + self.mixture.losses(z), self.rate)
