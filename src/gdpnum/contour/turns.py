"""Turns: exp(i angle) of many angles, by tangents, and sums of them.

numpy has one tangent in a tenth of the time that a cosine and a sine take.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gdpnum.floats import Floats

Complexes: TypeAlias = npt.NDArray[np.complex128]

_Numbers = TypeVar("_Numbers", Floats, Complexes)

# OpenBLAS hands out products of more multiplications than this to all cores. For ones as small as
# these that saves little, and where other processes are at work threads wait for each other.
_ALONE = 2**15

# And a matrix of this many numbers times a vector.
_VECTOR = 2**11


def turns(angle: Floats) -> Complexes:
    """exp(i angle) = (1 - t^2 + 2 i t) / (1 + t^2), t = tan(angle / 2), within 17 units."""
    tangent = np.tan(0.5 * angle)
    squared = tangent * tangent
    scale = 1.0 / (1.0 + squared)
    found = np.empty(angle.shape, dtype=np.complex128)
    np.multiply(1.0 - squared, scale, out=found.real)
    np.multiply(tangent + tangent, scale, out=found.imag)
    return found


def half_turns(half: Floats) -> Floats:
    """sin(half)^2 and sin(half) cos(half), by one tangent."""
    found = np.empty((2, *half.shape))
    tangent, sines = found
    np.tan(half, out=tangent)
    np.multiply(tangent, tangent, out=sines)
    sines += 1.0
    np.divide(tangent, sines, out=sines)
    tangent *= sines
    return found


def turns_less_one(half: Floats) -> tuple[Floats, Floats]:
    """exp(2 i half) - 1 = -2 sin(half)^2 + 2 i sin(half) cos(half), within 20 units of 2 half."""
    real, imaginary = half_turns(half)
    real *= -2.0
    imaginary *= 2.0
    return real, imaginary


def log_of_one_plus(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """The log of |1 + a + ib|, its argument, and that modulus: takes `turns_less_one` back."""
    real, square = 1.0 + a, b * b
    # Never zero, so that its logarithm is a number.
    modulus: Floats = np.sqrt(np.maximum(real * real + square, 1e-300))
    squared = a * (2.0 + a) + square
    # Near one the logarithm keeps its digits in this form, elsewhere in that.
    logs = 0.5 * np.log1p(squared)
    if not float(squared.min(initial=0.0)) > -0.5:
        logs = np.where(squared > -0.5, logs, np.log(modulus))
    return logs, np.arctan2(b, real), modulus


def powers(first: Floats | None, angle: Floats, number: int) -> Complexes:
    """exp(i (first + r angle)) for r = 0, 1, .. below a number: by row, r and angle.

    By doubling: the power r errs by r times what the first power does, and r products.
    """
    found = np.empty((angle.shape[0], number, angle.shape[1]), dtype=np.complex128)
    found[:, 0] = 1.0 if first is None else turns(first)
    step, done = turns(angle), 1
    while done < number:
        some = min(done, number - done)
        np.multiply(found[:, :some], step[:, None], out=found[:, done : done + some])
        step *= step
        done += some
    return found


def product(left: _Numbers, right: _Numbers) -> _Numbers:
    """The products left @ right, in parts that are each taken by one thread."""
    rows, inner = left.shape[-2:]
    number = right.shape[-1]
    if rows * inner <= _VECTOR and rows * inner * number <= _ALONE:
        return left @ right
    found = np.empty((*left.shape[:-1], number), dtype=left.dtype)
    tall = min(rows, max(1, _VECTOR // inner))
    wide = max(1, _ALONE // (tall * inner))
    for top in range(0, rows, tall):
        for begin in range(0, number, wide):
            own, there = slice(begin, begin + wide), slice(top, top + tall)
            np.matmul(left[..., there, :], right[..., own], out=found[..., there, own])
    return found
