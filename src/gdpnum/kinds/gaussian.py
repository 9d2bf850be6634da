"""Gaussian noise, on the reals and on the integers."""

from __future__ import annotations

from fractions import Fraction

from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.floats import Floats, quotient_above
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.noise import DiscreteGaussian, Gaussian
from gdpnum.pairs.atomic import discrete_gaussian_pair
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.pair import Divergences, Pair
from gdpnum.renyi.divergences import bumps, pair_divergences
from gdpnum.rounding import as_given, times

__all__ = ["DISCRETE_GAUSSIAN", "GAUSSIAN", "gaussian_mu"]

# Beyond this the support of the integer noise no longer fits in memory in comfort, and the
# continuous Gaussian of the same sigma is the same mechanism to a dozen digits.
_LARGEST_DISCRETE_SIGMA = 1e5


def gaussian_mu(leaf: Gaussian) -> float:
    """1 / sigma, rounded up; 2 / sigma where a record is replaced, and moves from -1 to 1."""
    return quotient_above(float(leaf.moved), leaf.sigma)


def _squared_mu(leaf: Gaussian) -> Fraction:
    return Fraction(leaf.moved) ** 2 / Fraction(leaf.sigma) ** 2


def _pair(leaf: Gaussian) -> Pair:
    return GaussianPair(gaussian_mu(leaf))


GAUSSIAN = Kind(
    description=Gaussian,
    example=Gaussian(sigma=2.0),
    pair=_pair,
    squared_mu=_squared_mu,
    is_gaussian=lambda _: True,
    is_tight=lambda _: True,
    divergences=lambda leaf, orders: pair_divergences(_pair(leaf), orders),
    concentration=lambda leaf, _: 0.5 * gaussian_mu(leaf) ** 2,
    knob=Knob("sigma", is_noise=True, between=(1e-3, 1e6)),
    words=lambda leaf, count: (
        f"Gaussian noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    ),
    readers=("GaussianDpEvent", "SingleEpochTreeAggregationDpEvent"),
)


def _discrete_pair(leaf: DiscreteGaussian) -> Pair:
    if leaf.sigma > _LARGEST_DISCRETE_SIGMA:
        raise InvalidArgument(
            f"sigma={leaf.sigma!r} of DiscreteGaussian is above {_LARGEST_DISCRETE_SIGMA:g}; "
            "pass Gaussian(sigma=...), which is the same to a dozen digits there"
        )
    return discrete_gaussian_pair(leaf.sigma, leaf.moved)


def _discrete_mu(leaf: DiscreteGaussian) -> Fraction:
    raise UnsupportedMechanism(
        f"no mu at slack=0 is known for {leaf!r}: it is near {leaf.moved}/sigma, but not exactly; "
        "pass a positive slack"
    )


def _discrete_divergences(leaf: DiscreteGaussian, orders: Floats) -> Divergences:
    # Its pair is cut, and charged with infinite losses; the noise itself is not.
    return bumps(leaf.moved / leaf.sigma, 1.0, orders, lattice=1.0 / leaf.sigma)


def _discrete_words(leaf: DiscreteGaussian, count: int | None) -> str:
    if leaf.sensitivity == 1:
        return f"discrete Gaussian noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    return (
        f"discrete Gaussian noise of sigma {as_given(leaf.sigma)} on integers of sensitivity "
        f"{leaf.sensitivity}{times(count)}"
    )


DISCRETE_GAUSSIAN = Kind(
    description=DiscreteGaussian,
    example=DiscreteGaussian(sigma=3.0),
    pair=_discrete_pair,
    squared_mu=_discrete_mu,
    divergences=_discrete_divergences,
    # Canonne, Kamath and Steinke 2020, Theorem 4.
    concentration=lambda leaf, _: 0.5 * (leaf.moved / leaf.sigma) ** 2,
    knob=Knob("sigma", is_noise=True, between=(1e-1, 1e4)),
    words=_discrete_words,
    readers=("DiscreteGaussianDpEvent",),
)
