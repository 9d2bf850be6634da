"""The law of a sum of many small likelihood ratios, on a lattice that grows coarser with it.

Doubling by convolution of non-negative masses: no transform, so tails keep their digits. From above
(``moments`` is None) coarsening splits each mass between its two neighbours, mean kept, which is
larger in convex order. From below outcomes are merged, and what they add up to on average is kept
beside their mass: the likelihood ratio of the merged outcome.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.floats import Floats

# So many lattice points are convolved at once; more are gathered first.
_MOST = 4096


class SumLaw(NamedTuple):
    """Masses at (start + i) step, and what is missing of them: mass, and mass times value.

    ``error`` sums up the relative rounding of the convolutions, each once for every result of it
    that goes into the sum. ``skew`` is what a moment over its mass may be wrong by, relatively,
    beside that of one addend: an average, so that each convolution counts once.
    """

    start: int
    step: float
    masses: Floats
    moments: Floats | None = None
    missing: float = 0.0
    lost: float = 0.0
    error: float = 0.0
    skew: float = 0.0

    @property
    def values(self) -> Floats:
        """The lattice points."""
        return self.step * (self.start + np.arange(self.masses.size, dtype=np.float64))

    @property
    def mean(self) -> float:
        """The mean of what is there."""
        moments = self.values * self.masses if self.moments is None else self.moments
        return float(moments.sum())

    def times(self, other: SumLaw) -> SumLaw:
        """The law of a sum of one draw of each; they share a lattice step."""
        masses = np.convolve(self.masses, other.masses)
        moments = None
        if self.moments is not None and other.moments is not None:
            moments = np.convolve(self.moments, other.masses)
            moments += moments if self is other else np.convolve(self.masses, other.moments)
        rounding = charges.product_sum(2 * min(self.masses.size, other.masses.size))
        return SumLaw(
            self.start + other.start,
            self.step,
            masses,
            moments,
            self.missing + other.missing,
            # The other addend is there as well when one of them is missing.
            self.lost + other.lost + self.missing * other.mean + other.missing * self.mean,
            self.error + other.error + rounding,
            max(self.skew, other.skew) + 2.0 * rounding,
        )

    def coarser(self) -> SumLaw:
        """The same on a lattice of twice the step."""
        start = self.start // 2
        masses = _even(self.masses, self.start)
        error, skew = self.error + charges.product_sum(2), self.skew + 2.0 * charges.product_sum(2)
        if self.moments is None:
            # What lies between two points goes to both, half each.
            found = np.append(masses[0::2], 0.0)
            between = 0.5 * masses[1::2]
            found[:-1] += between
            found[1:] += between
            return self._replace(start=start, step=2.0 * self.step, masses=found, error=error)
        moments = _even(self.moments, self.start)
        return self._replace(
            start=start,
            step=2.0 * self.step,
            masses=masses[0::2] + masses[1::2],
            moments=moments[0::2] + moments[1::2],
            error=error,
            skew=skew,
        )

    def trimmed(self, mass: float) -> SumLaw:
        """Without so much mass, weighed also by its value over the mean, at either end."""
        # Nothing is lost by keeping what is far below; the lattice is long for its upper end.
        weights = self.masses * (1.0 + self.values / max(self.mean, 1e-300))
        first = int(np.searchsorted(np.cumsum(weights), mass))
        last = weights.size - int(np.searchsorted(np.cumsum(weights[::-1]), mass))
        if first == 0 and last == weights.size:
            return self
        first, last = min(first, weights.size - 1), max(last, first + 1)
        gone = np.concatenate([weights[:first], weights[last:]])
        kept = slice(first, last)
        return self._replace(
            start=self.start + first,
            masses=self.masses[kept],
            moments=None if self.moments is None else self.moments[kept],
            missing=self.missing + float(gone.sum()),
            lost=self.lost + float(gone.sum()) * self.mean,
        )


def _even(values: Floats, start: int) -> Floats:
    """The same from an even place to an odd one, with zeros for what is not there."""
    before = start % 2
    size = before + values.size
    found = np.zeros(size + size % 2)
    found[before:size] = values
    return found


def power(one: SumLaw, count: int, *, fineness: float, missing: float) -> tuple[SumLaw, SumLaw]:
    """The law of a sum of ``count`` draws, and of one on its lattice, which is about that fine.

    Fineness is in standard deviations of the sum. At most about ``missing`` of it is cut off, and
    accounted for in the result.
    """
    if count == 0:
        moments = None if one.moments is None else np.zeros(1)
        return SumLaw(0, one.step, np.ones(1), moments), one
    total = float(one.masses.sum())
    mean = one.mean / total
    variance = max(float((one.masses * (one.values - mean) ** 2).sum()) / total, 1e-300)
    found, reached = one, 1
    for digit in bin(count)[3:]:
        found, reached = found.times(found), 2 * reached
        if digit == "1":
            found, reached = found.times(one), reached + 1
        share = missing * reached / count / (2.0 * math.log2(count) + 2.0)
        found = found.trimmed(share)
        wanted = fineness * math.sqrt(reached * variance)
        while 2.0 * found.step <= wanted or found.masses.size > _MOST:
            found, one = found.coarser(), one.coarser()
    return found, one
