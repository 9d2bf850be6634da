"""Knots: what chords between them need, what tests at them show, and how cells are cut."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, ndtri_exp

from gdpnum.contour.charges import UNIT, Floats, quantile
from gdpnum.contour.ladder import Rungs
from gdpnum.contour.reading import Knots

__all__ = ["MOST_KNOTS", "PARTS", "ROUNDS", "capped", "chords", "divided", "shown"]

#: How often cells are cut, into how many parts at a time, and into how many in all.
ROUNDS, PARTS, MOST_KNOTS = 6, 24.0, 1500

# exp(-eps) and what it multiplies stay normal numbers up to here.
_LARGEST = 600.0


def lowered(lifted: Floats, epsilons: Floats) -> Floats:
    """Phi^-1(exp(-eps) lifted), also where that underflows."""
    if not epsilons.size or float(epsilons[:, -1].max()) < _LARGEST:
        return ndtri(lifted * np.exp(-epsilons))
    return ndtri_exp(np.log(lifted) - epsilons)


def chords(knots: Knots, slack: Floats) -> Floats:
    """The mu that each chord between two knots needs, from above."""
    upper = knots.delta + knots.delta_error
    np.minimum.accumulate(upper, axis=1, out=upper)
    mus = _needed(knots.epsilons, upper, slack)
    for row in np.flatnonzero((mus == np.inf).any(axis=1)):
        # A chord may leave out knots, and does where those are too uncertain.
        kept = _convex(knots.epsilons[row], upper[row])
        fewer = _needed(
            knots.epsilons[row : row + 1, kept], upper[row : row + 1, kept], slack[row : row + 1]
        )
        mus[row] = np.repeat(fewer[0], np.diff(kept))
    return mus


def _needed(epsilons: Floats, upper: Floats, slack: Floats) -> Floats:
    gaps = np.diff(epsilons, axis=1)
    start = upper[:, :-1]
    over = start - slack[:, None]
    lifted = (start - upper[:, 1:]) / np.expm1(gaps)
    # A smaller slope and a higher line: both towards a larger mu. No tpr is above one.
    slope = lifted * (1.0 - 64.0 * UNIT)
    power = over + lifted * (1.0 + 64.0 * UNIT) + (4.0 * UNIT) * start
    low, high = (
        ndtri(np.minimum(power, 1.0 - 0.5 * slack[:, None])),
        lowered(slope, epsilons[:, :-1]),
    )
    mus = (low - high) + quantile(1.0 + np.abs(low) + np.abs(high))
    # What is not a number is not known to be fine.
    mus[np.isnan(mus)] = np.inf
    mus[(over <= 0.0) | (gaps <= 0.0)] = -np.inf
    return mus


def _convex(epsilons: Floats, upper: Floats) -> npt.NDArray[np.intp]:
    """Knots on the lower convex hull over exp(eps), the first and the last among them."""
    kept: list[int] = []
    for k in range(epsilons.size):
        while len(kept) > 1:
            i, j = kept[-2:]
            before = np.expm1(epsilons[j] - epsilons[i])
            after = np.expm1(epsilons[k] - epsilons[j]) * np.exp(epsilons[j] - epsilons[i])
            if (upper[i] - upper[j]) * after > (upper[j] - upper[k]) * before:
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)


def shown(knots: Knots, slack: Floats, *, certain: bool = True) -> tuple[Floats, Floats, Floats]:
    """Tests that exist: exp(eps) alpha from above, tpr from below, and the mu each needs."""
    delta, lifted = knots.delta, knots.lifted_alpha
    alpha, tpr = lifted, delta + lifted
    if certain:
        alpha = (lifted + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
        tpr = (delta - knots.delta_error) + (lifted - knots.lifted_alpha_error)
        tpr = tpr * (1.0 - 8.0 * UNIT)
    above = tpr - slack[:, None] * (1.0 + 4.0 * UNIT)
    low, high = ndtri(np.maximum(above, 0.0)), lowered(np.maximum(alpha, 0.0), knots.epsilons)
    mus = (low - high) - quantile(1.0 + np.abs(low) + np.abs(high))
    mus[~np.isfinite(mus)] = -np.inf
    return alpha, tpr, mus


def divided(knots: Floats, parts: Floats) -> Floats:
    """Knots with each cell cut into so many parts, from the first to the last that is cut.

    By row; where rows need different numbers their cells are cut a little finer.
    """
    columns = np.flatnonzero((parts > 1.0).any(axis=0))
    first, last = int(columns[0]), int(columns[-1]) + 1
    kept, parts = knots[:, first : last + 1], parts[:, first:last]
    counted = np.zeros(kept.shape)
    np.cumsum(parts, axis=1, out=counted[:, 1:])
    ends = counted[:, -1:]
    places = np.linspace(0.0, 1.0, int(min(ends.max(), MOST_KNOTS)) + 1)
    return np.stack(
        [
            np.interp(places * end[0], one, at)
            for end, one, at in zip(ends, counted, kept, strict=True)
        ]
    )


def capped(found: Knots, rungs: Rungs, slack: Floats) -> Knots:
    """The same, with delta never more than Chernoff allows where its error is above the slack."""
    if not (found.delta_error > slack[:, None]).any():
        return found
    logs = (rungs.values + rungs.log_kappa)[:, :, None]
    logs = (logs - rungs.lam[:, :, None] * found.epsilons[:, None, :]).min(axis=1)
    bound = np.exp(np.minimum(logs, 0.0)) * (1.0 + 1e-12)
    most = np.minimum(found.delta + found.delta_error, bound)
    # From above only: what is between the two is as wrong as it was, or nothing.
    return found._replace(delta=most, delta_error=np.zeros_like(most))
