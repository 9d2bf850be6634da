"""What a reading decides: mu from above and from below, and its regret.

mu is the largest that a chord between knots needs; the tests at the knots show how much of it.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, expit, ndtr, ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.contour.ladder import Rungs
from gdpnum.contour.line import Knots, Reading
from gdpnum.floats import UNIT, Floats

#: How often cells are cut, into how many parts at a time, and into how many in all.
ROUNDS, PARTS, MOST_KNOTS = 6, 24.0, 1500

# exp(-eps) and what it multiplies stay normal numbers up to here.
_LARGEST = 600.0


def lowered(lifted: Floats, epsilons: Floats) -> Floats:
    """Phi^-1(exp(-eps) lifted), also where that underflows."""
    if not epsilons.size or float(epsilons[:, -1].max()) < _LARGEST:
        return ndtri(lifted * np.exp(-epsilons))
    return ndtri_exp(np.log(lifted) - epsilons)


def chords(knots: Knots, rungs: Rungs, slack: Floats, enough: Floats | float = -np.inf) -> Floats:
    """The mu that each chord between two knots needs, from above.

    A row that needs no more than is ``enough`` is not looked at more closely.
    """
    upper = knots.delta + knots.delta_error
    # A millionth of delta is as good as known.
    blurred = (knots.delta_error > np.maximum(slack[:, None], 1e-6 * knots.delta)).any(axis=1)
    if blurred.any():
        np.minimum(upper, chernoff(knots.epsilons, rungs), out=upper)
    np.minimum.accumulate(upper, axis=1, out=upper)
    mus = _needed(knots.epsilons, upper, slack)
    unclear = blurred if float(mus.max()) < np.inf else (mus == np.inf).any(axis=1) | blurred
    if unclear.any():
        unclear &= mus.max(axis=1) > enough
    for row in np.flatnonzero(unclear) if unclear.any() else ():
        # A chord may leave out knots, and does where those are too uncertain.
        kept = _convex(knots.epsilons[row], upper[row])
        fewer = _needed(
            knots.epsilons[row : row + 1, kept], upper[row : row + 1, kept], slack[row : row + 1]
        )
        # Cells without length need nothing, wherever the chord over them lies.
        empty = np.diff(knots.epsilons[row]) <= 0.0
        mus[row] = np.where(empty, -np.inf, np.repeat(fewer[0], np.diff(kept)))
    return mus


def _needed(epsilons: Floats, upper: Floats, slack: Floats) -> Floats:
    gaps = epsilons[:, 1:] - epsilons[:, :-1]
    start = upper[:, :-1]
    over = start - slack[:, None]
    lifted = (start - upper[:, 1:]) / np.expm1(gaps)
    # A smaller slope and a higher line: both towards a larger mu. No tpr is above one.
    slope = lifted * (1.0 - 64.0 * UNIT)
    power = over + lifted * (1.0 + 64.0 * UNIT) + (4.0 * UNIT) * start
    low, high = (
        ndtri(np.minimum(power, 1.0 - 0.5 * slack[:, None])),
        lowered(slope, epsilons[:, :-1]),
    )
    mus = (low - high) + charges.one_quantile(1.0 + np.abs(low) + np.abs(high))
    # What is not a number is not known to be fine.
    mus[np.isnan(mus)] = np.inf
    mus[(over <= 0.0) | (gaps <= 0.0)] = -np.inf
    return mus


def _convex(epsilons: Floats, upper: Floats) -> npt.NDArray[np.intp]:
    """Knots on the lower convex hull over exp(eps), the first and the last among them.

    In plain numbers, which are quicker one by one. Any choice of knots is a sound one.
    """
    places, values = epsilons.tolist(), upper.tolist()
    kept: list[int] = []
    for k, (place, value) in enumerate(zip(places, values, strict=True)):
        while len(kept) > 1:
            i, j = kept[-2:]
            gap = min(places[j] - places[i], _LARGEST)
            after = math.expm1(min(place - places[j], _LARGEST - gap)) * math.exp(gap)
            if (values[i] - values[j]) * after > (values[j] - value) * math.expm1(gap):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)


class Shown(NamedTuple):
    """Tests that exist, one at each knot: the quantiles of TPR - slack and of FPR, and their mu."""

    of_tpr: Floats
    of_fpr: Floats
    mus: Floats

    def turning(self, knots: Knots) -> Floats:
        """F = eps - (b^2 - a^2) / 2 of the quantiles: below zero where a larger knot needs more."""
        found: Floats = knots.epsilons - 0.5 * (self.of_fpr**2 - self.of_tpr**2)
        return found


def shown(knots: Knots, slack: Floats, *, certain: bool = True) -> Shown:
    """What the tests "loss above a knot" need: alpha from above and tpr from below, if certain."""
    delta, lifted = knots.delta, knots.lifted_alpha
    alpha, tpr = lifted, delta + lifted
    if certain:
        alpha = (lifted + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
        tpr = (delta - knots.delta_error) + (lifted - knots.lifted_alpha_error)
        tpr = tpr * (1.0 - 8.0 * UNIT)
    above = tpr - slack[:, None] * (1.0 + 4.0 * UNIT)
    low, high = ndtri(np.maximum(above, 0.0)), lowered(np.maximum(alpha, 0.0), knots.epsilons)
    mus = (low - high) - charges.one_quantile(1.0 + np.abs(low) + np.abs(high))
    mus[~np.isfinite(mus)] = -np.inf
    return Shown(low, high, mus)


def chernoff(epsilons: Floats, rungs: Rungs) -> Floats:
    """Bounds that delta never exceeds, at epsilons by row."""
    logs = (rungs.values + rungs.log_kappa)[:, :, None]
    logs = (logs - rungs.lam[:, :, None] * epsilons[:, None, :]).min(axis=1)
    bound: Floats = np.exp(np.minimum(logs, 0.0)) * (1.0 + 1e-12)
    return bound


def divided(knots: Floats, parts: Floats) -> Floats:
    """Knots with each cell cut into so many parts, from the first to the last that is cut.

    By row; where rows need different numbers their cells are cut a little finer.
    """
    columns = np.flatnonzero((parts > 1.0).any(axis=0))
    first, last = int(columns[0]), int(columns[-1]) + 1
    kept, parts = knots[:, first : last + 1], parts[:, first:last]
    counted = np.zeros(kept.shape)
    np.cumsum(parts, axis=1, out=counted[:, 1:])
    ends = counted[:, -1:]
    places = np.linspace(0.0, 1.0, int(min(ends.max(), MOST_KNOTS)) + 1)
    return np.stack(
        [
            np.interp(places * end[0], one, at)
            for end, one, at in zip(ends, counted, kept, strict=True)
        ]
    )


# Tests that are looked at on either side of where mu is decided.
_BESIDE = 24

# Knots before the tail's line that are read from it as well: that is quicker than a second line.
_STRAY = 16

# How often that place is looked for more closely, and at which points.
_CLOSER, _FOUR = 4, np.array([[-1.5, -0.5, 0.5, 1.5]])


def decided(
    lines: Reading, found: Knots, rungs: Rungs, slack: Floats, tolerance: float
) -> tuple[float, float] | None:
    """The mu of one run from above and from below, if first knots are close where it is decided.

    There F(eps) = eps - (b^2 - a^2) / 2 changes its sign, with a and b the quantiles of TPR - slack
    and of FPR: the mu that tests need is largest where f and f_mu have the same slope.
    """
    epsilons = found.epsilons[0]
    both = np.concatenate([slack, slack])
    needed, tests = chords(found, rungs, both), shown(found, both)
    mus = tests.mus[0]
    best = int(np.argmax(mus))
    lower = float(mus[best])
    target = max(lower, float(tests.mus[1].max())) * (1.0 + tolerance)
    adding = _settled(lines, rungs, found.epsilons, needed, slack, target)
    if not adding <= target:
        return None
    removing = lines.rows(slice(0, 1))
    turning = tests.turning(found)[0]
    some = slice(max(best - 2, 0), best + 4)
    known = _points(epsilons[some], turning[some], mus[some])
    peak = _peak(known, None)
    for _ in range(_CLOSER):
        if peak is not None and peak.unsure <= math.sqrt(tolerance / peak.curvature):
            break
        if peak is None:
            low, high = epsilons[max(best - 1, 0)], epsilons[min(best + 1, epsilons.size - 1)]
            places = 0.5 * (low + high) + (0.3 * (high - low)) * _FOUR
        else:
            places = peak.centre + (2.0 * peak.unsure) * _FOUR
        nearer = removing.at(places)
        tests = shown(nearer, slack, certain=False)
        known = sorted(known + _points(places[0], tests.turning(nearer)[0], tests.mus[0]))
        peak, before = _peak(known, peak), peak
        if peak is None and before is None:
            break
    if peak is None:
        return None
    over = needed[0] > target
    knots = _spread(peak, epsilons, mus, over, tolerance)
    few = float(knots[min(_STRAY, knots.size - 1)]) > float(removing.limits[-1, 0])
    fine = (removing.last() if few else removing).at(knots[None, :])
    middle = int(np.searchsorted(knots, peak.centre))
    top = Knots(*(one[:, max(middle - _BESIDE, 0) : middle + _BESIDE] for one in fine))
    certain = shown(top, slack).mus
    lower = max(lower, float(certain.max()))
    needs = chords(fine, rungs.rows(slice(0, 1)), slack)
    mu = max(adding, float(needs.max()), float(np.where(over, 0.0, needed[0]).max()))
    if mu - lower <= 8.0 * tolerance * mu:
        return mu, lower
    # Further apart than rounding explains: the knots were not as close as meant.
    bare = shown(top, slack, certain=False).mus
    blurred = float((bare - certain)[0, int(np.argmax(certain))])
    return (mu, lower) if mu - lower <= 8.0 * tolerance * mu + 3.0 * blurred else None


def _settled(
    lines: Reading, rungs: Rungs, knots: Floats, needed: Floats, slack: Floats, target: float
) -> float:
    """The mu that adding needs, its cells cut once where their chords need more than the target."""
    most = float(needed[1].max())
    if most <= target:
        return most
    adding, over = slice(1, 2), needed[1:] > target
    cells = divided(knots[adding], np.where(over, PARTS, 1.0))
    finer = chords(lines.rows(adding).at(cells), rungs.rows(adding), slack)
    return max(float(finer.max()), float(np.where(over, 0.0, needed[1:]).max()))


class _Peak(NamedTuple):
    """Where tests need most: the place, the mu, and g in mu (1 - g (eps - centre)^2)."""

    centre: float
    unsure: float
    """About by how much the place may be off."""
    mu: float
    curvature: float
    gap: float


_Points: TypeAlias = list[tuple[float, float, float]]


def _points(places: Floats, turning: Floats, mus: Floats) -> _Points:
    """Epsilon, F and mu where tests show anything, by increasing epsilon."""
    every = zip(places.tolist(), turning.tolist(), mus.tolist(), strict=True)
    return [one for one in every if one[2] > 0.0 and math.isfinite(one[1])]


def _peak(known: _Points, before: _Peak | None) -> _Peak | None:
    """The peak among the four points around the change of F's sign; None if that is unclear.

    Of places that are close together the curvature is not told well: there that ``before`` counts.
    """
    after = next((i for i, one in enumerate(known) if one[1] > 0.0), 0)
    first = min(max(after - 2, 0), len(known) - 4)
    if after == 0 or first < 0:
        return None
    places, turning, mus = (list(one) for one in zip(*known[first : first + 4], strict=True))
    # A place may be there twice, read from two lines.
    rising = all(a < b for each in (places, turning) for a, b in pairwise(each))
    if not (rising and turning[0] < 0.0):
        return None
    three = slice(0, 3) if turning[2] > 0.0 else slice(1, 4)
    centre = _interpolated(turning, places, 0.0)
    rougher = _interpolated(turning[three], places[three], 0.0)
    unsure = abs(centre - rougher)
    low, high = known[after - 1][0], known[after][0]
    if not (low < centre < high and low < rougher < high):
        # Too bent to be told: somewhere between the two, where it is looked for next.
        centre, unsure = 0.5 * (low + high), (high - low) / 7.5
    mu = _interpolated(places, mus, centre)
    curvature, gap = (0.0, 0.0) if before is None else (before.curvature, before.gap)
    if before is None:
        a, b, c = places[three]
        first_mu, second, third = mus[three]
        curvature = ((second - first_mu) / (b - a) - (third - second) / (c - b)) / ((c - a) * mu)
        gap = b - a
    return _Peak(centre, unsure, mu, curvature, gap) if curvature > 0.0 else None


def _interpolated(x: list[float], y: list[float], at: float) -> float:
    """The polynomial through the points, there (Lagrange)."""
    total = 0.0
    for i, (own, value) in enumerate(zip(x, y, strict=True)):
        for j, other in enumerate(x):
            if j != i:
                value *= (at - other) / (own - other)  # noqa: PLW2901
        total += value
    return total


def _spread(
    peak: _Peak, first: Floats, mus: Floats, over: npt.NDArray[np.bool_], tolerance: float
) -> Floats:
    """Knots that are close where mu is decided: eps* + s sinh(t), t equally spaced.

    A cell may be as long as mu sqrt(8 (tolerance + g (eps - eps*)^2)). From the first to the last
    cell that is over.
    """
    cells = np.flatnonzero(over)
    start, end = float(first[cells[0]]), float(first[cells[-1] + 1])
    away = first - peak.centre
    # Where mu falls more slowly than the parabola, that counts.
    slower = (1.0 - mus / peak.mu) / (away * away)
    sides = []
    for sign, reach in ((-1.0, peak.centre - start), (1.0, end - peak.centre)):
        there = slower[(sign * away > peak.gap) & (sign * away <= reach)]
        least = min(peak.curvature, max(float(there.min(initial=np.inf)), 1e-3 * peak.curvature))
        scale, rise = math.sqrt(tolerance / least), 0.8 * peak.mu * math.sqrt(8.0 * least)
        last = math.asinh(max(reach, 0.0) / scale)
        if last > rise * (0.5 * MOST_KNOTS):
            # Where mu is so flat that this takes too many knots, as close as so many can be.
            scale = reach / (rise * (0.45 * MOST_KNOTS))
            last = math.asinh(reach / scale)
        number = int(last / rise) + 2
        sides.append((sign * scale) * np.sinh(np.arange(number) * (last / (number - 1))))
    knots = np.concatenate([sides[0][:0:-1], sides[1]]) + peak.centre
    knots[0], knots[-1] = start, end
    return np.maximum.accumulate(knots)


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, rounded up.

    a, b = mu / 2 -+ eps / mu.
    """
    s = epsilons / mu[:, None]
    half = 0.5 * mu[:, None]
    a, b = half - s, half + s
    found: Floats = ndtr(a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return found + charges.profile_of_mu(a)


def regrets(
    lines: Reading, found: Knots, mu: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Bounds on Delta(f, f_mu) and Delta(f, f_mu - slack), and delta(0) from above, by run.

    ``found`` is what the lines of removing, which come first, have at the first knots.
    On each half of a cell the line of the test at its knot is held fixed below delta; delta_mu is
    convex in exp(eps), so the ratio (delta_mu - line) / (1 + exp(eps)) is largest at an end.
    """
    knots = found.epsilons
    advantage = np.minimum(found.delta[:, 0] + found.delta_error[:, 0], 1.0)
    regret, with_slack, reached = np.zeros((3, mu.size))
    for turn in range(ROUNDS):
        number = knots.shape[1]
        lower = found.delta - found.delta_error
        lifted = found.lifted_alpha + found.lifted_alpha_error
        tpr = lower + (found.lifted_alpha - found.lifted_alpha_error)
        gaps = 0.5 * (knots[:, 1:] - knots[:, :-1])
        places = np.concatenate([knots, knots[:, :-1] + gaps], axis=1)
        summary = profile_of_mu(mu, places)
        grown = np.exp(gaps)
        line = np.minimum(tpr[:, :-1] - lifted[:, :-1] * grown, tpr[:, 1:] - lifted[:, 1:] / grown)
        below = np.concatenate([np.minimum(tpr - lifted, lower), line], axis=1)
        # No test says less than delta >= -1 does; NaN neither.
        below = np.fmax(below, -1.0)
        below -= (16.0 * UNIT) * (1.0 + np.abs(below))
        weights = expit(-places)
        # Nor less than delta >= 0 does, and delta_mu / (1 + exp(eps)) falls.
        most = summary * weights
        if turn == 0:
            # Beyond the last knot nothing else is known.
            regret = most[:, number - 1]
            with_slack = regret + slack * weights[:, number - 1]
        ratios = most - below * weights
        at_knots, at_middles = np.minimum(ratios, most)[:, :number], ratios[:, number:]
        ends = np.maximum(at_knots[:, :-1], at_knots[:, 1:])
        cells = np.maximum(ratios[:, : number - 1], ratios[:, 1:number])
        cells = np.minimum(np.maximum(cells, at_middles), most[:, : number - 1])
        # (1 + exp(eps))^-1 falls: at the left end of each cell it is largest.
        slacked = cells + slack[:, None] * weights[:, : number - 1]
        reached = np.maximum(reached, at_knots.max(axis=1))
        # Closer than what is known of delta there is nothing to gain.
        blurred = np.minimum(found.delta_error[:, :-1], found.delta_error[:, 1:])
        target = (reached * (1.0 + 10.0 * tolerance) + 1e-15)[:, None] + blurred
        high = cells > target
        if turn == ROUNDS - 1 or not high.any():
            break
        regret = np.maximum(regret, np.where(high, 0.0, cells).max(axis=1))
        with_slack = np.maximum(with_slack, np.where(high, 0.0, slacked).max(axis=1))
        room = np.maximum(target - ends, tolerance * target)
        parts = np.minimum(np.ceil(np.sqrt(1.2 * (cells - ends) / room)), PARTS)
        knots = divided(knots, np.where(high, np.maximum(parts, 2.0), 1.0))
        found = lines.rows(slice(mu.size)).at(knots)
    rounded = 1.0 + 16.0 * UNIT
    regret = np.maximum(np.maximum(regret, cells.max(axis=1)), 0.0) * rounded
    with_slack = np.maximum(np.maximum(with_slack, slacked.max(axis=1)), 0.0) * rounded
    return regret, with_slack, advantage
