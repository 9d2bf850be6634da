"""The smallest mu: the largest that a chord between knots needs, close where that is decided."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, ndtri_exp

from gdpnum.contour.charges import UNIT, Floats, quantile
from gdpnum.contour.ladder import Rungs
from gdpnum.contour.reading import Knots, Reading

__all__ = ["PARTS", "ROUNDS", "chords", "divided", "shown", "smallest"]

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
    mus = (low - high) + quantile(1.0 + np.abs(low) + np.abs(high))
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


def shown(knots: Knots, slack: Floats, *, certain: bool = True) -> tuple[Floats, Floats, Floats]:
    """Tests that exist: exp(eps) alpha from above, tpr from below, and the mu each needs."""
    delta, lifted = knots.delta, knots.lifted_alpha
    alpha, tpr = lifted, delta + lifted
    if certain:
        alpha = (lifted + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
        tpr = (delta - knots.delta_error) + (lifted - knots.lifted_alpha_error)
        tpr = tpr * (1.0 - 8.0 * UNIT)
    above = tpr - slack[:, None] * (1.0 + 4.0 * UNIT)
    low, high = ndtri(np.maximum(above, 0.0)), lowered(np.maximum(alpha, 0.0), knots.epsilons)
    mus = (low - high) - quantile(1.0 + np.abs(low) + np.abs(high))
    mus[~np.isfinite(mus)] = -np.inf
    return alpha, tpr, mus


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
        mus = shown(found, slack)[2]
        np.maximum.at(mu_lower, index % runs, mus.max(axis=1))
        lower = mu_lower[index % runs][:, None]
        target = lower * (1.0 + tolerance)
        if graded:
            # Rounding alone keeps what is shown from what is needed by so much.
            best = np.argmax(mus, axis=1)[:, None]
            there = Knots(*(np.take_along_axis(one, best, axis=1) for one in found))
            bare = shown(there, slack, certain=False)[2]
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
        seen = shown(lines.at(probes), slack, certain=False)[2]
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
