"""About the mu of runs: where a search is to look. Nothing here is certified."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdpnum.contour.ladder import Approximate, guessed, ladder
from gdpnum.contour.located import located
from gdpnum.contour.pairs import Run, Steps
from gdpnum.floats import Floats, quietly

# Digits (natural) of the ladder: far more than its approximations have.
_DIGITS = 14.0

# Places around a guess, as shares of it from 0.3 to 3.3, closest near one.
_AROUND = np.exp(np.log(3.3) * np.sinh(np.linspace(-2.5, 2.5, 21)) / np.sinh(2.5))

# A mu beyond this leaves no privacy, and approximations know nothing of it.
_LARGEST = 40.0


@quietly
def about_mu(runs: Sequence[Run], slack: float, *, closely: bool = False) -> Floats:
    """About the mu of each run, to a percent or so; NaN where that is unclear.

    From the saddle points' approximations. ``closely`` is to 1e-4 or so, by sums over frequencies.

    Raises `OutOfReach` where jumps are too rare for a ladder.
    """
    steps = Steps.of(runs)
    slacks, every = np.full(steps.runs, slack), np.arange(steps.runs)
    rungs = ladder(steps, _DIGITS)
    near = Approximate.of(rungs.rungs)
    if not closely:
        most: Floats = near.mus(rungs.rungs, slice(steps.runs), slacks).max(axis=1)
        return np.where(most < _LARGEST, most, np.nan)
    guess = guessed(near, rungs.rungs, steps.runs, slacks)
    return located(steps, rungs, guess, slacks, every, _AROUND)[1]
