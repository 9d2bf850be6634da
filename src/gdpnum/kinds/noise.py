"""Noise on a query, on the reals and on the integers, and randomised response."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.special import ndtri_exp

from gdpnum import charges
from gdpnum.directed import quotient_above
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.formulas.gaussian import mu_of_advantage
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Skellam,
)
from gdpnum.pairs.atomic import (
    discrete_gaussian_pair,
    discrete_laplace_pair,
    randomized_response_pair,
)
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.laplace import LaplacePair
from gdpnum.pairs.pair import Pair
from gdpnum.pairs.skellam import skellam_outcomes, skellam_pair
from gdpnum.renyi.concentration import by_pair
from gdpnum.renyi.divergences import Outcomes, bumps, pair_divergences
from gdpnum.rounding import as_given, times

# Beyond this the support of the integer noise no longer fits in memory in comfort, and the
# continuous Gaussian of the same sigma is the same mechanism to a dozen digits.
_LARGEST_DISCRETE_SIGMA = 1e5


# --- Gaussian noise -----------------------------------------------------------------------------


GAUSSIAN = Kind(
    description=Gaussian,
    example=Gaussian(sigma=2.0),
    pair=lambda leaf: GaussianPair(leaf.mu),
    squared_mu=lambda leaf: Fraction(leaf.moved) ** 2 / Fraction(leaf.sigma) ** 2,
    is_gaussian=lambda _: True,
    is_tight=lambda _: True,
    divergences=lambda leaf, orders: pair_divergences(GaussianPair(leaf.mu), orders),
    concentration=lambda leaf, _: 0.5 * leaf.mu**2,
    knob=Knob("sigma", is_noise=True, between=(1e-3, 1e6)),
    words=lambda leaf, count: (
        f"Gaussian noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    ),
    readers=("GaussianDpEvent", "SingleEpochTreeAggregationDpEvent"),
)


def _discrete_gaussian_pair(leaf: DiscreteGaussian) -> Pair:
    if leaf.sigma > _LARGEST_DISCRETE_SIGMA:
        raise InvalidArgument(
            f"sigma={leaf.sigma!r} of DiscreteGaussian is above {_LARGEST_DISCRETE_SIGMA:g}; "
            "pass Gaussian(sigma=...), which is the same to a dozen digits there"
        )
    return discrete_gaussian_pair(leaf.sigma, leaf.moved)


def _no_mu(leaf: DiscreteGaussian | Skellam) -> Fraction:
    moved = leaf.moved if isinstance(leaf, DiscreteGaussian) else 1
    raise UnsupportedMechanism(
        f"no mu at slack=0 is known for {leaf!r}: it is near {moved}/sigma, but not exactly; "
        "pass a positive slack"
    )


def _discrete_gaussian_words(leaf: DiscreteGaussian, count: int | None) -> str:
    if leaf.sensitivity == 1:
        return f"discrete Gaussian noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    return (
        f"discrete Gaussian noise of sigma {as_given(leaf.sigma)} on integers of sensitivity "
        f"{leaf.sensitivity}{times(count)}"
    )


DISCRETE_GAUSSIAN = Kind(
    description=DiscreteGaussian,
    example=DiscreteGaussian(sigma=3.0),
    pair=_discrete_gaussian_pair,
    squared_mu=_no_mu,
    # Its pair is cut, and charged with infinite losses; the noise itself is not.
    divergences=lambda leaf, orders: bumps(
        leaf.moved / leaf.sigma, 1.0, orders, lattice=1.0 / leaf.sigma
    ),
    # Canonne, Kamath and Steinke 2020, Theorem 4.
    concentration=lambda leaf, _: 0.5 * (leaf.moved / leaf.sigma) ** 2,
    knob=Knob("sigma", is_noise=True, between=(1e-1, 1e4)),
    words=_discrete_gaussian_words,
    readers=("DiscreteGaussianDpEvent",),
)


SKELLAM = Kind(
    description=Skellam,
    example=Skellam(sigma=3.0),
    pair=lambda leaf: skellam_pair(leaf.sigma),
    squared_mu=_no_mu,
    # As of discrete Gaussian noise, not by the pair.
    divergences=lambda leaf, orders: Outcomes(
        *skellam_outcomes(leaf.sigma, float(orders.max()))
    ).divergences(orders),
    # Beyond the orders that are computed no bound is known to us.
    concentration=lambda *_: math.inf,
    knob=Knob("sigma", is_noise=True, between=(1e-1, 1e3)),
    words=lambda leaf, count: (
        f"Skellam noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    ),
)


# --- Laplace noise -------------------------------------------------------------------------------


def _laplace_pair(leaf: Laplace) -> Pair:
    return LaplacePair(quotient_above(float(leaf.moved), leaf.scale))


def _laplace_mu(leaf: Laplace) -> float:
    """The mu of the advantage 1 - exp(-eps / 2).

    f(alpha) = exp(-eps) / (4 alpha) in the middle; the largest mu is at its fixed point,
    -2 Phi^-1(exp(-eps / 2) / 2).
    """
    half = 0.5 * leaf.moved / leaf.scale
    if half < 1.0:
        found = mu_of_advantage(-math.expm1(-half))
    else:
        found = -2.0 * float(ndtri_exp(-half - math.log(2.0)))
    return found * (1.0 + charges.closed_form())


LAPLACE = Kind(
    description=Laplace,
    example=Laplace(scale=5.0),
    pair=_laplace_pair,
    squared_mu=lambda leaf: Fraction(_laplace_mu(leaf)) ** 2,
    **by_pair(_laplace_pair),
    knob=Knob("scale", is_noise=True),
    words=lambda leaf, count: f"Laplace noise of scale {as_given(leaf.scale)}{times(count)}",
    readers=("LaplaceDpEvent",),
)


def _discrete_laplace_pair(leaf: DiscreteLaplace) -> Pair:
    return discrete_laplace_pair(quotient_above(1.0, leaf.scale), leaf.moved)


def _discrete_laplace_words(leaf: DiscreteLaplace, count: int | None) -> str:
    moved = f" on integers of sensitivity {leaf.sensitivity}" if leaf.sensitivity > 1 else ""
    return f"discrete Laplace noise of scale {as_given(leaf.scale)}{moved}{times(count)}"


DISCRETE_LAPLACE = Kind(
    description=DiscreteLaplace,
    example=DiscreteLaplace(scale=2.0),
    pair=_discrete_laplace_pair,
    # That of randomised response of the same epsilon, which for a shift of one it is.
    squared_mu=lambda leaf: (
        Fraction(randomized_response_mu(quotient_above(float(leaf.moved), leaf.scale), 2)) ** 2
    ),
    **by_pair(_discrete_laplace_pair),
    knob=Knob("scale", is_noise=True),
    words=_discrete_laplace_words,
    readers=("DiscreteLaplaceDpEvent",),
)


# --- randomised response -------------------------------------------------------------------------


def _response_pair(leaf: RandomizedResponse) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, leaf.categories) if leaf.epsilon > 0.0 else None


RANDOMIZED_RESPONSE = Kind(
    description=RandomizedResponse,
    example=RandomizedResponse(epsilon=1.0),
    pair=_response_pair,
    squared_mu=lambda leaf: Fraction(randomized_response_mu(leaf.epsilon, leaf.categories)) ** 2,
    **by_pair(_response_pair),
    knob=Knob("epsilon", is_noise=False),
    words=lambda leaf, count: (
        f"randomised response among {leaf.categories} answers with epsilon "
        f"{as_given(leaf.epsilon)}{times(count)}"
    ),
    readers=("RandomizedResponseDpEvent",),
)
