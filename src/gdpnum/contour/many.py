"""The fits of many runs at once: those of a kind together, and what is out of reach apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gdpnum.contour.fit import TOLERANCE, Effort, Fits, drawn, fit_alone, gaussian
from gdpnum.contour.ladder import ladder, outlook
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.plan import grouped
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import sought
from gdpnum.contour.rungs import LEAST, RARE
from gdpnum.contour.worth import MOST
from gdpnum.floats import Floats

# Frequencies over all runs that are worth it to read some of these apart.
_APART = 2500.0

# Runs that are drafted together.
_TOGETHER = 330


def fits(runs: Sequence[Run], *, slack: float, accuracy: float = 1e-6, most: float = MOST) -> Fits:
    """mu, mu_lower and regret of many runs at once, by run, each as if it were alone.

    mu - mu_lower says how close they are. A single run raises `OutOfReach` where it takes more than
    ``most`` evaluations, or where mu and mu_lower are further apart than a relative ``accuracy``.
    Among many runs the first kind has mu infinite and mu_lower zero, and the second is returned as
    it is.
    """
    if len(runs) > 1:
        steps = Steps.of(runs)
        with np.errstate(all="ignore"):
            return _together(steps, np.full(steps.runs, slack), TOLERANCE, most)
    effort = Effort(runs[0], most)
    found = effort.fit(slack)
    mu, mu_lower = float(found.mu[0]), float(found.mu_lower[0])
    if effort.steps.c.size and not mu - mu_lower <= accuracy * mu:
        raise OutOfReach(
            f"the contour knows no more than that mu is between {mu_lower:.6g} and {mu:.6g}, "
            f"not to accuracy={accuracy!r}; use the lattice"
        )
    return found


def _together(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    """The fits of several runs: those of a kind at once, so that none waits for another's sums."""
    burden = _burden(steps)
    order = np.argsort(burden, kind="stable")
    ends = np.searchsorted(burden[order], [-np.inf, -math.sqrt(-8.0 * LEAST)], "right")
    bare, large, rest = np.split(order, ends)
    parts = [bare]
    for some in (large, rest):
        parts += np.array_split(some, max(1, -(-some.size // _TOGETHER)))
    every = [_tried(steps, part, slack, tolerance, most) for part in parts if part.size]
    return _in_place(every, order)


def _in_place(parts: Sequence[Fits], order: npt.NDArray[np.intp]) -> Fits:
    """The fits of parts one after the other, whose places ``order`` has, by place."""
    back = np.argsort(order)
    return Fits(*(np.concatenate(columns)[back] for columns in zip(*parts, strict=True)))


def _tried(
    steps: Steps, part: npt.NDArray[np.intp], slack: Floats, tolerance: float, most: float
) -> Fits:
    """The fits of some of the runs; of those out of reach nothing is known."""
    try:
        return _fits(steps.part(part), slack[part], tolerance, most)
    except OutOfReach as error:
        # Where it does not say which of them it was, halves are tried.
        work = error.work if error.work.size == part.size else np.zeros(part.size)
    if not (work > most).any() and part.size > 1:
        # Too uneven to be taken together.
        order = np.argsort(work, kind="stable")
        groups = [order[: part.size // 2], order[part.size // 2 :]]
    else:
        lost = work > most if part.size > 1 else np.ones(1, np.bool_)
        order = np.argsort(lost, kind="stable")
        groups = [order[: part.size - int(lost.sum())]]
    found = [_tried(steps, part[group], slack, tolerance, most) for group in groups if group.size]
    found.append(_unknown(part.size - sum(group.size for group in groups)))
    return _in_place(found, order)


def _unknown(number: int) -> Fits:
    """Nothing is known of so many."""
    half = np.full(number, 0.5)
    return Fits(np.full(number, np.inf), np.zeros(number), half, np.ones(number))


def _burden(steps: Steps) -> Floats:
    """What groups runs of a kind: less than zero about their mu, above how much jumps decide."""
    size, reach = outlook(steps)
    burden = np.where(reach < RARE, 1.0 / reach, -size)
    # Gaussians alone come first.
    return np.where(np.bincount(steps.owner, minlength=steps.runs) == 0, -np.inf, burden)


def _fits(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    """The fits of runs of a kind; raises `OutOfReach` where one of them is."""
    if steps.runs == 1:
        return fit_alone(steps, slack, tolerance, most)
    if not steps.c.size:
        return gaussian(np.sqrt(steps.variance), slack)
    rungs = ladder(steps, 22.0)
    draft, guess = sought(steps, rungs, slack, tolerance)
    groups = grouped(np.arange(steps.runs), draft.plan.numbers, _APART)
    if len(groups) == 1:
        return drawn(steps, rungs, draft, guess, slack, tolerance, most)
    every = []
    for own in groups:
        some = steps.part(own), rungs.part(steps, own), draft.part(own), guess[own], slack[own]
        try:
            every.append(drawn(*some, tolerance, most))
        except OutOfReach:
            every.append(_tried(steps, own, slack, tolerance, most))
    return _in_place(every, np.concatenate(groups))
