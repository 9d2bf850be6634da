"""Curves from numbers: vertices, samples and profiles, checked and read pessimistically."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdpnum import _validate
from gdpnum.arguments import column
from gdpnum.bounds.claims import lines_of_claims, lower_hull
from gdpnum.bounds.lines import EVERYTHING, Lines, at_infinity
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import Profile, TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

# How far rounding may have moved a vertex; a lower hull takes it back.
_ROUNDING = 1e-12

# How far a sample of a curve may be off.
_SAMPLE_ERROR = 1e-14

# At how many epsilons a profile given as a function is read.
_READINGS = 2048

# exp() of more would overflow; what is claimed beyond adds nothing that a curve could show.
_LARGEST_EPSILON = 700.0

# What rounding may have done to a point of the hull, relative to itself.
_HULL_ROUNDING = 2.0**-49


def curve_from_vertices(alphas: ArrayLike, betas: ArrayLike) -> PiecewiseCurve:
    """See `TradeoffCurve.from_vertices`."""
    alpha, beta = _points(alphas, betas)
    if alpha[0] != 0.0:
        raise InvalidArgument(
            f"alphas[0]={float(alpha[0])!r} is not 0; a curve's vertices begin at alpha = 0 "
            "(pass points that are not all of them to from_samples)"
        )
    end = alpha.size - 1
    if beta[-1] != 0.0:
        raise InvalidArgument(
            f"betas[{end}]={float(beta[-1])!r} is not 0; a curve's vertices end where beta is 0 "
            "(pass points that are not all of them to from_samples)"
        )
    _refuse_dents(alpha, beta, "a trade-off curve is convex")
    return _curve(*lower_hull(alpha, beta))


def curve_from_samples(alphas: ArrayLike, betas: ArrayLike) -> PiecewiseCurve:
    """See `TradeoffCurve.from_samples`."""
    alpha, beta = _points(alphas, betas)
    _refuse_dents(alpha, beta, "samples of a trade-off curve are convex")
    if alpha.size < 2:
        # One point at beta = 0 says nothing about what is before it.
        return PiecewiseCurve(EVERYTHING)
    # Every curve through the points is above the hull of the places where the chords on both
    # sides of a cell meet, prolonged.
    alpha, beta = lower_hull(alpha, beta)
    low_alpha, low_beta = _prolonged(alpha, beta)
    return _curve(*lower_hull(*_distinct(low_alpha, low_beta)))


def curve_from_profile(
    profile: ArrayLike | Callable[[float], float], deltas: ArrayLike | None, *, whole: bool
) -> TradeoffCurve:
    """See `TradeoffCurve.from_profile`."""
    whole = _validate.choice("whole", whole, (False, True))
    if isinstance(profile, Profile) and deltas is None:
        return profile.curve if whole else profile.curve.symmetrised()
    if callable(profile):
        if deltas is not None:
            raise InvalidType("deltas is given beside a function; pass one or the other")
        epsilon, delta = _read(profile, whole=whole)
    elif deltas is None:
        raise InvalidType("deltas is missing; pass epsilons and deltas, or a function")
    else:
        epsilon, delta = column("profile", profile), column("deltas", deltas)
        _same_length("profile", epsilon, "deltas", delta)
    lowest = -np.inf if whole else 0.0
    _refuse(
        ~(np.isfinite(epsilon) & (epsilon >= lowest)),
        lambda i: (
            f"profile[{i}]={float(epsilon[i])!r} is not a finite number"
            + ("" if whole else " of at least 0")
            + "; the other half of a profile follows by symmetry, or pass whole=True"
        ),
    )
    _refuse_rates("deltas", delta)
    _refuse(
        np.diff(epsilon) <= 0.0,
        lambda i: (
            f"profile[{i + 1}]={float(epsilon[i + 1])!r} does not exceed "
            f"profile[{i}]={float(epsilon[i])!r}; pass them in increasing order"
        ),
    )
    _refuse(
        np.diff(delta) > 1e-15,
        lambda i: (
            f"deltas[{i + 1}]={float(delta[i + 1])!r} exceeds deltas[{i}]="
            f"{float(delta[i])!r}; a privacy profile does not increase"
        ),
    )
    delta = np.minimum.accumulate(delta)
    if not whole:
        return PiecewiseCurve(lines_of_claims(epsilon, delta))
    least = -np.expm1(np.minimum(epsilon, 0.0))
    _refuse(
        delta < least - 1e-12,
        lambda i: (
            f"deltas[{i}]={float(delta[i])!r} is below 1 - exp(epsilon)={float(least[i])!r}; "
            "no mechanism has less, so pass the profile of one"
        ),
    )
    return _curve_of_whole_profile(epsilon, np.maximum(delta, least))


def _read(profile: Callable[[float], float], *, whole: bool) -> tuple[Floats, Floats]:
    """A profile function at epsilons from 0, or as far below, up to where it falls no more."""

    def delta(epsilon: float) -> float:
        try:
            answer = profile(epsilon)
            value = float(np.asarray(answer, dtype=np.float64).item())
            if answer is None:  # numpy takes it for NaN
                raise TypeError
        except (TypeError, ValueError):
            raise InvalidType(
                f"the profile returns no number at epsilon={epsilon!r}; a delta is one"
            ) from None
        if not 0.0 <= value <= 1.0:
            raise InvalidArgument(
                f"the profile returns {value!r} at epsilon={epsilon!r}; a delta lies in [0, 1]"
            )
        return value

    probes = 2.0 ** np.arange(-10, 21)
    probed = np.array([delta(float(probe)) for probe in probes])
    if (np.diff(probed) > 1e-15).any():
        raise InvalidArgument("the profile increases with epsilon; a privacy profile does not")
    # As far as it falls, or down to what is next to nothing.
    last = float(probes[np.argmax(probed <= max(1e-30, float(probed[-1])))])
    # Closer where a curve of small epsilons bends.
    epsilons = np.union1d(
        np.linspace(0.0, last, _READINGS), np.geomspace(1e-6 * last, last, _READINGS // 8)
    )
    if whole:
        epsilons = np.union1d(-epsilons, epsilons)
    return epsilons, np.array([delta(float(epsilon)) for epsilon in epsilons])


def _curve_of_whole_profile(epsilons: Floats, deltas: Floats) -> PiecewiseCurve:
    """f(alpha) = sup over real eps of 1 - delta(eps) - exp(eps) alpha, from claims on delta.

    Profiles are convex in exp(eps) and 1 at minus infinity, so the lower convex hull of the claims
    and of (0, 1) bounds them. A chord of it, delta = tpr - exp(eps) alpha, is the vertex
    (alpha, 1 - tpr) of the curve: it belongs to the steep half if it holds anywhere above
    eps = 0, and to the other, which is the steep half of the inverse, if it holds anywhere below.
    """
    kept = epsilons <= _LARGEST_EPSILON
    x = np.concatenate([[0.0], np.exp(epsilons[kept])])
    y = np.concatenate([[1.0], deltas[kept]])
    distinct = np.append(True, np.diff(x) > 0.0)  # exp() of very small epsilons
    x, y = lower_hull(x[distinct], y[distinct])
    # A hull falls; where it does not, the claim before stays.
    last = int(np.argmin(y))
    x, y = x[: last + 1], y[: last + 1]
    if x.size < 2:
        return PiecewiseCurve(EVERYTHING)
    alphas = -np.diff(y) / np.diff(x)
    alphas = np.minimum(alphas * (1.0 - _HULL_ROUNDING), 1.0)
    tprs = np.minimum((y[1:] + alphas * x[1:]) * (1.0 + _HULL_ROUNDING) + 2.0**-60, 1.0)
    steep = _half(np.log(x[1:]), alphas, tprs, float(y[-1]))
    # After the last claim delta stays: a last line, of slope 0, that counts for the other half.
    alphas, tprs = np.append(alphas, 0.0), np.append(tprs, y[-1])
    flat = _half(
        *(-np.log(x[:0:-1]), (1.0 - tprs)[:0:-1], (1.0 - alphas)[:0:-1]), 1.0 - float(alphas[0])
    )
    return PiecewiseCurve(steep) if steep.same_as(flat) else PiecewiseCurve(steep, flat)


def _half(ends: Floats, alphas: Floats, tprs: Floats, infinite: float) -> Lines:
    """The lines that hold above eps = 0, each up to its end."""
    above = ends > 0.0
    if not above.any():
        return at_infinity(infinite)
    with np.errstate(divide="ignore"):
        log_alphas = np.log(alphas[above])
    # They fall but for rounding; where it raises one, take the one before.
    return Lines(
        ends[above],
        np.minimum.accumulate(log_alphas),
        np.maximum.accumulate(np.maximum(tprs[above], infinite)[::-1])[::-1],
        infinite,
    )


def _curve(alpha: Floats, beta: Floats) -> PiecewiseCurve:
    """The curve through convex vertices, the first at alpha = 0, the last at beta = 0."""
    if alpha.size < 2:
        return PiecewiseCurve(EVERYTHING)
    steep, flat = _steep(alpha, beta), _steep(beta[::-1], alpha[::-1])
    return PiecewiseCurve(steep) if steep.same_as(flat) else PiecewiseCurve(steep, flat)


def _steep(alpha: Floats, beta: Floats) -> Lines:
    """The segments with slope below -1, from the one nearest to it."""
    rise, run = -np.diff(beta), np.diff(alpha)
    count = int((rise > run).sum())
    infinite = 1.0 - float(beta[0])
    if count == 0:
        return at_infinity(infinite)
    steep = slice(count - 1, None, -1)
    return Lines(
        # Rising, but for the rounding of logarithms.
        epsilons=np.maximum.accumulate(np.log(rise[steep]) - np.log(run[steep])),
        log_alphas=np.log(alpha[1 : count + 1][::-1]),
        tprs=1.0 - beta[1 : count + 1][::-1],
        mass_at_infinity=infinite,
    )


def _prolonged(alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Where prolonged chords meet: the least that a convex curve through the points can be."""
    if alpha[-1] < 1.0:
        alpha, beta = np.append(alpha, 1.0), np.append(beta, 0.0)
    gaps = np.diff(alpha)
    with np.errstate(over="ignore"):
        slopes, blur = np.diff(beta) / gaps, 2.0 * _SAMPLE_ERROR / gaps
    # Samples are rounded: prolonged to the right a chord may be steeper, to the left flatter.
    steeper, flatter = slopes - blur, np.minimum(slopes + blur, 0.0)
    beta = np.maximum(beta - _SAMPLE_ERROR, 0.0)
    # Before the first point: along its chord. A curve starts at 1 or below, so after the first
    # point it is no steeper than from there.
    start = float(beta[0] - flatter[0] * alpha[0])
    before = (beta[0] - 1.0) / alpha[0] if alpha[0] > 0.0 else -np.inf
    left = np.append(before, steeper[:-1])
    right = np.append(flatter[1:], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = (np.diff(beta) - right * np.diff(alpha)) / (left - right)
    # Parallel chords are one chord; an unbounded slope falls at once.
    shift = np.clip(
        np.where(left < right, np.where(np.isinf(left), 0.0, shift), 0.0), 0.0, np.diff(alpha)
    )
    with np.errstate(invalid="ignore"):
        fallen = beta[:-1] + left * shift
    lowest = np.where(np.isinf(left), beta[1:] - right * np.diff(alpha), fallen)
    lowest = np.where(left < right, lowest, beta[:-1])
    return (
        np.concatenate([[0.0], alpha[:-1] + shift, [1.0]]),
        np.concatenate([[min(start, 1.0)], np.maximum(lowest, beta[1:]), [0.0]]),
    )


def _points(alphas: ArrayLike, betas: ArrayLike) -> tuple[Floats, Floats]:
    """Points of a curve by rising alpha, each alpha once, up to the first beta of zero."""
    alpha, beta = column("alphas", alphas), column("betas", betas)
    _same_length("alphas", alpha, "betas", beta)
    if alpha.size < 2:
        raise InvalidArgument("alphas has fewer than 2 entries; a curve has at least two vertices")
    _refuse_rates("alphas", alpha)
    _refuse_rates("betas", beta)
    _refuse(
        np.diff(alpha) < 0.0,
        lambda i: (
            f"alphas[{i + 1}]={float(alpha[i + 1])!r} is below alphas[{i}]="
            f"{float(alpha[i])!r}; pass vertices by increasing alpha"
        ),
    )
    _refuse(
        np.diff(beta) > 0.0,
        lambda i: (
            f"betas[{i + 1}]={float(beta[i + 1])!r} exceeds betas[{i}]={float(beta[i])!r}; "
            "a trade-off curve does not increase"
        ),
    )
    _refuse(
        beta > 1.0 - alpha + _ROUNDING,
        lambda i: (
            f"betas[{i}]={float(beta[i])!r} is above 1 - alphas[{i}]="
            f"{1.0 - float(alpha[i])!r}; guessing does better than that"
        ),
    )
    alpha, beta = _distinct(alpha, np.minimum(beta, 1.0 - alpha))
    if alpha.size < 2 and beta[0] > 0.0:
        raise InvalidArgument("alphas are all the same; a curve has at least two vertices")
    return alpha, beta


def _distinct(alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Of several points at one alpha the lowest; of several at beta = 0 the first."""
    lowest = np.append(np.diff(alpha) > 0.0, True)
    alpha, beta = alpha[lowest], beta[lowest]
    reached = int(np.searchsorted(-beta, 0.0)) + 1
    return alpha[:reached], beta[:reached]


def _refuse_dents(alpha: Floats, beta: Floats, rule: str) -> None:
    """Refuse an inner point that lies above the chord of its neighbours."""
    share = (alpha[1:-1] - alpha[:-2]) / (alpha[2:] - alpha[:-2])
    above = beta[1:-1] - (beta[:-2] + share * (beta[2:] - beta[:-2]))
    _refuse(
        above > _ROUNDING,
        lambda i: (
            f"alphas[{i + 1}]={float(alpha[i + 1])!r}, betas[{i + 1}]={float(beta[i + 1])!r} "
            f"lies above the chord of its neighbours; {rule}"
        ),
    )


def _same_length(one: str, first: Floats, two: str, second: Floats) -> None:
    if first.size != second.size:
        raise InvalidArgument(
            f"{one} has {first.size} entries and {two} {second.size}; pass as many of each"
        )


def _refuse_rates(name: str, values: Floats) -> None:
    _refuse(
        ~((values >= 0.0) & (values <= 1.0)),
        lambda i: f"{name}[{i}]={float(values[i])!r} is outside [0, 1]; pass probabilities",
    )


def _refuse(bad: NDArray[np.bool_], message: Callable[[int], str]) -> None:
    """Raise about the first offending entry, if there is one."""
    offending = np.flatnonzero(bad)
    if offending.size:
        raise InvalidArgument(message(int(offending[0])))
