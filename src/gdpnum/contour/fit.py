"""mu, mu_lower and regret of runs at a slack, from one transform each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, expit, ndtr, ndtri, ndtri_exp

from gdpnum.contour.charges import UNIT, Floats, quantile
from gdpnum.contour.charges import profile_of_mu as profile_wrong
from gdpnum.contour.ladder import Ladder, Rungs, ladder, outlook
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.plan import OutOfReach
from gdpnum.contour.reading import Approximate, Knots, Reading, guessed, reading

__all__ = ["MOST", "Fits", "fits"]

# A guess of where mu is decided that is off by more than this share is worth another transform.
_OFF = 0.25

# How often cells are cut, and into how many parts at a time.
_ROUNDS, _PARTS, _KNOTS = 6, 24.0, 1500

# exp(-eps) and what it multiplies stay normal numbers up to here.
_LARGEST = 600.0

# Runs that are computed together.
_TOGETHER = 30

# log Gamma(1/2) = -mu^2 / 8 of a mu of about 7.5.
_LEAST = -7.0

#: Frequencies times nodes that a run may take: about a fifth of a second.
MOST = 1e7


class Fits(NamedTuple):
    """Arrays by run: the smallest valid mu lies in [mu_lower, mu]; regret is that of mu."""

    mu: Floats
    mu_lower: Floats
    regret: Floats
    """A bound on Delta(f, f_mu)."""
    regret_with_slack: Floats
    """A bound on Delta(f, max(0, f_mu - slack))."""
    advantage: Floats
    """delta(0), from above."""


def lowered(lifted: Floats, epsilons: Floats) -> Floats:
    """Phi^-1(exp(-eps) lifted), also where that underflows."""
    if not epsilons.size or float(epsilons[:, -1].max()) < _LARGEST:
        return ndtri(lifted * np.exp(-epsilons))
    return ndtri_exp(np.log(lifted) - epsilons)


def chords(knots: Knots, slack: Floats) -> Floats:
    """The mu that each chord between two knots needs, from above."""
    upper = knots.delta + knots.delta_error
    np.minimum.accumulate(upper, axis=1, out=upper)
    gaps = np.diff(knots.epsilons, axis=1)
    start = upper[:, :-1]
    over = start - slack[:, None]
    lifted = (start - upper[:, 1:]) / np.expm1(gaps)
    # A smaller slope and a higher line: both towards a larger mu. No tpr is above one.
    slope = lifted * (1.0 - 64.0 * UNIT)
    power = over + lifted * (1.0 + 64.0 * UNIT) + (4.0 * UNIT) * start
    low, high = (
        ndtri(np.minimum(power, 1.0 - 0.5 * slack[:, None])),
        lowered(slope, knots.epsilons[:, :-1]),
    )
    mus = (low - high) + (quantile(low) + quantile(high))
    # What is not a number is not known to be fine.
    mus[np.isnan(mus)] = np.inf
    mus[(over <= 0.0) | (gaps <= 0.0)] = -np.inf
    return mus


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
    mus = (low - high) - (quantile(low) + quantile(high))
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
    places = np.linspace(0.0, 1.0, int(min(ends.max(), _KNOTS)) + 1)
    return np.stack(
        [
            np.interp(places * end[0], one, at)
            for end, one, at in zip(ends, counted, kept, strict=True)
        ]
    )


def capped(found: Knots, rungs: Rungs, slack: Floats) -> Knots:
    """The same, with delta never more than Chernoff allows where its error is above the slack."""
    if not (found.delta_error > slack[:, None]).any():
        return found
    logs = (rungs.values + rungs.log_kappa)[:, :, None]
    logs = (logs - rungs.lam[:, :, None] * found.epsilons[:, None, :]).min(axis=1)
    bound = np.exp(np.minimum(logs, 0.0)) * (1.0 + 1e-12)
    most = np.minimum(found.delta + found.delta_error, bound)
    # From above only: what is between the two is as wrong as it was, or nothing.
    return found._replace(delta=most, delta_error=np.zeros_like(most))


def smallest(
    lines: Reading, found: Knots, rungs: Rungs, runs: int, slack: Floats, tolerance: float
) -> tuple[Floats, Floats]:
    """The mu of each row from above, and of each run from below, from the first knots on.

    Cells between knots whose chord needs more than what tests show are cut: a chord's excess falls
    like the square of its length.
    """
    knots = found.epsilons
    rows = knots.shape[0]
    mu, mu_lower = np.zeros(rows), np.zeros(runs)
    graded = False
    for turn in range(_ROUNDS):
        needed = chords(capped(found, rungs, slack), slack)
        mus = shown(found, slack)[2]
        mu_lower = np.maximum(mu_lower, mus.max(axis=1).reshape(-1, runs).max(axis=0))
        lower = np.concatenate([mu_lower, mu_lower])[:rows, None]
        target = lower * (1.0 + tolerance)
        over = needed > target
        if turn == _ROUNDS - 1 or not over.any():
            mu[:rows] = np.maximum(mu[:rows], needed.max(axis=1))
            break
        if rows > runs and not over[runs:].any():
            # Adding needs less than removing everywhere, and that is all there is to know.
            mu[runs:] = np.maximum(mu[runs:], needed[runs:].max(axis=1))
            rows, slack, lines, rungs = runs, slack[:runs], lines.rows(runs), rungs.rows(runs)
            found = Knots(*(one[:runs] for one in found))
            knots, needed, mus, over = knots[:runs], needed[:runs], mus[:runs], over[:runs]
            lower, target = lower[:runs], target[:runs]
        mu[:rows] = np.maximum(mu[:rows], np.where(over, 0.0, needed).max(axis=1))
        ends = np.maximum(mus[:, :-1], mus[:, 1:])
        room = np.maximum(target - ends, (0.1 * tolerance) * lower)
        parts = np.ceil(np.sqrt(1.2 * (needed - ends) / room))
        # Where delta falls no more than it may be wrong, a shorter cell is no better.
        errors = found.delta_error[:, :-1] + found.delta_error[:, 1:]
        clear = 0.03 * (found.delta[:, :-1] - found.delta[:, 1:]) / errors
        # Beyond all bounds, or not a number: what is shown there is nothing.
        parts = np.where(parts < _PARTS, np.maximum(parts, 2.0), _PARTS)
        stuck = over & ~(clear > 2.0)
        if stuck.any():
            mu[:rows] = np.maximum(mu[:rows], np.where(stuck, needed, 0.0).max(axis=1))
            over &= ~stuck
            if not over.any():
                break
            parts = np.fmin(parts, clear)
        parts = np.where(over, np.floor(parts), 1.0)
        if rows == runs and not graded:
            graded = True
            knots = _graded(lines, over, knots, mus, slack, tolerance)
        else:
            knots = divided(knots, parts)
        found = lines.at(knots)
    return mu, mu_lower


# Points among which the highest test is looked for.
_PROBES = np.linspace(0.0, 1.0, 9)


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
    for _ in range(2):
        probes = low[:, None] + (high - low)[:, None] * _PROBES
        seen = shown(lines.at(probes), slack, certain=False)[2]
        top = np.clip(np.argmax(seen, axis=1), 1, _PROBES.size - 2)
        before, at, after = (seen[rows, top + i] for i in (-1, 0, 1))
        gap, bend = probes[:, 1] - probes[:, 0], 2.0 * at - before - after
        known = (bend > 0.0) & (at > 0.0) & (bend < np.inf)
        shift = np.where(known, np.clip(0.5 * (after - before) / bend, -1.0, 1.0), 0.0)
        centre = probes[rows, top] + gap * shift
        low, high = centre - 0.25 * gap, centre + 0.25 * gap
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
        last = np.arcsinh(reach / scale)
        number = int(min(max(float(np.max(last / rise)), 1.0), _KNOTS / 2)) + 2
        t = last[:, None] * np.linspace(0.0, 1.0, number)
        sides.append(centre[:, None] + (sign * scale)[:, None] * np.sinh(t))
    knots = np.concatenate([sides[0][:, :0:-1], sides[1]], axis=1)
    knots[:, 0], knots[:, -1] = start, end
    return np.maximum.accumulate(knots, axis=1)


# Knots near zero, where regret is decided, in deviations of the loss.
_NEAR = np.concatenate([[0.0], np.geomspace(1e-5, 3.0, 36)])


def first_knots(ladder: Ladder, slack: Floats) -> Floats:
    """Zero and some near it, the saddle points' epsilons, and one from which on delta <= slack."""
    rungs = ladder.rungs
    # By Chernoff.
    bounds = (rungs.values + rungs.log_kappa - np.log(slack)[:, None]) / rungs.lam
    end = np.maximum(bounds.min(axis=1, keepdims=True), 1e-12) * (1.0 + 1e-9)
    runs = ladder.middle.size
    near = ladder.deviation[:, None] * _NEAR
    places = np.empty((end.size, _NEAR.size + rungs.lam.shape[1] + 1))
    removed = np.concatenate([near, rungs.slopes[:runs], end[:runs]], axis=1)
    places[:runs] = np.sort(np.clip(removed, 0.0, end[:runs], out=removed), axis=1)
    # Adding only has to stay below: equal cells will do.
    places[runs:] = end[runs:] * np.linspace(0.0, 1.0, places.shape[1])
    return places


def sought(
    steps: Steps, rungs: Ladder, knots: Floats, slack: Floats, tolerance: float, most: float
) -> Reading:
    """The reading around where mu is decided, which is looked for where jumps make it unclear.

    For removing delta is wanted to ``tolerance`` times the slack, for adding to a hundredth of
    delta of removing: it decides nothing, as far as is known.
    """
    runs = steps.runs
    near = Approximate.of(rungs.rungs)
    guess = guessed(near, rungs.rungs, runs, slack)
    by_row = np.concatenate([slack, slack])[: knots.shape[0]]
    rows, spread = np.arange(runs), np.linspace(0.0, 1.0, 13)
    steep = float(rungs.steep.min())
    rough, unsure = steep < 0.4, steep < 1.0
    log_slack = np.log(slack)
    beside = log_slack
    if knots.shape[0] > runs:
        # Adding matters only as far as it is the worse direction: beside delta of removing.
        removed = [near.log_delta(rungs.rungs, i, guess[runs + i]) for i in range(runs)]
        beside = np.where(removed > log_slack + 10.0, np.minimum(removed, 0.0), log_slack)
    for turn in range(5):
        wanted = np.log(1e-3 if rough and turn < 4 else tolerance)
        errors = log_slack + (wanted + np.log(3.0))
        if knots.shape[0] > runs:
            errors = np.concatenate([errors, beside + np.log(0.01)])
        fine = np.log(np.minimum(rungs.deviation, 1.0)) + (wanted + np.log(0.01))
        lines = reading(steps, rungs, [guess], [errors], fine, most)
        if turn == 4 or not (rough or unsure):
            return lines
        places = knots
        for _ in range(2):
            mus = shown(lines.at(places), by_row, certain=False)[2][:runs]
            best = np.argmax(mus, axis=1)
            where = places[rows, best]
            low = places[rows, np.maximum(best - 1, 0), None]
            high = places[rows, np.minimum(best + 1, places.shape[1] - 1), None]
            closer = low * (1.0 - spread) + high * spread
            places = np.concatenate([closer, closer])[: knots.shape[0]]
        off = bool((np.abs(where - guess[:runs]) > _OFF * where).any())
        if not (off or rough):
            return lines
        rough = rough and off
        unsure = unsure and off
        guess[:runs] = np.where(where > 0.0, where, guess[:runs])
    raise AssertionError


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, rounded up.

    a, b = mu / 2 -+ eps / mu.
    """
    s = epsilons / mu[:, None]
    half = 0.5 * mu[:, None]
    a, b = half - s, half + s
    found: Floats = ndtr(a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return found + profile_wrong(a)


def regrets(
    lines: Reading, found: Knots, mu: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Bounds on Delta(f, f_mu) and Delta(f, f_mu - slack), and delta(0) from above, by run.

    On each half of a cell the line of the test at its knot is held fixed below delta; delta_mu is
    convex in exp(eps), so the ratio (delta_mu - line) / (1 + exp(eps)) is largest at an end.
    """
    knots = found.epsilons
    advantage = np.minimum(found.delta[:, 0] + found.delta_error[:, 0], 1.0)
    # Beyond the last knot delta >= 0, and delta_mu / (1 + exp(eps)) falls.
    weight = expit(-knots[:, -1])
    regret = profile_of_mu(mu, knots[:, -1:])[:, 0] * weight
    with_slack = regret + slack * weight
    reached = np.zeros(mu.size)
    for turn in range(_ROUNDS):
        number = knots.shape[1]
        lower = found.delta - found.delta_error
        lifted = found.lifted_alpha + found.lifted_alpha_error
        tpr = lower + (found.lifted_alpha - found.lifted_alpha_error)
        gaps = 0.5 * np.diff(knots, axis=1)
        places = np.concatenate([knots, knots[:, :-1] + gaps], axis=1)
        summary = profile_of_mu(mu, places)
        grown = np.exp(gaps)
        line = np.minimum(tpr[:, :-1] - lifted[:, :-1] * grown, tpr[:, 1:] - lifted[:, 1:] / grown)
        below = np.concatenate([np.minimum(tpr - lifted, lower), line], axis=1)
        # No test says less than delta >= -1 does; NaN neither.
        below = np.fmax(below, -1.0)
        below -= (16.0 * UNIT) * (1.0 + np.abs(below))
        weights = expit(-places)
        ratios = (summary - below) * weights
        at_knots, at_middles = ratios[:, :number], ratios[:, number:]
        ends = np.maximum(at_knots[:, :-1], at_knots[:, 1:])
        cells = np.maximum(ends, at_middles)
        # (1 + exp(eps))^-1 falls: at the left end of each cell it is largest.
        slacked = cells + slack[:, None] * weights[:, : number - 1]
        reached = np.maximum(reached, at_knots.max(axis=1))
        target = (reached * (1.0 + 10.0 * tolerance) + 1e-15)[:, None]
        high = cells > target
        if turn == _ROUNDS - 1 or not high.any():
            break
        regret = np.maximum(regret, np.where(high, 0.0, cells).max(axis=1))
        with_slack = np.maximum(with_slack, np.where(high, 0.0, slacked).max(axis=1))
        room = np.maximum(target - ends, tolerance * target)
        parts = np.minimum(np.ceil(np.sqrt(1.2 * (cells - ends) / room)), _PARTS)
        knots = divided(knots, np.where(high, np.maximum(parts, 2.0), 1.0))
        found = lines.at(knots)
    rounded = 1.0 + 16.0 * UNIT
    regret = np.maximum(np.maximum(regret, cells.max(axis=1)), 0.0) * rounded
    with_slack = np.maximum(np.maximum(with_slack, slacked.max(axis=1)), 0.0) * rounded
    return regret, with_slack, advantage


@np.errstate(all="ignore")
def fits(runs: Sequence[Run], *, slack: float, tolerance: float = 1e-9, most: float = MOST) -> Fits:
    """mu, mu_lower and regret of many runs at once, by run, each as if it were alone.

    delta is computed to about ``tolerance`` times the slack, and mu - mu_lower says what that came
    to. A single run raises `OutOfReach` where it takes more than ``most`` evaluations; among many
    such a run has mu infinite and mu_lower zero.
    """
    steps = Steps.of(runs)
    slacks = np.full(steps.runs, slack)
    if steps.runs == 1:
        return _fits(steps, slacks, tolerance, most)
    # Those of a kind together, so that none waits for another's frequencies.
    order = np.argsort(_burden(steps), kind="stable")
    parts = np.array_split(order, -(-order.size // _TOGETHER))
    found = [_tried(steps, part, slacks, tolerance, most) for part in parts]
    back = np.argsort(order)
    return Fits(*(np.concatenate(columns)[back] for columns in zip(*found, strict=True)))


def _tried(
    steps: Steps, part: npt.NDArray[np.intp], slack: Floats, tolerance: float, most: float
) -> Fits:
    """The fits of some of the runs; of those out of reach nothing is known."""
    try:
        return _fits(steps.part(part), slack[part], tolerance, most)
    except OutOfReach:
        if part.size == 1:
            unknown = np.full(1, np.inf)
            return Fits(unknown, np.zeros(1), np.full(1, 0.5), np.full(1, 0.5), np.ones(1))
    halves = (part[: part.size // 2], part[part.size // 2 :])
    found = [_tried(steps, half, slack, tolerance, most) for half in halves]
    return Fits(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _burden(steps: Steps) -> Floats:
    """What groups runs of a kind: how much jumps decide, and apart those with a large mu."""
    size, reach = outlook(steps)
    # Below one: jumps decide. Beyond it the noise of the finest segment sets the nodes.
    finest = np.zeros(steps.runs)
    np.maximum.at(finest, steps.owner, steps.c)
    burden = np.where(reach < 1.0, 2.0 + 1.0 / reach, finest / (1.0 + finest))
    return np.where(size * size > -8.0 * _LEAST, -1.0, burden)


def _fits(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    runs = steps.runs
    rungs = ladder(steps, 22.0)
    if float(rungs.middle.min()) < _LEAST:
        raise OutOfReach(
            f"mu is about {math.sqrt(-8.0 * float(rungs.middle.min())):.0f}, which leaves no "
            "privacy and 1 - delta too small for the contour; use the lattice"
        )
    by_row = np.concatenate([slack, slack])[: rungs.rungs.lam.shape[0]]
    knots = first_knots(rungs, by_row)
    lines = sought(steps, rungs, knots, slack, tolerance, most * runs)
    found = lines.at(knots)
    # At the last knot delta <= slack.
    np.minimum(found.delta[:, -1], by_row, out=found.delta[:, -1])
    found.delta_error[:, -1] = 0.0
    needed, mu_lower = smallest(lines, found, rungs.rungs, runs, by_row, tolerance)
    mu = needed.reshape(-1, runs).max(axis=0)
    # A lower bound at the last knot is not known any more.
    removed = Knots(*(one[:runs, :-1] for one in found))
    return Fits(mu, mu_lower, *regrets(lines.rows(runs), removed, mu, slack, tolerance))
