"""Scores of an attack, checked: arrays of numbers that can be put in order."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdpnum import _validate
from gdpnum.arguments import array_of
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

Bools: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]

_ORDER = "the higher, the more the attack takes the canary to have been included"


def checked_scores(name: str, scores: ArrayLike) -> Floats:
    """The scores as an array of one dimension; infinite ones may be, NaN not."""
    given = array_of(name, scores)
    if given.dtype.kind not in "fiu":
        raise InvalidType(
            f"{_validate.shown(name, scores)} and not numbers; pass one score a canary, {_ORDER}"
        )
    if given.ndim != 1:
        raise InvalidArgument(
            f"{name}={_validate.brief(scores)} has {given.ndim} dimensions; pass an array of one, "
            "a score a canary"
        )
    if given.size == 0:
        raise InvalidArgument(
            f"{name} is empty; an audit needs canaries that were included and canaries that were "
            "not, pass scores of both"
        )
    # Single precision stays: ten million scores are 40 MB rather than 80, and order as well.
    kept = given if given.dtype in (np.float32, np.float64) else given.astype(np.float64)
    bad = np.isnan(kept)
    if bad.any():
        first = int(np.argmax(bad))
        raise InvalidArgument(
            f"{name}[{first}] is NaN, one of {int(bad.sum())}; no order puts it in place, so find "
            "out what the attack could not score and leave no canary out by its score"
        )
    return kept


def checked_inclusion(included: ArrayLike, canaries: int) -> Bools:
    """Which canaries were included, as an array of booleans."""
    given = array_of("included", included)
    if given.ndim != 1 or given.size != canaries:
        raise InvalidArgument(
            f"included={_validate.brief(included)} has the shape {given.shape}, but there are "
            f"{canaries} scores; pass True or False for each score"
        )
    if given.dtype.kind == "b":
        return given
    if given.dtype.kind not in "fiu" or not ((given == 0) | (given == 1)).all():
        raise InvalidType(
            f"included={_validate.brief(included)} is neither booleans nor zeros and ones; pass "
            "True where the canary was in the training data"
        )
    return np.asarray(given == 1)
