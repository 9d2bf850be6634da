"""Regret: how much a summary by mu gives away, Delta(f, f_mu)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdpnum.loss.accountant import Attacks
from gdpnum.loss.pair import Floats
from gdpnum.measures.gaussian_profile import delta_of_mu

__all__ = ["regret_bound"]


def regret_bound(mu: float, directions: Sequence[Attacks]) -> float:
    """An upper bound on sup over eps >= 0 of (delta_mu(eps) - delta(eps)) / (1 + exp(eps)).

    A test with (alpha, tpr) shows delta(eps) >= tpr - exp(eps) alpha. On a cell of eps one such
    line is held fixed; delta_mu is convex in exp(eps), so the ratio is quasi-convex there and its
    largest value is at an end of the cell. Of several directions each cell takes the better one.
    """
    edges = np.append(0.0, directions[0].losses[directions[0].losses > 0.0])
    gdp = delta_of_mu(mu, edges)
    cells = [_cells(gdp, edges, one) for one in directions]
    # Past the last line delta may be zero; (delta_mu) / (1 + exp(eps)) falls from there on.
    last = float(gdp[-1] * _weight(edges[-1:])[0])
    return max(0.0, last, float(np.min(cells, axis=0).max(initial=0.0)))


def _cells(gdp: Floats, edges: Floats, attacks: Attacks) -> Floats:
    """The largest ratio on each cell of eps, from the line of the test at its upper end."""
    chosen = np.searchsorted(attacks.losses, edges[1:] * (1.0 - 1e-12))
    chosen = np.minimum(chosen, attacks.losses.size - 1)
    tpr, log_alpha = attacks.tpr[chosen], attacks.log_alpha[chosen]
    ratios = []
    for side in (slice(None, -1), slice(1, None)):
        with np.errstate(over="ignore"):
            shown = tpr - np.exp(edges[side] + log_alpha)
        # delta is never negative, whatever the line says.
        ratios.append((gdp[side] - np.maximum(shown, 0.0)) * _weight(edges[side]))
    return np.maximum(*ratios)


def _weight(epsilons: Floats) -> Floats:
    """1 / (1 + exp(eps))."""
    return np.exp(-np.logaddexp(0.0, epsilons))
