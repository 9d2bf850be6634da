"""The Blackwell order of two curves, with witnesses where neither is below the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from gdpnum.accuracy import SMALLEST_TPR
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.floats import NUMPY, Floats
from gdpnum.formulas.gaussian import separations

Relation = Literal["equal", "less private", "more private", "incomparable", "too close to call"]

# Differences of this size, relative to the TPR, are rounding.
_ROUNDING = 1e-11

# Beside the vertices, so many false positive rates are looked at.
_SCAN = 241

# FPRs below this are not told apart.
_SMALLEST_FPR = 1e-300


@dataclass(frozen=True)
class Witness:
    """An FPR (of the inverse curves, if ``inverted``) at which the TPRs of two curves differ."""

    alpha: float
    first_tpr: float
    second_tpr: float
    inverted: bool = False


_Witnesses = tuple["Witness | None", "Witness | None"]


@dataclass(frozen=True)
class BlackwellOrder:
    """How the first of two curves stands to the second.

    ``relation`` is "less private" where the first lies below the second somewhere and above it
    nowhere. ``lower`` is where it lies below by most, relative to the TPR, and ``higher`` where it
    lies above; both are there exactly when the two are "incomparable".
    """

    relation: Relation
    lower: Witness | None
    higher: Witness | None


@np.errstate(**NUMPY)
def curve_order(
    first: TradeoffCurve, second: TradeoffCurve, *, margin: float = 0.0
) -> BlackwellOrder:
    """The order of two curves, decided at finitely many points.

    Between vertices, and between points of equal slope, the difference of two curves has no
    further extremes, so looking there is enough. Curves are told apart down to false positive
    rates of about 1e-300, and up to differences of a relative 1e-11; Gaussian curves at any rate,
    with a witness whose alpha may have become 0, and "equal" only if mu and slack are so.

    With a ``margin`` the curves are known only to that, relative to their mu: a lead counts if it
    exceeds it, at FPRs of 1e-12 or more, and two that nowhere lead are "too close to call".
    """

    def sides(one: TradeoffCurve, two: TradeoffCurve, *, inverted: bool) -> _Witnesses:
        if margin > 0.0:
            return _leads(one, two, margin, inverted=inverted)
        return _extremes(one, two, inverted=inverted)

    lower, higher = sides(first, second, inverted=False)
    if not (first.is_symmetric and second.is_symmetric):
        others = sides(first.inverse(), second.inverse(), inverted=True)
        lower, higher = lower or others[0], higher or others[1]
    if margin == 0.0 and isinstance(first, GaussianCurve) and isinstance(second, GaussianCurve):
        below, above = _gaussian_leads(first, second)
        lower, higher = lower or below, higher or above
    if lower is not None:
        return BlackwellOrder("incomparable" if higher else "less private", lower, higher)
    same: Relation = "too close to call" if margin > 0.0 else "equal"
    return BlackwellOrder("more private" if higher else same, lower, higher)


def is_below(first: TradeoffCurve, second: TradeoffCurve) -> bool:
    """Whether the first curve is nowhere above the second."""
    return curve_order(first, second).relation in ("equal", "less private")


def _extremes(first: TradeoffCurve, second: TradeoffCurve, *, inverted: bool) -> _Witnesses:
    """Where the first is below the second by most on the steep half, and where above."""
    alphas = _candidates(first, second)
    one, two = np.asarray(first.tpr(alphas)), np.asarray(second.tpr(alphas))
    lead = (one - two) / np.maximum(np.maximum(one, two), 1e-300)
    return _witnesses(lead, _ROUNDING, alphas, one, two, inverted=inverted)


def _witnesses(
    lead: Floats, margin: float, alphas: Floats, one: Floats, two: Floats, *, inverted: bool
) -> _Witnesses:
    """Where the lead of the first is largest, and where that of the second, beyond a margin."""

    def witness(number: int) -> Witness:
        return Witness(float(alphas[number]), float(one[number]), float(two[number]), inverted)

    most, least = int(np.argmax(lead)), int(np.argmin(lead))
    return (
        witness(most) if lead[most] > margin else None,
        witness(least) if lead[least] < -margin else None,
    )


def _gaussian_leads(first: GaussianCurve, second: GaussianCurve) -> _Witnesses:
    """Where the first of two Gaussian curves is below the second by most, and where above.

    By mu and slack, as the place may be an FPR that is too small for a float: TPRs of f_mu and
    f_mu' differ by most, 2 Phi(|mu - mu'| / 2) - 1, at FPR Phi(-(mu + mu') / 2).
    """
    if math.isinf(first.mu) or math.isinf(second.mu):
        return None, None
    middle, half = 0.5 * (first.mu + second.mu), 0.5 * (first.mu - second.mu)
    apart = first.slack - second.slack
    by_mu = half if abs(half) > _ROUNDING * middle else 0.0
    by_slack = apart if abs(apart) > _ROUNDING * max(first.slack, second.slack) else 0.0
    alpha = float(ndtr(-middle))
    if by_mu * by_slack < 0.0:
        # The lead by slack is seen at FPR 0, and that by mu unless its FPR is too small.
        gained = math.erf(abs(half) * 0.5**0.5)
        if alpha > _SMALLEST_FPR or gained <= abs(apart):
            return None, None
    lead = by_mu or by_slack
    tprs = (min(1.0, float(ndtr(half)) + first.slack), min(1.0, float(ndtr(-half)) + second.slack))
    witness = Witness(alpha, *tprs)
    return (witness if lead > 0.0 else None), (witness if lead < 0.0 else None)


def _candidates(first: TradeoffCurve, second: TradeoffCurve) -> Floats:
    """The alphas at which the difference of two curves can have its extremes."""
    slopes = np.concatenate([[0.0], first.knots, second.knots])
    if isinstance(first, GaussianCurve) and isinstance(second, GaussianCurve):
        # delta_mu1 - delta_mu2 is largest at eps = mu1 mu2 / 2.
        slopes = np.append(slopes, min(0.5 * first.mu * second.mu, 1e300))
    # A knot is where one vertex gives way to the next: just below it, and just above.
    above = np.nextafter(slopes, np.inf)
    alphas = [curve.tangents(at)[0] for curve in (first, second) for at in (slopes, above)]
    return np.unique(np.concatenate([[0.0], *alphas]))


def _leads(
    first: TradeoffCurve, second: TradeoffCurve, margin: float, *, inverted: bool
) -> _Witnesses:
    """Where the first allows more than the second by most, relative to its mu, and where less."""
    knots = np.concatenate([[0.0], first.knots, second.knots])
    places = [curve.tangents(knots)[0] for curve in (first, second)]
    alphas = np.unique(np.concatenate([*places, np.geomspace(SMALLEST_TPR, 0.5, _SCAN)]))
    alphas = alphas[(alphas >= SMALLEST_TPR) & (alphas <= 0.5)]
    one, two = _separations(first, alphas), _separations(second, alphas)
    with np.errstate(invalid="ignore"):
        lead = (one - two) / np.maximum(np.maximum(one, two), 1e-300)
    # Smaller TPRs are not accurate in relative terms.
    tprs = np.asarray(first.tpr(alphas)), np.asarray(second.tpr(alphas))
    slight = np.abs(tprs[0] - tprs[1]) <= SMALLEST_TPR
    lead[slight | ~np.isfinite(lead)] = 0.0
    return _witnesses(lead, margin, alphas, *tprs, inverted=inverted)


def _separations(curve: TradeoffCurve, alphas: Floats) -> Floats:
    """The mu of the Gaussian curve through each point."""
    return separations(
        np.log(alphas), np.asarray(curve.tpr(alphas)), np.asarray(curve.beta(alphas))
    )
