"""The smallest mu: the largest that a chord between knots needs, close where that is decided."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.contour.ladder import Rungs
from gdpnum.contour.reading import Knots, Reading
from gdpnum.floats import UNIT, Floats

__all__ = ["PARTS", "ROUNDS", "chords", "decided", "divided", "shown", "smallest"]

#: How often cells are cut, into how many parts at a time, and into how many in all.
ROUNDS, PARTS, MOST_KNOTS = 6, 24.0, 1500

# exp(-eps) and what it multiplies stay normal numbers up to here.
_LARGEST = 600.0


def lowered(lifted: Floats, epsilons: Floats) -> Floats:
    """Phi^-1(exp(-eps) lifted), also where that underflows."""
    if not epsilons.size or float(epsilons[:, -1].max()) < _LARGEST:
        return ndtri(lifted * np.exp(-epsilons))
    return ndtri_exp(np.log(lifted) - epsilons)


def chords(knots: Knots, rungs: Rungs, slack: Floats) -> Floats:
    """The mu that each chord between two knots needs, from above."""
    upper = knots.delta + knots.delta_error
    blurred = (knots.delta_error > slack[:, None]).any(axis=1)
    if blurred.any():
        np.minimum(upper, _chernoff(knots.epsilons, rungs), out=upper)
    np.minimum.accumulate(upper, axis=1, out=upper)
    mus = _needed(knots.epsilons, upper, slack)
    for row in np.flatnonzero((mus == np.inf).any(axis=1) | blurred):
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
    gaps = np.diff(epsilons, axis=1)
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
    """Knots on the lower convex hull over exp(eps), the first and the last among them."""
    kept: list[int] = []
    for k in range(epsilons.size):
        while len(kept) > 1:
            i, j = kept[-2:]
            before = np.expm1(epsilons[j] - epsilons[i])
            after = np.expm1(epsilons[k] - epsilons[j]) * np.exp(epsilons[j] - epsilons[i])
            if (upper[i] - upper[j]) * after > (upper[j] - upper[k]) * before:
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


def _chernoff(epsilons: Floats, rungs: Rungs) -> Floats:
    """Bounds that delta never exceeds, at epsilons by row."""
    logs = (rungs.values + rungs.log_kappa)[:, :, None]
    logs = (logs - rungs.lam[:, :, None] * epsilons[:, None, :]).min(axis=1)
    bound: Floats = np.exp(np.minimum(logs, 0.0)) * (1.0 + 1e-12)
    return bound


def smallest(
    lines: Reading, found: Knots, rungs: Rungs, runs: int, slack: Floats, tolerance: float
) -> tuple[Floats, Floats]:
    """The mu of each row from above, and of each run from below, from the first knots on.

    Cells between knots whose chord needs more than what tests show are cut: a chord's excess falls
    like the square of its length.
    """
    knots = found.epsilons
    mu, mu_lower = np.zeros(knots.shape[0]), np.zeros(runs)
    # The rows that are not done.
    index = np.arange(knots.shape[0])
    graded = False
    for turn in range(ROUNDS):
        needed = chords(found, rungs, slack)
        mus = shown(found, slack).mus
        np.maximum.at(mu_lower, index % runs, mus.max(axis=1))
        lower = mu_lower[index % runs][:, None]
        target = lower * (1.0 + tolerance)
        if graded:
            # Rounding alone keeps what is shown from what is needed by so much.
            best = np.argmax(mus, axis=1)[:, None]
            there = Knots(*(np.take_along_axis(one, best, axis=1) for one in found))
            bare = shown(there, slack, certain=False).mus
            target = np.maximum(target, bare + (bare - np.take_along_axis(mus, best, axis=1)))
        over = needed > target
        going = over.any(axis=1)
        if turn == ROUNDS - 1 or not going.any():
            mu[index] = np.maximum(mu[index], needed.max(axis=1))
            break
        mu[index] = np.maximum(mu[index], np.where(over, 0.0, needed).max(axis=1))
        if not going.all():
            # Adding needs less than removing, mostly, and that is all there is to know.
            kept = np.flatnonzero(going)
            index, slack, lines, rungs = (
                index[kept],
                slack[kept],
                lines.rows(kept),
                rungs.rows(kept),
            )
            found = Knots(*(one[kept] for one in found))
            knots, needed, mus, over = knots[kept], needed[kept], mus[kept], over[kept]
            lower, target = lower[kept], target[kept]
        ends = np.maximum(mus[:, :-1], mus[:, 1:])
        room = np.maximum(target - ends, (0.1 * tolerance) * lower)
        parts = np.ceil(np.sqrt(1.2 * (needed - ends) / room))
        # Where delta falls no more than it may be wrong, a shorter cell is no better.
        errors = found.delta_error[:, :-1] + found.delta_error[:, 1:]
        clear = 0.03 * (found.delta[:, :-1] - found.delta[:, 1:]) / errors
        # Beyond all bounds, or not a number: what is shown there is nothing.
        parts = np.where(parts < PARTS, np.maximum(parts, 2.0), PARTS)
        stuck = over & ~(clear > 2.0)
        if stuck.any():
            mu[index] = np.maximum(mu[index], np.where(stuck, needed, 0.0).max(axis=1))
            over &= ~stuck
            if not over.any():
                break
            parts = np.fmin(parts, clear)
        parts = np.where(over, np.floor(parts), 1.0)
        if graded and float(parts.sum(axis=1).max()) > MOST_KNOTS:
            # So flat that more would not help: what is left over counts as it is.
            mu[index] = np.maximum(mu[index], needed.max(axis=1))
            break
        if not graded and (index[-1] < runs or turn > 0):
            graded = True
            knots = _graded(lines, over, knots, mus, slack, tolerance)
        else:
            knots = divided(knots, parts)
        found = lines.at(knots)
    return mu, mu_lower


# Tests that are looked at on either side of where mu is decided.
_BESIDE = 24

# How often that place is looked for more closely, and at which points.
_CLOSER, _FOUR = 3, np.array([[-1.5, -0.5, 0.5, 1.5]])


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
    own = lines.rows(slice(1, 2)), rungs.rows(slice(1, 2))
    adding = _settled(*own, found.epsilons[1:], needed[1:], slack, target)
    if not adding <= target:
        return None
    removing = lines.rows(slice(0, 1))
    turning = tests.turning(found)[0]
    first = min(max(best - (1 if turning[best] < 0.0 else 2), 0), epsilons.size - 5)
    four = slice(first, first + 4)
    peak = _peak(epsilons[four].tolist(), turning[four].tolist(), mus[four].tolist())
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
        turning = tests.turning(nearer)[0].tolist()
        seen = tests.mus[0].tolist()
        peak, before = _peak(places[0].tolist(), turning, seen, peak), peak
        if peak is None and before is None:
            break
    if peak is None:
        return None
    over = needed[0] > target
    knots = _spread(peak, epsilons, mus, over, tolerance)
    fine = removing.at(knots[None, :])
    middle = int(np.searchsorted(knots, peak.centre))
    top = Knots(*(one[:, max(middle - _BESIDE, 0) : middle + _BESIDE] for one in fine))
    lower = max(lower, float(shown(top, slack).mus.max()))
    needs = chords(fine, rungs.rows(slice(0, 1)), slack)
    mu = max(adding, float(needs.max()), float(np.where(over, 0.0, needed[0]).max()))
    # Not as close as they should be: the knots were not.
    return (mu, lower) if mu - lower <= 8.0 * tolerance * mu else None


def _settled(
    lines: Reading, rungs: Rungs, knots: Floats, needed: Floats, slack: Floats, target: float
) -> float:
    """The mu that adding needs, its cells cut once where their chords need more than the target."""
    over = needed > target
    if not over.any():
        return float(needed.max())
    finer = chords(lines.at(divided(knots, np.where(over, PARTS, 1.0))), rungs, slack)
    return max(float(finer.max()), float(np.where(over, 0.0, needed).max()))


class _Peak(NamedTuple):
    """Where tests need most: the place, the mu, and g in mu (1 - g (eps - centre)^2)."""

    centre: float
    unsure: float
    """About by how much the place may be off."""
    mu: float
    curvature: float
    gap: float


def _peak(
    places: list[float], turning: list[float], mus: list[float], before: _Peak | None = None
) -> _Peak | None:
    """The peak among four places, where F changes its sign; None if that is unclear.

    Of places that are close together the curvature is not told well: there that ``before`` counts.
    """
    rising = all(a < b for a, b in pairwise(turning))
    if not (rising and turning[0] < 0.0 < turning[-1] < math.inf and min(mus) > 0.0):
        return None
    three = slice(0, 3) if turning[2] > 0.0 else slice(1, 4)
    centre = _interpolated(turning, places, 0.0)
    rougher = _interpolated(turning[three], places[three], 0.0)
    if not places[0] < centre < places[-1]:
        centre = rougher
    mu = _interpolated(places, mus, centre)
    curvature, gap = (0.0, 0.0) if before is None else (before.curvature, before.gap)
    if before is None:
        a, b, c = places[three]
        first, second, third = mus[three]
        curvature = ((second - first) / (b - a) - (third - second) / (c - b)) / ((c - a) * mu)
        gap = b - a
    return _Peak(centre, abs(centre - rougher), mu, curvature, gap) if curvature > 0.0 else None


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


# Points among which the highest test is looked for, and how often closer.
_PROBES, _ZOOMS = np.linspace(0.0, 1.0, 9), 8


def _graded(
    lines: Reading,
    over: npt.NDArray[np.bool_],
    first: Floats,
    mus: Floats,
    slack: Floats,
    tolerance: float,
) -> Floats:
    """Knots for removing that are close where mu is decided: eps* + s sinh(t), t equally spaced.

    With mu (1 - g (eps - eps*)^2) about what tests show there, a cell may be as long as
    mu sqrt(8 (tolerance + g (eps - eps*)^2)). By run, from the first to the last cell that is over.
    """
    rows, size = np.arange(over.shape[0]), over.shape[1]
    best = np.clip(np.argmax(mus, axis=1), 1, size - 1)
    low, high = first[rows, best - 1], first[rows, best + 1]
    start = first[rows, np.argmax(over, axis=1)]
    end = first[rows, size - np.argmax(over[:, ::-1], axis=1)]
    # A run that needs no more knots gets the same one over and over.
    end = np.where(over.any(axis=1), end, start)
    for turn in range(_ZOOMS):
        probes = low[:, None] + (high - low)[:, None] * _PROBES
        seen = shown(lines.at(probes), slack, certain=False).mus
        highest = np.argmax(seen, axis=1)
        top = np.clip(highest, 1, _PROBES.size - 2)
        before, at, after = (seen[rows, top + i] for i in (-1, 0, 1))
        gap, bend = probes[:, 1] - probes[:, 0], 2.0 * at - before - after
        known = (bend > 0.0) & (at > 0.0) & (bend < np.inf)
        shift = np.where(known, np.clip(0.5 * (after - before) / bend, -1.0, 1.0), 0.0)
        centre = np.where(known, probes[rows, top] + gap * shift, probes[rows, highest])
        width = np.where(known, 0.25, 1.0) * gap
        low, high = (
            np.maximum(centre - width, probes[:, 0]),
            np.minimum(centre + width, probes[:, -1]),
        )
        if turn and known.all():
            break
    # Where nothing is known, as if delta fell like that of a Gaussian.
    at = np.where(known, at, np.maximum(seen, mus.max(axis=1, keepdims=True)).max(axis=1))
    curvature = np.where(known, 0.5 * bend / (gap * gap * at), 1.0)
    centre = np.clip(centre, start, end)
    away = first - centre[:, None]
    # Where mu falls more slowly than the parabola, that counts.
    slower = (1.0 - mus / at[:, None]) / (away * away)
    sides = []
    for sign, reach in ((-1.0, centre - start), (1.0, end - centre)):
        there = sign * away
        counts = (there > gap[:, None]) & (there <= reach[:, None])
        least = np.where(counts, slower, np.inf).min(axis=1)
        least = np.minimum(curvature, np.maximum(least, 1e-3 * curvature))
        scale, rise = np.sqrt(tolerance / least), 0.8 * at * np.sqrt(8.0 * least)
        # Where mu is so flat that this takes too many knots, as close as so many can be.
        flat = np.arcsinh(reach / scale) > rise * (0.5 * MOST_KNOTS)
        scale = np.where(flat, reach / (rise * (0.45 * MOST_KNOTS)), scale)
        last = np.arcsinh(reach / scale)
        number = int(min(max(float(np.nanmax(last / rise, initial=1.0)), 1.0), MOST_KNOTS / 2)) + 2
        t = last[:, None] * np.linspace(0.0, 1.0, number)
        sides.append(centre[:, None] + (sign * scale)[:, None] * np.sinh(t))
    knots = np.concatenate([sides[0][:, :0:-1], sides[1]], axis=1)
    knots[:, 0], knots[:, -1] = start, end
    return np.maximum.accumulate(knots, axis=1)
