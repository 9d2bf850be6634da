"""Composition of curves: a curve has a pair of distributions, and pairs compose."""

from __future__ import annotations

import math

import numpy as np

from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.lines import Lines
from gdpnum.curve.mechanism_curve import SMALLEST_TPR, demanded, directions
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.curve.vertices import lines_of
from gdpnum.errors import InvalidType
from gdpnum.loss.accountant import upper_bound
from gdpnum.loss.atomic import AtomicPair
from gdpnum.loss.dominating import Release, gaussian_release
from gdpnum.loss.scheme import scheme
from gdpnum.loss.sums import scaled_tail_sums, sum_error, tail_sums

__all__ = ["composed"]

# Pairs with no more outcomes than this between them are multiplied out.
_MOST_OUTCOMES = 2**20


def composed(
    first: TradeoffCurve, second: TradeoffCurve, *, tolerance: float = 1e-3
) -> TradeoffCurve:
    """The curve of both together; see `TradeoffCurve.composed_with`."""
    if not isinstance(second, TradeoffCurve):
        raise InvalidType(f"other={second!r} is not a trade-off curve; pass one")
    demand = demanded(tolerance, SMALLEST_TPR, None)
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
    lines = [lines_of(upper_bound(one, scheme(one, demand), demand)) for one in directions(found)]
    return PiecewiseCurve(*lines)


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
    p_infinite = 1.0 - (1.0 - first.p_infinite) * (1.0 - second.p_infinite)
    q_infinite = 1.0 - (1.0 - first.q_infinite) * (1.0 - second.q_infinite)
    forward = AtomicPair(losses, p, q, p_infinite, q_infinite)
    if first.balanced and second.balanced:
        return [forward]
    return [forward, AtomicPair(-losses[::-1], q[::-1], p[::-1], q_infinite, p_infinite)]


def _lines(pair: AtomicPair) -> Lines:
    """The steep half of a pair's curve: a test rejects all outcomes from some loss on."""
    steep = (pair.losses > 0.0) & (pair.p > 0.0)
    losses = pair.losses[steep]
    if not steep.any():
        return Lines(np.zeros(1), np.full(1, -np.inf), np.full(1, pair.p_infinite), pair.p_infinite)
    rounding = 4.0 * sum_error(losses.size)
    tprs = (tail_sums(pair.p[steep]) + pair.p_infinite) * (1.0 + rounding)
    log_alphas = np.log(scaled_tail_sums(pair.p[steep], losses)) - losses - rounding
    # Outcomes of one loss are one.
    first = np.append(True, np.diff(losses) > 0.0)
    return Lines(
        losses[first], np.minimum.accumulate(log_alphas[first]), tprs[first], pair.p_infinite
    )
