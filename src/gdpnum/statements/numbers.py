"""Numbers as a statement prints them: bounds to their safe side, conditions so that it holds."""

from __future__ import annotations

import math

from gdpnum.rounding import rounded_down, rounded_up

__all__ = ["as_given", "delta_shown", "epsilon_shown", "fpr_shown", "lower", "percent", "upper"]


def upper(value: float, *, digits: int = 4) -> str:
    """An upper bound, rounded up.

    >>> upper(1.56728, digits=3), upper(float("inf"))
    ('1.57', 'infinite')
    """
    return rounded_up(value, digits=digits) if math.isfinite(value) else "infinite"


def lower(value: float, *, digits: int = 4) -> str:
    """A lower bound, rounded down."""
    return rounded_down(value, digits=digits) if math.isfinite(value) else "infinite"


def percent(value: float) -> str:
    """An upper bound on a share, rounded up to three digits of a per cent.

    >>> percent(0.61047), percent(0.1), percent(1.0), percent(0.9999999)
    ('61.1 %', '10 %', '100 %', '100 %')
    """
    text = rounded_up(100.0 * value, digits=3)
    return f"{float(text):g} %" if float(text) >= 1e-3 else f"{text} %"


def as_given(value: float) -> str:
    """A number that a person chose, with all its digits.

    >>> as_given(1.0), as_given(0.99999951), as_given(1e-5)
    ('1', '0.99999951', '1e-05')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


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
    return short.replace("e-0", "e-") if float(short) == value else rounded
