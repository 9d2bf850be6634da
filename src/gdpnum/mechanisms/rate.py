"""The sample rate and the steps of a run, as given or by batch, dataset and epochs.

In fractions of the decimals as typed: in floats, 3 epochs at rate 0.3 would take 11 steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from gdpnum import _validate
from gdpnum.errors import InvalidArgument

__all__ = ["Spelled", "either_rate", "rate_of", "steps_of", "typed"]

Spelled = Callable[[str], str]
"""How a user writes the name of an argument: as a key in a file, as an option of a command."""


def typed(number: float | Fraction) -> Fraction:
    """The decimals of a number."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def either_rate(spelled: Spelled) -> str:
    """What to pass of the two ways to say a rate."""
    rate, batch, size = map(spelled, ("sample_rate", "batch_size", "dataset_size"))
    return f"pass either {rate}, or {batch} and {size}"


def rate_of(
    sample_rate: float | Fraction | None,
    batch_size: int | None,
    dataset_size: int | None,
    *,
    spelled: Spelled = str,
) -> Fraction | None:
    """The sample rate, None if nothing is said about it."""
    if dataset_size is not None:
        dataset_size = _validate.count(
            "dataset_size", dataset_size, minimum=1, advice="pass the number of records"
        )
    if sample_rate is not None and batch_size is not None:
        both = f"{spelled('sample_rate')} and {spelled('batch_size')} are both given"
        raise InvalidArgument(f"{both}; {either_rate(spelled)}")
    if sample_rate is not None:
        advice = "pass the probability that a record joins a step"
        number = _validate.real("sample_rate", sample_rate, advice=advice)
        if isinstance(sample_rate, int) and number > 1.0:
            meant = spelled("batch_size"), spelled("dataset_size")
            advice = f"{advice}; or did you mean {meant[0]}={sample_rate}, with {meant[1]}?"
        elif 1.0 < number <= 100.0:
            advice = f"{advice}, or did you mean {number / 100.0:.6g}?"
        _validate.probability("sample_rate", number, advice=advice)
        return typed(sample_rate)
    if batch_size is None:
        return None
    if dataset_size is None:
        raise InvalidArgument(either_rate(spelled))
    batch = _validate.count("batch_size", batch_size, advice="pass the expected number of records")
    if batch > dataset_size:
        raise InvalidArgument(
            f"batch_size={batch} is above dataset_size={dataset_size}; pass at most as many"
        )
    return Fraction(batch, dataset_size)


def steps_of(
    steps: int | None,
    epochs: float | Fraction | None,
    rate: Fraction | None,
    *,
    spelled: Spelled = str,
) -> int | None:
    """The number of steps, None if nothing is said about it; a step begun is a step."""
    if epochs is None:
        return steps
    if steps is not None:
        raise InvalidArgument(f"pass either {spelled('steps')} or {spelled('epochs')}")
    _validate.positive("epochs", epochs, advice="pass the passes over the data")
    if not rate:
        raise InvalidArgument(
            f"epochs need a sample rate above 0; pass one, or {spelled('steps')} instead"
        )
    return math.ceil(typed(epochs) / rate)
