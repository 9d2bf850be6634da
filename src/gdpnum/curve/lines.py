"""Lines: one half of a trade-off curve, as the lines of its profile."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.loss.pair import Floats

__all__ = ["EVERYTHING", "NOTHING", "Lines"]


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

    def same_as(self, other: Lines) -> bool:
        """Whether the two agree bit for bit."""
        return self.mass_at_infinity == other.mass_at_infinity and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("epsilons", "log_alphas", "tprs")
        )

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons >= 0; not capped at one."""
        line = np.searchsorted(self.epsilons, epsilons)
        inside = np.minimum(line, self.tprs.size - 1)
        with np.errstate(over="ignore"):
            steep = self.tprs[inside] - np.exp(epsilons + self.log_alphas[inside])
        # At the last knot the last line has come down to this; there it is known exactly.
        beyond = np.where(epsilons < self.epsilons[-1], steep, self.mass_at_infinity)
        return np.maximum(beyond, self.mass_at_infinity)

    def epsilon(self, deltas: Floats) -> Floats:
        """The smallest epsilon >= 0 at which the profile is at or below each delta."""
        line = np.searchsorted(-self.deltas_at_ends(), -deltas)
        inside = np.minimum(line, self.tprs.size - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = np.log(self.tprs[inside] - deltas) - self.log_alphas[inside]
            # To the safe side of rounding.
            reached += 2.0**-49 * (1.0 - self.log_alphas[inside])
        start = np.where(inside > 0, self.epsilons[inside - 1], 0.0)
        value = np.clip(np.nan_to_num(reached, nan=0.0), start, self.epsilons[inside])
        value = np.where(line < self.tprs.size, value, self.epsilons[-1])
        return np.where(deltas < self.mass_at_infinity, np.inf, value)

    def deltas_at_ends(self) -> Floats:
        """The profile at the upper end of each line."""
        with np.errstate(over="ignore"):
            deltas = self.tprs - np.exp(self.epsilons + self.log_alphas)
        # Falling in exact arithmetic; rounding must not break a search.
        return np.maximum.accumulate(deltas[::-1])[::-1]

    def at(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """The vertices (log alpha, tpr) whose lines hold at epsilons >= 0."""
        line = np.searchsorted(self.epsilons, epsilons)
        log_alphas = np.append(self.log_alphas, -np.inf)
        return log_alphas[line], np.append(self.tprs, self.mass_at_infinity)[line]

    def vertices(self) -> tuple[Floats, Floats]:
        """The vertices (alphas, tprs) by increasing alpha, the one at alpha = 0 first."""
        alphas = np.concatenate([[0.0], np.exp(self.log_alphas[::-1])])
        return alphas, np.concatenate([[self.mass_at_infinity], self.tprs[::-1]])


#: The steep half of f(alpha) = 1 - alpha: nothing is revealed.
NOTHING = Lines(np.zeros(1), np.full(1, -np.inf), np.zeros(1), 0.0)

#: The steep half of f = 0: everything is revealed.
EVERYTHING = Lines(np.zeros(1), np.full(1, -np.inf), np.ones(1), 1.0)
