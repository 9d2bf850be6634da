"""About where mu is decided, for runs in which jumps have their say: nothing here is certified."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum.contour.decided import shown
from gdpnum.contour.ladder import Ladder, period
from gdpnum.contour.line import Knots
from gdpnum.contour.pairs import Steps
from gdpnum.contour.transform import phases
from gdpnum.contour.turns import Complexes, powers, turns
from gdpnum.floats import Floats

__all__ = ["all_located", "highest", "located"]

# The log of what may be left of the transform after the last frequency; images beside the slack.
_LEFT, _IMAGES = -9.2, 0.01

# Frequencies of a run alone, and of each of many: where that is not enough a rough reading is the
# quicker way.
_MOST, _FEWER = 1200, 120

# A run alone: as many as a Gaussian would take, times this.
_MORE = 1.8

# By about so much (a log) is delta below Chernoff's bound.
_BELOW = 3.0

# From such a delta on an error of some percent is too much beside 1 - TPR.
_LARGE = 0.3


# How often a better place is looked for, and how close a guess must be to be kept.
_TURNS, _OFF = 4, 0.1

_FIRST = slice(0, 1)

# Places around a guess, as shares of it, and then between two of them.
_AROUND, _BETWEEN = np.geomspace(0.3, 3.0, 21), np.linspace(0.0, 1.0, 7)


def located(steps: Steps, ladder: Ladder, guess: float, slack: Floats) -> float | None:
    """The epsilon at which tests of one run need the largest mu; None if it stays unclear."""
    rungs, others = (one.rows(_FIRST) for one in (ladder.rungs, ladder.rungs.other(1)))
    bounds, place, line = np.log(slack * _IMAGES), guess, None
    for _ in range(_TURNS):
        at = np.array([place])
        # The smallest lam that is next to as good as the saddle point's takes fewest frequencies.
        scales = (rungs.values[0] - rungs.lam[0] * place)[:-1]
        least = float(scales.min())
        rung = int(np.argmax(scales <= least + min(1.0, -0.3 * least)))
        lam, cumulant = rungs.lam[:, rung], rungs.values[:, rung]
        length = period(rungs, others, lam, at, bounds)
        if line is not None and line.lam[0] == lam[0] and length[0] <= line.length[0]:
            return place
        line = _one_line(steps, ladder, lam, length, cumulant)
        if line is None:
            return None
        following = float(highest(partial(_at, line), at[:, None] * _AROUND, slack)[0][0])
        if not place * float(_AROUND[0]) < following < np.inf:
            return None
        if abs(following - place) <= _OFF * following:
            return following
        place = following
    return None


def _one_line(
    steps: Steps, ladder: Ladder, lam: Floats, length: Floats, cumulant: Floats
) -> _Line | None:
    """The terms of the sums of one run on a line; None if it takes too many frequencies."""
    tilted, means, away = _tilted(steps, ladder.nodes.loss, ladder.exponents, lam)
    width = 2.0 * np.pi / length
    like_gaussian = np.sqrt(-2.0 * _LEFT) / float(ladder.deviation[0] * width[0])
    if not 0.0 < like_gaussian < _MOST:
        return None
    for number in (min(int(_MORE * like_gaussian) + 16, _MOST), _MOST):
        theta = width[:, None] * np.arange(0.5, number)
        size, turned = _sums(steps, tilted, away, theta)
        small = size[0] <= _LEFT
        last = int(np.argmax(small[:-1] & small[1:]))
        if last > 0:
            centre = _centre(steps, means, lam)
            return _terms(lam, length, cumulant, centre, size[:, :last], turned[:, :last])
    return None


def all_located(
    steps: Steps,
    ladder: Ladder,
    guess: Floats,
    slack: Floats,
    runs: npt.NDArray[np.intp],
    around: Floats = _AROUND,
) -> tuple[Floats, Floats]:
    """The epsilons at which tests of some runs need the largest mu, to some percent, and that mu.

    NaN where it stays unclear. They are looked for ``around`` a guess, at these shares of it.

    The transform is summed on a line for the guess, then on one for the place so found, until the
    two agree.
    """
    found, mus = np.full((2, runs.size), np.nan)
    left, places, line = np.arange(runs.size), guess[runs], None
    for _ in range(_TURNS):
        line = _line(steps, ladder, runs[left], places, slack[runs[left]], line)
        following, most = highest(partial(_at, line), places[:, None] * around, slack[runs[left]])
        following = np.where(np.isnan(line.centre), np.nan, following)
        known = (following > 0.0) & (following < np.inf)
        close = known & (np.abs(following - places) <= _OFF * following)
        found[left[close]], mus[left[close]] = following[close], most[close]
        going = known & ~close
        left, places, line = left[going], following[going], line.rows(going)
        if not left.size:
            break
    return found, mus


class _Line(NamedTuple):
    """Arrays by run: the last two by frequency, too, and the terms of delta and of alpha."""

    lam: Floats
    length: Floats
    cumulant: Floats
    centre: Floats
    theta: Floats
    terms: Complexes
    """Conjugates of what to multiply exp(-i theta (eps - centre)) by."""

    def rows(self, kept: npt.NDArray[np.bool_]) -> _Line:
        """Some of the runs."""
        if kept.all():
            return self
        lam, length, cumulant, centre, theta = (one[kept] for one in self[:-1])
        return _Line(lam, length, cumulant, centre, theta, self.terms[kept])


def highest(
    known: Callable[[Floats], Knots], places: Floats, slack: Floats
) -> tuple[Floats, Floats]:
    """The place, by run, that needs most: among these, then between its neighbours; and its mu."""
    rows = np.arange(places.shape[0])
    mus = shown(known(places), slack, certain=False).mus
    best = np.argmax(mus, axis=1)
    low = places[rows, np.maximum(best - 1, 0), None]
    high = places[rows, np.minimum(best + 1, places.shape[1] - 1), None]
    places = low + (high - low) * _BETWEEN
    mus = shown(known(places), slack, certain=False).mus
    best = np.argmax(mus, axis=1)
    # The mu is that at the top of the parabola through three of them.
    before, at, after = (mus[rows, np.clip(best + i, 0, _BETWEEN.size - 1)] for i in (-1, 0, 1))
    bend, rise = 2.0 * at - before - after, after - before
    inside = (best > 0) & (best < _BETWEEN.size - 1) & (bend > 0.0) & (bend < np.inf)
    return places[rows, best], at + rise * (0.125 * rise / np.where(inside, bend, np.inf))


def _line(
    steps: Steps,
    ladder: Ladder,
    runs: npt.NDArray[np.intp],
    guess: Floats,
    slack: Floats,
    before: _Line | None,
) -> _Line:
    """The sums' terms on the lines of the rungs next to the saddle points, perhaps those before.

    The centre is NaN where a line takes too many frequencies.
    """
    rungs, others = ladder.rungs.rows(runs), ladder.rungs.other(steps.runs).rows(runs)
    rows = np.arange(runs.size)
    rung = np.argmin((rungs.values - rungs.lam * guess[:, None])[:, :-1], axis=1)
    lam = rungs.lam[rows, rung]
    # At the first of the places, where they are beside a larger delta, too.
    first = guess * _AROUND[0]
    there = (rungs.values + rungs.log_kappa - rungs.lam * first[:, None]).min(axis=1)
    allowed = np.stack([np.log(slack), np.maximum(there - _BELOW, np.log(slack))])
    places = np.stack([guess, first])
    length = period(rungs, others, lam, places, allowed + np.log(_IMAGES)).max(axis=0)
    if before is not None and ((before.lam == lam) & (length <= before.length)).all():
        return before
    part, own = steps.part(runs), np.flatnonzero(np.isin(steps.owner, runs))
    tilted, means, away = _tilted(part, ladder.nodes.loss[own], ladder.exponents[own], lam)
    for number in (_FEWER, _MOST) if steps.runs == 1 else (_FEWER,):
        theta = (2.0 * np.pi / length)[:, None] * np.arange(0.5, number)
        size, turned = _sums(part, tilted, away, theta)
        # The nodes are close enough for frequencies that matter, and repeat them further on.
        small = size <= _LEFT
        last = np.argmax(small[:, :-1] & small[:, 1:], axis=1)
        if last.all():
            break
    most = max(int(last.max()), 1)
    size = np.where(np.arange(most) < last[:, None], size[:, :most], -np.inf)
    known = (last > 0) & (length > 0.0) & (length < np.inf)
    centre = np.where(known, _centre(part, means, lam), np.nan)
    return _terms(lam, length, rungs.values[rows, rung], centre, size, turned[:, :most])


def _tilted(
    steps: Steps, loss: Floats, exponents: Floats, lam: Floats
) -> tuple[Floats, Floats, Floats]:
    """Weights at the nodes that sum to one, the losses' means, and how far the losses are off."""
    exponent = (1.0 + lam)[steps.owner, None] * loss + exponents
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    means = np.einsum("nj,nj->n", weights, loss)
    return weights, means, loss - means[:, None]


def _centre(steps: Steps, means: Floats, lam: Floats) -> Floats:
    return steps.total(steps.counts * means) + steps.variance * (lam + 0.5)


def _sums(steps: Steps, weights: Floats, away: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """The logs of the transform's modulus, and its argument, by run and frequency."""
    shares = weights[:, None, :].astype(np.complex128)
    a, b = phases(shares, away, np.zeros_like(away), theta[steps.owner])
    real, imaginary, counts = 1.0 + a[:, 0], b[:, 0], steps.counts[:, None]
    logs = (0.5 * counts) * np.log(real * real + imaginary * imaginary)
    size = steps.total(logs) - 0.5 * steps.variance[:, None] * theta**2
    return size, steps.total(counts * np.arctan2(imaginary, real))


def _terms(
    lam: Floats,
    length: Floats,
    cumulant: Floats,
    centre: Floats,
    size: Floats,
    turned: Floats,
) -> _Line:
    width = (2.0 * np.pi / length)[:, None]
    theta = width * (np.arange(size.shape[1]) + 0.5)
    z = lam[:, None] + 1j * theta
    over = np.exp(size) * turns(turned) * (width / np.pi) / (z + 1.0)
    return _Line(lam, length, cumulant, centre, theta, np.stack([over / z, over], axis=1).conj())


def _at(line: _Line, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there; a delta that is large is not known well enough."""
    angle = (places - line.centre[:, None]) * (2.0 * line.theta[:, :1])
    turn = powers(0.5 * angle, angle, line.theta.shape[1])
    sums = (line.terms @ turn).real
    sums *= np.exp(line.cumulant[:, None] - line.lam[:, None] * places)[:, None, :]
    none = np.zeros_like(places)
    delta = np.where(sums[:, 0] < _LARGE, sums[:, 0], np.nan)
    return Knots(places, delta, none, sums[:, 1], none)
