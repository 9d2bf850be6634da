"""The regret of a mu: Delta(f, f_mu), from tests that exist."""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, expit, ndtr

from gdpnum import charges
from gdpnum.contour.reading import Knots, Reading
from gdpnum.contour.smallest import PARTS, ROUNDS, divided
from gdpnum.floats import UNIT, Floats

__all__ = ["profile_of_mu", "regrets"]


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, rounded up.

    a, b = mu / 2 -+ eps / mu.
    """
    s = epsilons / mu[:, None]
    half = 0.5 * mu[:, None]
    a, b = half - s, half + s
    found: Floats = ndtr(a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return found + charges.profile_of_mu(a)


def regrets(
    lines: Reading, found: Knots, mu: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Bounds on Delta(f, f_mu) and Delta(f, f_mu - slack), and delta(0) from above, by run.

    On each half of a cell the line of the test at its knot is held fixed below delta; delta_mu is
    convex in exp(eps), so the ratio (delta_mu - line) / (1 + exp(eps)) is largest at an end.
    """
    knots = found.epsilons
    advantage = np.minimum(found.delta[:, 0] + found.delta_error[:, 0], 1.0)
    # Beyond the last knot delta >= 0, and delta_mu / (1 + exp(eps)) falls.
    weight = expit(-knots[:, -1])
    regret = profile_of_mu(mu, knots[:, -1:])[:, 0] * weight
    with_slack = regret + slack * weight
    reached = np.zeros(mu.size)
    for turn in range(ROUNDS):
        number = knots.shape[1]
        lower = found.delta - found.delta_error
        lifted = found.lifted_alpha + found.lifted_alpha_error
        tpr = lower + (found.lifted_alpha - found.lifted_alpha_error)
        gaps = 0.5 * np.diff(knots, axis=1)
        places = np.concatenate([knots, knots[:, :-1] + gaps], axis=1)
        summary = profile_of_mu(mu, places)
        grown = np.exp(gaps)
        line = np.minimum(tpr[:, :-1] - lifted[:, :-1] * grown, tpr[:, 1:] - lifted[:, 1:] / grown)
        below = np.concatenate([np.minimum(tpr - lifted, lower), line], axis=1)
        # No test says less than delta >= -1 does; NaN neither.
        below = np.fmax(below, -1.0)
        below -= (16.0 * UNIT) * (1.0 + np.abs(below))
        weights = expit(-places)
        ratios = (summary - below) * weights
        at_knots, at_middles = ratios[:, :number], ratios[:, number:]
        ends = np.maximum(at_knots[:, :-1], at_knots[:, 1:])
        cells = np.maximum(ends, at_middles)
        # (1 + exp(eps))^-1 falls: at the left end of each cell it is largest.
        slacked = cells + slack[:, None] * weights[:, : number - 1]
        reached = np.maximum(reached, at_knots.max(axis=1))
        target = (reached * (1.0 + 10.0 * tolerance) + 1e-15)[:, None]
        high = cells > target
        if turn == ROUNDS - 1 or not high.any():
            break
        regret = np.maximum(regret, np.where(high, 0.0, cells).max(axis=1))
        with_slack = np.maximum(with_slack, np.where(high, 0.0, slacked).max(axis=1))
        room = np.maximum(target - ends, tolerance * target)
        parts = np.minimum(np.ceil(np.sqrt(1.2 * (cells - ends) / room)), PARTS)
        knots = divided(knots, np.where(high, np.maximum(parts, 2.0), 1.0))
        found = lines.at(knots)
    rounded = 1.0 + 16.0 * UNIT
    regret = np.maximum(np.maximum(regret, cells.max(axis=1)), 0.0) * rounded
    with_slack = np.maximum(np.maximum(with_slack, slacked.max(axis=1)), 0.0) * rounded
    return regret, with_slack, advantage
