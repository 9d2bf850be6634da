"""Functions of numbers, for arrays too: a number is answered by one, an array by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

__all__ = ["array_of", "elementwise", "together"]

Array = NDArray[Any]


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
