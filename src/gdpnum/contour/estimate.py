"""About the numbers of runs: where a search is to look. Nothing here is certified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, ndtr, ndtri, ndtri_exp

from gdpnum.contour.ladder import ladder
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.rungs import Rungs
from gdpnum.floats import Floats, quietly

# Digits (natural) of the ladder: far more than its approximations have.
_DIGITS = 14.0

# A mu beyond this leaves no privacy, and approximations know nothing of it.
_LARGEST = 40.0

# The reach of the ladder from which on approximations are close; below, jumps decide.
_CLOSE = 0.3

# Places between the rungs before and after the best one, as shares of the way.
_BETWEEN = np.linspace(0.0, 1.0, 49)


class About(NamedTuple):
    """Arrays by run: about a value, NaN where that is unclear, and whether it is to 1e-3 or so."""

    value: Floats
    is_close: npt.NDArray[np.bool_]


@quietly
def about_mu(runs: Sequence[Run], slack: float) -> About:
    """About the mu of each run, to 1e-6 or so, the closer the more of a Gaussian it has become.

    Raises `OutOfReach` where jumps are too rare for a ladder.
    """
    rungs, is_close = _removed(runs)
    mu = _largest(rungs, slack)
    return About(np.where(mu < _LARGEST, mu, np.nan), is_close)


@quietly
def about_epsilon(runs: Sequence[Run], delta: float) -> About:
    """About the epsilon of each run at a delta, as `about_mu` has it."""
    rungs, is_close = _removed(runs)
    return About(epsilons_near(rungs, delta_quantiles(rungs), delta), is_close)


@quietly
def about_tpr(runs: Sequence[Run], fpr: float) -> About:
    """About the TPR of each run at an FPR, as `about_mu` has it."""
    rungs, is_close = _removed(runs)
    tpr, alpha = _quantiles(rungs)
    return About(ndtr(_where(alpha, tpr, float(ndtri(fpr)))), is_close)


def delta_quantiles(rungs: Rungs) -> Floats:
    """Phi^-1 of about delta at the saddle points, by row: nearly straight in epsilon."""
    logs, exponent = _tails(rungs)
    # TPR - exp(eps) FPR; the exponent of FPR is larger by eps.
    found: Floats = ndtri_exp(logs[0] + np.log(-np.expm1(logs[1] - logs[0])) - exponent[0])
    return found


def epsilons_near(rungs: Rungs, quantiles: Floats, delta: float) -> Floats:
    """About the epsilon at which each row has a delta, by these quantiles of it; NaN if none."""
    return _where(quantiles, rungs.slopes, float(ndtri(delta)))


def _removed(runs: Sequence[Run]) -> tuple[Rungs, npt.NDArray[np.bool_]]:
    """The rungs of removing, and whether what is read off them is close."""
    found = ladder(Steps.of(runs), _DIGITS)
    return found.rungs.rows(slice(len(runs))), found.steep >= _CLOSE


def _where(falling: Floats, values: Floats, level: float) -> Floats:
    """The values where something falls to a level, by run; NaN where it does not."""
    first = np.clip((falling > level).sum(axis=1) - 2, 0, falling.shape[1] - 4)
    rows, near = np.arange(first.size)[:, None], first[:, None] + np.arange(4)
    found = _cubic(falling[rows, near], values[rows, near], np.full(rows.shape, level))[:, 0]
    inside = (falling.min(axis=1) <= level) & (level <= falling.max(axis=1))
    return np.where(inside, found, np.nan)


def _cubic(at: Floats, values: Floats, places: Floats) -> Floats:
    """The cubics through four values each, at places, by Newton's differences."""
    found = np.zeros(np.broadcast_shapes(values[..., :1].shape, places.shape))
    weight, differences = np.ones_like(places), values
    for order in range(4):
        found += weight * differences[..., :1]
        weight *= places - at[:, order, None]
        differences = np.diff(differences) / (at[:, order + 1 :] - at[:, : 3 - order])
    return found


def _largest(rungs: Rungs, slack: float) -> Floats:
    """The largest mu that tests at the rungs' epsilons, and between the best of them, show.

    Quantiles of TPR and FPR are nearly straight in epsilon: between rungs they are cubic.
    """
    quantiles = _quantiles(rungs)
    shown = _shown(quantiles, slack)
    rows, number = np.arange(shown.shape[0])[:, None], shown.shape[1]
    best = np.clip(np.argmax(shown, axis=1), 1, number - 3)
    near = best[:, None] + np.arange(-1, 3)
    at = rungs.slopes[rows, near]
    places = at[:, :1] + (at[:, 2:3] - at[:, :1]) * _BETWEEN
    between = _cubic(at, quantiles[:, rows, near], places)
    found: Floats = np.maximum(_shown(between, slack).max(axis=1), shown.max(axis=1))
    return found


def _shown(quantiles: Floats, slack: float) -> Floats:
    """The mu that tests show with these quantiles of TPR and FPR; -inf below the slack."""
    tpr = ndtr(quantiles[0]) - slack
    found: Floats = ndtri(np.maximum(tpr, 1e-300)) - quantiles[1]
    found[~((tpr > 1e-3 * slack) & (found < np.inf))] = -np.inf
    return found


def _quantiles(rungs: Rungs) -> Floats:
    """Of TPR and FPR at the saddle points."""
    logs, exponent = _tails(rungs)
    found: Floats = ndtri_exp(logs - exponent)
    return found


def _tails(rungs: Rungs) -> tuple[Floats, Floats]:
    """Logs of TPR and FPR at the saddle points, without their exponents, and these.

    By the formula of Lugannani and Rice, Phi(-r) + phi(r) (1 / u - 1 / r) with r^2 / 2 = s eps - K
    and u = s sqrt K'', where s is lam for the one and 1 + lam for the other.
    """
    s = np.stack([rungs.lam, 1.0 + rungs.lam])
    exponent = np.maximum(s * rungs.slopes - rungs.values, 1e-300)
    r, root = np.sqrt(exponent), np.sqrt(rungs.curvatures)
    part = 0.5 * erfcx(r) + (1.0 / (s * root) - np.sqrt(0.5) / r) / np.sqrt(2.0 * np.pi)
    return np.log(part), exponent
