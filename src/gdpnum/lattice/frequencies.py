"""Frequencies of a circle: their roots of unity, and those at which a power of a transform lasts.

A sum of T losses is sqrt(T) times as wide as one of them, so of the frequencies of its circle only
a few dozen matter, however long it is. They are found on a circle a sixteenth as long.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from gdpnum import charges
from gdpnum.floats import Floats

Places = NDArray[np.intp]

_PI = 4.0 * np.arctan(np.longdouble(1.0))

# Roots of circles up to this length are worth keeping.
_SHORT = 2**16

# The circle looked at first is so many times shorter.
_COARSER = 16


def lasting(masses: Floats, count: int, size: int, log_least: float) -> Places:
    """The frequencies at which |F|^count may be above exp(log_least), F the masses' transform.

    G = |F|^2 is a sum of cosines with |G''| <= 2 Var, so between two samples, a distance d apart,
    it is at most the larger of them plus d^2 Var / 4.
    """
    # An even number, so that the last sample is at frequency 1/2.
    coarse = 2 * fft.next_fast_len(size // (2 * _COARSER) + 1, real=True)
    folded = np.zeros(coarse)
    add_folded(folded, masses, 0)
    places = np.arange(masses.size, dtype=np.float64)
    mean = float((masses * places).sum())
    variance = float((masses * (places - mean) ** 2).sum())
    samples = np.abs(fft.rfft(folded)) ** 2
    between = (
        np.maximum(samples[:-1], samples[1:])
        + (math.pi / coarse) ** 2 * variance
        + charges.samples()
    )
    cells = np.flatnonzero(between >= math.exp(2.0 * log_least / count))
    if cells.size == between.size:
        return np.arange(size // 2 + 1)
    # Cells next to each other share an end; the frequencies of each, and each of them once.
    first = -(-cells * size // coarse)
    last = np.minimum((cells + 1) * size // coarse, size // 2)
    first[1:] = np.maximum(first[1:], last[:-1] + 1)
    counts = np.maximum(last - first + 1, 0)
    before = np.cumsum(counts) - counts
    return np.asarray(np.repeat(first - before, counts) + np.arange(int(counts.sum())), np.intp)


def angles(frequencies: Places, places: Places, size: int, real: type[Any]) -> NDArray[Any]:
    """2 pi k j / size, each in [0, 2 pi) and to its last digits."""
    turns: NDArray[Any] = np.multiply.outer(frequencies, places) % size
    found: NDArray[Any] = turns * real(2.0 * _PI / size)
    return found


def roots_less_one(
    size: int, extended: bool, kept: Places | None = None
) -> tuple[NDArray[Any], Floats]:
    """exp(-2 pi i k / size) - 1 and its absolute value, for the k kept, or up to size / 2."""
    if kept is not None:
        return _roots(size, extended, kept)
    return _cached_roots(size, extended) if size <= _SHORT else _roots(size, extended)


def _roots(size: int, extended: bool, kept: Places | None = None) -> tuple[NDArray[Any], Floats]:
    real = np.longdouble if extended else np.float64
    places = np.arange(size // 2 + 1) if kept is None else kept
    half = places.astype(real) * real(_PI / size)
    # exp(-2it) - 1 = -2 sin(t) (sin(t) + i cos(t)), without cancellation.
    sine = np.sin(half)
    roots = np.asarray(-2.0 * sine * (sine + 1j * np.cos(half)))
    distances = np.asarray(2.0 * sine, np.float64)
    roots.flags.writeable = distances.flags.writeable = False
    return roots, distances


# The four transforms of a fit are often of one length.
_cached_roots = lru_cache(maxsize=8)(_roots)


def add_folded(target: NDArray[Any], values: NDArray[Any], offset: int) -> None:
    """Add values to a circular array from an offset on, wrapped as often as they are long."""
    size = target.size
    for start in range(0, values.size, size):
        piece = values[start : start + size]
        begin = (offset + start) % size
        fits = min(piece.size, size - begin)
        target[begin : begin + fits] += piece[:fits]
        target[: piece.size - fits] += piece[fits:]
