"""Numbers as text, rounded to a named side: a printed guarantee must still be one.

Bounds go to their safe side, and conditions to that at which what is said of them still holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

# Below, a bound is written with an exponent.
_LEADING_ZEROS = 1e-3

# From here on a rate is told in per cent, below as one in so many.
_SMALL = 0.1
_LARGE = {15: "", 12: "trillion", 9: "billion", 6: "million"}


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


def finite(value: Any) -> Any:
    """A document as JSON can hold it: infinity is a text, which ``float`` reads back.

    >>> finite({"mu": float("inf"), "tpr": (0.5, 1.0)})
    {'mu': 'inf', 'tpr': [0.5, 1.0]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def times(count: int | None) -> str:
    """How often something was released, after a comma; nothing if that is not to be said.

    >>> times(1), times(3), times(None)
    (', once', ', 3 times', '')
    """
    if count is None:
        return ""
    return ", once" if count == 1 else f", {count} times"


def upper(value: float, *, digits: int = 4) -> str:
    """An upper bound, rounded up.

    >>> upper(1.56728, digits=3), upper(2.6195e-5, digits=3), upper(float("inf"))
    ('1.57', '2.62e-5', 'infinite')
    """
    if not math.isfinite(value):
        return "infinite"
    return _told(value, rounded_up(value, digits=digits), digits)


def lower(value: float, *, digits: int = 4) -> str:
    """A lower bound, rounded down.

    >>> lower(1.56728, digits=3), lower(2.6195e-5, digits=3)
    ('1.56', '2.61e-5')
    """
    if not math.isfinite(value):
        return "infinite"
    return _told(value, rounded_down(value, digits=digits), digits)


def _told(value: float, text: str, digits: int) -> str:
    # Leading zeros are hard to count.
    return f"{Decimal(text):.{digits - 1}e}" if 0.0 < value < _LEADING_ZEROS else text


def percent(value: float) -> str:
    """An upper bound on a share, rounded up to three digits of a per cent.

    >>> percent(0.61047), percent(0.1), percent(1.0), percent(0.9999999)
    ('61.1 %', '10 %', '100 %', '100 %')
    """
    text = rounded_up(100.0 * value, digits=3)
    return f"{float(text):g} %" if float(text) >= 1e-3 else f"{text} %"


def one_in(rate: float, *, digits: int = 3, condition: bool = False) -> str:
    """A small rate as one in so many, rounded up like any bound; a larger one in per cent.

    With ``condition``, rounded down: the rate is one at which a bound is stated.

    >>> one_in(0.00125), one_in(8.216e-7), one_in(0.61047), one_in(0.0)
    ('1 in 800', '1 in 1.21 million', '61.1 %', 'none')
    >>> one_in(1 / 3000.5, condition=True), one_in(1e-10, condition=True)
    ('1 in 3,010', '1 in 10 billion')
    """
    if rate >= _SMALL:
        down = f"{100 * float(rounded_down(rate, digits=digits)):g} %"
        return down if condition else percent(rate)
    if rate == 0.0:
        return "none"
    # Fewer in the denominator is a larger rate.
    rounding = ROUND_CEILING if condition else ROUND_FLOOR
    exact = Context(prec=40, rounding=rounding).divide(Decimal(1), Decimal(repr(rate)))
    many = Context(prec=digits, rounding=rounding).plus(exact)
    if many < 10**6:
        shown = many.quantize(Decimal(1), rounding=rounding)
        return f"1 in {int(shown):,}" if shown == many or many > 100 else f"1 in {many:f}"
    power, name = next((power, name) for power, name in _LARGE.items() if many >= 10**power)
    return f"1 in {many:.3g}" if not name else f"1 in {float(many) / 10**power:g} {name}"


def fpr_shown(fpr: float) -> str:
    """An FPR at which a TPR is stated, rounded down if at all: fewer accusations find no more."""
    return _condition(fpr, rounded_down(fpr))


def delta_shown(delta: float) -> str:
    """A delta at which an epsilon is stated, rounded up if at all: a larger delta asks for less."""
    return _condition(delta, rounded_up(delta))


def epsilon_shown(epsilon: float) -> str:
    """An epsilon at which a delta is stated, rounded up if at all, as deltas fall."""
    return _condition(epsilon, rounded_up(epsilon))


def _condition(value: float, rounded: str) -> str:
    short = f"{value:.4g}"
    if 0.0 < value < _LEADING_ZEROS:
        rounded = f"{Decimal(rounded):.3e}"
    return short.replace("e-0", "e-") if float(short) == value else rounded


def shown_rows(*columns: tuple[Callable[[float], str], Sequence[float]]) -> list[tuple[str, ...]]:
    """The rows of a table by its columns, every value as the function of its column shows it.

    >>> shown_rows((fpr_shown, [0.01, 0.1]), (upper, [0.5, 2.0]))
    [('0.01', '0.5000'), ('0.1', '2.000')]
    """
    return list(zip(*([shown(one) for one in values] for shown, values in columns), strict=True))
