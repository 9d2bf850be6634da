"""Running sums with a small, known error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdpnum.loss.pair import Floats

__all__ = [
    "UNIT",
    "gathered",
    "head_sums",
    "log_tail_sums",
    "long_sum_error",
    "running_sums",
    "sum_error",
    "tail_sums",
]

#: Unit roundoff of a double.
UNIT = 2.0**-53

# exp(-x) stays a normal number up to here; longer ranges of losses are summed piece by piece.
_PIECE = 600.0

# So few terms are summed plainly.
_FEW = 4096

_LONG_UNIT = 0.5 * float(np.finfo(np.longdouble).eps)


def running_sums(values: Floats) -> NDArray[np.longdouble]:
    """sum_{j <= i}, in extended precision, and in blocks where there are many terms.

    A plain running sum of n terms errs by n u relative to the sum of magnitudes; within blocks
    and then over them it is 2 sqrt(n) u, of the extended u where the platform has one.
    """
    if values.size <= _FEW:
        return np.cumsum(values, dtype=np.longdouble)
    width = int(np.sqrt(values.size))
    whole = values.size // width * width
    blocks = np.cumsum(values[:whole].reshape(-1, width), axis=1, dtype=np.longdouble)
    before = np.append(np.longdouble(0.0), np.cumsum(blocks[:, -1]))
    rest = np.cumsum(values[whole:], dtype=np.longdouble) + before[-1]
    return np.concatenate([(blocks + before[:-1, None]).ravel(), rest])


def long_sum_error(count: int) -> float:
    """Bound on the relative error of `running_sums` of that many non-negative terms."""
    terms = count if count <= _FEW else 4.0 * float(np.sqrt(count))
    return (terms + 4.0) * _LONG_UNIT


def sum_error(count: int) -> float:
    """The same once the sums are rounded to doubles."""
    return long_sum_error(count) + 2.0 * UNIT


def tail_sums(values: Floats) -> Floats:
    """sum_{j >= i}."""
    return running_sums(values[::-1])[::-1].astype(np.float64)


def head_sums(values: Floats) -> Floats:
    """sum_{j < i}."""
    return np.append(0.0, running_sums(values[:-1]).astype(np.float64))


def gathered(places: NDArray[np.intp], weights: Floats, size: int) -> Floats:
    """The sum of the weights at each place."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def log_tail_sums(masses: Floats, losses: Floats) -> Floats:
    """Log of sum_{j >= i} exp(-w_j) m_j, also where that sum underflows."""
    result = np.empty(losses.size)
    stop, carried, reference = losses.size, 0.0, float(losses[-1])
    while stop > 0:
        start = int(np.searchsorted(losses, losses[stop - 1] - _PIECE))
        anchor = float(losses[start])
        carried *= float(np.exp(anchor - reference))
        sums = tail_sums(masses[start:stop] * np.exp(anchor - losses[start:stop])) + carried
        with np.errstate(divide="ignore"):
            result[start:stop] = np.log(sums) - anchor
        stop, carried, reference = start, float(sums[0]), anchor
    return result
