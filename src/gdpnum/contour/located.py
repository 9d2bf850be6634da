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

__all__ = ["all_located", "highest", "located"]

# Frequencies, more where they are not enough; the share that may be left of the transform after
# them; images beside the slack.
_NUMBERS, _LEFT, _IMAGES = (120, 1000), 1e-4, 1e-2

# Of many runs that take more a rough reading is the quicker way.
_FEWER = (120,)

# How often a better place is looked for, and how close a guess must be to be kept.
_TURNS, _OFF = 4, 0.1

# Places around a guess, as shares of it, and then between two of them.
_AROUND, _BETWEEN = np.geomspace(0.3, 3.0, 21), np.linspace(0.0, 1.0, 7)


def located(steps: Steps, ladder: Ladder, guess: float, slack: Floats) -> float | None:
    """The epsilon at which tests of one run need the largest mu; None if it stays unclear."""
    found = float(all_located(steps, ladder, np.array([guess]), slack, np.zeros(1, np.intp))[0])
    return found if found > 0.0 else None


def all_located(
    steps: Steps, ladder: Ladder, guess: Floats, slack: Floats, runs: npt.NDArray[np.intp]
) -> Floats:
    """The epsilons at which tests of some runs need the largest mu, to some percent.

    NaN where it stays unclear.

    The transform is summed on a line for the guess, then on one for the place so found, until the
    two agree.
    """
    found = np.full(runs.size, np.nan)
    left, places, line = np.arange(runs.size), guess[runs], None
    for _ in range(_TURNS):
        line = _line(steps, ladder, runs[left], places, slack[runs[left]], line)
        following = highest(partial(_at, line), places[:, None] * _AROUND, slack[runs[left]])
        following = np.where(np.isnan(line.centre), np.nan, following)
        known = (following > 0.0) & (following < np.inf)
        close = known & (np.abs(following - places) <= _OFF * following)
        found[left[close]] = following[close]
        going = known & ~close
        left, places, line = left[going], following[going], line.rows(going)
        if not left.size:
            break
    return found


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


def highest(known: Callable[[Floats], Knots], places: Floats, slack: Floats) -> Floats:
    """The place, by run, that needs most: among these, then between its neighbours."""
    rows = np.arange(places.shape[0])
    for _ in range(2):
        mus = shown(known(places), slack, certain=False).mus
        best = np.argmax(mus, axis=1)
        found: Floats = places[rows, best]
        low = places[rows, np.maximum(best - 1, 0), None]
        high = places[rows, np.minimum(best + 1, places.shape[1] - 1), None]
        places = low + (high - low) * _BETWEEN
    return found


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
    length = period(rungs, others, lam, guess, np.log(slack * _IMAGES))
    if before is not None and ((before.lam == lam) & (length <= before.length)).all():
        return before
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
    for number in _NUMBERS if steps.runs == 1 else _FEWER:
        some = np.isin(part.owner, pending)
        few = part.part(pending)
        theta = width[pending, None] * np.arange(0.5, number)
        shares, distance = weights[some, None, :] + 0j, away[some]
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


def _at(line: _Line, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there."""
    turn = turns(line.theta[:, :, None] * (places - line.centre[:, None])[:, None, :])
    sums = line.real @ turn.real + line.imaginary @ turn.imag
    sums *= np.exp(line.cumulant[:, None] - line.lam[:, None] * places)[:, None, :]
    none = np.zeros_like(places)
    return Knots(places, sums[:, 0], none, sums[:, 1], none)
