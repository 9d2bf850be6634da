"""Composition of curves: a curve has a pair of distributions, and pairs compose."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import _validate
from gdpnum.bounds.lines import Lines, lines_of_masses
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.floats import NUMPY
from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity
from gdpnum.lattice.engine import LatticeBounds
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.pair import Release
from gdpnum.releases import gaussian_release

__all__ = ["composed"]

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
    pairs = [release.pair for release in found if isinstance(release.pair, AtomicPair)]
    if len(pairs) == 2 and pairs[0].losses.size * pairs[1].losses.size <= _MOST_OUTCOMES:
        both = _product(*pairs)
        return PiecewiseCurve(*(_lines(one) for one in both))
    return PiecewiseCurve(*LatticeBounds(found, found, asked).lines)


def _reveals_nothing(curve: TradeoffCurve) -> bool:
    return curve.advantage == 0.0 and curve.inverse().advantage == 0.0


def _release(curve: TradeoffCurve) -> Release:
    """A pair with this curve, and how often."""
    if isinstance(curve, GaussianCurve) and curve.slack == 0.0:
        return gaussian_release(curve.mu)
    return Release(pair_of_curve(curve), 1)


def _product(first: AtomicPair, second: AtomicPair) -> list[AtomicPair]:
    """All outcomes of two pairs together, and the same with P and Q exchanged if that differs."""
    losses = np.add.outer(first.losses, second.losses).ravel()
    p, q = np.outer(first.p, second.p).ravel(), np.outer(first.q, second.q).ravel()
    order = np.argsort(losses, kind="stable")
    losses, p, q = losses[order], p[order], q[order]
    above, below = (
        joint_mass_at_infinity([(one, 1), (two, 1)])
        for one, two in (
            (first.mass_at_infinity, second.mass_at_infinity),
            (first.mass_at_minus_infinity, second.mass_at_minus_infinity),
        )
    )
    forward = AtomicPair(losses, p, q, above, below)
    if first.balanced and second.balanced:
        return [forward]
    return [forward, AtomicPair(-losses[::-1], q[::-1], p[::-1], below, above)]


def _lines(pair: AtomicPair) -> Lines:
    """The steep half of a pair's curve: a test rejects all outcomes from some loss on."""
    steep = (pair.losses > 0.0) & (pair.p > 0.0)
    lines = lines_of_masses(pair.losses[steep], pair.p[steep], pair.mass_at_infinity)
    # Outcomes of one loss are one.
    first = np.append(True, np.diff(lines.epsilons) > 0.0)
    return Lines(
        lines.epsilons[first], lines.log_alphas[first], lines.tprs[first], lines.mass_at_infinity
    )
