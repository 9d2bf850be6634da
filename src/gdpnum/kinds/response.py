"""Randomised response."""

from __future__ import annotations

from fractions import Fraction

from gdpnum.floats import Floats
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.noise import RandomizedResponse
from gdpnum.pairs.atomic import randomized_response_pair
from gdpnum.pairs.pair import Divergences, Pair
from gdpnum.renyi.concentration import pair_concentration
from gdpnum.renyi.divergences import pair_divergences
from gdpnum.rounding import as_given, times

__all__ = ["RANDOMIZED_RESPONSE"]


def _pair(leaf: RandomizedResponse) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, leaf.categories) if leaf.epsilon > 0.0 else None


def _divergences(leaf: RandomizedResponse, orders: Floats) -> Divergences | None:
    found = _pair(leaf)
    return None if found is None else pair_divergences(found, orders)


RANDOMIZED_RESPONSE = Kind(
    description=RandomizedResponse,
    example=RandomizedResponse(epsilon=1.0),
    pair=_pair,
    squared_mu=lambda leaf: Fraction(randomized_response_mu(leaf.epsilon, leaf.categories)) ** 2,
    divergences=_divergences,
    concentration=lambda leaf, order: pair_concentration(_pair(leaf), order),
    knob=Knob("epsilon", is_noise=False),
    words=lambda leaf, count: (
        f"randomised response among {leaf.categories} answers with epsilon "
        f"{as_given(leaf.epsilon)}{times(count)}"
    ),
    readers=("RandomizedResponseDpEvent",),
)
