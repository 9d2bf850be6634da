"""Releases on a random part of the dataset."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import final

from gdpnum import _validate
from gdpnum.errors import UnsupportedMechanism
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, Neighbouring, checked
from gdpnum.mechanisms.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace

__all__ = ["PoissonSampled"]

Noise = Gaussian | Laplace | DiscreteGaussian | DiscreteLaplace


@final
@dataclass(frozen=True, slots=True, repr=False)
class PoissonSampled(Leaf):
    """Noise on a query of a sample that each record joins with probability ``rate``, by itself.

    For a removed record the outcomes are (1 - rate) Q + rate P against Q, with (P, Q) the pair of
    the inner mechanism. Batches of a fixed size, or an epoch cut into batches, are another scheme:
    this description does not cover them.

    >>> PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 1000
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 1000
    """

    inner: Noise
    _: KW_ONLY
    rate: float

    def __post_init__(self) -> None:
        inner = checked("inner", self.inner)
        if not isinstance(inner, Noise):
            raise UnsupportedMechanism(f"PoissonSampled cannot hold {inner!r}; {_advice(inner)}")
        rate = _validate.probability(
            "rate", self.rate, advice="pass the probability that a record joins a step"
        )
        object.__setattr__(self, "rate", rate)

    @property
    def neighbouring(self) -> Neighbouring:
        """The relation of the inner mechanism."""
        return self.inner.neighbouring

    def __repr__(self) -> str:
        return f"PoissonSampled({self.inner!r}, rate={self.rate!r})"


def _advice(inner: Mechanism) -> str:
    if isinstance(inner, PoissonSampled):
        return "sample once, with the product of the two rates"
    if not isinstance(inner, Leaf):
        return "sample each release by itself, as in PoissonSampled(inner, rate=rate) * count"
    return "pass Gaussian, Laplace, DiscreteGaussian or DiscreteLaplace noise"
