"""A reading before its transform: which lines it takes, and what each of them is for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum.contour.line import CLOSE
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import Plan, planned
from gdpnum.contour.rungs import Ladder, Rungs, period
from gdpnum.floats import Floats

# exp(K - lam eps) may be as much larger than the error that is wanted (a log), for rounding's sake.
_ROOM = 32.0

# Digits that the line in the middle has left after rounding.
_MOST_DIGITS = 35.0

# Where mu is large: a line for epsilons so many deviations before the losses' mean, to this error
# of delta (a log), whose saddle point is so many before it.
_EARLY, _ABOUT, _SADDLE = 5.0, -32.0, 3.0

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


def between(rungs: Rungs, guess: Floats) -> tuple[Floats, Floats, Floats]:
    """Of a line between the middle and the tail, where mu is large: place, log error and lam.

    Both lose their digits where delta is about a half; this one knows 1 - delta, as the middle
    does, but close to there. By row, before a guess of where the first line in the tail is needed.
    """
    mean, deviation = rungs.slopes[:, 0], np.sqrt(rungs.curvatures[:, 0])
    place = np.maximum(np.minimum(mean - _EARLY * deviation, guess - deviation), 1e-12)
    return place, np.full(guess.size, _ABOUT), -np.minimum(_SADDLE / deviation, 0.5)


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
