"""A reading: bounds on delta and alpha around where mu is decided, and at zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtri

from gdpnum.contour.charges import UNIT, Floats
from gdpnum.contour.ladder import Ladder, Rungs
from gdpnum.contour.line import Line, line
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import carried_out, period, planned

__all__ = ["Knots", "Reading", "guessed", "reading"]


class Knots(NamedTuple):
    """delta and exp(eps) alpha at epsilons, by row, and how wrong they may be."""

    epsilons: Floats
    delta: Floats
    delta_error: Floats
    lifted_alpha: Floats
    lifted_alpha_error: Floats


class Reading(NamedTuple):
    """A line in the tail and the one in the middle, by row."""

    tail: Line
    middle: Line
    switch: Floats
    """The epsilon at which one becomes the better."""

    def rows(self, number: int) -> Reading:
        """The first so many rows."""
        return Reading(self.tail.rows(number), self.middle.rows(number), self.switch[:number])

    def at(self, epsilons: Floats) -> Knots:
        """Bounds from the better line at each epsilon; epsilons increase in each row."""
        low = (epsilons < self.switch).sum(axis=1)
        most, least, number = int(low.max()), int(low.min()), epsilons.shape[1]
        values, errors = np.empty((2, epsilons.shape[0], 2, number))
        if least < number:
            values[:, :, least:], errors[:, :, least:] = self.tail.at(epsilons[:, least:])
        if most > 0:
            found, wrong = self.middle.at(epsilons[:, :most])
            found[:, 0] += 1.0
            wrong[:, 0] += UNIT
            if most == least:
                values[:, :, :most], errors[:, :, :most] = found, wrong
            else:
                chosen = (np.arange(most) < low[:, None])[:, None, :]
                np.copyto(values[:, :, :most], found, where=chosen)
                np.copyto(errors[:, :, :most], wrong, where=chosen)
        return Knots(epsilons, values[:, 0], errors[:, 0], values[:, 1], errors[:, 1])


def guessed(rungs: Rungs, runs: int, slack: Floats) -> Floats:
    """About where mu is decided for removing, and where delta sinks to the slack for adding.

    From the Gaussian approximation at each saddle point: tpr = e^(K - lam K') Psi(lam sqrt K''),
    Psi(x) = exp(x^2 / 2) Phi(-x), and alpha = e^(K - (1 + lam) K') Psi((1 + lam) sqrt K'').
    """
    lam, k, slope, curvature, _ = rungs
    with np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore"):
        root = np.sqrt(0.5 * curvature)
        log_scale = k - lam * slope
        tpr_part, alpha_part = 0.5 * erfcx(lam * root), 0.5 * erfcx((1.0 + lam) * root)
        removed = slice(0, runs)
        tpr = np.exp(log_scale[removed]) * tpr_part[removed] - slack[:, None]
        alpha = np.exp(log_scale[removed] - slope[removed]) * alpha_part[removed]
        mus = ndtri(np.maximum(tpr, 1e-300)) - ndtri(alpha)
        mus[~((tpr > 1e-3 * slack[:, None]) & (alpha > 0.0))] = -np.inf
    rows = np.arange(runs)
    best = np.minimum(np.argmax(mus, axis=1), lam.shape[1] - 2)
    # Between two rungs the higher mu is on the side of the better neighbour.
    after = np.maximum(mus[rows, best + 1], 0.0) / np.maximum(mus[rows, best], 1e-300)
    found = slope[rows, best] + 0.4 * after * (slope[rows, best + 1] - slope[rows, best])
    if rungs.lam.shape[0] == runs:
        return found
    logs = log_scale[runs:] + np.log(np.maximum(tpr_part - alpha_part, 1e-300))[runs:]
    logs = np.maximum.accumulate(logs[:, ::-1], axis=1)[:, ::-1]
    level = np.log(slack) + 1.0
    if runs == 1:
        others = np.array([np.interp(-level[0], -logs[0], slope[1])])
    else:
        others = np.array([np.interp(-a, -b, c) for a, b, c in zip(level, logs, slope[runs:])])
    return np.concatenate([found, others])


def tail_line(rungs: Rungs, epsilon: Floats, log_error: Floats) -> tuple[Floats, Floats]:
    """The lam for epsilon that costs least, by row, of those that rounding allows, and its K.

    The saddle point would have the smallest exp(K - lam eps), which rounding is relative to; a
    smaller lam needs a shorter period, but more frequencies for what is left out.
    """
    lam, values = rungs.lam, rungs.values
    scales = values - lam * epsilon[:, None]
    allowed = np.maximum(scales.min(axis=1) + 0.7, log_error + 32.0)
    bounds = scales + rungs.log_kappa - log_error[:, None]
    gaps = lam[:, None, :] - lam[:, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(gaps > 0.0, bounds[:, None, :] / gaps, np.inf).min(axis=2)
    widths = np.sqrt(np.maximum(scales - log_error[:, None], 1.0))
    cost = np.where(scales <= allowed[:, None], lengths * widths, np.inf)
    best = np.arange(lam.shape[0]), np.argmin(cost, axis=1)
    return lam[best], values[best]


def reading(
    steps: Steps, ladder: Ladder, epsilon: Floats, slack: Floats, tolerance: float
) -> Reading:
    """The lines for epsilons by row (removing, then adding) and for zero.

    For removing delta is wanted to ``tolerance`` times the slack, for adding to a hundredth of the
    slack: it decides nothing, as far as is known.
    """
    runs, rungs = steps.runs, ladder.rungs
    directions = rungs.lam.shape[0] // runs
    fine = np.log(0.01 * tolerance * np.minimum(ladder.deviation, 1.0))
    near = np.log(3.0 * tolerance * slack)
    if directions == 2:
        near = np.concatenate([near, np.log(0.03 * slack)])
        fine = np.concatenate([fine, fine])
    lam, values = tail_line(rungs, epsilon, near)
    tilts = np.full((runs, directions + 1), 0.5)
    lengths, digits = np.empty((2, runs, directions + 1))
    tilts[:, 0] = 1.0 + lam[:runs]
    if directions == 2:
        tilts[:, 1] = -lam[runs:]
    periods = period(rungs, runs, lam, epsilon, near)
    middle = period(rungs, runs, np.full(lam.size, -0.5), np.zeros(lam.size), fine)
    lengths[:, :-1] = periods.reshape(directions, runs).T
    lengths[:, -1] = middle.reshape(directions, runs).max(axis=0)
    digits[:, :-1] = (values - lam * epsilon - near).reshape(directions, runs).T
    digits[:, -1] = ladder.middle - fine[:runs]
    plan = planned(steps, ladder, tilts, lengths, digits=np.maximum(digits, 5.0), error=1e-15)
    limits = plan.limits
    joint = limits.max(axis=1) * lengths.max(axis=1)
    tails = limits[:, :-1].max(axis=1) * lengths[:, :-1].max(axis=1)
    apart = tails + limits[:, -1] * lengths[:, -1]
    far, close = epsilon[:, None] * np.array([[0.5, 1.0, 1.25]]), epsilon[:, None] * np.array(
        [[0.0, 0.1, 0.4]]
    )
    if float(joint.sum()) < 1.4 * float(apart.sum()):
        found = carried_out(steps, ladder, plan)
        tail = line(found, plan.decayed, rungs, lines=directions, references=far)
        centre = line(found, plan.decayed, rungs, lines=0, references=close)
    else:
        one, two = plan.only(list(range(directions))), plan.only([directions])
        tail = line(
            carried_out(steps, ladder, one), one.decayed, rungs, lines=directions, references=far
        )
        centre = line(
            carried_out(steps, ladder, two), two.decayed, rungs, lines=0, references=close
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(tail.errors[0][:, :1] / centre.errors[0][:, :1])
        switch = (tail.cumulant - centre.cumulant + ratio) / (tail.lam - centre.lam)
    return Reading(tail, centre, np.nan_to_num(switch, nan=0.0, posinf=1e300, neginf=0.0))
