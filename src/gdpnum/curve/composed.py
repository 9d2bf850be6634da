"""Composition of curves: a curve has a pair of distributions, and pairs compose."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.hull import lower_hull
from gdpnum.curve.lines import Lines
from gdpnum.curve.mechanism_curve import SMALLEST_TPR, demanded, directions
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.curve.vertices import lines_of
from gdpnum.errors import InvalidType
from gdpnum.loss.accountant import upper_bound
from gdpnum.loss.atomic import AtomicPair
from gdpnum.loss.dominating import Release, gaussian_release
from gdpnum.loss.pair import Floats, Pair
from gdpnum.loss.scheme import scheme
from gdpnum.loss.sums import scaled_tail_sums, sum_error, tail_sums

__all__ = ["composed", "pair_of_curve"]

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


def pair_of_curve(curve: TradeoffCurve) -> Pair:
    """A pair of distributions whose trade-off curve is this one, or nowhere above it.

    A segment of slope -exp(w) is an outcome with loss w: it has as much P mass as the segment
    rises, and as much Q mass as it runs.
    """
    if isinstance(curve, GaussianCurve):
        return curve.pair()
    assert isinstance(curve, PiecewiseCurve)
    steep = _spanned(curve.steep)
    flat = steep if curve.flat is None else _spanned(curve.flat)
    alpha, beta = _meeting(steep, flat)
    above = _Outcomes.of(*_up_to(alpha, *steep), curve.steep.epsilons)
    other = curve.steep if curve.flat is None else curve.flat
    below = _Outcomes.of(*_up_to(beta, *flat), other.epsilons)
    # What is left has slope -1. A curve charged for rounding may leave less than nothing; a sum of
    # masses above one is pessimistic while P and Q exceed it by the same.
    p_rest = 1.0 - above.infinite - float(above.likely.sum() + below.unlikely.sum())
    q_rest = 1.0 - below.infinite - float(below.likely.sum() + above.unlikely.sum())
    above, below = above.padded(p_rest - q_rest), below.padded(q_rest - p_rest)
    rest = max(p_rest, q_rest, 0.0)
    return AtomicPair(
        np.concatenate([-below.losses[::-1], [0.0], above.losses]),
        np.concatenate([below.unlikely[::-1], [rest], above.likely]),
        np.concatenate([below.likely[::-1], [rest], above.unlikely]),
        above.infinite,
        below.infinite,
        balanced=curve.flat is None,
    )


def _spanned(lines: Lines) -> tuple[Floats, Floats]:
    """The vertices (alphas, tprs) of a steep half, without those that the others span.

    A line is never above the vertex it belongs to, so what the vertices span is nowhere more
    private than what the lines say.
    """
    alphas, tprs = lines.vertices()
    # Of several vertices at one alpha the highest TPR counts.
    highest = np.append(np.diff(alphas) > 0.0, True)
    alphas, negated = lower_hull(alphas[highest], -tprs[highest])
    return alphas, np.maximum(-negated, 0.0)


def _meeting(steep: tuple[Floats, Floats], flat: tuple[Floats, Floats]) -> tuple[float, float]:
    """Where the halves meet, if they reach that far: beyond, each is below the other.

    Halves charged for rounding, or with an outcome of loss zero in both, overlap.
    """
    (alphas, tprs), (betas, hits) = steep, flat
    first, last = 1.0 - float(hits[-1]), float(alphas[-1])
    if first >= last:
        return last, float(betas[-1])
    places = np.union1d(alphas, 1.0 - hits)
    places = np.clip(places, max(first, 0.0), last)
    mirrored = np.interp(places, 1.0 - hits[::-1], betas[::-1])
    ahead = 1.0 - np.interp(places, alphas, tprs) - mirrored
    crossed = int(np.argmax(np.append(ahead, -1.0) < 0.0))
    if crossed in (0, ahead.size):
        return last, float(betas[-1])
    share = ahead[crossed - 1] / (ahead[crossed - 1] - ahead[crossed])
    low, high = places[crossed - 1], places[crossed]
    alpha = float(low + share * (high - low))
    return alpha, float(1.0 - np.interp(alpha, alphas, tprs))


def _up_to(end: float, alphas: Floats, tprs: Floats) -> tuple[Floats, Floats]:
    """The vertices of a steep half up to an alpha, that place included."""
    kept = alphas < end
    reached = np.interp(end, alphas, tprs)
    return np.append(alphas[kept], end), np.append(tprs[kept], reached)


class _Outcomes(NamedTuple):
    """Losses above zero, rising, with their masses under the likelier and the other of P and Q."""

    losses: Floats
    likely: Floats
    unlikely: Floats
    infinite: float

    @classmethod
    def of(cls, alphas: Floats, tprs: Floats, epsilons: Floats) -> _Outcomes:
        """The outcomes of a steep half with these vertices; slopes down to -1 are left out.

        Losses next to one of the epsilons that the curve was given with are raised to it: it is
        where they belong but for rounding.
        """
        runs, rises = np.diff(alphas), np.diff(tprs)
        steep = rises > runs
        runs, rises = runs[steep][::-1], rises[steep][::-1]
        losses = np.log(rises) - np.log(runs)
        given = np.append(epsilons, np.inf)[np.searchsorted(epsilons, losses * (1.0 - 1e-12))]
        next_to = given - losses < 1e-11 * (1.0 + losses)
        losses, runs = (
            np.where(next_to, given, losses),
            np.where(next_to, rises * np.exp(-given), runs),
        )
        return cls(losses, rises, runs, float(tprs[0]))

    def padded(self, missing: float) -> _Outcomes:
        """The same with so much more mass under the likelier than under the other."""
        if missing <= 0.0:
            return self
        if self.losses.size == 0:
            return self._replace(infinite=self.infinite + missing)
        more = missing / -math.expm1(-self.losses[-1])
        likely, unlikely = self.likely.copy(), self.unlikely.copy()
        likely[-1] += more
        unlikely[-1] += more * math.exp(-self.losses[-1])
        return self._replace(likely=likely, unlikely=unlikely)
