"""Products of polynomials in integer fixed point, with a bound on the error of every coefficient.

Arb's own polynomials keep each coefficient's relative accuracy, and pay for it: a T-th power
costs as T^2. Where one absolute bound for all coefficients is enough, integers scaled by 2^bits
do the same a hundred times faster, and the error is easy to follow by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpz_poly


@dataclass(frozen=True)
class FixedPoint:
    """Coefficients n_i with |n_i - 2^bits c_i| <= error for the true c_i."""

    integers: fmpz_poly
    error: int
    bits: int

    def __mul__(self, other: "FixedPoint") -> "FixedPoint":
        # |AB - ab| <= |A - a| |B|_1 + |B - b| |a|_1, and |a|_1 <= |A|_1 + (number) * error.
        mine = _absolute_sum(self) + self.integers.length() * self.error
        carried = (self.error * _absolute_sum(other) + other.error * mine) >> self.bits
        half = 1 << (self.bits - 1)
        product = (self.integers * other.integers).coeffs()
        rounded = fmpz_poly([(coefficient + half) >> self.bits for coefficient in product])
        # One for the rounding of the product, one for that of the bound itself.
        return FixedPoint(rounded, carried + 2, self.bits)

    def __pow__(self, count: int) -> "FixedPoint":
        result = FixedPoint(fmpz_poly([1 << self.bits]), 0, self.bits)
        for bit in bin(count)[2:]:
            result = result * result
            if bit == "1":
                result = result * self
        return result

    def balls(self, length: int) -> list[arb]:
        """The coefficients as balls, with the zeros a polynomial forgets at its top."""
        unit = arb(2) ** -self.bits
        doubt = arb(0, self.error) * unit
        found = [arb(n) * unit + doubt for n in self.integers.coeffs()]
        return found + [doubt] * (length - len(found))


def fixed_point(coefficients: Sequence[arb], bits: int) -> FixedPoint:
    """Balls brought to fixed point; call it at a working precision above `bits`."""
    scaled = [ball * arb(2) ** bits for ball in coefficients]
    integers = [ball.mid().floor().unique_fmpz() for ball in scaled]
    widest = max((int(ball.rad().ceil().unique_fmpz()) for ball in scaled), default=0)
    return FixedPoint(fmpz_poly(integers), widest + 1, bits)


def _absolute_sum(number: FixedPoint) -> int:
    return int(sum(abs(coefficient) for coefficient in number.integers.coeffs()))
