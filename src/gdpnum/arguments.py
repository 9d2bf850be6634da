"""Functions of numbers, for arrays too: a number is answered by one, an array by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

Array = NDArray[Any]


def numbers_of(name: str, value: ArrayLike) -> Floats:
    """The value as an array of doubles, of no dimension for a number."""
    given = array_of(name, value)
    if given.dtype.kind == "O":
        # Fractions, Decimals, ints beyond 64 bits; or it says what is wrong.
        found = [_validate.real(name, one, advice="pass one, or an array") for one in given.flat]
        return np.array(found).reshape(given.shape)
    if given.dtype.kind not in "fiu":
        raise InvalidType(f"{_validate.shown(name, value)}, not a number; pass one, or an array")
    with np.errstate(over="ignore"):  # a long double may be beyond all doubles
        return given.astype(np.float64)


def column(name: str, values: object) -> Floats:
    """The values as an array of doubles of one dimension, not empty."""
    found = numbers_of(name, cast("ArrayLike", values))
    if found.ndim != 1 or found.size == 0:
        raise InvalidArgument(
            f"{name}={_validate.brief(values)} has the shape {found.shape}; pass a list of at "
            "least one number"
        )
    return found


def elementwise(function: Callable[..., float], **values: ArrayLike) -> float | Floats:
    """The function of numbers at each element of arrays that broadcast, or at numbers.

    >>> elementwise(max, mu=1.0, delta=[0.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    arrays = [array_of(name, value) for name, value in values.items()]
    if all(array.ndim == 0 for array in arrays):
        return function(*values.values())
    columns = together(*arrays)
    found = [function(*one) for one in zip(*(column.flat for column in columns), strict=True)]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)


def array_of(name: str, values: ArrayLike) -> NDArray[Any]:
    """The values as an array, refused where their lists differ in length or some are masked."""
    wrong = "holds lists of several lengths"
    try:
        if not np.ma.is_masked(values):
            return np.asarray(values)
        wrong = "is masked"
    except ValueError:
        pass
    except MemoryError:
        wrong = "is too long"
    raise InvalidType(f"{name}={_validate.brief(values)} {wrong}; pass numbers, or an array")


def together(*arrays: Array) -> list[Array]:
    """Arrays of one shape, to which these broadcast."""
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise InvalidArgument(
            f"arrays of shapes {shapes} do not go together; pass numbers, or arrays of one shape"
        ) from None
