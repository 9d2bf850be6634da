"""The profile and advantage of mu-GDP: closed forms, stable in both tails."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf, erfinv, log_ndtr, ndtr

from gdpnum.loss.pair import Floats

__all__ = ["advantage_of_mu", "delta_of_mu", "mu_of_advantage"]


def delta_of_mu(mu: float, epsilons: Floats) -> Floats:
    """Phi(mu / 2 - eps / mu) - exp(eps) Phi(-mu / 2 - eps / mu), for epsilons >= 0."""
    if mu == 0.0:
        return np.zeros(epsilons.size)
    if math.isinf(mu):
        return np.ones(epsilons.size)
    z = epsilons / mu
    # The product in logs: exp(eps) overflows where Phi underflows.
    return np.maximum(ndtr(0.5 * mu - z) - np.exp(epsilons + log_ndtr(-0.5 * mu - z)), 0.0)


def advantage_of_mu(mu: float) -> float:
    """2 Phi(mu / 2) - 1, written as an error function: exact for small mu."""
    return float(erf(mu / (2.0 * math.sqrt(2.0))))


def mu_of_advantage(advantage: float) -> float:
    """The mu of that advantage, 2 Phi^-1((1 + advantage) / 2)."""
    return float(2.0 * math.sqrt(2.0) * erfinv(advantage))
