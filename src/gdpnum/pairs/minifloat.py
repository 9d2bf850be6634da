"""Sums on a grid of whole numbers that grows coarser as they grow: those of so many binary digits.

Sums of its numbers are split between their two neighbours on it in exact arithmetic, as all of
them, and all gaps between them, are whole numbers and powers of two times one another (but for
addends of which one is beyond 2^53 times the other; that displaces a value by an ulp).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdpnum.bounds.sums import sums_by_place
from gdpnum.floats import Floats

# Pairs of addends looked at together, which bounds the memory.
_TOGETHER = 2**20


class Places(NamedTuple):
    """Where values lie on the grid: the index at or below each, and how far to the next."""

    indices: NDArray[np.int64]
    shares: Floats


def numbers(index: Any, digits: int) -> Floats:
    """The numbers at these indices of the grid, as floats: m 2^e with m < 2^digits."""
    half = 1 << (digits - 1)
    index = np.asarray(index, dtype=np.int64)
    exponent = np.maximum(index // half - 1, 0)
    found: Floats = np.ldexp(
        (index - exponent * half).astype(np.float64), exponent.astype(np.int32)
    )
    return found


def places(values: Floats, digits: int) -> Places:
    """Where values >= 0 lie; exact if they are dyadic, as sums of grid numbers are."""
    exponent = np.maximum(np.frexp(values)[1] - digits, 0)
    scaled = np.ldexp(values, -exponent)
    whole = np.floor(scaled)
    index = exponent.astype(np.int64) * (1 << (digits - 1)) + whole.astype(np.int64)
    return Places(index, scaled - whole)


class GridLaw(NamedTuple):
    """Masses at numbers of a grid from an index on; with ``moments``, merged outcomes.

    From above a mass between two numbers is split between them, mean kept, which is larger in
    convex order. From below it joins the lower one, and the moment says what it really is.
    """

    digits: int
    first: int
    masses: Floats
    moments: Floats | None = None

    @property
    def values(self) -> Floats:
        """The numbers at which the masses lie."""
        return numbers(self.first + np.arange(self.masses.size), self.digits)

    def scaled(self, weight: float) -> GridLaw:
        """All masses times a weight."""
        moments = None if self.moments is None else weight * self.moments
        return self._replace(masses=weight * self.masses, moments=moments)

    def plus(self, other: GridLaw, digits: int) -> GridLaw:
        """The law of a sum of one draw of each, on a grid of so many digits."""
        size, same = self.masses.size, self is other
        rows = max(1, min(_TOGETHER // other.masses.size, -(-size // 8) if same else size))
        found = []
        for start in range(0, size, rows):
            part = slice(start, start + rows)
            # Of a law and itself, each pair once: those past the block stand for two.
            rest = slice(start if same else 0, None)
            weights = np.ones(other.masses[rest].size)
            if same:
                weights[rows:] = 2.0
            likely = other.masses[rest] * weights
            moments = None
            if self.moments is not None and other.moments is not None:
                moments = np.multiply.outer(self.moments[part], likely)
                moments += np.multiply.outer(self.masses[part], other.moments[rest] * weights)
            masses = np.multiply.outer(self.masses[part], likely)
            sums = np.add.outer(self.values[part], other.values[rest])
            found.append(placed(sums, masses, moments, digits))
        return joined(found)

    def trimmed(self, mass: float, unit: float) -> tuple[GridLaw, float, float]:
        """Without so much mass at either end; and the mass and the moment that are gone.

        The upper end is weighed by value over ``unit`` as well.
        """
        weights = self.masses * (1.0 + self.values / unit)
        first = int(np.searchsorted(np.cumsum(weights), mass))
        last = weights.size - int(np.searchsorted(np.cumsum(weights[::-1]), mass))
        last = max(last, first + 1)
        gone = float(weights[:first].sum() + weights[last:].sum())
        kept = slice(first, last)
        moments = None if self.moments is None else self.moments[kept]
        law = self._replace(first=self.first + first, masses=self.masses[kept], moments=moments)
        return law, gone, gone * unit


def placed(values: Floats, masses: Floats, moments: Floats | None, digits: int) -> GridLaw:
    """Masses at values >= 0 brought to a grid: split with their mean kept, or merged."""
    index, share = places(values.ravel(), digits)
    first = int(index.min())
    size = int(index.max()) - first + 2
    index -= first
    flat = masses.ravel()
    if moments is not None:
        sums = sums_by_place(index, moments.ravel(), size)
        return GridLaw(digits, first, sums_by_place(index, flat, size), sums)
    found = sums_by_place(index, flat * (1.0 - share), size)
    found[1:] += sums_by_place(index, flat * share, size)[:-1]
    return GridLaw(digits, first, found)


def joined(laws: list[GridLaw]) -> GridLaw:
    """The sum of measures on the same grid."""
    first = min(law.first for law in laws)
    size = max(law.first + law.masses.size for law in laws) - first
    masses, moments = np.zeros(size), np.zeros(size)
    for law in laws:
        part = slice(law.first - first, law.first - first + law.masses.size)
        masses[part] += law.masses
        if law.moments is not None:
            moments[part] += law.moments
    has_moments = laws[0].moments is not None
    return GridLaw(laws[0].digits, first, masses, moments if has_moments else None)


def grid_power(one: GridLaw, count: int, *, missing: float) -> tuple[GridLaw, float, float, int]:
    """The law of a sum of ``count`` draws, the mass and the moment cut off, and the additions."""
    found, reached, gone, lost, additions = one, 1, 0.0, 0.0, 0
    mean = float((one.masses * one.values).sum())
    levels = 2.0 * math.log2(count) + 2.0
    for digit in bin(count)[3:]:
        found, reached = found.plus(found, one.digits), 2 * reached
        additions += 1
        gone, lost = 2.0 * gone, 2.0 * lost + gone * reached * mean
        if digit == "1":
            found, reached = found.plus(one, one.digits), reached + 1
            additions += 1
            lost += gone * mean
        share = missing * reached / count / levels
        found, mass, moment = found.trimmed(share, reached * mean)
        gone, lost = gone + mass, lost + moment
    return found, gone, lost, additions
