"""A run of DP-SGD as its users say it: by rate or by batch, by steps or by epochs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from gdpnum import _validate
from gdpnum.errors import InvalidArgument

__all__ = ["as_key", "as_option", "rate_of", "steps_of"]


def as_option(name: str) -> str:
    """A name as it is typed on the command line."""
    return f"--{name.replace('_', '-')}"


def as_key(name: str) -> str:
    """A name as it is in a file."""
    return name


def rate_of(
    sample_rate: float | None,
    batch_size: int | None,
    dataset_size: int | None,
    *,
    spelled: Callable[[str], str] = as_option,
) -> Fraction | None:
    """The sample rate, None if nothing is said about it.

    A fraction of the decimals as typed: in floats, 3 epochs at rate 0.3 would take 11 steps.
    """
    if dataset_size is not None:
        advice = "pass the number of records"
        dataset_size = _validate.count("dataset_size", dataset_size, minimum=1, advice=advice)
        _validate.real("dataset_size", dataset_size, advice=advice)
    if sample_rate is not None and batch_size is None:
        advice = "pass the probability that a record joins a step"
        return _typed(_validate.probability("sample_rate", sample_rate, advice=advice))
    if sample_rate is None and batch_size is None:
        return None
    if sample_rate is not None or dataset_size is None:
        names = [spelled(name) for name in ("sample_rate", "batch_size", "dataset_size")]
        raise InvalidArgument(f"pass either {names[0]}, or {names[1]} and {names[2]}")
    batch = _validate.count("batch_size", batch_size, advice="pass the expected number of records")
    if batch > dataset_size:
        raise InvalidArgument(
            f"batch_size={batch} is above dataset_size={dataset_size}; pass at most as many"
        )
    return Fraction(batch, dataset_size)


def steps_of(
    steps: int | None,
    epochs: float | None,
    rate: Fraction | None,
    *,
    spelled: Callable[[str], str] = as_option,
) -> int | None:
    """The number of steps, None if nothing is said about it; a step begun is a step."""
    if epochs is None:
        return steps
    if steps is not None:
        raise InvalidArgument(f"pass either {spelled('steps')} or {spelled('epochs')}")
    passes = _typed(_validate.positive("epochs", epochs, advice="pass the passes over the data"))
    if not rate:
        raise InvalidArgument(
            f"epochs need a sample rate above 0; pass one, or {spelled('steps')} instead"
        )
    return math.ceil(passes / rate)


def _typed(number: float) -> Fraction:
    return Fraction(repr(number))
