"""The numbers everything is computed in: arrays of doubles, and their unit roundoff."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "NUMPY",
    "UNIT",
    "Floats",
    "quietly",
    "quotient_above",
    "quotient_below",
    "root_above",
    "root_below",
]

Floats = NDArray[np.float64]

#: Unit roundoff of a double.
UNIT = 2.0**-53

#: Units that exp, expm1, log1p, sin, cos, tan, arctan and arctan2 may be wrong by: four in the
#: last place.
FUNCTION = 8.0

#: numpy's own handling of floating point events, as `np.errstate(**NUMPY)`: what may underflow here
#: does so harmlessly, whatever a caller has set.
NUMPY: dict[str, Any] = {"divide": "warn", "over": "warn", "invalid": "warn", "under": "ignore"}


_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def quietly(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """The function with numpy's warnings off, also in threads.

    Before numpy 2 ``np.errstate`` as a decorator keeps one state for all threads, and mixes theirs.
    """

    @wraps(function)
    def quiet(*arguments: _Given.args, **named: _Given.kwargs) -> _Found:
        with np.errstate(all="ignore"):
            return function(*arguments, **named)

    return quiet


def quotient_above(dividend: float, divisor: float) -> float:
    """The quotient of two positive numbers, rounded up: exact, or the next float above it."""
    found = dividend / divisor
    if math.isfinite(found) and Fraction(found) * Fraction(divisor) < Fraction(dividend):
        return math.nextafter(found, math.inf)
    return found


def quotient_below(dividend: float, divisor: float) -> float:
    """The quotient of two positive numbers, rounded down: exact, or the next float below it."""
    found = dividend / divisor
    if math.isfinite(found) and Fraction(found) * Fraction(divisor) > Fraction(dividend):
        return math.nextafter(found, 0.0)
    return found


def root_above(square: Fraction) -> float:
    """The square root of a non-negative fraction, rounded up: exact, or the next float above it."""
    if square == 0:
        return 0.0
    # Scaled by an even power of two, so that the fraction fits a float whatever its size.
    power = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    scaled = square / Fraction(4) ** power
    found = math.sqrt(float(scaled))
    while Fraction(found) ** 2 < scaled:
        found = math.nextafter(found, math.inf)
    try:
        return math.ldexp(found, power)
    except OverflowError:
        return math.inf


def root_below(square: Fraction) -> float:
    """The square root of a non-negative fraction, rounded down."""
    found = root_above(square)
    if math.isinf(found):
        return math.nextafter(math.inf, 0.0)
    while Fraction(found) ** 2 > square:
        found = math.nextafter(found, 0.0)
    return found
