"""KnownCurve: a mechanism known by its trade-off curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from gdpnum import _validate
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.kind import Missing, no_mu, register
from gdpnum.pairs.pair import Bracket, Pair
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.rounding import times


@final
@dataclass(frozen=True, slots=True)
class KnownCurve(Representation):
    """Any mechanism of which only a trade-off curve is known; with it, curves compose like noise.

    ``tradeoff`` lies nowhere above the mechanism's own curve, and by default is that curve. Where
    it is a bound only, such as one that another program computed, ``optimistic`` is a curve of
    attacks that exist, nowhere below the mechanism's own; bounds from below are read off that one.

    >>> from gdpnum import Gaussian, TradeoffCurve, fit_gdp
    >>> answer = KnownCurve(TradeoffCurve.from_profile([0.5], [0.0]))
    >>> f"{fit_gdp(answer * 10 + Gaussian(sigma=2.0)).mu:.2f}"
    '1.66'
    """

    tradeoff: TradeoffCurve
    optimistic: TradeoffCurve | None = None

    def __post_init__(self) -> None:
        for name in ("tradeoff", "optimistic"):
            curve = getattr(self, name)
            if not isinstance(curve, TradeoffCurve) and (name == "tradeoff" or curve is not None):
                raise InvalidType(
                    f"{name}={_validate.brief(curve)} is not a trade-off curve; pass one, "
                    "as in TradeoffCurve.from_profile(...)"
                )

    def curve(self) -> TradeoffCurve:
        return self.tradeoff


def _pair(leaf: KnownCurve) -> Pair | Bracket | None:
    above = pair_of_curve(leaf.tradeoff) if leaf.tradeoff.advantage > 0.0 else None
    if above is None or leaf.optimistic is None:
        return above
    shown = leaf.optimistic.advantage > 0.0
    return Bracket(above, pair_of_curve(leaf.optimistic) if shown else None)


def _is_gaussian(leaf: KnownCurve) -> bool:
    curve = leaf.tradeoff
    bare = isinstance(curve, GaussianCurve) and curve.slack == 0.0 and math.isfinite(curve.mu)
    return bare and leaf.optimistic is None


def _squared_mu(leaf: KnownCurve) -> Fraction:
    curve = leaf.tradeoff
    if isinstance(curve, GaussianCurve) and _is_gaussian(leaf):
        return Fraction(curve.mu) ** 2
    return no_mu(leaf)


register(
    representation_kind(
        KnownCurve(GaussianCurve(1.0, 1e-6)),
        pair=_pair,
        is_gaussian=_is_gaussian,
        squared_mu=_squared_mu,
        mass_at_infinity=lambda leaf: max(
            leaf.tradeoff.mass_at_infinity, leaf.tradeoff.inverse().mass_at_infinity
        ),
        curve=lambda leaf: leaf.tradeoff if leaf.optimistic is None else None,
        knob=Missing("a curve has no parameter to turn"),
        words=lambda _, count: (
            f"a mechanism of which only the trade-off curve is known{times(count)}"
        ),
    )
)
