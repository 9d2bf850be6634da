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
from gdpnum.contour.turns import turns
from gdpnum.floats import Floats

# Frequencies, more where they are not enough (but of many runs a rough reading is quicker then);
# the share that may be left of the transform after them; images beside the slack.
_NUMBERS, _LEFT, _IMAGES = (120, 1000), 1e-4, 1e-2

# A Gaussian's transform is down to that share so many deviations away.
_DEVIATIONS = np.sqrt(-2.0 * np.log(_LEFT))

# Periods are longer than they have to be by this.
_ROOM = 1.1

# By about so much (a log) is delta below Chernoff's bound.
_BELOW = 3.0

# From such a delta on an error of some percent is too much beside 1 - TPR; and what is left out of
# the transform is too much for a sum that is less than this share of its terms.
_LARGE, _TINY = 0.3, 10.0 * _LEFT

# How often a better place is looked for, and how close a guess must be to be kept.
_TURNS, _OFF = 4, 0.1

# Places around a guess, as shares of it, and then between two of them.
_AROUND, _BETWEEN = np.geomspace(0.3, 3.0, 21), np.linspace(0.0, 1.0, 7)


def located(
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
        following, most = highest(
            partial(_at, line, places), places[:, None] * around, slack[runs[left]]
        )
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
    """Arrays by run: the last three by frequency, too, and the terms of delta and of alpha."""

    lam: Floats
    length: Floats
    cumulant: Floats
    centre: Floats
    theta: Floats
    real: Floats
    imaginary: Floats

    def rows(self, kept: npt.NDArray[np.bool_]) -> _Line:
        """Some of the runs."""
        return self if kept.all() else _Line(*(one[kept] for one in self))


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
    # A little more, so that it serves the place found as well.
    length = length * _ROOM
    width = 2.0 * np.pi / length
    part, own = steps.part(runs), np.flatnonzero(np.isin(steps.owner, runs))
    loss = ladder.nodes.loss[own]
    exponent = (1.0 + lam)[part.owner, None] * loss + ladder.exponents[own]
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    means = np.einsum("nj,nj->n", weights, loss)
    away = loss - means[:, None]
    pending, sizes, turned, ended = (
        rows,
        *np.zeros((2, runs.size, 0)),
        np.zeros(runs.size, np.bool_),
    )
    # At first so many as Gaussians would take, and some.
    gaussian = float(np.nanmax(_DEVIATIONS / (ladder.deviation[runs] * width)))
    likely = int(min(1.5 * gaussian + 8.0, _NUMBERS[0]))
    for number in dict.fromkeys([likely, *(_NUMBERS if steps.runs == 1 else _NUMBERS[:1])]):
        some = np.isin(part.owner, pending)
        few = part.part(pending)
        theta = width[pending, None] * np.arange(0.5, number)
        shares, distance = weights[some, None, :], away[some]
        a, b = phases(shares, distance, np.zeros_like(distance), theta[few.owner])
        logs = np.log((1.0 + a[:, 0]) + 1j * b[:, 0]) * few.counts[:, None]
        size = few.total(logs.real) - 0.5 * few.variance[:, None] * theta**2
        # The nodes are close enough for frequencies that matter, and repeat them further on.
        small = np.exp(size) <= _LEFT
        last = np.argmax(small[:, :-1] & small[:, 1:], axis=1)
        most = max(int(last.max()), sizes.shape[1])
        sizes = np.pad(sizes, ((0, 0), (0, most - sizes.shape[1])), constant_values=-np.inf)
        turned = np.pad(turned, ((0, 0), (0, most - turned.shape[1])))
        own = np.arange(most) < last[:, None]
        sizes[pending] = np.where(own, size[:, :most], -np.inf)
        turned[pending] = few.total(logs.imag[:, :most])
        ended[pending] = last > 0
        pending = pending[last == 0]
        if not pending.size:
            break
    theta = width[:, None] * (np.arange(sizes.shape[1]) + 0.5)
    values = np.exp(sizes) * turns(turned)
    z = lam[:, None] + 1j * theta
    over = values * (width / np.pi)[:, None] / (z + 1.0)
    terms = np.stack([over / z, over], axis=1)
    centre = part.total(part.counts * means) + part.variance * (lam + 0.5)
    centre = np.where(ended & (length > 0.0) & (length < np.inf), centre, np.nan)
    cumulant = rungs.values[rows, rung]
    return _Line(lam, length, cumulant, centre, theta, terms.real, terms.imag)


def _at(line: _Line, guess: Floats, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there, where they are known well enough.

    Not where delta is large nor, before the guess, next to nothing beside the terms of its sum.
    """
    turn = turns(line.theta[:, :, None] * (places - line.centre[:, None])[:, None, :])
    sums = line.real @ turn.real + line.imaginary @ turn.imag
    least = (_TINY * np.hypot(line.real[:, 0], line.imaginary[:, 0])).sum(axis=1)
    clear = (sums[:, 0] > least[:, None]) | (places >= guess[:, None])
    sums *= np.exp(line.cumulant[:, None] - line.lam[:, None] * places)[:, None, :]
    none = np.zeros_like(places)
    delta = np.where(clear & (sums[:, 0] < _LARGE), sums[:, 0], np.nan)
    return Knots(places, delta, none, sums[:, 1], none)
