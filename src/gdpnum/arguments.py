"""Arguments that are a number or an array of them: a number is answered by one, an array by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

__all__ = ["array_of", "elementwise", "numbers", "rates", "together"]

Array = NDArray[Any]


def numbers(name: str, value: ArrayLike) -> Floats:
    """The value as an array of doubles, of no dimension for a number."""
    try:
        given = np.asarray(value)
    except ValueError:  # lists of several lengths
        given = np.asarray(None)
    if given.ndim == 0 and given.dtype.kind == "O":
        # A Fraction, a Decimal, an int beyond 64 bits; or it says what is wrong.
        return np.asarray(_validate.real(name, value, advice="pass one, or an array"))
    if given.dtype.kind not in "fiu":
        raise InvalidType(f"{_validate.shown(name, value)}, not a number; pass one, or an array")
    return given.astype(np.float64)


def rates(name: str, value: ArrayLike, *, advice: str = "pass a probability") -> Floats:
    """The value as an array of doubles in [0, 1]."""
    found = numbers(name, value)
    bad = ~((found >= 0.0) & (found <= 1.0))
    if bad.any():
        first = float(np.atleast_1d(found)[np.atleast_1d(bad)][0])
        raise InvalidArgument(f"{name}={first!r} is outside [0, 1]; {advice}")
    return found


def elementwise(function: Callable[..., float], *values: ArrayLike) -> float | Floats:
    """The function of numbers at each element of arrays that broadcast, or at numbers.

    >>> elementwise(max, 1.0, [0.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    arrays = [array_of(value) for value in values]
    if all(array.ndim == 0 for array in arrays):
        return function(*values)
    columns = together(*arrays)
    found = [function(*one) for one in zip(*(column.flat for column in columns), strict=True)]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)


def array_of(values: ArrayLike) -> NDArray[Any]:
    """The values as an array, refused where their lists differ in length."""
    try:
        return np.asarray(values)
    except ValueError:
        raise InvalidType(
            f"{_validate.brief(values)} holds lists of several lengths; pass numbers, or an array"
        ) from None


def together(*arrays: Array) -> list[Array]:
    """Arrays of one shape, to which these broadcast."""
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise InvalidArgument(
            f"arrays of shapes {shapes} do not go together; pass numbers, or arrays of one shape"
        ) from None
