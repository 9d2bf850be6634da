"""The numbers everything is computed in: arrays of doubles, and their unit roundoff."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Unit roundoff of a double.
UNIT = 2.0**-53

#: Units that exp, expm1, log1p, sin, cos, tan, arctan and arctan2 may be wrong by: four in the
#: last place.
FUNCTION = 8.0


def _never(_kind: str, _flag: int) -> None:
    """What numpy calls about no event: none is handled by a call."""


#: numpy's own handling of floating point events, as `np.errstate(**NUMPY)`: what may underflow here
#: does so harmlessly, whatever a caller has set. Before numpy 2 a thread that sets just the default
#: turns other threads' settings off; with something to call it is not the default.
NUMPY: dict[str, Any] = {
    "divide": "warn",
    "over": "warn",
    "invalid": "warn",
    "under": "ignore",
    "call": _never,
}


_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def quietly(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """The function with numpy's warnings off, also in threads.

    Before numpy 2 ``np.errstate`` as a decorator keeps one state for all threads, and mixes theirs.
    """

    @wraps(function)
    def quiet(*arguments: _Given.args, **named: _Given.kwargs) -> _Found:
        with np.errstate(all="ignore"):
            return function(*arguments, **named)

    return quiet
