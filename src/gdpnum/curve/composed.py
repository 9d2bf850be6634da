"""Composition of curves: a curve has a pair of distributions, and pairs compose."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import _validate
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.floats import NUMPY
from gdpnum.lattice.engine import LatticeBounds
from gdpnum.pairs.pair import Release
from gdpnum.releases import gaussian_release

# Pairs with no more outcomes than this between them are multiplied out.
_MOST_OUTCOMES = 2**20


@np.errstate(**NUMPY)
def composed(
    first: TradeoffCurve, second: TradeoffCurve, *, tolerance: float = 1e-3
) -> TradeoffCurve:
    """The curve of both together; see `TradeoffCurve.composed_with`."""
    if not isinstance(second, TradeoffCurve):
        raise InvalidType(f"other={_validate.brief(second)} is not a trade-off curve; pass one")
    asked = _validate.accuracy(tolerance)
    if isinstance(first, GaussianCurve) and isinstance(second, GaussianCurve):  # noqa: SIM102
        if first.slack == second.slack == 0.0:
            return GaussianCurve(math.hypot(first.mu, second.mu))
    if first.mass_at_infinity == 1.0 or second.mass_at_infinity == 1.0:
        return GaussianCurve(math.inf)
    if _reveals_nothing(first) or _reveals_nothing(second):
        return second if _reveals_nothing(first) else first
    found = [_release(first), _release(second)]
    bounds = LatticeBounds(found, found, asked, most_outcomes=_MOST_OUTCOMES, given=True)
    return PiecewiseCurve(*bounds.lines)


def _reveals_nothing(curve: TradeoffCurve) -> bool:
    return curve.advantage == 0.0 and curve.inverse().advantage == 0.0


def _release(curve: TradeoffCurve) -> Release:
    """A pair with this curve, and how often."""
    if isinstance(curve, GaussianCurve) and curve.slack == 0.0:
        return gaussian_release(curve.mu)
    return Release(pair_of_curve(curve), 1)
