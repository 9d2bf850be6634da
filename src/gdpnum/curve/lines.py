"""Lines: one half of a trade-off curve, as the lines of its profile."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.loss.pair import Floats

__all__ = ["Lines"]


class Lines(NamedTuple):
    """The steep half of a curve, slopes -exp(eps) with eps >= 0, by increasing epsilon.

    Line i of the profile, delta(eps) = tpr_i - exp(eps) alpha_i, holds for eps up to
    ``epsilons[i]``, and the point (alpha_i, 1 - tpr_i) is a vertex of the curve; above the last
    epsilon delta is ``mass_at_infinity``. The logarithms of alpha keep what underflows. tpr may
    exceed one by what was charged for numerical error; the curve is then zero there.
    """

    epsilons: Floats
    log_alphas: Floats
    tprs: Floats
    mass_at_infinity: float

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons >= 0; not capped at one."""
        line = np.searchsorted(self.epsilons, epsilons)
        inside = np.minimum(line, self.tprs.size - 1)
        with np.errstate(over="ignore"):
            steep = self.tprs[inside] - np.exp(epsilons + self.log_alphas[inside])
        beyond = np.where(line < self.tprs.size, steep, self.mass_at_infinity)
        return np.maximum(beyond, self.mass_at_infinity)
