"""Checks on arguments: each returns the value as a plain ``float``, ``int`` or ``str``, or raises.

Numbers of any kind are welcome (``numpy`` scalars, ``Fraction``, ``Decimal``); booleans, strings,
complex numbers and arrays are not, and neither are NaN and infinity. A message names the argument,
the value, what is allowed and, as ``advice``, what to do::

    >>> probability("sample_rate", 1.5, advice="pass the probability that a record joins a step")
    Traceback (most recent call last):
        ...
    gdpnum.errors.InvalidArgument: sample_rate=1.5 is outside [0, 1]; pass the probability that a record joins a step
"""  # noqa: E501  (a doctest compares the message as one line)

from __future__ import annotations

import datetime
import difflib
import math
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from gdpnum.accuracy import LATTICE_TOLERANCE, SMALLEST_TPR, Accuracy
from gdpnum.errors import InvalidArgument, InvalidType

T = TypeVar("T")

# Beyond it no lattice has two points on any loss that floats hold.
_WIDEST_STEP = 1e6

# More than anyone lists, and few enough to be held.
_MOST_ITEMS = 10_000_000

# Relative accuracies that doubles have, and that are one.
_SMALLEST_TOLERANCE, _LARGEST_TOLERANCE = 1e-15, 0.5


class _Brief(reprlib.Repr):
    """Python's short repr, which gives up on a number that Python does not write out."""

    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:  # Python writes out at most 4,300 digits
            return f"an int of some {int(x.bit_length() * math.log10(2.0))} digits"


_BRIEF = _Brief()


def brief(value: object, longest: int | None = None) -> str:
    """Return a repr of a line at most, whatever the value is, or of so many characters."""
    if longest is None:
        return _BRIEF.repr(value)
    text = repr(value)
    first = (longest - 3) // 2
    last = longest - 3 - first
    return text if len(text) <= longest else f"{text[:first]}...{text[-last:]}"


def real(name: str, value: object, *, advice: str = "pass a finite number") -> float:
    """Return a finite number as a float."""
    number = value if type(value) is float else _as_float(name, value, advice)
    if not math.isfinite(number):
        raise InvalidArgument(f"{name}={brief(value)} is not a finite float; {advice}")
    return number + 0.0  # turns -0.0 into 0.0, so that equal values print alike


def _as_float(name: str, value: object, advice: str) -> float:
    """A number of any other kind; NaN for what no float holds."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise InvalidType(f"{shown(name, value)}, not a number; {advice}")
    try:
        return float(value)
    except (OverflowError, ValueError):  # an int beyond 1e308; a signalling NaN
        return math.nan


def positive(name: str, value: object, *, advice: str = "pass a number above 0") -> float:
    """Return a number in (0, inf) as a float."""
    number = real(name, value, advice=advice)
    if number <= 0.0:
        raise InvalidArgument(f"{name}={number!r} is not positive; {advice}")
    return number


def non_negative(name: str, value: object, *, advice: str = "pass 0 or a number above it") -> float:
    """Return a number in [0, inf) as a float."""
    number = real(name, value, advice=advice)
    if number < 0.0:
        raise InvalidArgument(f"{name}={number!r} is negative; {advice}")
    return number


def probability(
    name: str,
    value: object,
    *,
    advice: str = "pass a probability",
    meant: Callable[[Any], str] = lambda _: "",
) -> float:
    """Return a number in [0, 1] as a float; of another, ``meant`` says what it may have been."""
    number = real(name, value, advice=advice)
    if not 0.0 <= number <= 1.0:
        raise InvalidArgument(f"{name}={number!r} is outside [0, 1]; {advice}{meant(value)}")
    return number


def fraction(name: str, value: object, *, advice: str = "pass a number below 1") -> float:
    """Return a number in [0, 1) as a float."""
    number = real(name, value, advice=advice)
    if not 0.0 <= number < 1.0:
        raise InvalidArgument(f"{name}={number!r} is outside [0, 1); {advice}")
    return number


def tolerance(value: object) -> float:
    """Return a relative accuracy that can be asked for."""
    advice = "pass a relative accuracy such as 1e-3"
    relative = positive("tolerance", value, advice=advice)
    if relative > _LARGEST_TOLERANCE:
        raise InvalidArgument(f"tolerance={relative!r} is above {_LARGEST_TOLERANCE:g}; {advice}")
    if relative < _SMALLEST_TOLERANCE:
        raise InvalidArgument(
            f"tolerance={relative!r} is below {_SMALLEST_TOLERANCE:g}, which floats do not reach; "
            f"{advice}"
        )
    return relative


def accuracy(asked: object = None, *, slack: float = 0.0, grid_step: object = None) -> Accuracy:
    """Return the accuracy that a tolerance asks for; by default what some milliseconds buy."""
    step = None if grid_step is None else lattice_step("grid_step", grid_step)
    relative = LATTICE_TOLERANCE if asked is None else tolerance(asked)
    return Accuracy(relative, slack or SMALLEST_TPR, step)


def slack_and_accuracy(
    slack: object, tolerance: object, grid_step: object
) -> tuple[float, Accuracy]:
    """Return the slack of a fit, and the accuracy that is asked of it."""
    allowance = fraction("slack", slack, advice="pass an absolute allowance such as 1e-10")
    return allowance, accuracy(tolerance, slack=allowance, grid_step=grid_step)


def count(
    name: str, value: object, *, minimum: int = 0, advice: str = "pass a whole number"
) -> int:
    """Return a whole number, at least ``minimum``, as an int.

    One beyond all floats is refused, as every bound is computed in them. A float is refused even
    where it is integral: ``steps=1000.0`` is mostly the outcome of a division whose rounding the
    caller should choose.
    """
    number = value if type(value) is int else _as_int(name, value, advice)
    if number < minimum:
        raise InvalidArgument(f"{name}={brief(number)} is below {minimum}; {advice}")
    try:
        float(number)
    except OverflowError:
        raise InvalidArgument(
            f"{name}={brief(number)} is not a finite float: it is above 1.8e308; {advice}"
        ) from None
    return number


def _as_int(name: str, value: object, advice: str) -> int:
    """A whole number of any other kind."""
    if isinstance(value, float):
        raise InvalidType(
            f"{shown(name, value)}, not an int; {advice}, rounded with int() or math.ceil()"
        )
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidType(f"{shown(name, value)}, not an int; {advice}")
    return int(value)


def probabilities(name: str, values: object) -> list[float]:
    """Return the numbers of a list, each in [0, 1], as floats."""
    listed = items(name, values, advice="pass a list of numbers")
    return [probability(f"{name}[{number}]", value) for number, value in enumerate(listed)]


def iterable(name: str, values: object, *, advice: str) -> Iterator[Any]:
    """Return what goes over a list or any other iterable; a text is none."""
    try:
        if isinstance(values, str | bytes):
            raise TypeError
        return iter(cast("Iterable[Any]", values))
    except TypeError:
        raise InvalidType(f"{shown(name, values)}, not a list; {advice}") from None


def items(name: str, values: object, *, advice: str, most: int = _MOST_ITEMS) -> list[Any]:
    """Return what a list or any other iterable holds."""
    # As a list at once, whatever never ends would fill the memory.
    found = list(islice(iterable(name, values, advice=advice), most + 1))
    if len(found) > most:
        raise InvalidArgument(f"{name}={brief(values)} has more than {most} entries; {advice}")
    return found


def text_or_none(name: str, value: object) -> str | None:
    """Return a text, or None where it is left out."""
    if value is not None and not isinstance(value, str):
        raise InvalidType(f"{shown(name, value)}, not a text; pass a str")
    return value


def path(name: str, value: object) -> Path:
    """Return the path of a file, or of what could be one."""
    if not isinstance(value, (str, os.PathLike)) or "\x00" in (text := str(value)) or not text:
        raise InvalidType(f"{shown(name, value)}, no path; pass that of a file")
    return Path(value)


def texts(**values: object) -> None:
    """Refuse what is neither a text nor None, by its name."""
    for name, value in values.items():
        text_or_none(name, value)


def iso_date(date: object) -> str | None:
    """Return a date as text, such as 2026-03-01."""
    if isinstance(date, datetime.datetime):
        date = date.date()
    if isinstance(date, datetime.date):
        return date.isoformat()
    text = text_or_none("date", date)
    if text is not None:
        try:
            return datetime.date.fromisoformat(text).isoformat()
        except ValueError:
            raise InvalidArgument(
                f"date={brief(text)} is not a date; pass one such as '2026-03-01'"
            ) from None
    return None


def lattice_step(name: str, value: object) -> float:
    """Return the distance of the points of a lattice of losses as a float."""
    step = positive(name, value, advice="pass a step in privacy loss")
    if step > _WIDEST_STEP:
        raise InvalidArgument(
            f"{name}={step!r} is above {_WIDEST_STEP:g}: no two losses would be told apart; "
            "pass a step in privacy loss such as 1e-3"
        )
    return step


def choice(name: str, value: object, allowed: Sequence[T]) -> T:
    """Return the member of ``allowed`` that equals the value."""
    for option in allowed:
        if type(value) is type(option) and value == option:
            return option
    options = " or ".join(repr(option) for option in allowed)
    raise InvalidArgument(f"{name}={brief(value)} is not an option; pass {options}")


def function_or_none(name: str, value: object) -> None:
    """Refuse what can neither be called nor is None."""
    if value is not None and not callable(value):
        raise InvalidType(f"{shown(name, value)}, not a function; pass one, or None")


def is_text(value: object, text: str) -> bool:
    """Whether a value is that text; one that is an array, or will not be compared, is not."""
    return isinstance(value, str) and value == text


def nearest(given: str, known: Sequence[str]) -> str:
    """Return what advice about an unknown word says."""
    close = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"pass one of {', '.join(known)}"


def shown(name: str, value: object) -> str:
    """Return how a message about a wrong type begins."""
    return f"{name}={brief(value)} is of type {type(value).__name__}"


class Check(NamedTuple):
    """What an argument has to be: one of the checks above, its limits, and whether it may be None.

    >>> arguments({"steps": Check(count, {"minimum": 1})}, {"steps": 0})
    Traceback (most recent call last):
        ...
    gdpnum.errors.InvalidArgument: steps=0 is below 1; pass a whole number
    """

    check: Callable[..., Any]
    limits: Mapping[str, Any]
    optional: bool = False


def arguments(checks: Mapping[str, Check], given: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments, those that there are checks for as these leave them."""
    found = dict(given)
    for name, (check, limits, optional) in checks.items():
        value = given[name]
        if value is not None or not optional:
            found[name] = check(name, value, **limits)
    return found


def field(owner: object, name: str, check: Callable[..., T], **limits: object) -> T:
    """Give one field of a frozen dataclass the value that a check makes of it; return that."""
    value = check(name, getattr(owner, name), **limits)
    settle(owner, **{name: value})
    return value


def settled(kind: type[T], **values: object) -> T:
    """Return a frozen dataclass of values that are checked already."""
    made = object.__new__(kind)
    settle(made, **values)
    return made


def settle(owner: object, **values: object) -> None:
    """Give the fields of a frozen dataclass their values, once checked."""
    for name, value in values.items():
        object.__setattr__(owner, name, value)
