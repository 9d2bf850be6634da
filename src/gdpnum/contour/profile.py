"""The profile of one run, from above and from below: delta, epsilon, tpr, knots."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum.contour.decided import chernoff
from gdpnum.contour.fit import MOST, aimed, check_reach
from gdpnum.contour.ladder import Approximate, Rungs, fallen, ladder
from gdpnum.contour.line import Knots, Reading
from gdpnum.contour.ordinary import is_ordinary, ordinary_tail
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import reading
from gdpnum.floats import UNIT, Floats, quietly

__all__ = ["Points", "Profile", "Tests", "one_epsilon", "profile"]

# A line of the transform serves a range of about this factor in delta (natural log).
_APART = 7.0

_TURNS = 60

# What one epsilon's delta is read to, relatively, and by what share it may be too large.
_NEAR, _CLOSE = 2e-10, 1e-8

# Parts of a range that are looked at together.
_CUTS = 48


class Points(NamedTuple):
    """Chords of the profile from above, as `gdpnum.curve.lines.Lines` has them."""

    epsilons: Floats
    log_alphas: Floats
    tprs: Floats
    mass_at_infinity: float


class Tests(NamedTuple):
    """Tests that exist: at each epsilon one with an FPR of at most, and a TPR of at least, this."""

    epsilons: Floats
    tpr: Floats
    beta: Floats
    log_alpha: Floats


class Profile(NamedTuple):
    """delta(eps) of a run for eps >= 0 and both directions, with proven bounds."""

    lines: Reading
    rungs: Rungs
    smallest: float
    """Down to this delta, and this alpha, the relative accuracy holds."""

    @quietly
    def knots(self, epsilons: Floats) -> Knots:
        """Values and errors by direction, at increasing epsilons."""
        rows = self.rungs.lam.shape[0]
        return self.lines.at(np.broadcast_to(epsilons, (rows, epsilons.size)))

    @quietly
    def delta(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Bounds on delta, from below and from above, at epsilons >= 0, for the worse direction."""
        order = np.argsort(epsilons, kind="stable")
        found = self.knots(epsilons[order])
        lower = np.empty(epsilons.size)
        upper = np.empty(epsilons.size)
        lower[order] = np.clip((found.delta - found.delta_error).max(axis=0), 0.0, 1.0)
        upper[order] = np.clip(self._upper(found).max(axis=0), 0.0, 1.0)
        return lower, upper

    def _upper(self, found: Knots) -> Floats:
        """Bounds from above, by direction: never more than Chernoff allows."""
        bound = chernoff(found.epsilons, self.rungs)
        upper: Floats = np.minimum(found.delta + found.delta_error, bound)
        return upper

    def epsilon(self, deltas: Floats) -> Floats:
        """An epsilon >= 0 at which delta is certainly at or below each delta, next to the least."""
        return self.close_epsilon(deltas)[0]

    @quietly
    def close_epsilon(self, deltas: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """The same, and whether it is certainly within a share of 1e-8 of the least.

        delta is convex in exp(eps), with the slope -alpha: at eps (1 - h) it is larger than at eps
        by (1 - exp(-h eps)) exp(eps) alpha, or more.
        """
        sure, near = np.zeros((2, deltas.size), dtype=np.bool_)
        low, high = np.zeros(deltas.size), self._end(deltas)
        # Newton's method on what is certified, from where the saddle points say; halving where it
        # leaves the bracket.
        saddles, rows = Approximate.of(self.rungs), self.rungs.lam.shape[0]
        places = [
            saddles.falls_to(self.rungs, slice(None), np.full(rows, one)) for one in np.log(deltas)
        ]
        place = np.clip(np.max(places, axis=1), 1e-3 * high, high) if deltas.size else high
        for _ in range(_TURNS):
            order = np.argsort(place, kind="stable")
            found = self.knots(place[order])
            upper, slope = np.empty((2, deltas.size))
            above = self._upper(found)
            worse = np.argmax(above, axis=0), np.arange(deltas.size)
            upper[order], slope[order] = above[worse], found.lifted_alpha[worse]
            fine = upper <= deltas
            lower = found.delta - found.delta_error
            lifted = found.lifted_alpha - found.lifted_alpha_error
            lower -= lifted * np.expm1(-_CLOSE * found.epsilons)
            near[order] = lower.max(axis=0) >= deltas[order]
            sure = np.where(fine, near, sure)
            high, low = np.where(fine, place, high), np.where(fine, low, place)
            # In log delta the profile is nearly straight; a hair beyond the root.
            rate = slope / upper
            step = np.log(upper / deltas) / rate
            moved = place + step + 2e-13 * (1.0 + np.abs(place)) + 1e-12 / np.maximum(rate, 1e-6)
            inside = (moved > low) & (moved < high)
            following = np.where(inside, moved, 0.5 * (low + high))
            # So near that what is left is less than what the bounds are apart.
            close = fine & (np.abs(step) <= 1e-11 * place)
            if np.all(close | (high - low <= 1e-11 * high)):
                break
            place = np.where(close, place, following)
        unsure = low == 0.0
        if unsure.any():
            none = unsure & (self.delta(np.zeros(1))[1][0] <= deltas)
            high[none], sure[none] = 0.0, True
        return high, sure

    def end(self, delta: float) -> float:
        """An epsilon at which delta is certainly below."""
        return float(self._end(np.array([delta]))[0])

    def _end(self, deltas: Floats) -> Floats:
        """Where Chernoff says delta is below."""
        lam, values, _, _, kappa = self.rungs
        logs = np.log(deltas)
        ends = ((values + kappa)[:, :, None] - logs) / lam[:, :, None]
        end: Floats = np.maximum(ends.min(axis=1).max(axis=0), 1e-12) * (1.0 + 1e-9)
        return end

    @quietly
    def tpr(self, fprs: Floats) -> Floats:
        """The largest TPR of any attack at each FPR, from above.

        For any eps >= 0, TPR <= delta(eps) + exp(eps) FPR and, the curve being symmetric,
        TPR <= 1 - exp(-eps) (1 - delta(eps) - FPR).
        """
        best = np.ones(fprs.size)
        for which in ("alpha", "tpr"):
            places = self._where(which, fprs if which == "alpha" else 1.0 - fprs)
            _, upper = self.delta(places)
            steep = upper + np.exp(places) * fprs
            flat = 1.0 - np.exp(-places) * (1.0 - upper - fprs)
            best = np.minimum(best, np.minimum(steep, flat) * (1.0 + 16.0 * UNIT))
        return np.maximum(best, fprs)

    def _where(self, which: str, wanted: Floats) -> Floats:
        """About the eps >= 0 at which alpha, or the tpr, of the worse direction is as wanted."""
        low = np.zeros(wanted.size)
        high = np.full(wanted.size, float(self._end(np.array([1e-3 * self.smallest]))[0]))
        share = np.linspace(0.0, 1.0, _CUTS)
        for _ in range(4):
            # Cut each range into many parts and keep the one where it crosses.
            places = low[:, None] * (1.0 - share) + high[:, None] * share
            flat = places.ravel()
            order = np.argsort(flat, kind="stable")
            found = self.knots(flat[order])
            worse = np.argmax(found.delta, axis=0), np.arange(flat.size)
            lifted = found.lifted_alpha[worse]
            alpha = lifted * np.exp(-flat[order])
            value = np.empty(flat.size)
            value[order] = alpha if which == "alpha" else found.delta[worse] + lifted
            above = (value.reshape(places.shape) > wanted[:, None]).sum(axis=1)
            last = np.clip(above, 1, _CUTS - 1)
            rows = np.arange(wanted.size)
            low, high = places[rows, last - 1], places[rows, last]
        middle: Floats = 0.5 * (low + high)
        return middle

    @quietly
    def points(self, epsilons: Floats) -> Points:
        """The chords through the upper bounds at increasing epsilons from 0 on.

        The last epsilon is where delta is at most what is then the mass at infinity.
        """
        upper = np.minimum(self._upper(self.knots(epsilons)).max(axis=0), 1.0)
        upper = np.minimum.accumulate(upper)
        lifted = (upper[:-1] - upper[1:]) / np.expm1(np.diff(epsilons))
        logs = np.log(lifted) - epsilons[:-1]
        return Points(epsilons[1:], logs, upper[:-1] + lifted, float(upper[-1]))

    @quietly
    def tests(self, epsilons: Floats) -> list[Tests]:
        """The tests that reject at losses above the epsilons, one set for each direction."""
        found = self.knots(epsilons)
        lifted = np.maximum(found.lifted_alpha + found.lifted_alpha_error, 0.0)
        logs = np.log(lifted) - epsilons + (16.0 + 2.0 * np.abs(epsilons)) * UNIT
        tpr = found.delta - found.delta_error + found.lifted_alpha - found.lifted_alpha_error
        tpr = np.clip(tpr - 8.0 * UNIT * np.abs(tpr), 0.0, 1.0)
        return [
            Tests(epsilons, one, 1.0 - one, np.minimum(log, 0.0))
            for one, log in zip(tpr, logs, strict=True)
        ]


@quietly
def profile(
    run: Run, *, smallest: float = 1e-12, accuracy: float = 1e-11, most: float = MOST
) -> Profile:
    """The profile of a run, to a relative ``accuracy`` down to delta = ``smallest``.

    Raises `OutOfReach` where it takes more than ``most`` evaluations.
    """
    steps = Steps.of([run])
    rungs = ladder(steps, 22.0)
    check_reach(rungs)
    rows = rungs.rungs.lam.shape[0]
    near = Approximate.of(rungs.rungs)
    last = float(np.log(smallest)) - 3.0
    levels = np.linspace(-3.0, last, max(2, int(np.ceil((-3.0 - last) / _APART)) + 1))
    wanted = [near.falls_to(rungs.rungs, slice(None), np.full(rows, one)) for one in levels]
    epsilons = [np.maximum(one, 1e-12) for one in wanted]
    errors = []
    for level, one in zip(levels, epsilons, strict=True):
        error = np.full(rows, level + np.log(accuracy))
        if rows == 2:
            # Adding matters only as far as it is the worse direction: beside delta of removing.
            error[1] = max(level, float(near.log_delta(rungs.rungs, 0, one[1]))) + np.log(accuracy)
        errors.append(error)
    fine = np.log(np.minimum(rungs.deviation, 1.0)) + np.log(0.01 * accuracy)
    lines = reading(steps, rungs, epsilons, errors, fine, most)
    return Profile(lines, rungs.rungs, smallest)


def one_epsilon(steps: Steps, delta: float, *, most: float = MOST) -> float | None:
    """An epsilon >= 0 at which delta is certainly at or below, within 1e-8 of the least.

    From a reading for that delta alone; None where that is not as close.
    """
    try:
        epsilon, sure = _around(steps, delta, most).close_epsilon(np.array([delta]))
    except OutOfReach:
        return None
    return float(epsilon[0]) if sure[0] else None


@quietly
def _around(steps: Steps, delta: float, most: float) -> Profile:
    """The profile as a reading around where it falls to a delta has it."""
    slack = np.array([delta])
    if is_ordinary(steps):
        with suppress(OutOfReach):
            rungs, lines = ordinary_tail(steps, slack, _NEAR, most)
            return Profile(lines, rungs.rungs, delta)
    rungs = ladder(steps, 22.0)
    check_reach(rungs)
    guess = fallen(Approximate.of(rungs.rungs), rungs.rungs, 1, slack)
    lines = aimed(steps, rungs, guess, slack, _NEAR, most)
    return Profile(lines, rungs.rungs, delta)
