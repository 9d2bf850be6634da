"""Running sums with a small, known error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdpnum import charges
from gdpnum.floats import UNIT, Floats

# exp(x) and exp(-x) keep their digits up to here; longer ranges are summed piece by piece.
_PIECE = 300.0

_LONG_UNIT = 0.5 * float(np.finfo(np.longdouble).eps)

#: Terms that are summed one after the other: few, for sums as good as extended precision gives
#: them, or so many that the error is next to that of one double, where there is such precision.
SHORT_BLOCK = 256
BLOCK = 2**14 if _LONG_UNIT < UNIT / 1024 else SHORT_BLOCK


def running_sums(values: NDArray[Any], block: int = BLOCK) -> NDArray[np.longdouble]:
    """sum_{j <= i}, in extended precision and in blocks of blocks.

    A plain running sum of n terms errs by n u relative to the sum of magnitudes; summed in blocks
    of b terms, and these likewise, by b u for each level, of the extended u where there is one.
    """
    if values.size <= block:
        return values.cumsum(dtype=np.longdouble)
    whole = values.size // block * block
    blocks = np.cumsum(values[:whole].reshape(-1, block), axis=1, dtype=np.longdouble)
    before = np.append(np.longdouble(0.0), running_sums(blocks[:, -1], block))
    rest = np.cumsum(values[whole:], dtype=np.longdouble) + before[-1]
    return np.concatenate([(blocks + before[:-1, None]).ravel(), rest])


def tail_sum_error(count: int) -> float:
    """What is charged for sums of that many non-negative terms, weighted, as doubles."""
    return charges.tail_sum(count, BLOCK)


def tail_sums(values: Floats) -> Floats:
    """sum_{j >= i}."""
    return running_sums(values[::-1])[::-1].astype(np.float64)


def head_sums(values: Floats) -> Floats:
    """sum_{j < i}."""
    return np.append(0.0, running_sums(values[:-1]).astype(np.float64))


def sums_by_place(places: NDArray[np.intp], weights: Floats, size: int) -> Floats:
    """The sum of the weights at each place."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def scaled_tail_sums(values: Floats, losses: Floats) -> Floats:
    """sum_{j >= i} exp(w_i - w_j) v_j, however far the losses w reach."""
    result = np.empty(losses.size)
    stop, carried, reference = losses.size, 0.0, float(losses[-1])
    while stop > 0:
        start = int(np.searchsorted(losses, losses[stop - 1] - _PIECE))
        anchor = float(losses[start])
        carried *= float(np.exp(anchor - reference))
        sums = tail_sums(values[start:stop] * np.exp(anchor - losses[start:stop])) + carried
        result[start:stop] = sums * np.exp(losses[start:stop] - anchor)
        stop, carried, reference = start, float(sums[0]), anchor
    return result
