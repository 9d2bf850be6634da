"""Laplace noise, on the reals and on the integers."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.special import ndtri_exp

from gdpnum import charges
from gdpnum.floats import quotient_above
from gdpnum.formulas.gaussian import mu_of_advantage
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.noise import DiscreteLaplace, Laplace
from gdpnum.pairs.atomic import discrete_laplace_pair
from gdpnum.pairs.laplace import LaplacePair
from gdpnum.pairs.pair import Pair
from gdpnum.renyi.concentration import pair_concentration
from gdpnum.renyi.divergences import pair_divergences
from gdpnum.rounding import as_given, times

__all__ = ["DISCRETE_LAPLACE", "LAPLACE"]


def _pair(leaf: Laplace) -> Pair:
    return LaplacePair(quotient_above(float(leaf.moved), leaf.scale))


def _mu(leaf: Laplace) -> float:
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
    pair=_pair,
    squared_mu=lambda leaf: Fraction(_mu(leaf)) ** 2,
    divergences=lambda leaf, orders: pair_divergences(_pair(leaf), orders),
    concentration=lambda leaf, order: pair_concentration(_pair(leaf), order),
    knob=Knob("scale", is_noise=True),
    words=lambda leaf, count: f"Laplace noise of scale {as_given(leaf.scale)}{times(count)}",
    readers=("LaplaceDpEvent",),
)


def _discrete_pair(leaf: DiscreteLaplace) -> Pair:
    return discrete_laplace_pair(quotient_above(1.0, leaf.scale), leaf.moved)


def _discrete_mu(leaf: DiscreteLaplace) -> float:
    """That of randomised response of the same epsilon, which for a shift of one it is."""
    return randomized_response_mu(quotient_above(float(leaf.moved), leaf.scale), 2)


def _discrete_words(leaf: DiscreteLaplace, count: int | None) -> str:
    moved = f" on integers of sensitivity {leaf.sensitivity}" if leaf.sensitivity > 1 else ""
    return f"discrete Laplace noise of scale {as_given(leaf.scale)}{moved}{times(count)}"


DISCRETE_LAPLACE = Kind(
    description=DiscreteLaplace,
    example=DiscreteLaplace(scale=2.0),
    pair=_discrete_pair,
    squared_mu=lambda leaf: Fraction(_discrete_mu(leaf)) ** 2,
    divergences=lambda leaf, orders: pair_divergences(_discrete_pair(leaf), orders),
    concentration=lambda leaf, order: pair_concentration(_discrete_pair(leaf), order),
    knob=Knob("scale", is_noise=True),
    words=_discrete_words,
    readers=("DiscreteLaplaceDpEvent",),
)
