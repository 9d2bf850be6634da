"""Quotients and roots of floats, rounded to a named side by exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction


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
