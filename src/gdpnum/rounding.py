"""Numbers as text, rounded to a named side: a printed guarantee must still be one."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

__all__ = ["as_given", "rounded_down", "rounded_up", "times"]


def rounded_up(value: float, *, digits: int = 4) -> str:
    """Return a decimal, with so many significant digits, that never reads back below the value.

    >>> rounded_up(1.56728), rounded_up(0.1), rounded_up(2.00001e-9)
    ('1.568', '0.1000', '2.001e-9')
    """
    return _rounded(value, digits=digits, rounding=ROUND_CEILING)


def rounded_down(value: float, *, digits: int = 4) -> str:
    """Return a decimal, with so many significant digits, that never reads back above the value.

    >>> rounded_down(1.56728)
    '1.567'
    """
    return _rounded(value, digits=digits, rounding=ROUND_FLOOR)


def _rounded(value: float, *, digits: int, rounding: str) -> str:
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    # From the shortest decimal that reads back as the float: from its exact binary value, 0.1 would
    # be rounded up to 0.1001.
    number = Context(prec=digits, rounding=rounding).create_decimal(repr(float(value)))
    # An exact short number such as 0.5 gets its zeros back, so that columns line up.
    padded = number.quantize(Decimal((0, (1,), number.adjusted() - digits + 1)))
    return f"{padded:g}"


def as_given(value: float) -> str:
    """A number that a person chose, with all its digits.

    >>> as_given(1.0), as_given(0.99999951), as_given(1e-5)
    ('1', '0.99999951', '1e-05')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def times(count: int | None) -> str:
    """How often something was released, after a comma; nothing if that is not to be said.

    >>> times(1), times(3), times(None)
    (', once', ', 3 times', '')
    """
    if count is None:
        return ""
    return ", once" if count == 1 else f", {count} times"
