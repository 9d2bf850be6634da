"""A curve for several records at once: the TPR composed with itself.

From a dataset to one that lacks k records is k steps from neighbour to neighbour, and each step
lets a TPR grow at most as the curve says: TPR_k(a) = TPR(TPR_(k-1)(a)). Source: Dong, Roth and Su
2022, Theorem 2.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum import _validate, charges
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import EVERYTHING, Lines
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve, piecewise
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

# Claims of the profile that the result is made of, at least, and how many vertices all of them
# together may look at: a second's work.
_CLAIMS, _LOOKS = 1024, 2.5e8

# Vertices of each curve that is composed, at most: of more, every so many make way.
_VERTICES = 80_000

# More steps to a neighbour are no longer looked at one by one.
_MOST_RECORDS = 10_000


def group_slack(mu: float, slack: float, records: int) -> float:
    """The slack s_k for which (mu, slack)-GDP for a record is (k mu, s_k)-GDP for k of them.

    s_1 = slack, s_k = slack + Phi(Phi^-1(s_(k-1)) + mu), rounded up; one where nothing is left.

    >>> f"{group_slack(1.0, 1e-10, 3):.3g}"
    '6.48e-06'
    """
    mu = _validate.non_negative("mu", mu, advice="pass a separation of 0 or more")
    slack = _validate.fraction("slack", slack, advice="pass an allowance such as 1e-10")
    records = _validate.count("records", records, minimum=1, advice="pass how many records")
    reached = slack
    for _ in range(records - 1):
        if slack == 0.0:
            return 0.0
        grown = slack + float(ndtr(ndtri(reached) + mu))
        reached = min(1.0, grown * (1.0 + charges.group_slack(mu)))
    return reached


def group_curve(curve: TradeoffCurve, records: int) -> TradeoffCurve:
    """See `TradeoffCurve.group`."""
    if not isinstance(curve, TradeoffCurve):
        raise InvalidType(f"curve={curve!r} is not a trade-off curve; pass one")
    records = _validate.count("records", records, minimum=1, advice="pass how many records")
    curve = curve.symmetrised()
    if records == 1:
        return curve
    if records > _MOST_RECORDS and not isinstance(curve, GaussianCurve):
        raise _says_nothing(records)
    if isinstance(curve, GaussianCurve):
        slack = group_slack(curve.mu, curve.slack, records) if curve.slack > 0.0 else 0.0
        if slack >= 1.0:
            raise _says_nothing(records)
        return GaussianCurve(records * curve.mu, slack)
    alphas, tprs = _vertices(piecewise(curve))
    reached_alphas, reached = alphas, tprs
    for _ in range(records - 1):
        reached_alphas, reached = _composed(reached_alphas, reached, alphas, tprs)
    if reached[0] >= 1.0:
        raise _says_nothing(records)
    return PiecewiseCurve(_steep_half(reached_alphas, reached))


def _says_nothing(records: int) -> InvalidArgument:
    return InvalidArgument(
        f"records={records} of this curve together are bounded by nothing: its slack, or its mass "
        "at infinity, has grown to one; pass fewer, a curve of smaller slack, or describe what "
        "was run with records_per_person"
    )


def _up(tprs: Floats) -> Floats:
    return np.minimum(tprs * (1.0 + charges.group_rate()), 1.0)


def _down(alphas: Floats) -> Floats:
    return alphas * (1.0 - charges.group_rate())


def _vertices(curve: PiecewiseCurve) -> tuple[Floats, Floats]:
    """The vertices (alphas, TPRs) of a symmetric curve, from alpha = 0 to (1, 1), both rising."""
    alphas, tprs = curve.steep.from_zero()
    tprs = np.minimum(tprs, 1.0)
    # The other half is the mirror image: alpha becomes 1 - tpr.
    mirrored_alphas = _down(1.0 - tprs[::-1])
    mirrored_tprs = _up(1.0 - alphas[::-1])
    return _hull(
        np.concatenate([alphas, mirrored_alphas, [1.0]]),
        np.concatenate([tprs, mirrored_tprs, [1.0]]),
    )


def _hull(alphas: Floats, tprs: Floats) -> tuple[Floats, Floats]:
    """Points by rising alpha, one TPR each, rising: the highest so far."""
    order = np.lexsort((tprs, alphas))
    alphas, tprs = alphas[order], np.maximum.accumulate(tprs[order])
    last = np.append(np.diff(alphas) > 0.0, True)
    return alphas[last], np.minimum(tprs[last], 1.0)


def _composed(
    inner_alphas: Floats, inner_tprs: Floats, alphas: Floats, tprs: Floats
) -> tuple[Floats, Floats]:
    """Vertices of TPR(inner TPR): where the inner bends, and where it reaches a bend of the outer.

    Points may lie above the composition, none below: alphas are rounded down and TPRs up.
    """
    there = _up(np.interp(inner_tprs, alphas, tprs))
    # Places at which the inner TPR has come to an alpha of the outer; those it starts above are
    # at alpha = 0 already.
    rises = np.append(True, np.diff(inner_tprs) > 0.0)
    reaching = _down(np.interp(alphas, inner_tprs[rises], inner_alphas[rises]))
    within = alphas > inner_tprs[0]
    found_alphas = np.concatenate([inner_alphas, reaching[within]])
    return _thinned(*_hull(found_alphas, np.concatenate([there, _up(tprs[within])])))


def _thinned(alphas: Floats, tprs: Floats) -> tuple[Floats, Floats]:
    """Fewer vertices, none of the originals above what they span: alpha of one, TPR of the next."""
    if alphas.size <= _VERTICES:
        return alphas, tprs
    kept = np.unique(np.linspace(0, alphas.size - 1, _VERTICES).astype(np.intp))
    # Between two kept places TPRs are at most that of the upper: put it at the lower alpha.
    steps_alphas, steps_tprs = alphas[kept][:-1], tprs[kept][1:]
    return _hull(
        np.concatenate([steps_alphas, alphas[kept]]), np.concatenate([steps_tprs, tprs[kept]])
    )


def _steep_half(alphas: Floats, tprs: Floats) -> Lines:
    """The steep half of the symmetric curve above whose TPR no vertex lies.

    Claims of the profile at the slopes of the vertices: between them it is joined by chords, which
    bound it.
    """
    rises, runs = np.diff(tprs), np.diff(alphas)
    steep = (rises > runs) & (runs > 0.0)
    with np.errstate(over="ignore"):
        slopes = np.log(rises[steep]) - np.log(runs[steep])
    slopes = np.unique(slopes[np.isfinite(slopes)])
    most = max(_CLAIMS, int(_LOOKS / alphas.size))
    if slopes.size > most:
        slopes = slopes[np.linspace(0, slopes.size - 1, most).astype(np.intp)]
    epsilons = np.append(0.0, slopes[slopes > 0.0])
    deltas = np.array([_delta(epsilon, alphas, tprs) for epsilon in epsilons.tolist()])
    if deltas.min() >= 1.0:
        return EVERYTHING
    return lines_of_claims(epsilons, np.minimum(np.minimum.accumulate(deltas), 1.0))


def _delta(epsilon: float, alphas: Floats, tprs: Floats) -> float:
    """The profile of what the vertices span, raised by its rounding."""
    # A slope that doubles do not hold counts as the largest: a smaller loss is the safe side.
    lost = math.exp(min(epsilon, 709.0)) * alphas
    best = int(np.argmax(tprs - lost))
    tpr, gone = float(tprs[best]), float(lost[best])
    return max(float(tprs[0]), (tpr - gone) + charges.group_profile() * (tpr + gone))
