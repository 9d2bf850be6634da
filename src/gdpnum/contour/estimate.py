"""About the mu of runs: where a search is to look. Nothing here is certified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, ndtr, ndtri, ndtri_exp

from gdpnum.contour.ladder import Approximate, Rungs, guessed, ladder
from gdpnum.contour.located import located
from gdpnum.contour.pairs import Run, Steps
from gdpnum.floats import Floats, quietly

# Digits (natural) of the ladder: far more than its approximations have.
_DIGITS = 14.0

# Places around a guess, as shares of it from 0.3 to 3.3, closest near one.
_AROUND = np.exp(np.log(3.3) * np.sinh(np.linspace(-2.5, 2.5, 21)) / np.sinh(2.5))

# A mu beyond this leaves no privacy, and approximations know nothing of it.
_LARGEST = 40.0

# Reaches of the ladder from which on approximations are to 1e-3, and below which they are no good.
_CLOSE, _RARE = 0.3, 0.12

# Places between the rungs before and after the best one, as shares of the way.
_BETWEEN = np.linspace(0.0, 1.0, 49)


class About(NamedTuple):
    """Arrays by run: about its mu, NaN where that is unclear, and whether it is to 1e-3 or so."""

    mu: Floats
    is_close: npt.NDArray[np.bool_]


@quietly
def about_mu(runs: Sequence[Run], slack: float, *, closely: bool = False) -> About:
    """About the mu of each run by saddle points, or ``closely``.

    To 1e-6 or so, the closer the more of a Gaussian a run has become. Where jumps are so rare that
    it is not, ``closely`` is by sums over frequencies.

    Raises `OutOfReach` where they are too rare for a ladder.
    """
    steps = Steps.of(runs)
    found = ladder(steps, _DIGITS)
    slacks, every = np.full(steps.runs, slack), np.arange(steps.runs)
    rare = found.steep < _RARE
    near = Approximate.of(found.rungs) if rare.any() else None
    if near is None or not closely:
        mu = _largest(found.rungs.rows(slice(steps.runs)), slack)
        if near is not None:
            rough = near.mus(found.rungs, slice(steps.runs), slacks).max(axis=1)
            mu = np.where(rare, rough, mu)
        return About(np.where(mu < _LARGEST, mu, np.nan), found.steep >= _CLOSE)
    guess = guessed(near, found.rungs, steps.runs, slacks)
    return About(located(steps, found, guess, slacks, every, _AROUND)[1], every >= 0)


def _largest(rungs: Rungs, slack: float) -> Floats:
    """The largest mu that tests at the rungs' epsilons, and between the best of them, show.

    Quantiles of TPR and FPR are nearly straight in epsilon: between rungs they are cubic.
    """
    quantiles = _quantiles(rungs)
    shown = _shown(quantiles, slack)
    rows, number = np.arange(shown.shape[0])[:, None], shown.shape[1]
    best = np.clip(np.argmax(shown, axis=1), 1, number - 3)
    near = best[:, None] + np.arange(-1, 3)
    at, differences = rungs.slopes[rows, near], quantiles[:, rows, near]
    places = at[:, :1] + (at[:, 2:3] - at[:, :1]) * _BETWEEN
    between, weight = np.zeros((2, *places.shape)), np.ones_like(places)
    # By Newton's differences.
    for order in range(4):
        between += weight * differences[:, :, :1]
        weight *= places - at[:, order, None]
        differences = np.diff(differences) / (at[:, order + 1 :] - at[:, : 3 - order])
    found: Floats = np.maximum(_shown(between, slack).max(axis=1), shown.max(axis=1))
    return found


def _shown(quantiles: Floats, slack: float) -> Floats:
    """The mu that tests show with these quantiles of TPR and FPR; -inf below the slack."""
    tpr = ndtr(quantiles[0]) - slack
    found: Floats = ndtri(np.maximum(tpr, 1e-300)) - quantiles[1]
    found[~((tpr > 1e-3 * slack) & (found < np.inf))] = -np.inf
    return found


def _quantiles(rungs: Rungs) -> Floats:
    """Of TPR and FPR at the saddle points, by the formula of Lugannani and Rice.

    Phi(-r) + phi(r) (1 / u - 1 / r) with r^2 / 2 = s eps - K and u = s sqrt K'', where s is lam for
    the one and 1 + lam for the other.
    """
    s = np.stack([rungs.lam, 1.0 + rungs.lam])
    exponent = np.maximum(s * rungs.slopes - rungs.values, 1e-300)
    r, root = np.sqrt(exponent), np.sqrt(rungs.curvatures)
    part = 0.5 * erfcx(r) + (1.0 / (s * root) - np.sqrt(0.5) / r) / np.sqrt(2.0 * np.pi)
    found: Floats = ndtri_exp(np.log(part) - exponent)
    return found
