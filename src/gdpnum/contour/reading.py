"""A reading: bounds on delta and alpha around where mu is decided, and at zero."""

from __future__ import annotations

from functools import partial

import numpy as np

from gdpnum.contour.draft import Draft, between, drafted
from gdpnum.contour.line import FAR, Line, Picked, Reading, stacked
from gdpnum.contour.located import settled
from gdpnum.contour.ordinary import FINEST, THERE
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import Plan, carried_out
from gdpnum.contour.rungs import LEAST, Approximate, Ladder, fallen, guessed
from gdpnum.floats import Floats

# Adding needs less than this share of removing's mu, or it is looked at as closely.
_BESIDE = 0.8

# Where two lines are compared, as shares of the way.
_PLACES = np.linspace(0.0, 1.0, 17)

# Frequencies times lines, over all runs, that another transform is worth.
_WORTH = 1e4


def sought(steps: Steps, rungs: Ladder, slack: Floats, tolerance: float) -> tuple[Draft, Floats]:
    """The draft of a reading around where mu is decided, and that place, by run.

    For removing delta is wanted to ``tolerance`` times the slack, for adding to a hundredth of
    delta of removing: it decides nothing, as far as is known.
    """
    near, runs, log_slack = Approximate.of(rungs.rungs), steps.runs, np.log(slack)
    large = float(rungs.middle.min()) < LEAST
    guess, _ = settled(near, steps, rungs, guessed(near, rungs.rungs, runs, slack), slack)
    errors = log_slack + np.log(3.0 * tolerance)
    far = np.zeros(runs, np.bool_)
    if guess.size > runs:
        # Adding matters only as far as it is the worse direction: beside delta of removing.
        removed = near.log_deltas(rungs.rungs, slice(runs), guess[runs:])
        both = np.concatenate([slack, slack])
        needs = near.mus(rungs.rungs, slice(None), both).max(axis=1).reshape(2, runs)
        far = (removed > log_slack + 10.0) & (needs[1] < _BESIDE * needs[0])
        beside = np.where(far, np.minimum(removed, 0.0), log_slack) + np.log(0.01)
        if large:
            beside = np.where(far, beside, errors)
        errors = np.concatenate([errors, beside])
    fine = np.maximum(np.log(np.minimum(rungs.deviation, 1.0) * (0.01 * tolerance)), FINEST)
    # Up to the last knot delta is to be known beside the slack.
    by_row = np.concatenate([log_slack, log_slack])[: guess.size]
    further = fallen(rungs.rungs, by_row), by_row + THERE
    places, wrong, inner = [guess], [errors], None
    if large:
        place, error, inner = between(rungs.rungs, guess)
        places.insert(0, place)
        wrong.insert(0, error)
    # Only what is far from deciding is known well enough so far from the middle.
    sparing = not large and guess.size > runs and bool(far.all())
    draft = drafted(
        steps, rungs, places, wrong, fine, further=further, inner=inner, sparing=sparing
    )
    return draft, guess[:runs]


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
    before, starts = [first, *each[:-1]], [None, *epsilons[:-1]]
    best = np.array([limits(*one) for one in zip(before, each, epsilons, starts, strict=True)])
    return Reading((first, *each), np.maximum.accumulate(best, axis=0))


def _frequencies(plan: Plan, lines: list[int]) -> float:
    """How many of them some lines take together, times the lines, over all runs."""
    return len(lines) * float(plan.only(lines).numbers.sum())


def limits(before: Line, after: Line, epsilons: Floats, start: Floats | None = None) -> Floats:
    """Up to where, by row, a line is better than the one after it, which is for the epsilon.

    Below zero where it never is. ``start`` is a place from which on to look closer.
    """
    places = epsilons[:, None] * _PLACES
    if start is not None:
        closer = start[:, None] + (epsilons - start)[:, None] * _PLACES
        places = np.concatenate([start[:, None] * _PLACES[:-1], closer], axis=1)
    better = ~(after.errors_at(places) < before.errors_at(places))
    # At zero alone it is not worth it: a cell would reach from one to the other.
    better[:, 0] = better[:, -1] = False
    last = better.shape[1] - 1 - np.argmax(better[:, ::-1], axis=1)
    return np.where(better.any(axis=1), places[np.arange(last.size), last], -1.0)
