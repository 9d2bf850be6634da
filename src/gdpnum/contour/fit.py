"""mu, mu_lower and regret of runs at a slack, from one transform each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, expit, ndtr, ndtri

from gdpnum.contour.charges import UNIT, Floats, quantile
from gdpnum.contour.charges import profile_of_mu as profile_wrong
from gdpnum.contour.ladder import Ladder, Rungs, ladder
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.reading import Knots, Reading, guessed, reading

__all__ = ["MOST", "Fits", "fits"]

# A guess of where mu is decided that is off by more than this share is worth another transform.
_OFF = 0.25

# How often cells are cut, and into how many parts at a time.
_ROUNDS, _PARTS, _KNOTS = 6, 24.0, 1500

# Runs that are computed together.
_TOGETHER = 90

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


def chords(knots: Knots, slack: Floats) -> Floats:
    """The mu that each chord between two knots needs, from above."""
    upper = knots.delta + knots.delta_error
    np.minimum.accumulate(upper, axis=1, out=upper)
    gaps = np.diff(knots.epsilons, axis=1)
    start = upper[:, :-1]
    over = start - slack[:, None]
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        lifted = (start - upper[:, 1:]) / np.expm1(gaps)
        # A smaller slope and a higher line: both towards a larger mu.
        alpha = lifted * np.exp(-knots.epsilons[:, :-1]) * (1.0 - 64.0 * UNIT)
        power = over + lifted * (1.0 + 64.0 * UNIT) + (4.0 * UNIT) * start
        low, high = ndtri(np.minimum(power, 1.0)), ndtri(alpha)
        mus = (low - high) + (quantile(low) + quantile(high))
    mus[~((over > 0.0) & (gaps > 0.0))] = -np.inf
    return mus


def shown(knots: Knots, slack: Floats, *, certain: bool = True) -> tuple[Floats, Floats, Floats]:
    """Tests that exist: alpha from above, tpr from below, and the mu each shows to be needed."""
    delta, lifted = knots.delta, knots.lifted_alpha
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        alpha, tpr = lifted, delta + lifted
        if certain:
            alpha = (lifted + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
            tpr = (delta - knots.delta_error) + (lifted - knots.lifted_alpha_error)
            tpr = tpr * (1.0 - 8.0 * UNIT)
        alpha = alpha * np.exp(-knots.epsilons)
        above = tpr - slack[:, None] * (1.0 + 4.0 * UNIT)
        low, high = ndtri(np.maximum(above, 0.0)), ndtri(np.maximum(alpha, 0.0))
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
        [np.interp(places * end[0], one, at) for end, one, at in zip(ends, counted, kept)]
    )


def smallest(
    lines: Reading, knots: Floats, runs: int, slack: Floats, tolerance: float
) -> tuple[Floats, Floats]:
    """mu of each row from above, and of each run from below.

    Cells between knots whose chord needs more than what tests show are cut: a chord's excess falls
    like the square of its length.
    """
    rows = knots.shape[0]
    mu = np.zeros(rows)
    mu_lower = np.zeros(runs)
    for turn in range(_ROUNDS):
        found = lines.at(knots)
        if turn == 0:
            # Beyond the last knot delta <= slack, by Chernoff.
            np.minimum(found.delta[:, -1], slack, out=found.delta[:, -1])
            found.delta_error[:, -1] = 0.0
        needed = chords(found, slack)
        _, _, mus = shown(found, slack)
        mu_lower = np.maximum(mu_lower, mus.max(axis=1).reshape(-1, runs).max(axis=0))
        lower = np.concatenate([mu_lower, mu_lower])[:rows, None]
        target = lower * (1.0 + tolerance)
        over = needed > target
        if turn == _ROUNDS - 1 or not over.any():
            return np.maximum(mu, needed.max(axis=1)), mu_lower
        mu = np.maximum(mu, np.where(over, 0.0, needed).max(axis=1))
        ends = np.maximum(mus[:, :-1], mus[:, 1:])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            room = np.maximum(target - ends, (0.1 * tolerance) * lower)
            parts = np.sqrt(1.2 * (needed - ends) / room)
        parts = np.minimum(np.ceil(np.nan_to_num(parts, nan=_PARTS, posinf=_PARTS)), _PARTS)
        knots = divided(knots, np.where(over, np.maximum(parts, 2.0), 1.0))
    raise AssertionError


def first_knots(rungs: Rungs, slack: Floats) -> Floats:
    """Zero, the saddle points' epsilons, and one from which on delta <= slack (Chernoff)."""
    bounds = (rungs.values + rungs.log_kappa - np.log(slack)[:, None]) / rungs.lam
    end = np.maximum(bounds.min(axis=1, keepdims=True), 1e-12) * (1.0 + 1e-9)
    slopes = np.sort(np.clip(rungs.slopes, 0.0, end), axis=1)
    return np.concatenate([np.zeros_like(end), slopes, end], axis=1)


def sought(
    steps: Steps, rungs: Ladder, knots: Floats, slack: Floats, tolerance: float, most: float
) -> Reading:
    """The reading around where mu is decided, which is looked for where jumps make it unclear.

    For removing delta is wanted to ``tolerance`` times the slack, for adding to a hundredth of the
    slack: it decides nothing, as far as is known.
    """
    runs = steps.runs
    guess = guessed(rungs.rungs, runs, slack)
    by_row = np.concatenate([slack, slack])[: knots.shape[0]]
    rows, spread = np.arange(runs), np.linspace(0.0, 1.0, 13)
    rough = bool(rungs.steep.any())
    log_slack = np.log(slack)
    for turn in range(5):
        wanted = np.log(1e-3 if rough and turn < 4 else tolerance)
        errors = log_slack + (wanted + np.log(3.0))
        if knots.shape[0] > runs:
            errors = np.concatenate([errors, log_slack + np.log(0.03)])
        fine = np.log(np.minimum(rungs.deviation, 1.0)) + (wanted + np.log(0.01))
        lines = reading(steps, rungs, [guess], [errors], fine, most)
        if not rough or turn == 4:
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
        rough = bool((np.abs(where - guess[:runs]) > _OFF * where).any())
        guess[:runs] = np.where(where > 0.0, where, guess[:runs])
    raise AssertionError


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, rounded up.

    a, b = mu / 2 -+ eps / mu.
    """
    s = epsilons / mu[:, None]
    half = 0.5 * mu[:, None]
    a, b = half - s, half + s
    with np.errstate(under="ignore"):
        found: Floats = ndtr(a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return found + profile_wrong(a)


def regrets(
    lines: Reading, knots: Floats, mu: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Bounds on Delta(f, f_mu) and Delta(f, f_mu - slack), and delta(0) from above, by run.

    On each half of a cell the line of the test at its knot is held fixed below delta; delta_mu is
    convex in exp(eps), so the ratio (delta_mu - line) / (1 + exp(eps)) is largest at an end.
    """
    regret, with_slack = np.zeros((2, mu.size))
    advantage = np.ones(mu.size)
    reached = np.zeros(mu.size)
    for turn in range(_ROUNDS):
        found = lines.at(knots)
        lifted = found.lifted_alpha + found.lifted_alpha_error
        lower = found.delta - found.delta_error
        tpr = lower + found.lifted_alpha - found.lifted_alpha_error
        gaps = 0.5 * np.diff(knots, axis=1)
        middles = knots[:, :-1] + gaps
        number = knots.shape[1]
        places = np.concatenate([knots, middles], axis=1)
        summary = profile_of_mu(mu, places)
        weights = expit(-places)
        with np.errstate(over="ignore", invalid="ignore"):
            grown = np.exp(gaps)
            line = np.minimum(
                tpr[:, :-1] - lifted[:, :-1] * grown, tpr[:, 1:] - lifted[:, 1:] / grown
            )
        line = np.nan_to_num(line, nan=0.0, neginf=0.0)
        line -= (16.0 * UNIT) * (1.0 + np.abs(line))
        below = np.concatenate([np.minimum(tpr - lifted, lower), line], axis=1)
        over = summary - below
        ratios = over * weights
        at_knots, at_middles = ratios[:, :number], ratios[:, number:]
        cells = np.maximum(np.maximum(at_knots[:, :-1], at_knots[:, 1:]), at_middles)
        slacked = (over + slack[:, None]) * weights
        slacked_cells = np.maximum(
            np.maximum(slacked[:, : number - 1], slacked[:, 1:number]), slacked[:, number:]
        )
        if turn == 0:
            advantage = np.minimum(found.delta[:, 0] + found.delta_error[:, 0], 1.0)
            # Beyond the last knot delta >= 0, and delta_mu / (1 + exp(eps)) falls.
            end = summary[:, number - 1] * weights[:, number - 1]
            regret = end
            with_slack = end + slack * weights[:, number - 1]
        reached = np.maximum(reached, at_knots.max(axis=1))
        target = (reached * (1.0 + 10.0 * tolerance) + 1e-15)[:, None]
        high = cells > target
        if turn == _ROUNDS - 1 or not high.any():
            regret = np.maximum(regret, cells.max(axis=1))
            with_slack = np.maximum(with_slack, slacked_cells.max(axis=1))
            break
        regret = np.maximum(regret, np.where(high, 0.0, cells).max(axis=1))
        with_slack = np.maximum(with_slack, np.where(high, 0.0, slacked_cells).max(axis=1))
        ends = np.maximum(at_knots[:, :-1], at_knots[:, 1:])
        room = np.maximum(target - ends, tolerance * target)
        parts = np.minimum(np.ceil(np.sqrt(1.2 * np.maximum(cells - ends, 0.0) / room)), _PARTS)
        knots = divided(knots, np.where(high, np.maximum(parts, 2.0), 1.0))
    return np.maximum(regret, 0.0) * (1.0 + 16.0 * UNIT), with_slack, advantage


# Knots near zero, where regret is decided, in deviations of the loss.
_NEAR = np.concatenate([[0.0], np.geomspace(1e-5, 3.0, 36)])


def fits(
    runs: Sequence[Run], *, slack: float, tolerance: float = 1e-9, most: float = MOST
) -> Fits:
    """mu, mu_lower and regret of many runs at once, by run, each as if it were alone.

    delta is computed to about ``tolerance`` times the slack, and mu - mu_lower says what that came
    to. Raises `OutOfReach` where one run takes more than ``most`` evaluations.
    """
    steps = Steps.of(runs)
    slacks = np.full(steps.runs, slack)
    if steps.runs == 1:
        return _fits(steps, slacks, tolerance, most)
    # Those of a kind together, so that none waits for another's frequencies.
    order = np.argsort(_burden(steps), kind="stable")
    found = [
        _fits(steps.part(part), slacks[part], tolerance, most)
        for part in np.array_split(order, -(-order.size // _TOGETHER))
    ]
    back = np.argsort(order)
    return Fits(*(np.concatenate(columns)[back] for columns in zip(*found, strict=True)))


def _burden(steps: Steps) -> Floats:
    """What groups runs of a kind: how rare their jumps are beside their bulk."""
    burden = np.zeros(steps.runs)
    np.maximum.at(burden, steps.owner, steps.c / (steps.rate * np.sqrt(steps.counts)))
    return burden


def _fits(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    runs = steps.runs
    rungs = ladder(steps, 22.0)
    by_row = np.concatenate([slack, slack])[: rungs.rungs.lam.shape[0]]
    knots = first_knots(rungs.rungs, by_row)
    lines = sought(steps, rungs, knots, slack, tolerance, most * runs)
    found, mu_lower = smallest(lines, knots, runs, by_row, tolerance)
    mu = found.reshape(-1, runs).max(axis=0)
    near = np.minimum(rungs.deviation[:, None] * _NEAR, 0.999 * knots[:runs, -1:])
    places = np.sort(np.concatenate([near, knots[:runs, 1:]], axis=1), axis=1)
    return Fits(mu, mu_lower, *regrets(lines.rows(runs), places, mu, slack, tolerance))
