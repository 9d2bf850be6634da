"""KnownCurve: a mechanism known by its trade-off curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.loss.dominating import gaussian_mu, infinite_mass
from gdpnum.representations.representation import Representation

__all__ = ["KnownCurve"]


@final
@dataclass(frozen=True, slots=True)
class KnownCurve(Representation):
    """Any mechanism of which only a trade-off curve is known; with it, curves compose like noise.

    >>> from gdpnum import Gaussian, TradeoffCurve, fit_gdp
    >>> answer = KnownCurve(TradeoffCurve.from_profile([0.5], [0.0]))
    >>> f"{fit_gdp(answer * 10 + Gaussian(sigma=2.0)).mu:.2f}"
    '1.66'
    """

    tradeoff: TradeoffCurve

    def __post_init__(self) -> None:
        if not isinstance(self.tradeoff, TradeoffCurve):
            raise InvalidType(
                f"tradeoff={self.tradeoff!r} is not a trade-off curve; pass one, "
                "as in TradeoffCurve.from_profile(...)"
            )

    def curve(self) -> TradeoffCurve:
        return self.tradeoff


@gaussian_mu.register
def _(leaf: KnownCurve) -> float | None:
    curve = leaf.tradeoff
    if not isinstance(curve, GaussianCurve) or curve.slack > 0.0 or math.isinf(curve.mu):
        return None
    return curve.mu


@infinite_mass.register
def _(leaf: KnownCurve) -> float:
    return max(leaf.tradeoff.mass_at_infinity, leaf.tradeoff.inverse().mass_at_infinity)
