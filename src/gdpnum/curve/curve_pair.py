"""From a curve back to a pair of distributions that has it: its segments are the outcomes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gdpnum.bounds.claims import lower_hull
from gdpnum.bounds.lines import Lines
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import piecewise
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.floats import Floats
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.pair import Pair


def pair_of_curve(curve: TradeoffCurve) -> Pair:
    """A pair of distributions whose trade-off curve is this one, or nowhere above it.

    A segment of slope -exp(w) is an outcome with loss w: it has as much P mass as the segment
    rises, and as much Q mass as it runs.
    """
    if isinstance(curve, GaussianCurve):
        return curve.pair()
    curve = piecewise(curve)
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
        symmetric=curve.flat is None,
    )


def _spanned(lines: Lines) -> tuple[Floats, Floats]:
    """The vertices (alphas, tprs) of a steep half, without those that the others span.

    A line is never above the vertex it belongs to, so what the vertices span is nowhere more
    private than what the lines say.
    """
    alphas, tprs = lines.from_zero()
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
        """The outcomes of a steep half with these vertices.

        Those of slope -1, but for rounding, are left to the rest; what P had more than Q there is
        made good by `padded`. Losses next to one of the epsilons that the curve was given with are
        raised to it: it is where they belong but for rounding.
        """
        runs, rises = np.diff(alphas), np.diff(tprs)
        steep = rises > runs * (1.0 + 1e-12)
        runs, rises = runs[steep][::-1], rises[steep][::-1]
        losses = np.log(rises) - np.log(runs)
        given = np.append(epsilons, np.inf)[np.searchsorted(epsilons, losses * (1.0 - 1e-12))]
        next_to = given - losses < 1e-11 * (1.0 + losses)
        losses = np.where(next_to, np.maximum(given, losses), losses)
        runs = np.where(next_to, rises * np.exp(-losses), runs)
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
