"""The product of stacks of matrices, on one thread."""

from __future__ import annotations

import numpy as np

from gdpnum.contour.turns import Complexes

__all__ = ["product"]

# OpenBLAS hands out products of more multiplications than this to all cores. For ones as small as
# these that saves little, and where other processes are at work threads wait for each other.
_ALONE = 2**15


def product(left: Complexes, right: Complexes) -> Complexes:
    """The products left @ right, in parts that are each taken by one thread."""
    rows, inner = left.shape[-2:]
    number = right.shape[-1]
    some = max(1, _ALONE // max(rows * inner, 1))
    if number <= some:
        return left @ right
    found = np.empty((*left.shape[:-1], number), dtype=np.complex128)
    for begin in range(0, number, some):
        own = slice(begin, begin + some)
        np.matmul(left, right[..., own], out=found[..., own])
    return found
