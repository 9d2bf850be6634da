"""About where mu is decided, for runs in which jumps have their say: nothing here is certified."""

from __future__ import annotations

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

__all__ = ["all_located", "located"]

# Frequencies, more where they are not enough; the share that may be left of the transform after
# them; images beside the slack.
_NUMBERS, _LEFT, _IMAGES = (120, 1000), 1e-4, 1e-2

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
    left, places = np.arange(runs.size), guess[runs]
    for _ in range(_TURNS):
        following = _highest(steps, ladder, runs[left], places, slack[runs[left]])
        known = (following > 0.0) & (following < np.inf)
        close = known & (np.abs(following - places) <= _OFF * following)
        found[left[close]] = following[close]
        going = known & ~close
        left, places = left[going], following[going]
        if not left.size:
            break
    return found


def _highest(
    steps: Steps, ladder: Ladder, runs: npt.NDArray[np.intp], guess: Floats, slack: Floats
) -> Floats:
    """The place around each guess that needs most, as its line has it; NaN if that is too long."""
    found = np.full(guess.size, np.nan)
    left = np.arange(guess.size)
    for number in _NUMBERS:
        line, ended = _line(steps, ladder, runs[left], guess[left], slack[left], number)
        own, line = left[ended], line.rows(ended)
        rows, places = np.arange(own.size), guess[own, None] * _AROUND
        for _ in range(2):
            mus = shown(_at(line, places), slack[own], certain=False).mus
            best = np.argmax(mus, axis=1)
            found[own] = places[rows, best]
            low = places[rows, np.maximum(best - 1, 0), None]
            high = places[rows, np.minimum(best + 1, places.shape[1] - 1), None]
            places = low + (high - low) * _BETWEEN
        left = left[~ended]
        if not left.size:
            break
    return found


class _Line(NamedTuple):
    """Arrays by run, the last three by run and frequency, and the terms of delta and of alpha."""

    lam: Floats
    cumulant: Floats
    centre: Floats
    theta: Floats
    real: Floats
    imaginary: Floats

    def rows(self, kept: npt.NDArray[np.bool_]) -> _Line:
        return _Line(*(one[kept] for one in self))


def _line(
    steps: Steps,
    ladder: Ladder,
    runs: npt.NDArray[np.intp],
    guess: Floats,
    slack: Floats,
    number: int,
) -> tuple[_Line, npt.NDArray[np.bool_]]:
    """The sums' terms on the lines of the rungs next to the saddle points, and which are enough."""
    rungs, others = ladder.rungs.rows(runs), ladder.rungs.other(steps.runs).rows(runs)
    rows = np.arange(runs.size)
    rung = np.argmin((rungs.values - rungs.lam * guess[:, None])[:, :-1], axis=1)
    lam, cumulant = rungs.lam[rows, rung], rungs.values[rows, rung]
    length = period(rungs, others, lam, guess, np.log(slack * _IMAGES))
    width = 2.0 * np.pi / length
    part, chosen = (
        steps.part(runs),
        np.concatenate([np.flatnonzero(steps.owner == i) for i in runs]),
    )
    loss = ladder.nodes.loss[chosen]
    exponent = (1.0 + lam)[part.owner, None] * loss + ladder.exponents[chosen]
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    means = np.einsum("nj,nj->n", weights, loss)
    away = loss - means[:, None]
    theta = width[:, None] * np.arange(0.5, number)
    a, b = phases(weights[:, None, :] + 0j, away, np.zeros_like(away), theta[part.owner])
    logs = np.log((1.0 + a[:, 0]) + 1j * b[:, 0]) * part.counts[:, None]
    size = part.total(logs.real) - 0.5 * part.variance[:, None] * theta**2
    # The nodes are close enough for frequencies that matter, and repeat them further on.
    small = np.exp(size) <= _LEFT
    small[:, :-1] &= small[:, 1:]
    last = np.argmax(small[:, :-1], axis=1)[:, None]
    most = int(last.max())
    theta, kept = theta[:, :most], np.where(np.arange(most) < last, size[:, :most], -np.inf)
    values = np.exp(kept) * turns(part.total(logs.imag[:, :most]))
    z = lam[:, None] + 1j * theta
    over = values * (width / np.pi)[:, None] / (z + 1.0)
    terms = np.stack([over / z, over], axis=1)
    centre = part.total(part.counts * means) + part.variance * (lam + 0.5)
    ended = (last[:, 0] > 0) & (length > 0.0) & (length < np.inf)
    return _Line(lam, cumulant, centre, theta, terms.real, terms.imag), ended


def _at(line: _Line, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there."""
    turn = turns(line.theta[:, :, None] * (places - line.centre[:, None])[:, None, :])
    sums = line.real @ turn.real + line.imaginary @ turn.imag
    sums *= np.exp(line.cumulant[:, None] - line.lam[:, None] * places)[:, None, :]
    none = np.zeros_like(places)
    return Knots(places, sums[:, 0], none, sums[:, 1], none)
