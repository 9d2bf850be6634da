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
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from gdpnum.loss.pair import Floats
from gdpnum.loss.sums import BLOCK, SHORT_BLOCK, UNIT, long_sum_error, running_sums

__all__ = ["Spectrum", "transform_error"]

_PI = 4.0 * np.arctan(np.longdouble(1.0))

# Roots of transforms up to this length are worth keeping.
_SHORT = 2**16

# A distribution whose mean distance from its centre, in lattice steps, exceeds this is wide.
_WIDE = 64.0

# exp of less than this is far below the rounding of everything kept.
_NEGLIGIBLE = -100.0


def transform_error(size: int, unit: float = UNIT) -> float:
    """Error of a transform: of each entry over the input's 1-norm, of the 2-norm over its 2-norm.

    Each entry is a sum over paths through log2(size) butterflies, each of which rounds a twiddle,
    a product and a sum: at most about 7 u a level (Higham, Accuracy and Stability, 24.1), here 8.
    """
    return 8.0 * unit * math.log2(size)


class Spectrum:
    """The running product of powers of tilted distributions, in logs, with its error bound.

    Frequencies at which the product has become negligible are dropped on the way.
    """

    def __init__(self, size: int, *, extended: bool = False) -> None:
        self.size = size
        self._real = np.longdouble if extended else np.float64
        self._unit = 0.5 * float(np.finfo(self._real).eps)
        self._block = SHORT_BLOCK if extended else BLOCK
        self._kept: NDArray[np.intp] | slice = slice(None)
        self._less_one, self._distance = _roots_less_one(size, extended)
        self._magnitude, self._phase = (np.zeros(size // 2 + 1, self._real) for _ in range(2))
        self._bound, self._error = (np.zeros(size // 2 + 1) for _ in range(2))
        self._shift = 0

    def _transform_error(self) -> float:
        return transform_error(self.size, self._unit)

    def multiply(self, masses: Floats, count: int) -> None:
        """Multiply by the count-th power of the transform of masses that sum to one."""
        centre = int(np.rint((masses * np.arange(masses.size)).sum()))
        departure, error = self._departure(masses, centre, count)
        log_size = _log_size_of_one_plus(departure)
        # An |F| that rounding could have made is bounded by a few times that rounding.
        floored = np.maximum(np.asarray(log_size, np.float64), np.log(4.0 * error + 1e-300))
        self._magnitude += count * log_size
        self._phase += count * np.arctan2(departure.imag, 1.0 + departure.real)
        self._bound += count * floored
        self._error += count * (error * np.exp(-floored) - 4.0 * self._unit * floored)
        self._shift += count * centre
        self._drop()

    def _departure(self, masses: Floats, centre: int, count: int) -> tuple[NDArray[Any], Floats]:
        """F(z) z^-c - 1 with its error, where F^count is not negligible; the rest is dropped."""
        above = running_sums(masses[:centre:-1], self._block)[::-1].astype(self._real)
        below = -running_sums(masses[:centre], self._block).astype(self._real)
        folded = np.zeros(self.size, self._real)
        _add_folded(folded, above, 0)
        _add_folded(folded, below, -centre)
        weight = float(above.sum() - below.sum())
        sums = long_sum_error(masses.size, self._block)
        relative = self._transform_error() + 6.0 * self._unit + sums
        departure = self._less_one * fft.rfft(folded)[self._kept]
        error = self._distance * (weight * relative)
        departure, error = self._without_negligible(departure, error, count)
        better = error > relative
        if weight > _WIDE and better.any():
            # Rare large jumps: away from frequency zero the plain transform is the better one.
            plain = np.zeros(self.size, self._real)
            _add_folded(plain, masses.astype(self._real), -centre)
            departure[better] = (fft.rfft(plain)[self._kept] - 1.0)[better]
            error[better] = relative
        return departure, error

    def _without_negligible(
        self, departure: NDArray[Any], error: Floats, count: int
    ) -> tuple[NDArray[Any], Floats]:
        """Drops the frequencies at which this power alone is negligible: most of them, usually."""
        re, im = departure.real, departure.imag
        least = np.maximum(np.exp(_NEGLIGIBLE / count) - 2.0 * error, 0.0)
        alive = np.flatnonzero((1.0 + re) ** 2 + im**2 >= least**2)
        self._keep(alive)
        return departure[alive], error[alive]

    def _drop(self) -> None:
        self._keep(np.flatnonzero(self._bound + self._error > _NEGLIGIBLE))

    def _keep(self, alive: NDArray[np.intp]) -> None:
        if alive.size == self._bound.size:
            return
        self._kept = alive if isinstance(self._kept, slice) else self._kept[alive]
        self._less_one, self._distance = self._less_one[alive], self._distance[alive]
        self._magnitude, self._phase = self._magnitude[alive], self._phase[alive]
        self._bound, self._error = self._bound[alive], self._error[alive]

    def masses(self, start: int, stop: int) -> tuple[Floats, float]:
        """The entries start..stop-1 of the circular product, and a bound on its error's 2-norm."""
        values = np.zeros(self.size // 2 + 1, np.result_type(self._real, np.complex64))
        values[self._kept] = np.exp(self._magnitude + 1j * self._phase)
        phase = np.asarray(np.abs(self._phase), np.float64)
        relative = self._error + 4.0 * self._unit * phase + 8.0 * self._unit
        bound = np.exp(np.minimum(self._bound, 0.0))
        # A relative error r of F^T is at most exp(r) - 1.
        whole = np.exp(np.minimum(self._bound + relative, 1.0))
        error = np.where(relative < 1.0, np.expm1(np.minimum(relative, 1.0)) * bound, whole)
        circular = np.asarray(fft.irfft(values, self.size), np.float64)
        dropped = 2.0 * np.exp(_NEGLIGIBLE) * np.sqrt(float(self.size))
        norm = _norm(error) + self._transform_error() * _norm(bound) + dropped
        # Parseval; a real transform stores half the frequencies, so all but the ends count twice.
        wanted = _around(circular, (start - self._shift) % self.size, stop - start)
        return wanted, float(np.sqrt(2.0 / self.size) * norm)


def _roots_less_one(size: int, extended: bool) -> tuple[NDArray[Any], Floats]:
    """exp(-2 pi i k / size) - 1 for k up to size / 2, and its absolute values."""
    return _cached_roots(size, extended) if size <= _SHORT else _roots(size, extended)


def _roots(size: int, extended: bool) -> tuple[NDArray[Any], Floats]:
    real = np.longdouble if extended else np.float64
    half = np.arange(size // 2 + 1, dtype=real) * real(_PI / size)
    # exp(-2it) - 1 = -2 sin(t) (sin(t) + i cos(t)), without cancellation.
    sine = np.sin(half)
    roots = np.asarray(-2.0 * sine * (sine + 1j * np.cos(half)))
    distances = np.asarray(2.0 * sine, np.float64)
    roots.flags.writeable = distances.flags.writeable = False
    return roots, distances


# The four transforms of a fit are often of one length.
_cached_roots = lru_cache(maxsize=8)(_roots)


def _norm(values: Floats) -> float:
    return float(np.sqrt(np.square(values).sum()))


def _log_size_of_one_plus(value: NDArray[Any]) -> NDArray[Any]:
    """Log |1 + z|, accurate for z near 0 and near -1."""
    re, im = value.real, value.imag
    excess = 2.0 * re + re * re + im * im
    result = 0.5 * np.log1p(np.maximum(excess, -0.75))
    small = excess < -0.75
    result[small] = np.log(np.hypot(1.0 + re[small], im[small]) + 1e-300)
    return np.asarray(result)


def _around(circular: Floats, start: int, count: int) -> Floats:
    """So many entries of a circular array from one on, round it as often as they are long."""
    laps = -(-(start + count) // circular.size)
    found = circular if laps == 1 else np.concatenate([circular] * laps)
    return found[start : start + count]


def _add_folded(target: NDArray[Any], values: NDArray[Any], offset: int) -> None:
    """Add values to a circular array from an offset on, wrapped as often as they are long."""
    size = target.size
    for start in range(0, values.size, size):
        piece = values[start : start + size]
        begin = (offset + start) % size
        fits = min(piece.size, size - begin)
        target[begin : begin + fits] += piece[:fits]
        target[: piece.size - fits] += piece[fits:]
