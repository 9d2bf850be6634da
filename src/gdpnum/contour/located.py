"""About where mu is decided, for a run in which jumps have their say: nothing here is certified."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.contour.decided import shown
from gdpnum.contour.ladder import Ladder, period
from gdpnum.contour.line import Knots
from gdpnum.contour.pairs import Steps
from gdpnum.contour.transform import phases
from gdpnum.contour.turns import turns
from gdpnum.floats import Floats

__all__ = ["located"]

# Frequencies, more where they are not enough; the share that may be left of the transform after
# them; images beside the slack.
_NUMBERS, _LEFT, _IMAGES = (120, 1000), 1e-4, 1e-2

# How often a better place is looked for, and how close a guess must be to be kept.
_TURNS, _OFF = 4, 0.1

# Places around a guess, as shares of it, and then between two of them.
_AROUND, _BETWEEN = np.geomspace(0.3, 3.0, 21), np.linspace(0.0, 1.0, 7)


def located(steps: Steps, ladder: Ladder, guess: float, slack: Floats) -> float | None:
    """The epsilon at which tests need the largest mu, to some percent; None if it stays unclear.

    The transform is summed on a line for the guess, and for the place that this shows, until the
    two agree.
    """
    line = None
    for _ in range(_TURNS):
        line = _line(steps, ladder, guess, slack, line)
        if line is None:
            return None
        places, found = (guess * _AROUND)[None, :], guess
        for _ in range(2):
            mus = shown(_at(line, places), slack, certain=False).mus
            best = int(np.argmax(mus))
            found = float(places[0, best])
            low, high = places[0, max(best - 1, 0)], places[0, min(best + 1, places.shape[1] - 1)]
            places = (low + (high - low) * _BETWEEN)[None, :]
        if not 0.0 < found < np.inf:
            return None
        if abs(found - guess) <= _OFF * found:
            return found
        guess = found
    return None


class _Line(NamedTuple):
    lam: float
    length: float
    cumulant: float
    centre: float
    theta: Floats
    real: Floats
    imaginary: Floats


def _line(
    steps: Steps, ladder: Ladder, guess: float, slack: Floats, before: _Line | None
) -> _Line | None:
    """The sums' terms on the line of the rung next to the saddle point, perhaps that ``before``."""
    removing, adding = ladder.rungs.rows(slice(1)), ladder.rungs.rows(slice(-1, None))
    rung = int(np.argmin((removing.values - removing.lam * guess)[0, :-1]))
    lam, place = removing.lam[:, rung], np.array([guess])
    length = float(period(removing, adding, lam, place, np.log(slack * _IMAGES))[0])
    if not 0.0 < length < np.inf:
        return None
    if before is not None and before.lam == lam[0] and length <= before.length:
        return before
    width = 2.0 * np.pi / length
    tilt, cumulant = float(lam[0]), float(removing.values[0, rung])
    exponent = (1.0 + tilt) * ladder.nodes.loss + ladder.exponents
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    means = np.einsum("nj,nj->n", weights, ladder.nodes.loss)
    away = ladder.nodes.loss - means[:, None]
    for number in _NUMBERS:
        theta = np.arange(0.5, number, dtype=np.float64) * width
        every = np.broadcast_to(theta, (means.size, number))
        a, b = phases(weights[:, None, :] + 0j, away, np.zeros_like(away), every)
        logs = steps.counts @ np.log(1.0 + a[:, 0] + 1j * b[:, 0])
        values = np.exp(logs - 0.5 * steps.variance[0] * theta**2)
        # The nodes are close enough for frequencies that matter, and repeat them further on.
        small = np.abs(values) <= _LEFT
        last = int(np.argmax(small[:-1] & small[1:]))
        if last:
            break
    else:
        return None
    theta, values = theta[:last], values[:last]
    z = tilt + 1j * theta
    over = values * (width / np.pi) / (z + 1.0)
    terms = np.stack([over / z, over])
    centre = float(steps.counts @ means) + float(steps.variance[0]) * (tilt + 0.5)
    return _Line(tilt, length, cumulant, centre, theta, terms.real, terms.imag)


def _at(line: _Line, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there."""
    turn = turns(line.theta[:, None] * (places[0] - line.centre))
    sums = line.real @ turn.real + line.imaginary @ turn.imag
    delta, lifted = (sums * np.exp(line.cumulant - line.lam * places[0]))[:, None, :]
    return Knots(places, delta, np.zeros_like(delta), lifted, np.zeros_like(lifted))
