"""The smallest mu of many runs at once: cells between knots are cut where that is decided."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gdpnum.contour.decided import MOST_KNOTS, PARTS, ROUNDS, chords, divided, shown
from gdpnum.contour.ladder import Rungs
from gdpnum.contour.line import Knots, Reading
from gdpnum.floats import Floats


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
        mus = shown(found, slack).mus
        np.maximum.at(mu_lower, index % runs, mus.max(axis=1))
        lower = mu_lower[index % runs][:, None]
        target = lower * (1.0 + tolerance)
        needed = chords(found, rungs, slack, target[:, 0])
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
        # Where delta falls no more than it may be wrong, a shorter cell is no better; known well at
        # one end it may be within as well.
        errors = 2.0 * np.minimum(found.delta_error[:, :-1], found.delta_error[:, 1:])
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
