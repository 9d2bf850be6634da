"""Regret: how much a summary by mu gives away, Delta(f, f_mu)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdpnum.curve.gaussian_profile import delta_of_mu
from gdpnum.loss.accountant import Attacks
from gdpnum.loss.pair import Floats

__all__ = ["regret_bound"]


def regret_bound(mu: float, directions: Sequence[Attacks]) -> float:
    """An upper bound on sup over eps >= 0 of (delta_mu(eps) - delta(eps)) / (1 + exp(eps)).

    A test with (alpha, tpr) shows delta(eps) >= tpr - exp(eps) alpha. On a cell of eps one such
    line is held fixed; delta_mu is convex in exp(eps), so the ratio is quasi-convex there and its
    largest value is at an end of the cell. Where the line falls below zero, delta >= 0 takes over;
    delta_mu / (1 + exp(eps)) falls, so its largest value is where that begins. Of several
    directions each cell takes the better one.
    """
    edges = directions[0].losses[directions[0].losses > 0.0]
    # The last cell has no end: what is left of the ratio there, at most exp(-1e4), is nothing.
    edges = np.concatenate([[0.0], edges, [1e4 + 2.0 * float(edges.max(initial=0.0))]])
    cells = [_cells(mu, delta_of_mu(mu, edges), edges, one) for one in directions]
    return max(0.0, float(np.min(cells, axis=0).max()))


def _cells(mu: float, gdp: Floats, edges: Floats, attacks: Attacks) -> Floats:
    """The largest ratio on each cell of eps, from the line of the test at its upper end."""
    left, right = edges[:-1], edges[1:]
    chosen = np.searchsorted(attacks.losses, right * (1.0 - 1e-12))
    chosen = np.minimum(chosen, attacks.losses.size - 1)
    tpr, log_alpha = attacks.tpr[chosen], attacks.log_alpha[chosen]
    with np.errstate(divide="ignore", invalid="ignore"):
        sunk = np.log(np.maximum(tpr, 0.0)) - log_alpha

    def ratio(epsilons: Floats, gdp: Floats, weight: Floats) -> Floats:
        with np.errstate(over="ignore"):
            shown = tpr - np.exp(epsilons + log_alpha)
        return (gdp - np.maximum(shown, 0.0)) * weight

    weight = _weight(edges)
    # The line holds up to where it sinks below zero, or to the end of the cell.
    until, at_until, weight_until = right.copy(), gdp[1:].copy(), weight[1:].copy()
    sinks = sunk < right
    until[sinks] = np.maximum(sunk, left)[sinks]
    at_until[sinks] = delta_of_mu(mu, until[sinks])
    weight_until[sinks] = _weight(until[sinks])
    return np.maximum(ratio(left, gdp[:-1], weight[:-1]), ratio(until, at_until, weight_until))


def _weight(epsilons: Floats) -> Floats:
    """1 / (1 + exp(eps))."""
    return np.exp(-np.logaddexp(0.0, epsilons))
