"""Quotients and roots of floats, rounded to a named side by exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction


def quotient_above(dividend: float, divisor: float) -> float:
    """The quotient of two positive numbers, rounded up: exact, or the next float above it."""
    found = dividend / divisor
    if math.isfinite(found) and _is_below(found, divisor, dividend):
        return math.nextafter(found, math.inf)
    return found


def quotient_below(dividend: float, divisor: float) -> float:
    """The quotient of two positive numbers, rounded down: exact, or the next float below it."""
    found = dividend / divisor
    if math.isfinite(found) and _is_below(-found, divisor, -dividend):
        return math.nextafter(found, 0.0)
    return found


def _is_below(one: float, other: float, product: float | Fraction) -> bool:
    """Whether the product of the first two is below the third."""
    (a, b), (c, d), (e, f) = (value.as_integer_ratio() for value in (one, other, product))
    return a * c * f < e * b * d


def root_above(square: Fraction) -> float:
    """The square root of a non-negative fraction, rounded up: exact, or the next float above it."""
    if square == 0:
        return 0.0
    # Scaled by an even power of two, so that the fraction fits a float whatever its size.
    above, below = square.as_integer_ratio()
    power = (above.bit_length() - below.bit_length()) // 2
    above, below = above << max(-2 * power, 0), below << max(2 * power, 0)
    found = math.sqrt(above / below)
    while _is_below(found, found, Fraction(above, below)):
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
