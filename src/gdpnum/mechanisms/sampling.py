"""Releases on a random part of the dataset, and its rate: as given, or by batch and dataset.

Rates and steps are fractions of the decimals as typed: in floats, 3 epochs at rate 0.3 would take
11 steps.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import partial
from operator import attrgetter
from typing import Any, final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, checked, checked_records
from gdpnum.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Skellam,
)

Spelled = Callable[[str], str]
"""How a user writes the name of an argument: as a key in a file, as an option of a command."""

Noise = Gaussian | Laplace | DiscreteGaussian | DiscreteLaplace | Skellam | RandomizedResponse

RATE_ADVICE = "pass the probability that a record joins a step"

# More are no longer a person.
_MOST_RECORDS = 100_000


@final
@dataclass(frozen=True, slots=True, repr=False)
class PoissonSampled(Leaf):
    """Noise on a query of a sample that each record joins with probability ``rate``, by itself.

    For a removed record the outcomes are (1 - rate) Q + rate P against Q, with (P, Q) the pair of
    the inner mechanism. Batches of a fixed size, or an epoch cut into batches, are another scheme:
    this description does not cover them.

    With ``records_per_person=k`` the neighbours differ by a person: all of at most k records, each
    of which joins by itself, are added or removed together. For Gaussian noise the outcomes are
    sum_j Bin(k, rate)(j) N(j, sigma^2) against N(0, sigma^2), exactly (Ganesh 2024). A sampled
    respondent of randomised response answers with probability ``rate``, and whether they did is
    seen.

    >>> PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 1000
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 1000
    >>> PoissonSampled(Gaussian(sigma=1.0), rate=0.01, records_per_person=3)
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01, records_per_person=3)
    """

    inner: Noise
    _: KW_ONLY
    rate: float
    records_per_person: int = 1

    def __post_init__(self) -> None:
        inner = checked("inner", self.inner)
        if not isinstance(inner, Noise):
            raise UnsupportedMechanism(f"PoissonSampled cannot hold {inner!r}; {_advice(inner)}")
        rate = _validate.probability("rate", self.rate, advice=RATE_ADVICE)
        records = checked_records(self.records_per_person)
        if records > _MOST_RECORDS:
            raise InvalidArgument(
                f"records_per_person={records} is above {_MOST_RECORDS}; cap what one person has"
            )
        if records > 1 and isinstance(inner, RandomizedResponse):
            raise UnsupportedMechanism(
                f"records_per_person={records} has no meaning for {inner!r}: a respondent gives "
                "one answer; pass 1, and release it several times for several answers"
            )
        if inner.neighbouring == "replace" and not isinstance(inner, Gaussian | RandomizedResponse):
            raise UnsupportedMechanism(
                f"PoissonSampled cannot hold {inner!r}: of a sample with a record replaced a bound "
                "is known for Gaussian noise; pass that, or neighbouring='add_remove' or 'zero_out'"
            )
        if records > 1 and not (isinstance(inner, Gaussian) and inner.neighbouring != "replace"):
            raise UnsupportedMechanism(
                f"no bound of its own is known for records_per_person={records} with {inner!r}; "
                f"describe one record, and use KnownCurve(curve.group({records})) of its curve"
            )
        _validate.settle(self, rate=rate, records_per_person=records)

    # The relation of the inner mechanism.
    neighbouring = property(attrgetter("inner.neighbouring"))


def _advice(inner: Mechanism) -> str:
    if isinstance(inner, PoissonSampled):
        return "sample once, with the product of the two rates"
    if not isinstance(inner, Leaf):
        return "sample each release by itself, as in PoissonSampled(inner, rate=rate) * count"
    return "pass Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace or Skellam noise"


def typed(number: float | Fraction) -> Fraction:
    """The decimals of a number."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def either_rate(spelled: Spelled) -> str:
    """What to pass of the two ways to say a rate."""
    rate, batch, size = map(spelled, ("sample_rate", "batch_size", "dataset_size"))
    return f"pass either {rate}, or {batch} and {size}"


def meant_rate(sample_rate: Any, *, spelled: Spelled = str) -> str:
    """What a number that is no rate may have been meant as: a batch size, or a percentage."""
    if isinstance(sample_rate, int) and sample_rate > 1:
        batch, size = spelled("batch_size"), spelled("dataset_size")
        return f"; or did you mean {batch}={sample_rate}, with {size}?"
    percent = float(sample_rate)
    return f", or did you mean {percent / 100.0:.6g}?" if 1.0 < percent <= 100.0 else ""


def rate_of(
    sample_rate: float | Fraction | None,
    batch_size: int | None,
    dataset_size: int | None,
    *,
    spelled: Spelled = str,
) -> float | Fraction | None:
    """The sample rate, None if nothing is said about it; a fraction is not rounded."""
    if dataset_size is not None:
        dataset_size = _validate.count(
            "dataset_size", dataset_size, minimum=1, advice="pass the number of records"
        )
    if sample_rate is not None and batch_size is not None:
        both = f"{spelled('sample_rate')} and {spelled('batch_size')} are both given"
        raise InvalidArgument(f"{both}; {either_rate(spelled)}")
    if sample_rate is not None:
        meant = partial(meant_rate, spelled=spelled)
        rate = _validate.probability("sample_rate", sample_rate, advice=RATE_ADVICE, meant=meant)
        return sample_rate if isinstance(sample_rate, Fraction) else rate
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
    rate: float | Fraction | None,
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
    found = math.ceil(typed(epochs) / typed(rate))
    if found > sys.float_info.max:
        raise InvalidArgument(f"epochs={epochs!r} are more steps than floats hold; pass fewer")
    return found
