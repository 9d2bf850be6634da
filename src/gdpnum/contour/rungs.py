"""What the rungs of a ladder tell before anything is summed: periods, places, first knots.

A ladder is K(lam) at some lam in both directions. It locates saddle points and bounds what aliases.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, ndtri, ndtri_exp

from gdpnum.contour.grid import PULL
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.floats import FUNCTION, UNIT, Floats

#: lam as multiples of one over the run's mu: up to where exp(K - lam K') is far below any slack.
FARTHEST = 22.0

#: What jumps alone make of K at most: beyond, exp(K) is worth nothing as a bound.
LAST_LEVEL = 60.0

#: Less than this is taken for a mu of this.
LEAST_MU = 1e-8

#: By how much (a log) jumps that much noise puts far out are to be below that.
BEFORE_JUMPS = 110.0

#: The square of the log of how rarely a jump is to come, to be told from the rest.
RARELY = 4.0

#: log Gamma(1/2) = -mu^2 / 8 of a mu of about 7.5: below, 1 - delta is small beside its rounding.
LEAST = -7.0


class Rungs(NamedTuple):
    """lam, K, K' and K'' by row and rung; rows are runs, removing first and then adding."""

    lam: Floats
    values: Floats
    """Rounded up."""
    slopes: Floats
    curvatures: Floats
    log_kappa: Floats
    """log(l^l / (1 + l)^(1 + l)), the constant in delta(eps) <= kappa exp(K(l) - l eps)."""

    def rows(self, kept: slice | npt.NDArray[np.intp]) -> Rungs:
        """Some of the rows."""
        return Rungs(*(one[kept] for one in self))

    def other(self, runs: int) -> Rungs:
        """The same rungs in the other direction."""
        if self.lam.shape[0] == runs:
            return self
        return Rungs(*(np.concatenate([one[runs:], one[:runs]]) for one in self))


class Ladder(NamedTuple):
    """K at tilts of both directions for each run, and what it was computed from."""

    rungs: Rungs
    middle: Floats
    """log Gamma(1/2), by run."""
    deviation: Floats
    """The root of the second derivative there."""
    nodes: Nodes
    step: Floats
    exponents: Floats
    """log of the weights at the nodes without a tilt: log C - u^2 / 2."""
    steep: Floats
    """How far the ladder reaches, of where a Gaussian's would: below one where jumps decide."""

    def rows_of(self, chosen: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The rows of some of the runs: removing, then adding."""
        directions = self.rungs.lam.shape[0] // self.middle.size
        return np.concatenate([chosen + i * self.middle.size for i in range(directions)])

    def part(self, steps: Steps, chosen: npt.NDArray[np.intp]) -> Ladder:
        """The ladders of some of the runs."""
        if chosen.size == steps.runs and np.array_equal(chosen, np.arange(steps.runs)):
            return self
        own = np.flatnonzero(np.isin(steps.owner, chosen))
        return Ladder(
            self.rungs.rows(self.rows_of(chosen)),
            self.middle[chosen],
            self.deviation[chosen],
            self.nodes.rows(own),
            self.step[own],
            self.exponents[own],
            self.steep[chosen],
        )


def one_outlook(steps: Steps) -> tuple[float, float]:
    """Both for one run of sampled Gaussians, in plain numbers, which are quicker one by one."""
    total, largest = float(steps.variance[0]), math.inf
    for c, q, count in steps.segments:
        c2 = c * c
        one = q * q * math.expm1(min(c2, 50.0))
        total += count * one / (1.0 + one / max(c2, 1.0))
        b = 0.5 * c2 - math.log(q)
        log_level = math.log(LAST_LEVEL)
        if b * b > max(PULL * PULL * c2, RARELY):
            b, log_level = b - q, log_level - BEFORE_JUMPS
        inside = b * b - 2.0 * c2 * (math.log(count) - log_level)
        if inside >= 0.0:
            largest = min(largest, (b + math.sqrt(inside)) / max(c2, 5e-324))
    mu = max(math.sqrt(total), LEAST_MU)
    return mu, min(max(largest - 1.0, 1.0) * mu / FARTHEST, 1.0)


_NORM = 1.0 / math.sqrt(2.0 * math.pi)


class _Spread(NamedTuple):
    """How first knots are spread, so that one look decides most runs of a kind."""

    near: Floats
    """Near zero, where regret is decided, in deviations of the loss."""
    up_to: Floats
    """Between these and the tail, as shares of where that begins."""
    around: Floats
    """Around a guess of where mu is decided, in deviations: cubics tell it to ten digits there."""
    before: Floats
    after: Floats
    """Before and after these, as shares of what is left there."""
    equal: Floats
    """As many for adding as are in the tail."""

    @classmethod
    def of(cls, near: Floats, up_to: int, before: Floats, after: Floats, around: Floats) -> _Spread:
        """With zero, and so many up to the tail."""
        equal = np.linspace(0.0, 1.0, around.size + before.size + after.size)
        return cls(
            np.append(0.0, near), np.linspace(0.52, 1.0, up_to), around, before, after, equal
        )


def _powers(number: int, power: float) -> Floats:
    """So many up to one, the closer to zero the larger the power."""
    return (np.arange(1.0, number + 1.0) / number) ** power


def _closer(number: int) -> Floats:
    """Closest next to zero, where G is small, and closer at one, far from the line's own epsilon.

    In proportion to what cubics were found to need.
    """
    x = np.linspace(0.0, 1.0, 401)
    needed = 1.0 + 5.0 * np.exp(-40.0 * x) + 1.2 * np.exp(-8.0 * x) + 1.5 * x**8
    counted = np.cumsum(needed) - needed[0]
    places: Floats = np.interp(_powers(number, 1.0) * counted[-1], counted, x)
    return places


_FEW = np.concatenate(
    [
        np.geomspace(1e-5, 0.003, 6),
        np.geomspace(0.0045, 0.02, 5),
        np.geomspace(0.025, 0.12, 9),
        np.geomspace(0.135, 2.0, 26),
        [2.4, 3.0],
    ]
)

_MANY = np.concatenate([np.geomspace(1e-5, 0.02, 18), np.geomspace(0.023, 3.0, 43)])

# Alike around a guess; and where it is known what decides, the closer the nearer they are to that.
_ALIKE = 0.0066 * np.arange(-11.0, 12.0)

_SIDE = 0.0022 * np.cumsum(np.maximum(1.45 ** np.arange(-5.0, 13.0), 1.0))

_FOUND = np.concatenate([-_SIDE[::-1], [0.0], _SIDE])

_ORDINARY = _Spread.of(_FEW, 20, _closer(30), _powers(16, 2.0), _ALIKE)

_LARGER = _Spread.of(_FEW, 30, _closer(40), _powers(16, 2.0), _ALIKE)

_LARGE = _Spread.of(_FEW, 16, _closer(54), _powers(14, 2.0), 0.004 * np.arange(-11.0, 12.0))

_JUMPY = _Spread.of(_MANY, 13, _powers(36, 1.5), _powers(16, 2.0), _ALIKE)

_JUMPY_FOUND = _Spread.of(_MANY, 13, _powers(24, 1.5), _powers(14, 2.0), _FOUND)

#: The reach of a ladder below which jumps are rare.
RARE = 0.3

# The log Gamma(1/2) below which mu takes more knots.
_LESS = -0.35

# Where mu is large, some more before the first of the saddle points, in deviations.
_EARLY = np.linspace(0.25, 9.0, 36)


def fallen(rungs: Rungs, log_slack: Floats) -> Floats:
    """From where on delta is at most the slack, by row, as Chernoff has it."""
    bounds = (rungs.values + rungs.log_kappa - log_slack[:, None]) / rungs.lam
    found: Floats = np.maximum(bounds.min(axis=1), 1e-12) * (1.0 + 1e-9)
    return found


def first_knots(
    ladder: Ladder, slack: Floats, guess: Floats, limits: Floats, *, found: bool = False
) -> tuple[Floats, Floats]:
    """Knots up to the limits and beyond them, by row.

    Zero and some near it, some around a ``guess`` of where mu is decided, by run, or around that
    place itself if it was ``found``, and one from which on delta <= slack.
    """
    rungs, runs, deviation = ladder.rungs, ladder.middle.size, ladder.deviation[:, None]
    end = fallen(rungs, np.log(slack))[:, None]
    limit = limits[:, None]
    told = (limit > 0.0) & (limit < end)
    if not told.all():
        # A row that is read off one line alone has no limit.
        alone = 0.5 * end
        alone[:runs, 0] = np.minimum(alone[:runs, 0], 0.5 * guess[:runs])
        limit = np.where(told, limit, alone)
    low, high, centre = limit[:runs], end[:runs], guess[:runs, None]
    # The first knot beyond the limit is next to it, so that no cell reaches far over it.
    beyond = np.nextafter(limit, np.inf)
    least = float(ladder.middle.min())
    if float(ladder.steep.min()) < RARE:
        spread = _JUMPY_FOUND if found else _JUMPY
    else:
        spread = _ORDINARY if least > _LESS else _LARGER if least > LEAST else _LARGE
    own = [deviation * spread.near, low * spread.up_to]
    if least < LEAST:
        own.append(np.maximum(rungs.slopes[:runs, :1] - deviation * _EARLY, 0.0))
    removed = np.concatenate(own, axis=1)
    np.minimum(removed, low, out=removed)
    removed.sort(axis=1)
    left, right = (low - centre) * spread.before, (high - centre) * spread.after
    tail = np.concatenate([deviation * spread.around, left, right], axis=1)
    tail += centre
    np.minimum(np.maximum(tail, beyond[:runs], out=tail), high, out=tail)
    tail.sort(axis=1)
    tail[:, -1:] = high
    if end.size == runs:
        return removed, tail
    # Adding only has to stay below: equal cells will do.
    number, equal = removed.shape[1], spread.equal
    near = equal if number == equal.size else np.linspace(0.0, 1.0, number)
    first, last = beyond[runs:], end[runs:]
    return (
        np.concatenate([removed, limit[runs:] * near]),
        np.concatenate([tail, first + (last - first) * equal]),
    )


def period(rungs: Rungs, others: Rungs, lam: Floats, epsilon: Floats, log_error: Floats) -> Floats:
    """The least period for which images add no more than exp(log_error), by row.

    To exp(eps) alpha, that is; to delta, kappa times as much. ``others`` are the rungs of the other
    direction. Before the axis of the rows there may be others.
    """
    lam, epsilon, log_error = lam[..., None], epsilon[..., None], log_error[..., None]
    gap = rungs.lam - lam
    above = (rungs.values - rungs.lam * epsilon - log_error) / gap
    above = np.where(gap > 0.0, above, np.inf).min(axis=-1)
    slope = 1.0 + others.lam
    gap = slope + lam
    # No line is at -1 or below.
    below = ((others.values + slope * epsilon - log_error) / gap).min(axis=-1)
    longest: Floats = np.maximum(np.maximum(above, below), 0.0)
    return longest


def _quantiles(logs: Floats) -> Floats:
    """Phi^-1 of their exponentials, which may underflow where mu is large."""
    return ndtri(np.exp(logs)) if float(logs.min(initial=0.0)) > -700.0 else ndtri_exp(logs)


def _slopes(x: Floats, y: Floats) -> Floats:
    """How fast y changes with x at each point, by row, from its neighbours."""
    found = np.empty_like(y)
    found[:, 1:-1] = (y[:, 2:] - y[:, :-2]) / (x[:, 2:] - x[:, :-2])
    found[:, 0], found[:, -1] = found[:, 1], found[:, -2]
    return found


def _interpolated(at: Floats, places: Floats, values: Floats) -> Floats:
    """What is linear between values at increasing places, and constant beyond them, by row."""
    if at.size == 1:
        return np.array([np.interp(at[0], places[0], values[0])])
    rows = np.arange(at.size)
    after = np.clip((places < at[:, None]).sum(axis=1), 1, places.shape[1] - 1)
    start, end = places[rows, after - 1], places[rows, after]
    share = np.clip((at - start) / np.where(end > start, end - start, 1.0), 0.0, 1.0)
    low, high = values[rows, after - 1], values[rows, after]
    found: Floats = low + share * (high - low)
    return found


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

    def closer(self, rungs: Rungs) -> Approximate:
        """With the next two cumulants (Edgeworth), where jumps skew the loss."""
        lam, curved = rungs.lam, rungs.curvatures
        third = _slopes(lam, curved)
        skew, excess = third / curved**1.5, _slopes(lam, third) / (curved * curved)
        root, found = np.sqrt(curved), []
        # No TPR is above one.
        most = np.exp(-self.log_scale)
        for plain, z in (self.tpr_part, lam * root), (self.alpha_part, (1.0 + lam) * root):
            # The integrals of exp(-z y) He_n(y) phi(y) over y > 0, n = 3, 4 and 6.
            squared, less = z * z, z * plain - _NORM
            three = squared * less + _NORM
            six = z * (squared * squared * less + _NORM * (squared - 3.0))
            more = (excess / 24.0 * z - skew / 6.0) * three + (skew * skew / 72.0) * six
            more += plain
            found.append(np.where((more > 0.2 * plain) & (more < most), more, plain))
        return Approximate(self.log_scale, *found)

    def mus(self, rungs: Rungs, rows: slice, slack: Floats) -> Floats:
        """About the mu that the test at each saddle point shows; -inf where delta <= slack."""
        scale, slope = self.log_scale[rows], rungs.slopes[rows]
        tpr = np.exp(scale) * self.tpr_part[rows] - slack[:, None]
        low = _quantiles(scale - slope + np.log(self.alpha_part[rows]))
        found: Floats = ndtri(np.maximum(tpr, 1e-300)) - low
        found[~((tpr > 1e-3 * slack[:, None]) & (found < np.inf))] = -np.inf
        return found

    def decided(self, rungs: Rungs, rows: slice, slack: Floats) -> Floats:
        """About the epsilon whose test needs the largest mu, by row.

        With a and b the quantiles of TPR and FPR that is where F = eps - (b^2 - a^2) / 2 changes
        its sign, and a slack adds about -log(1 - slack / TPR) to F, as a^2 is about -2 log TPR. So
        TPR is slack / (1 - exp(F)) there, with the F of no slack, which is nearly the same at all
        rungs; and quantiles of TPR are nearly straight in epsilon.
        """
        scale, slope = self.log_scale[rows], rungs.slopes[rows]
        a = _quantiles(scale + np.log(self.tpr_part[rows]))
        b = _quantiles(scale - slope + np.log(self.alpha_part[rows]))
        bent = np.expm1(np.minimum(slope - 0.5 * (b * b - a * a), -1e-300))
        above = np.minimum.accumulate(a - ndtri(np.minimum(slack[:, None] / -bent, 1.0)), axis=1)
        return _interpolated(np.zeros(slope.shape[0]), -above, slope)

    def largest(self, rungs: Rungs, rows: slice, slack: Floats) -> Floats:
        """The epsilon next to the rung that shows the largest mu, by row."""
        slope, mus = rungs.slopes[rows], self.mus(rungs, rows, slack)
        number = np.arange(slope.shape[0])
        best = np.minimum(np.argmax(mus, axis=1), slope.shape[1] - 2)
        # Between two rungs: towards the next one by how near its mu comes.
        after = np.maximum(mus[number, best + 1], 0.0) / np.maximum(mus[number, best], 1e-300)
        start = slope[number, best]
        found: Floats = start + 0.4 * after * (slope[number, best + 1] - start)
        return found

    def _logs(self, rows: slice) -> Floats:
        """The log of delta, falling."""
        parts = np.maximum((self.tpr_part - self.alpha_part)[rows], 1e-300)
        return np.minimum.accumulate(self.log_scale[rows] + np.log(parts), axis=1)

    def log_delta(self, rungs: Rungs, row: int, epsilon: float) -> float:
        """About log delta at an epsilon."""
        logs = self._logs(slice(row, row + 1))[0]
        return float(np.interp(epsilon, np.maximum.accumulate(rungs.slopes[row]), logs))

    def log_deltas(self, rungs: Rungs, rows: slice, epsilons: Floats) -> Floats:
        """The same by row."""
        places = np.maximum.accumulate(rungs.slopes[rows], axis=1)
        return _interpolated(epsilons, places, self._logs(rows))

    def falls_to(self, rungs: Rungs, rows: slice, log_delta: Floats) -> Floats:
        """About where delta has fallen to exp(log_delta), by row."""
        return _interpolated(-log_delta, -self._logs(rows), rungs.slopes[rows])


def guessed(near: Approximate, rungs: Rungs, runs: int, slack: Floats) -> Floats:
    """About where mu is decided for removing, and where delta sinks to the slack for adding."""
    removed = np.maximum(near.decided(rungs, slice(runs), slack), 1e-12)
    if rungs.lam.shape[0] == runs:
        return removed
    others = near.falls_to(rungs, slice(runs, None), np.log(slack) - 0.5)
    return np.concatenate([removed, np.maximum(others, 1e-12)])


def logs_of(
    excess: Floats, rounding: Floats, s: Floats, lost: Floats, known_lost: Floats
) -> tuple[Floats, Floats]:
    """Log M from M - 1 and its rounding, and what that and quadratures make of it (Lemma T10)."""
    others = np.abs(s) * known_lost[:, :1] + np.abs(1.0 - s) * known_lost[:, 1:]
    logs = np.log1p(excess)
    wrong = lost + (others + rounding) / (1.0 + excess)
    return logs, 1.01 * wrong + UNIT * FUNCTION * np.abs(logs)
