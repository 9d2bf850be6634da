"""The profile of one run, from above and from below: delta, epsilon, TPR, chords and attacks."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import Lines
from gdpnum.contour.chords import chernoff, chord_knots, chord_lines
from gdpnum.contour.draft import between, drafted
from gdpnum.contour.estimate import delta_quantiles, epsilons_near
from gdpnum.contour.fit import Effort
from gdpnum.contour.ladder import ladder
from gdpnum.contour.line import Knots, Line, Reading
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import reading
from gdpnum.contour.rungs import LEAST, Approximate, Ladder, Rungs
from gdpnum.contour.worth import MOST
from gdpnum.floats import UNIT, Floats

# Where an epsilon is looked for first, as multiples of where the saddle points say, mostly to five
# digits; and how often.
_AROUND, _TURNS = np.array([0.985, 0.9999, 1.0, 1.0001, 1.015]), 60

# By what share an epsilon may be too large.
_CLOSE = 1e-8

# What a curve is accurate to, relative to delta.
_ACCURACY = 1e-9

# Looks at how well a profile is known, by delta.
_LOOKS = 6

# From a mu of about this on two lines in the tail are needed, so that none is far from any delta.
_WIDE = 1.5

# Where rates are looked at first, closer near zero, and then between two of those, as shares.
_SCAN, _CUT = np.linspace(0.0, 1.0, 72) ** 2, np.linspace(0.0, 1.0, 17)

# Knots of a curve: so many to look first.
_FIRST = 160

# log Gamma(1/2) of a mu of about 400: beyond, rounding of eps itself tells.
_LOST = -2e4

# What a frequency counts for, in evaluations: it is summed at so many knots.
_SUMMED = 600.0


@dataclass(frozen=True, eq=False)
class Profile:
    """delta(eps) of a run for eps >= 0 and both directions, with proven bounds."""

    lines: Reading
    rungs: Rungs
    smallest: float
    """Down to this delta, and this alpha, the relative accuracy holds."""

    def is_known_to(self, accuracy: float) -> bool:
        """Whether delta is known to this, relatively, as far as a few looks can tell."""
        ends = [self.end(float(delta)) for delta in np.geomspace(0.1, self.smallest, _LOOKS)]
        lower, upper = self.delta(np.append(np.linspace(0.0, 0.8, 5) * ends[0], ends))
        return bool(np.all(upper - lower <= accuracy * np.maximum(upper, self.smallest)))

    def knots(self, epsilons: Floats) -> Knots:
        """Values and errors by direction, at increasing epsilons."""
        with np.errstate(all="ignore"):
            return self._knots(epsilons)

    def _knots(self, epsilons: Floats) -> Knots:
        rows = self.rungs.lam.shape[0]
        return self.lines.at(np.broadcast_to(epsilons, (rows, epsilons.size)))

    def delta(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Bounds on delta, from below and from above, at epsilons >= 0, for the worse direction."""
        with np.errstate(all="ignore"):
            order = np.argsort(epsilons, kind="stable")
            found = self._knots(epsilons[order])
            lower, upper = np.empty((2, epsilons.size))
            lower[order] = np.clip((found.delta - found.delta_error).max(axis=0), 0.0, 1.0)
            upper[order] = np.clip(self._upper(found).max(axis=0), 0.0, 1.0)
            return lower, upper

    def upper(self, epsilons: Floats) -> Floats:
        """The bounds from above alone."""
        return self.delta(epsilons)[1]

    def _upper(self, found: Knots) -> Floats:
        """Bounds from above, by direction: where they tell little, no more than Chernoff allows."""
        upper: Floats = found.delta + found.delta_error
        if not np.all(found.delta_error < 0.1 * upper.max(axis=0)):
            upper = np.minimum(upper, chernoff(found.epsilons, self.rungs))
        return upper

    def epsilon(self, delta: float) -> tuple[float, bool]:
        """An epsilon >= 0 at which delta is certainly at or below, next to the least.

        And whether it is certainly within a share of 1e-8 of the least: delta is convex in
        exp(eps), with the slope -alpha, so that at eps (1 - h) it is larger than at eps by
        (1 - exp(-h eps)) exp(eps) alpha or more.
        """
        with np.errstate(all="ignore"):
            low, high, level, close = 0.0, self.end(delta), math.log(delta), False
            guess = float(np.fmax.reduce(epsilons_near(self.rungs, self._quantiles, delta)))
            guess = max(guess, 1e-3 * high) if guess > 0.0 else 0.5 * high
            places = np.minimum(guess * _AROUND, high)
            beyond, before = 1.0, math.inf
            # Newton's method on what is certified.
            for turn in range(_TURNS):
                found = self._knots(places)
                above = self._upper(found)
                worse = np.argmax(above, axis=0), np.arange(places.size)
                upper = above[worse]
                excess = np.log(upper) - level
                rate = np.maximum(found.lifted_alpha[worse] / upper, 0.0)
                first = int(np.argmax(excess <= 0.0)) if excess.min() <= 0.0 else places.size
                best = min(first, places.size - 1)
                if first < places.size and places[first] <= high:
                    high = float(places[first])
                    lifted = (found.lifted_alpha - found.lifted_alpha_error)[:, first]
                    lower = (found.delta - found.delta_error)[:, first]
                    close = bool((lower - lifted * math.expm1(-_CLOSE * high)).max() >= delta)
                if first > 0:
                    low = max(low, float(places[first - 1]))
                elif low == 0.0:
                    if self.delta(np.zeros(1))[1][0] <= delta:
                        return 0.0, True
                    low = math.ulp(0.0)
                if turn == 0 and not 0 < first < places.size:
                    # Where jumps decide the saddle points say little.
                    places, deltas, _ = self._scanned
                    places = np.array(_around(places, deltas, delta))
                    continue
                step = float(excess[best] / rate[best])
                # Beyond the root by about the rounding of the sums; more where that was too little.
                blur = min(2e-15 + 1e-3 * float(found.delta_error[worse][best] / upper[best]), 1e-9)
                hair = beyond * (blur / max(float(rate[best]), 1e-6) + 2.0 * UNIT * high)
                if (first == best and -step <= 4.0 * hair) or high - low <= hair:
                    break
                beyond *= 4.0 if abs(step) <= 4.0 * hair else 1.0
                moved = float(places[best]) + step
                if 0 < first < places.size:
                    moved = _crossing(
                        *(one[first - 1 : first + 1] for one in (places, excess, rate))
                    )
                moved += hair
                # Halving where it leaves the bracket, or is going to and fro.
                trusted = low < moved < high and abs(step) <= 0.5 * before
                places, before = np.array([moved if trusted else 0.5 * (low + high)]), abs(step)
            return high, close

    @cached_property
    def _quantiles(self) -> Floats:
        return delta_quantiles(self.rungs)

    def end(self, delta: float) -> float:
        """An epsilon at which delta is certainly at or below, as Chernoff says."""
        lam, values, _, _, kappa = self.rungs
        ends = (values + kappa - math.log(delta)) / lam
        return max(float(ends.min(axis=1).max()), 1e-12) * (1.0 + 1e-9)

    def tpr(self, fprs: Floats) -> Floats:
        """The largest TPR of any attack at each FPR, from above.

        For any eps >= 0, TPR <= delta(eps) + exp(eps) FPR and, the curve being symmetric,
        TPR <= 1 - exp(-eps) (1 - delta(eps) - FPR).
        """
        with np.errstate(all="ignore"):
            places = np.array([self._where(one) for one in fprs.tolist()])
            _, upper = self.delta(places)
            steep = upper + np.exp(places) * fprs
            flat = 1.0 - np.exp(-places) * (1.0 - upper - fprs)
            best: Floats = np.minimum(np.minimum(steep, flat) * (1.0 + 16.0 * UNIT), 1.0)
            return np.maximum(best, fprs)

    def _where(self, fpr: float) -> float:
        """About the eps >= 0 at which the curve has that FPR: any will do, and next to it best.

        There alpha is the FPR or, on the other half of the curve, the TPR is one less that; if
        neither is so large at zero, the FPR is where the halves meet.
        """
        places, _, rates = self._scanned
        levels = fpr, 1.0 - fpr
        for which, level in enumerate(levels):
            if rates[which][0] > level:
                break
        else:
            return 0.0
        low, high = _around(places, rates[which], level)
        places = low + (high - low) * _CUT
        values = self._rates(self._knots(places))[1][which]
        (low, high), (start, end) = (_around(one, values, level) for one in (places, values))
        if not start > level >= end > 0.0:
            return 0.5 * (low + high)
        # Logs are nearly straight within so little.
        return low + (high - low) * math.log(start / level) / math.log(start / end)

    @cached_property
    def _scanned(self) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """Places from zero on, and about delta, and alpha and the TPR, there."""
        places = _SCAN * self.end(1e-3 * self.smallest)
        return places, *self._rates(self._knots(places))

    def _rates(self, found: Knots) -> tuple[Floats, tuple[Floats, Floats]]:
        """About delta, and alpha and the TPR, of the worse direction."""
        worse = np.argmax(found.delta, axis=0), np.arange(found.delta.shape[1])
        delta, lifted = found.delta[worse], found.lifted_alpha[worse]
        return delta, (lifted * np.exp(-found.epsilons[0]), delta + lifted)

    @cached_property
    def _chord_knots(self) -> Floats:
        """Epsilons so close that a chord between two adds little to mu, from 0 to the last."""
        first = np.linspace(0.0, 1.0, _FIRST) ** 2 * self.end(1e-3 * self.smallest)
        knots = self._knots(first)
        worse = np.argmax(knots.delta, axis=0), np.arange(first.size)
        return chord_knots(first, knots.delta[worse], knots.lifted_alpha[worse])

    def chords(self, epsilons: Floats | None = None) -> Lines:
        """The chords through the upper bounds at increasing epsilons from 0 on.

        The last epsilon is where delta is at most what is then the mass at infinity.
        """
        with np.errstate(all="ignore"):
            places = self._chord_knots if epsilons is None else epsilons
            return chord_lines(places, self._upper(self._knots(places)).max(axis=0))

    def attacks(self, epsilons: Floats | None = None) -> tuple[Attacks, ...]:
        """The tests that reject at losses above the epsilons, one set for each direction."""
        with np.errstate(all="ignore"):
            places = self._chord_knots if epsilons is None else epsilons
            found = self._knots(places)
            lifted = np.maximum(found.lifted_alpha + found.lifted_alpha_error, 0.0)
            logs = np.log(lifted) - places + (16.0 + 2.0 * np.abs(places)) * UNIT
            tpr = found.delta - found.delta_error + found.lifted_alpha - found.lifted_alpha_error
            tpr = np.clip(tpr - 8.0 * UNIT * np.abs(tpr), 0.0, 1.0)
            return tuple(
                Attacks(places, 0.0, one, 1.0 - one, np.minimum(log, 0.0))
                for one, log in zip(tpr, logs, strict=True)
            )


def _around(places: Floats, values: Floats, level: float) -> tuple[float, float]:
    """The two next to where values that fall cross a level."""
    last = min(max(int((values > level).sum()), 1), values.size - 1)
    return float(places[last - 1]), float(places[last])


def _crossing(places: Floats, excess: Floats, rate: Floats) -> float:
    """Where what falls between two places is zero, by the cubic that falls at their rates."""
    (start, end), (above, below), (first, last) = places, excess, rate
    over = above - below
    share = above / over
    before = (1.0 - share) ** 2 * (start + share * (2.0 * start + over / first))
    return float(before + share**2 * (end + (1.0 - share) * (2.0 * end - over / last)))


class ContourBounds:
    """What the contour finds of a run, each part when first asked for.

    Raises `OutOfReach` where it takes more than the effort allows.
    """

    def __init__(self, effort: Effort, smallest: float) -> None:
        """``smallest`` is the delta, and the alpha, down to which the accuracy holds."""
        self.smallest, self._effort, self._quick = smallest, effort, effort.quick
        if self._quick is None or _is_heavy(self._quick.four, effort.most):
            self._quick = None
            _ = self.profile

    @cached_property
    def profile(self) -> Profile:
        """Delta at any epsilon, from above and from below, with both directions."""
        quick, whole = self._quick, self._tail
        # Where jumps decide, the tail is read off the same lines: what is scanned there, too.
        if quick is not None and quick.tail is not quick.read[1]:
            whole = Profile(quick.read[1], quick.ladder.rungs, self.smallest)
        return _profile(self._effort, whole, self.smallest, _ACCURACY)

    @cached_property
    def _tail(self) -> Profile | None:
        quick = self._quick
        return None if quick is None else Profile(quick.tail, quick.ladder.rungs, self.smallest)

    def epsilons(self, deltas: Floats) -> Floats:
        """Epsilons >= 0 at which delta is certainly at or below each delta, next to the least.

        From the tail alone where that is close; each the same whatever else is asked.
        """
        return np.array([self._epsilon(one) for one in deltas.tolist()])

    def _epsilon(self, delta: float) -> float:
        found, close = (math.inf, False) if self._tail is None else self._tail.epsilon(delta)
        return found if close else self.profile.epsilon(delta)[0]


def profile(
    run: Run, *, smallest: float = 1e-12, accuracy: float = 1e-11, most: float = MOST
) -> Profile:
    """The profile of a run, to a relative ``accuracy`` down to delta = ``smallest``.

    Raises `OutOfReach` where it takes more than ``most`` evaluations.
    """
    effort = Effort(run, most)
    quick = effort.quick
    whole = None if quick is None else Profile(quick.read[1], quick.ladder.rungs, smallest)
    return _profile(effort, whole, smallest, accuracy)


def _is_heavy(line: Line, most: float) -> bool:
    """Whether sums at many points take longer than an effort allows."""
    return bool(_SUMMED * line.frequencies.shape[1] > most)


def _profile(effort: Effort, found: Profile | None, smallest: float, accuracy: float) -> Profile:
    """What was found already, where that is as close or nothing else is in reach."""
    with np.errstate(all="ignore"):
        if found is None:
            return _in_general(effort, smallest, accuracy)
        if not found.is_known_to(10.0 * accuracy):
            with suppress(OutOfReach):
                return _in_general(effort, smallest, accuracy)
        return found


def _in_general(effort: Effort, smallest: float, accuracy: float) -> Profile:
    """From lines of their own: in the middle, and for where delta is the smallest."""
    rungs = ladder(effort.steps, 22.0)
    middle = float(rungs.middle[0])
    if middle < _LOST:
        raise OutOfReach(
            f"mu is about {math.sqrt(-8.0 * middle):.0f}, which leaves no privacy and 1 - delta "
            "too small for the contour; use the lattice"
        )
    parts = 1 if float(rungs.deviation[0]) < _WIDE else 2
    levels = [math.log(smallest) * (1 + i) / parts for i in range(parts)]
    lines = _lines(effort.steps, rungs, levels, accuracy, effort.most)
    if any(_is_heavy(one, effort.most) for one in lines.lines):
        raise OutOfReach("more frequencies than are soon summed at many points; use the lattice")
    return Profile(lines, rungs.rungs, smallest)


def _lines(
    steps: Steps, rungs: Ladder, levels: list[float], accuracy: float, most: float
) -> Reading:
    """A line in the middle, and one for where log delta is at each of the levels."""
    near, wrong = Approximate.of(rungs.rungs), math.log(accuracy)
    rows = rungs.rungs.lam.shape[0]
    epsilons, errors = [], []
    for level in levels:
        one = near.falls_to(rungs.rungs, slice(None), np.full(rows, level))
        error = np.full(rows, level + wrong)
        if rows == 2:
            # Adding matters only as far as it is the worse direction: beside delta of removing.
            error[1] = max(level, near.log_delta(rungs.rungs, 0, float(one[1]))) + wrong
        epsilons.append(np.maximum(one, 1e-12))
        errors.append(error)
    inner = None
    if float(rungs.middle[0]) < LEAST:
        place, error, inner = between(rungs.rungs, epsilons[0])
        epsilons.insert(0, place)
        errors.insert(0, error)
    fine = np.log(np.minimum(rungs.deviation, 1.0) * (0.01 * accuracy))
    return reading(steps, rungs, drafted(steps, rungs, epsilons, errors, fine, inner=inner), most)
