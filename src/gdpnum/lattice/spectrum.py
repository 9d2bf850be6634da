"""The transform of a tilted distribution, with a bound on its rounding error.

A naive transform has an error of order u in each F(theta), and F^T one of order T u. Here F - 1
is transformed instead: with the index c nearest the mean taken out and the tails summed by parts,

    F(z) z^-c - 1 = (z - 1) sum_m C_m z^m,   C_m = Pr[j > c + m] (m >= 0),  -Pr[j <= c + m] (m < 0),

whose error carries the factor |z - 1|. At the frequencies that survive the T-th power that factor
is about 1 / sqrt(T), so the error of the power grows like sqrt(T) u, not T u. Far from them the
sums C may be large; there the plain transform is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from gdpnum import charges
from gdpnum.bounds.sums import BLOCK, SHORT_BLOCK, running_sums
from gdpnum.floats import Floats
from gdpnum.lattice.frequencies import add_folded, angles, lasting, roots_less_one

# On a longer circle it pays to find the frequencies that matter beforehand.
_SHORT = 2**14

# A distribution whose mean distance from its centre, in lattice steps, exceeds this is wide.
_WIDE = 64.0

# exp of less than this is far below the rounding of everything kept.
_NEGLIGIBLE = -100.0

# So many are few.
_FEW = 32

# Rounding makes an |F| of that out of nothing.
_UNKNOWN = 1e-13


class Spectrum:
    """The running product of powers of tilted distributions, in logs, with its error bound.

    Only the frequencies at which the product is not negligible are kept.
    """

    def __init__(self, size: int, *, extended: bool = False) -> None:
        self.size = size
        self._extended = extended
        self._real = np.longdouble if extended else np.float64
        self._unit = 0.5 * float(np.finfo(self._real).eps)
        self._block = SHORT_BLOCK if extended else BLOCK
        # Until the first factor comes none: then all, or those that it leaves.
        self._begun = False
        self._kept: NDArray[np.intp] = np.empty(0, np.intp)
        self._shift = 0

    def multiply(self, masses: Floats, count: int) -> None:
        """Multiply by the count-th power of the transform of masses that sum to one."""
        if not self._begun:
            self._begin(masses, count)
        centre = round(float((masses * np.arange(masses.size)).sum()))
        departure, error = self._departure(masses, centre, count)
        log_size = _log_size_of_one_plus(departure)
        size = np.asarray(np.abs(departure), np.float64)
        # An |F| that rounding could have made is bounded by a few times that rounding.
        floored = np.maximum(np.asarray(log_size, np.float64), np.log(4.0 * error + 1e-300))
        self._magnitude += count * log_size
        self._phase += count * np.arctan2(departure.imag, 1.0 + departure.real)
        self._bound += count * floored
        wrong = error * np.exp(-floored) + charges.log_power(floored, size, self._unit)
        self._error += count * wrong
        self._shift += count * centre
        self._keep((self._bound + self._error > _NEGLIGIBLE).nonzero()[0])

    def _begin(self, masses: Floats, count: int) -> None:
        """Set out with all frequencies or, on a long circle, with those that the first leaves."""
        self._begun = True
        if self.size > _SHORT:
            self._kept = lasting(masses, count, self.size, _NEGLIGIBLE)
            roots = roots_less_one(self.size, self._extended, self._kept)
        else:
            self._kept = np.arange(self.size // 2 + 1)
            roots = roots_less_one(self.size, self._extended)
        self._less_one, self._distance = roots
        self._magnitude, self._phase = (np.zeros(self._kept.size, self._real) for _ in range(2))
        self._bound, self._error = (np.zeros(self._kept.size) for _ in range(2))

    def _departure(self, masses: Floats, centre: int, count: int) -> tuple[NDArray[Any], Floats]:
        """F(z) z^-c - 1 with its error, where F^count is not negligible; the rest is dropped."""
        sums = np.empty(masses.size - 1, self._real)
        sums[:centre] = -running_sums(masses[:centre], self._block)
        sums[centre:] = running_sums(masses[:centre:-1], self._block)[::-1]
        weight = float(np.abs(sums).sum())
        transform, relative = self._transform(sums, -centre)
        relative += charges.departure(self._unit) + charges.running_sum(masses.size, self._block)
        departure, error = self._less_one * transform, self._distance * (weight * relative)
        # Most are negligible by now, usually; what is computed for them is not needed.
        least = np.maximum(math.exp(_NEGLIGIBLE / count) - 2.0 * error, 0.0)
        squares = np.square(1.0 + departure.real) + np.square(departure.imag)
        alive = (squares >= np.square(least)).nonzero()[0]
        if alive.size < departure.size:
            self._keep(alive)
            departure, error = departure[alive], error[alive]
        better = error > relative
        if weight > _WIDE and better.any():
            # Rare large jumps: away from frequency zero the plain transform is the better one.
            plain, rounding = self._transform(masses.astype(self._real), -centre)
            departure[better] = (plain - 1.0)[better]
            # It may have been computed in the other of the two ways.
            error[better] = max(relative, rounding + charges.departure(self._unit))
        return departure, error

    def _transform(self, values: NDArray[Any], first: int) -> tuple[NDArray[Any], float]:
        """sum_j v_j z^(first + j) at the frequencies kept, and its error over sum_j |v_j|."""
        kept = self._kept
        if 2 * kept.size * values.size < self.size:
            turns = angles(kept, np.arange(first, first + values.size), self.size, self._real)
            found = (values * np.cos(turns)).sum(axis=1) - 1j * (values * np.sin(turns)).sum(axis=1)
            return found, charges.direct_sum(values.size, self._unit)
        folded = np.zeros(self.size, self._real)
        add_folded(folded, values, first)
        found = fft.rfft(folded)
        error = charges.transform(self.size, self._unit)
        return found if kept.size == found.size else found[kept], error

    def _keep(self, alive: NDArray[np.intp]) -> None:
        if alive.size == self._bound.size:
            return
        self._kept = self._kept[alive]
        self._less_one, self._distance = self._less_one[alive], self._distance[alive]
        self._magnitude, self._phase = self._magnitude[alive], self._phase[alive]
        self._bound, self._error = self._bound[alive], self._error[alive]

    def masses(self, fine: range) -> tuple[Floats, float]:
        """Those entries of the circular product, and a bound on its error's 2-norm."""
        values, norm = self._product(charges.transform(self.size, self._unit))
        whole = np.zeros(self.size // 2 + 1, values.dtype)
        whole[self._kept] = values
        circular = np.asarray(fft.irfft(whole, self.size), np.float64)
        start = (fine.start - self._shift) % self.size
        return _around(circular, start, len(fine)), norm

    def is_narrow(self, stride: int) -> bool:
        """Whether the circle of every stride-th entry holds all frequencies kept."""
        kept = self._kept
        narrow = kept.size == 0 or 2 * stride * int(kept[-1]) < self.size
        return stride > 1 and self.size % stride == 0 and narrow

    def coarse_masses(self, fine: range, stride: int, weights: Floats) -> tuple[Floats, float]:
        """sum_x weights_x v_(b stride + x) of those entries v, and the bound as for `masses`.

        The bound is one on the errors of the entries, to be multiplied by the 2-norm of weights
        nowhere below these. The sums are entries of a circle a stride shorter on which all
        frequencies kept have their place, each times the weights' own transform.
        """
        short = self.size // stride
        # A sum of w weights is at most sqrt(w) times their 2-norm, and w is up to two strides.
        rounding = charges.transform(short, self._unit) + charges.direct_sum(
            weights.size, self._unit
        )
        values, norm = self._product(math.sqrt(2.0) * rounding)
        values = values * (self._turns(np.arange(weights.size)) * weights).sum(axis=1)
        values *= self._turns(np.array([(fine.start - self._shift) % self.size]))[:, 0]
        whole = np.zeros(short // 2 + 1, values.dtype)
        whole[self._kept] = values
        circular = np.asarray(fft.irfft(whole, short), np.float64) / stride
        return circular[: len(fine) // stride], norm

    def _turns(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """exp(2 pi i k j / size) for each frequency kept and each place."""
        return np.exp(1j * angles(self._kept, places, self.size, self._real))

    def _product(self, rounding: float) -> tuple[NDArray[Any], float]:
        """The product at the frequencies kept, and a bound on the 2-norm of the entries' errors.

        ``rounding`` is that of the transform back.
        """
        values = np.exp(self._magnitude + 1j * self._phase)
        phase = np.asarray(np.abs(self._phase), np.float64)
        relative = self._error + charges.phase(phase, self._unit)
        bound = np.exp(np.minimum(self._bound, 0.0))
        # A relative error r of F^T is at most exp(r) - 1.
        whole = np.exp(np.minimum(self._bound + relative, 1.0))
        error = np.where(relative < 1.0, np.expm1(np.minimum(relative, 1.0)) * bound, whole)
        norm = _norm(error) + rounding * _norm(bound) + charges.dropped(_NEGLIGIBLE, self.size)
        # Parseval; a real transform stores half the frequencies, so all but the ends count twice.
        return values, math.sqrt(2.0 / self.size) * norm


def product(powers: Sequence[tuple[Floats, int]], size: int, *, extended: bool) -> Spectrum:
    """The product of powers of distributions, each given by its masses and its count.

    Whichever leaves the fewest frequencies comes first: all others are computed at these only.
    """
    found = Spectrum(size, extended=extended)
    for masses, count in sorted(powers, key=_reach, reverse=True) if len(powers) > 1 else powers:
        found.multiply(masses, count)
    return found


def _reach(power: tuple[Floats, int]) -> float:
    """About the square of how far a sum of so many spreads; 0 if it leaves all frequencies."""
    masses, count = power
    # Of few the transform has to fall by a large part of all digits, and falls slowly.
    if count < _FEW:
        return 0.0
    largest = float(masses.max())
    # |F| is at least the largest mass less all others, if not too small to be known.
    least = max(2.0 * largest - 1.0, _UNKNOWN)
    # A distribution is at least as wide as it is low; what lies far out is rare.
    return 0.0 if count * math.log(least) > _NEGLIGIBLE else count / largest**2


def _norm(values: Floats) -> float:
    return math.sqrt(float(np.square(values).sum()))


def _log_size_of_one_plus(value: NDArray[Any]) -> NDArray[Any]:
    """Log |1 + z|, accurate for z near 0 and near -1."""
    re, im = value.real, value.imag
    excess = 2.0 * re + re * re + im * im
    result = 0.5 * np.log1p(np.maximum(excess, -0.75))
    small = excess < -0.75
    if small.any():
        result[small] = np.log(np.hypot(1.0 + re[small], im[small]) + 1e-300)
    return np.asarray(result)


def _around(circular: Floats, start: int, count: int) -> Floats:
    """So many entries of a circular array from one on, round it as often as they are long."""
    laps = -(-(start + count) // circular.size)
    found = circular if laps == 1 else np.concatenate([circular] * laps)
    return found[start : start + count]
