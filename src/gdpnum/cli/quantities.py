"""Numbers as people write them: 0.01, 1%, 256/60000, 1e4."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from gdpnum._validate import brief
from gdpnum.errors import InvalidArgument

_SHAPE = re.compile(r"\s*([^/%]+?)\s*(?:/\s*([^/%]+?)\s*)?(%?)\s*", re.ASCII)


def fraction_of(text: str, *, name: str) -> Fraction:
    """The number a text stands for, exactly; ``name`` is what its user calls it.

    >>> fraction_of("1%", name="--sample-rate"), fraction_of("256/60000", name="--sample-rate")
    (Fraction(1, 100), Fraction(8, 1875))
    """
    return _exact(text, name, "number", "0.01, 1%, 256/60000 or 1e4")


def whole_of(text: str, *, name: str) -> int:
    """The whole number a text stands for.

    >>> whole_of("1e4", name="--steps"), whole_of("60_000", name="--dataset-size")
    (10000, 60000)
    """
    number = _exact(text, name, "whole number", "1000 or 1e4")
    if number.denominator != 1:
        raise InvalidArgument(
            f"{name}={_shown(text)} is no whole number; pass one such as 1000 or 1e4"
        )
    return int(number)


def number_or_text(text: str) -> int | float | str:
    """The number a text stands for if it is one, an int where it is whole; else the text."""
    try:
        number = fraction_of(text, name="")
    except InvalidArgument:
        return text
    return int(number) if number.denominator == 1 else float(number)


def _exact(text: str, name: str, what: str, examples: str) -> Fraction:
    shape = _SHAPE.fullmatch(text)
    try:
        if shape is None:
            raise ValueError
        top, bottom, percent = shape.groups()
        number = _decimal(top) / (_decimal(bottom) if bottom else 1)
    except (ValueError, InvalidOperation):
        raise InvalidArgument(
            f"{name}={_shown(text)} is no {what}; pass one such as {examples}"
        ) from None
    except ZeroDivisionError:
        raise InvalidArgument(f"{name}={_shown(text)} divides by 0; pass a number") from None
    except OverflowError:
        raise InvalidArgument(
            f"{name}={_shown(text)} is not a finite float; pass a finite number"
        ) from None
    return number / 100 if percent else number


def _decimal(text: str) -> Fraction:
    if not math.isfinite(float(text)):
        raise OverflowError
    number = Decimal(text)
    # Below all floats; written out it could fill the memory.
    return Fraction(0) if number.adjusted() < -400 else Fraction(number)


def _shown(text: str) -> str:
    return text if re.fullmatch(r"[-+\w./%]{1,40}", text, re.ASCII) else brief(text)
