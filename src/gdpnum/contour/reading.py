"""A reading: bounds on delta and alpha around where mu is decided, and at zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtri

from gdpnum.contour.ladder import Ladder, Rungs, period
from gdpnum.contour.line import Line, Rows, stacked
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import Plan, carried_out, planned
from gdpnum.floats import UNIT, Floats

__all__ = ["CLOSE", "FAR", "Approximate", "Knots", "Reading", "guessed", "reading"]


class Knots(NamedTuple):
    """delta and exp(eps) alpha at epsilons, by row, and how wrong they may be."""

    epsilons: Floats
    delta: Floats
    delta_error: Floats
    lifted_alpha: Floats
    lifted_alpha_error: Floats


class Reading(NamedTuple):
    """Lines by increasing lam: the one in the middle, and some in the tail."""

    lines: tuple[Line, ...]
    limits: Floats
    """From where on the next line is the better one, by line and row."""

    def rows(self, kept: Rows) -> Reading:
        """Some of the rows."""
        return Reading(tuple(one.rows(kept) for one in self.lines), self.limits[:, kept])

    def at(self, epsilons: Floats) -> Knots:
        """Bounds from the best line at each epsilon; epsilons increase in each row."""
        values, errors = np.empty((2, epsilons.shape[0], 2, epsilons.shape[1]))
        # By row and line, the first epsilon that is better on a later one.
        ends = np.stack(
            [
                np.searchsorted(one, at, "right")
                for one, at in zip(epsilons, self.limits.T, strict=True)
            ]
        )
        starts = np.zeros_like(ends[:, 0])
        for i, line in enumerate(self.lines):
            stops = ends[:, i] if i < ends.shape[1] else np.full_like(starts, epsilons.shape[1])
            first, last = int(starts.min()), int(stops.max())
            if first < last and (starts < stops).any():
                found, wrong = line.at(epsilons[:, first:last])
                if i == 0:
                    found[:, 0] += 1.0
                    wrong[:, 0] += UNIT
                for row, (begin, end) in enumerate(
                    zip(starts.tolist(), stops.tolist(), strict=True)
                ):
                    own = slice(begin - first, end - first)
                    values[row, :, begin:end] = found[row, :, own]
                    errors[row, :, begin:end] = wrong[row, :, own]
            starts = stops
        return Knots(epsilons, values[:, 0], errors[:, 0], values[:, 1], errors[:, 1])


class Approximate(NamedTuple):
    """Gaussian approximations at each saddle point, by row and rung.

    tpr = e^(K - lam K') Psi(lam sqrt K''), Psi(x) = exp(x^2 / 2) Phi(-x), and alpha =
    e^(K - (1 + lam) K') Psi((1 + lam) sqrt K'').
    """

    log_scale: Floats
    tpr_part: Floats
    alpha_part: Floats

    @classmethod
    def of(cls, rungs: Rungs) -> Approximate:
        """At the rungs."""
        lam = rungs.lam
        root = np.sqrt(0.5 * rungs.curvatures)
        parts = 0.5 * erfcx(lam * root), 0.5 * erfcx((1.0 + lam) * root)
        return cls(rungs.values - lam * rungs.slopes, *parts)

    def mus(self, rungs: Rungs, rows: slice, slack: Floats) -> Floats:
        """About the mu that the test at each saddle point shows; -inf where delta <= slack."""
        scale, slope = self.log_scale[rows], rungs.slopes[rows]
        tpr = np.exp(scale) * self.tpr_part[rows] - slack[:, None]
        alpha = np.exp(scale - slope) * self.alpha_part[rows]
        found = ndtri(np.maximum(tpr, 1e-300)) - ndtri(alpha)
        found[~((tpr > 1e-3 * slack[:, None]) & (alpha > 0.0))] = -np.inf
        return found

    def _logs(self, rows: slice) -> Floats:
        """The log of delta, falling."""
        parts = np.maximum((self.tpr_part - self.alpha_part)[rows], 1e-300)
        return np.minimum.accumulate(self.log_scale[rows] + np.log(parts), axis=1)

    def log_delta(self, rungs: Rungs, row: int, epsilon: float) -> float:
        """About log delta at an epsilon."""
        logs = self._logs(slice(row, row + 1))[0]
        return float(np.interp(epsilon, np.maximum.accumulate(rungs.slopes[row]), logs))

    def falls_to(self, rungs: Rungs, rows: slice, log_delta: Floats) -> Floats:
        """About where delta has fallen to exp(log_delta), by row."""
        found = [
            np.interp(-level, -one, at)
            for level, one, at in zip(log_delta, self._logs(rows), rungs.slopes[rows], strict=True)
        ]
        return np.array(found)


def guessed(near: Approximate, rungs: Rungs, runs: int, slack: Floats) -> Floats:
    """About where mu is decided for removing, and where delta sinks to the slack for adding."""
    slope = rungs.slopes[:runs]
    mus = near.mus(rungs, slice(runs), slack)
    rows = np.arange(runs)
    best = np.minimum(np.argmax(mus, axis=1), slope.shape[1] - 2)
    # Between two rungs: towards the next one by how near its mu comes.
    after = np.maximum(mus[rows, best + 1], 0.0) / np.maximum(mus[rows, best], 1e-300)
    found = slope[rows, best] + 0.4 * after * (slope[rows, best + 1] - slope[rows, best])
    removed: Floats = np.maximum(found, 1e-12)
    if rungs.lam.shape[0] == runs:
        return removed
    others = near.falls_to(rungs, slice(runs, None), np.log(slack) - 0.5)
    return np.concatenate([removed, np.maximum(others, 1e-12)])


def tail_line(
    rungs: Rungs, epsilon: Floats, log_error: Floats, length: Floats, width: Floats
) -> tuple[Floats, Floats]:
    """The lam for epsilon that costs least, by row, of those that rounding allows, and its K.

    The saddle point would have the smallest exp(K - lam eps), which rounding is relative to; a
    smaller lam needs a shorter period, but more frequencies for what is left out. Both are had for
    nothing up to the ``length`` and the ``width`` that the middle line takes.
    """
    lam, values = rungs.lam, rungs.values
    scales = values - lam * epsilon[:, None]
    allowed = np.maximum(scales.min(axis=1) + 0.7, log_error + 32.0)
    bounds = scales - log_error[:, None]
    gaps = lam[:, None, :] - lam[:, :, None]
    lengths = np.where(gaps > 0.0, bounds[:, None, :] / gaps, np.inf).min(axis=2)
    widths = np.sqrt(np.maximum(bounds, 1.0))
    np.maximum(lengths, length[:, None], out=lengths)
    np.maximum(widths, width[:, None], out=widths)
    cost = np.where(scales <= allowed[:, None], lengths * widths, np.inf)
    best = np.arange(lam.shape[0]), np.argmin(cost, axis=1)
    return lam[best], values[best]


def reading(
    steps: Steps,
    ladder: Ladder,
    epsilons: list[Floats],
    log_errors: list[Floats],
    fine: Floats,
    most: float,
) -> Reading:
    """Lines for epsilons by row, with the error of delta that each may have there.

    And the line in the middle, with that error (its log: ``fine``) at zero.
    """
    runs, rungs = steps.runs, ladder.rungs
    rows = rungs.lam.shape[0]
    directions = rows // runs
    tails = len(epsilons)
    last = tails * directions
    tilts = np.full((runs, last + 1), 0.5)
    lengths, digits = np.empty((2, runs, last + 1))
    wanted = np.concatenate([fine, fine])[:rows]
    others = rungs.other(runs)
    middle = period(rungs, others, np.full(rows, -0.5), np.zeros(rows), wanted)
    lengths[:, -1] = middle.reshape(-1, runs).max(axis=0)
    digits[:, -1] = np.maximum(ladder.middle - fine, 5.0)
    width = np.sqrt(np.concatenate([digits[:, -1], digits[:, -1]])[:rows])
    # All tails at once, one's rows after the other's.
    every = np.tile(np.arange(rows), tails)
    places, allowed = np.concatenate(epsilons), np.concatenate(log_errors)
    lam, values = tail_line(rungs.rows(every), places, allowed, middle[every], width[every])
    # Half way down to the line before it, too.
    before = np.concatenate([np.zeros(rows), *epsilons[:-1]])
    error = np.concatenate([wanted, *log_errors[:-1]])
    twice = np.concatenate([every, every])
    longest = period(
        rungs.rows(twice),
        others.rows(twice),
        np.concatenate([lam, lam]),
        np.concatenate([places, 0.5 * (before + places)]),
        np.concatenate([allowed, 0.5 * (error + allowed)]),
    )
    signed = np.where((every < runs), 1.0 + lam, -lam)
    tilts[:, :-1] = signed.reshape(last, runs).T
    lengths[:, :-1] = longest.reshape(2, last, runs).max(axis=0).T
    digits[:, :-1] = (values - lam * places - allowed).reshape(last, runs).T
    plan = planned(steps, ladder, tilts, lengths, digits=np.maximum(digits, 5.0), error=1e-15)
    return _read_lines(steps, ladder, plan, lengths, places.reshape(tails, rows), most)


def _read_lines(
    steps: Steps, ladder: Ladder, plan: Plan, lengths: Floats, epsilons: Floats, most: float
) -> Reading:
    """The lines as planned, for epsilons by tail and row: on common frequencies unless that costs.

    The last line of the plan is the one in the middle.
    """
    rungs, limits = ladder.rungs, plan.limits
    tails, rows = epsilons.shape
    directions = rows // steps.runs
    joint = float((limits.max(axis=1) * lengths.max(axis=1)).sum())
    apart = float((limits[:, :-1].max(axis=1) * lengths[:, :-1].max(axis=1)).sum())
    apart += float((limits[:, -1] * lengths[:, -1]).sum())
    last = tails * directions
    far = [list(range(i * directions, (i + 1) * directions)) for i in range(tails)]
    beyond, close = [one[:, None] * FAR for one in epsilons], epsilons[0][:, None] * CLOSE
    places = epsilons.ravel()
    if joint < 1.4 * apart:
        found = carried_out(steps, ladder, plan, most)
        picked = [[last] * directions, *far]
        every = stacked(found, plan.decayed, rungs, picks=picked, references=[close, *beyond])
        first, rest = every.rows(slice(0, rows)), every.rows(slice(rows, None))
        best = _limits(every.rows(slice(0, tails * rows)), rest, places)
    else:
        one, two = plan.only(list(range(last))), plan.only([last])
        found = carried_out(steps, ladder, two, most)
        first = stacked(found, two.decayed, rungs, picks=[[0] * directions], references=[close])
        found = carried_out(steps, ladder, one, most)
        rest = stacked(found, one.decayed, rungs, picks=far, references=beyond)
        best = _limits(first, rest.rows(slice(0, rows)), places[:rows])
        inner = rest.rows(slice(0, (tails - 1) * rows)), rest.rows(slice(rows, None))
        best = np.concatenate([best, _limits(*inner, places[rows:])])
    each = [rest.rows(slice(i * rows, (i + 1) * rows)) for i in range(tails)]
    return Reading((first, *each), np.maximum.accumulate(best.reshape(tails, rows), axis=0))


def _limits(before: Line, after: Line, epsilons: Floats) -> Floats:
    """Up to where, by row, a line is better than the one after it, which is for the epsilon."""
    places = epsilons[:, None] * _PLACES
    better = ~(after.errors_at(places) < before.errors_at(places))
    better[:, 0], better[:, -1] = True, False
    last = np.argmin(better, axis=1) - 1
    found: Floats = places[np.arange(last.size), last]
    return found


_PLACES = np.linspace(0.0, 1.0, 25)

# Where images are bounded best, as multiples of the epsilon a line is for.
FAR, CLOSE = np.array([[0.5, 1.0, 1.25]]), np.array([[0.0, 0.1, 0.4]])
