"""Lines: one half of a trade-off curve, as the lines of its profile."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.bounds.sums import scaled_tail_sums, tail_sum_error, tail_sums
from gdpnum.floats import Floats


class Vertices(NamedTuple):
    """Points (alpha, beta) such that a convex curve above all of them is above the steep half.

    ``betas`` is 1 - ``tprs``, but keeps its digits where it is small.
    """

    log_alphas: Floats
    tprs: Floats
    betas: Floats


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

    @property
    def betas(self) -> Floats:
        """1 - tprs."""
        return 1.0 - self.tprs

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
            reached += charges.epsilon(self.log_alphas[inside])
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

    def vertices(self) -> Vertices:
        """The vertices, by increasing epsilon."""
        return Vertices(self.log_alphas, self.tprs, 1.0 - self.tprs)

    def from_zero(self) -> tuple[Floats, Floats]:
        """The vertices (alphas, tprs) by increasing alpha, the one at alpha = 0 first."""
        alphas = np.concatenate([[0.0], np.exp(self.log_alphas[::-1])])
        return alphas, np.concatenate([[self.mass_at_infinity], self.tprs[::-1]])


def at_infinity(mass: float) -> Lines:
    """The steep half of a curve that has nothing but so much mass at infinity."""
    return Lines(np.zeros(1), np.full(1, -np.inf), np.full(1, mass), mass)


def lines_of_masses(
    losses: Floats,
    masses: Floats,
    mass_at_infinity: float,
    *,
    tails: Floats | None = None,
    drift: float = 0.0,
) -> Lines:
    """The tests that reject from some loss w_i > 0 on, of P masses at rising losses.

    tpr_i = sum_{j >= i} m_j + the mass at infinity, alpha_i = sum_{j >= i} exp(-w_j) m_j: both from
    the same masses, rounded to the pessimistic side. ``tails`` are the sums, if they are known
    already; ``drift`` is how far the losses may be off.
    """
    if losses.size == 0:
        return at_infinity(mass_at_infinity)
    rounding = tail_sum_error(losses.size)
    # Not capped at one: a line stays above the profile only if tpr and alpha keep their masses.
    tprs = ((tail_sums(masses) if tails is None else tails) + mass_at_infinity) * (1.0 + rounding)
    with np.errstate(divide="ignore"):
        logs = np.log(scaled_tail_sums(masses, losses))
    log_alphas = logs - losses - charges.log_alpha(logs, losses)
    # They fall but for rounding; where it raises one, take the one before.
    log_alphas = np.minimum.accumulate(log_alphas) - (rounding + drift)
    # From where alpha is nothing on, what is left is at infinity.
    known = max(1, int(np.searchsorted(-log_alphas, np.inf)))
    if known < losses.size:
        mass_at_infinity = max(mass_at_infinity, float(tprs[known]))
    return Lines(losses[:known], log_alphas[:known], tprs[:known], mass_at_infinity)


#: The steep half of f(alpha) = 1 - alpha: nothing is revealed.
NOTHING = at_infinity(0.0)

#: The steep half of f = 0: everything is revealed.
EVERYTHING = at_infinity(1.0)
