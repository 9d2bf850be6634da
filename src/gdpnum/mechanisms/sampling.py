"""Releases on a random part of the dataset."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, Neighbouring, checked, checked_records
from gdpnum.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Skellam,
)

__all__ = ["PoissonSampled"]

Noise = Gaussian | Laplace | DiscreteGaussian | DiscreteLaplace | Skellam | RandomizedResponse

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
        rate = _validate.probability(
            "rate", self.rate, advice="pass the probability that a record joins a step"
        )
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

    @property
    def neighbouring(self) -> Neighbouring | None:
        """The relation of the inner mechanism."""
        return self.inner.neighbouring


def _advice(inner: Mechanism) -> str:
    if isinstance(inner, PoissonSampled):
        return "sample once, with the product of the two rates"
    if not isinstance(inner, Leaf):
        return "sample each release by itself, as in PoissonSampled(inner, rate=rate) * count"
    return "pass Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace or Skellam noise"
