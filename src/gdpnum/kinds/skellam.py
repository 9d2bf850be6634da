"""Skellam noise."""

from __future__ import annotations

import math
from fractions import Fraction

from gdpnum.errors import UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.noise import Skellam
from gdpnum.pairs.pair import Divergences
from gdpnum.pairs.skellam import skellam_outcomes, skellam_pair
from gdpnum.renyi.divergences import Outcomes
from gdpnum.rounding import as_given, times

__all__ = ["SKELLAM"]


def _squared_mu(leaf: Skellam) -> Fraction:
    raise UnsupportedMechanism(
        f"no mu at slack=0 is known for {leaf!r}: it is near 1/sigma, but not exactly; "
        "pass a positive slack"
    )


def _divergences(leaf: Skellam, orders: Floats) -> Divergences:
    # Its pair is cut, and charged with infinite losses; the noise itself is not.
    return Outcomes(*skellam_outcomes(leaf.sigma, float(orders.max()))).divergences(orders)


SKELLAM = Kind(
    description=Skellam,
    example=Skellam(sigma=3.0),
    pair=lambda leaf: skellam_pair(leaf.sigma),
    squared_mu=_squared_mu,
    divergences=_divergences,
    # Beyond the orders that are computed no bound is known to us.
    concentration=lambda *_: math.inf,
    knob=Knob("sigma", is_noise=True, between=(1e-1, 1e3)),
    words=lambda leaf, count: (
        f"Skellam noise with noise multiplier {as_given(leaf.sigma)}{times(count)}"
    ),
)
