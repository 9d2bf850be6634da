"""A reading: bounds on delta and alpha around where mu is decided, and at zero."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum.contour.line import CLOSE, FAR, Line, Picked, Reading, stacked
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import Plan, carried_out, planned
from gdpnum.contour.rungs import Ladder, Rungs, period
from gdpnum.floats import Floats

# exp(K - lam eps) may be as much larger than the error that is wanted (a log), for rounding's sake.
_ROOM = 32.0

# Digits that the line in the middle has left after rounding.
_MOST_DIGITS = 35.0

# What is left out of the transform is less than all that may be wrong, by this much (a log).
_MORE_DIGITS = 1.0


def tail_rung(
    rungs: Rungs,
    epsilon: Floats,
    log_error: Floats,
    length: Floats,
    width: Floats,
    room: float = _ROOM,
) -> npt.NDArray[np.intp]:
    """The rung whose lam costs least for epsilon, by row, of those that rounding allows.

    The saddle point would have the smallest exp(K - lam eps), which rounding is relative to; a
    smaller lam needs a shorter period, but more frequencies for what is left out. Both are had for
    nothing up to the ``length`` and the ``width`` that the middle line takes.
    """
    lam, values = rungs.lam, rungs.values
    scales = values - lam * epsilon[:, None]
    allowed = np.maximum(scales.min(axis=1) + 1.2, log_error + room)
    bounds = scales - log_error[:, None]
    gaps = lam[:, None, :] - lam[:, :, None]
    lengths = np.where(gaps > 0.0, bounds[:, None, :] / gaps, np.inf).min(axis=2)
    widths = np.sqrt(np.maximum(bounds, 1.0))
    np.maximum(lengths, length[:, None], out=lengths)
    np.maximum(widths, width[:, None], out=widths)
    cost = np.where(scales <= allowed[:, None], lengths * widths, np.inf)
    best: npt.NDArray[np.intp] = np.argmin(cost, axis=1)
    return best


class Draft(NamedTuple):
    """A reading before its transform."""

    plan: Plan
    epsilons: Floats
    """What each line in the tail is for, by tail and row."""
    close: Floats
    """Where images are bounded best on the line in the middle, by row."""
    end: Floats
    """Up to where the last line in the tail is read, by row."""

    def part(self, runs: npt.NDArray[np.intp]) -> Draft:
        """Some of the runs."""
        number = self.plan.tilts.shape[0]
        rows, middles = (
            np.concatenate([runs + i * number for i in range(size // number)])
            for size in (self.epsilons.shape[1], self.close.shape[0])
        )
        return Draft(
            self.plan.part(runs), self.epsilons[:, rows], self.close[middles], self.end[rows]
        )


def drafted(
    steps: Steps,
    ladder: Ladder,
    epsilons: list[Floats],
    log_errors: list[Floats],
    fine: Floats,
    *,
    further: tuple[Floats, Floats] | None = None,
    inner: Floats | None = None,
    sparing: bool = False,
) -> Draft:
    """Lines for epsilons by row, with the error of delta that each may have there.

    And the line in the middle, with that error (its log: ``fine``) at zero. ``further`` is another
    place and error for the last line, ``inner`` the lam of the first, by row, where it is between
    -1/2 and zero. ``sparing`` reads adding off the middle alone, where that has the digits.
    """
    runs, rungs = steps.runs, ladder.rungs
    others, tails = rungs.other(runs), len(epsilons)
    wanted = np.concatenate([fine, fine])[: rungs.lam.shape[0]]
    middle = period(rungs, others, np.full(wanted.size, -0.5), np.zeros(wanted.size), wanted)
    finest, close = np.maximum(ladder.middle - fine, 5.0), epsilons[0][:, None] * CLOSE
    # The rows that have lines in the tail.
    rows = wanted.size
    if sparing and tails == 1 and rows > runs:
        asked = [(epsilons[0], log_errors[0]), *([] if further is None else [further])]
        place, error = (np.stack([one[i][runs:] for one in asked]) for i in (0, 1))
        more = (ladder.middle + 0.5 * place - error).max(axis=0)
        if float(more.max()) < _MOST_DIGITS:
            adding, removing = (one.rows(slice(runs, None)) for one in (rungs, others))
            there = period(adding, removing, np.full(runs, -0.5), place, error).max(axis=0)
            middle[runs:] = np.maximum(middle[runs:], there)
            rows, finest = runs, np.maximum(finest, more)
            epsilons, log_errors = ([one[:runs] for one in part] for part in (epsilons, log_errors))
    last = tails * (rows // runs)
    tilts = np.full((runs, last + 1), 0.5)
    lengths, digits = np.empty((2, runs, last + 1))
    lengths[:, -1] = middle.reshape(-1, runs).max(axis=0)
    digits[:, -1] = finest
    width = np.sqrt(np.concatenate([finest, finest])[:rows])
    # All tails at once, one's rows after the other's.
    every = np.tile(np.arange(rows), tails)
    places, allowed = np.concatenate(epsilons), np.concatenate(log_errors)
    best = tail_rung(rungs.rows(every), places, allowed, middle[every], width[every])
    lam, values = rungs.lam[every, best], rungs.values[every, best]
    if inner is not None:
        # There are no rungs: about K, by what it is like at the first.
        lam[:rows] = inner
        values[:rows] = inner * (rungs.slopes[:, 0] + 0.5 * inner * rungs.curvatures[:, 0])
    # Half way down to the line before it, too.
    before = np.concatenate([np.zeros(rows), *epsilons[:-1]])
    error = np.concatenate([wanted[:rows], *log_errors[:-1]])
    twice = np.concatenate([every, every])
    longest = period(
        rungs.rows(twice),
        others.rows(twice),
        np.concatenate([lam, lam]),
        np.concatenate([places, 0.5 * (before + places)]),
        np.concatenate([allowed, 0.5 * (error + allowed)]),
    )
    longest = longest.reshape(2, last, runs).max(axis=0)
    if further is not None:
        (place, error), own = (one[:rows] for one in further), every[-rows:]
        there = period(rungs.rows(own), others.rows(own), lam[-rows:], place, error)
        longest[-(rows // runs) :] = np.maximum(longest[-(rows // runs) :], there.reshape(-1, runs))
    signed = np.where((every < runs), 1.0 + lam, -lam)
    tilts[:, :-1] = signed.reshape(last, runs).T
    lengths[:, :-1] = longest.T
    digits[:, :-1] = (values - lam * places - allowed).reshape(last, runs).T
    digits = np.maximum(digits, 5.0) + _MORE_DIGITS
    plan = planned(steps, ladder, tilts, lengths, digits=digits, error=1e-15)
    end = epsilons[-1] if further is None else further[0][:rows]
    return Draft(plan, places.reshape(tails, rows), close, end)


def reading(steps: Steps, ladder: Ladder, draft: Draft, most: float) -> Reading:
    """The lines as drafted, on common frequencies unless that costs.

    The last line of the plan is the one in the middle. Without lines in the tail adding keeps to
    that one.
    """
    rungs, runs, (plan, epsilons, close, end) = ladder.rungs, steps.runs, draft
    tails, rows = epsilons.shape
    middles, directions = close.shape[0] // runs, rows // runs
    last = tails * directions
    beyond = [one[:, None] * FAR for one in epsilons]
    np.maximum(beyond[-1][:, -1], end, out=beyond[-1][:, -1])
    # Where jumps are rare only removing's tails take many frequencies.
    removing = list(range(0, last, directions))
    others = [i for i in range(last + 1) if i not in removing]
    joint = _frequencies(plan, [*removing, *others])
    apart = _frequencies(plan, removing) + _frequencies(plan, others)
    picked = partial(Picked.of, runs=runs, directions=rungs.lam.shape[0] // runs)
    if joint - apart < _WORTH:
        found = carried_out(steps, ladder, plan, most)
        far = [list(range(i * directions, (i + 1) * directions)) for i in range(tails)]
        own = picked([[last] * middles, *far])
        every = stacked(found, plan.decayed, rungs, own, [close, *beyond])
        first, rest = every.rows(slice(0, middles * runs)), every.rows(slice(middles * runs, None))
    else:
        fewer, many = plan.only(others), plan.only(removing)
        # The larger one first: where it is too large, no more is done.
        tail = carried_out(steps, ladder, many, most)
        found = carried_out(steps, ladder, fewer, most)
        middle = picked([[len(others) - 1] * middles])
        first = stacked(found, fewer.decayed, rungs, middle, [close])
        alone, near = [[i] for i in range(tails)], [one[:runs] for one in beyond]
        rest = stacked(tail, many.decayed, rungs, picked(alone), near)
        if directions > 1:
            near = [one[runs:] for one in beyond]
            adding = stacked(found, fewer.decayed, rungs, picked(alone, first=1), near)
            # By line, then direction.
            order = np.arange(2 * tails * runs).reshape(2, tails, runs).swapaxes(0, 1)
            rest = rest.before(adding).rows(order.ravel())
    if directions < middles:
        best = np.full((1, middles * runs), np.inf)
        best[0, :runs] = limits(first.rows(slice(0, runs)), rest, epsilons[0])
        return Reading((first, rest.rows(np.tile(np.arange(runs), middles))), best)
    each = [rest.rows(slice(i * rows, (i + 1) * rows)) for i in range(tails)]
    before, between = [first, *each[:-1]], [None, *epsilons[:-1]]
    best = np.array([limits(*one) for one in zip(before, each, epsilons, between, strict=True)])
    return Reading((first, *each), np.maximum.accumulate(best, axis=0))


def _frequencies(plan: Plan, lines: list[int]) -> float:
    """How many of them some lines take together, times the lines, over all runs."""
    return len(lines) * float(plan.only(lines).numbers.sum())


def limits(before: Line, after: Line, epsilons: Floats, between: Floats | None = None) -> Floats:
    """Up to where, by row, a line is better than the one after it, which is for the epsilon.

    Below zero where it never is. ``between`` is a place from which on to look closer.
    """
    places = epsilons[:, None] * _PLACES
    if between is not None:
        closer = between[:, None] + (epsilons - between)[:, None] * _PLACES
        places = np.concatenate([between[:, None] * _PLACES[:-1], closer], axis=1)
    better = ~(after.errors_at(places) < before.errors_at(places))
    # At zero alone it is not worth it: a cell would reach from one to the other.
    better[:, 0] = better[:, -1] = False
    last = better.shape[1] - 1 - np.argmax(better[:, ::-1], axis=1)
    return np.where(better.any(axis=1), places[np.arange(last.size), last], -1.0)


_PLACES = np.linspace(0.0, 1.0, 17)

# Frequencies times lines, over all runs, that another transform is worth.
_WORTH = 1e4
