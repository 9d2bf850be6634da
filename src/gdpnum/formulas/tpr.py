"""TPR by mu: the largest true positive rate that (mu, slack)-GDP allows, in its one home."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.floats import Floats

__all__ = ["beta_of_mu", "separations", "tpr_of_mu"]


def tpr_of_mu(mu: float, fprs: Floats) -> Floats:
    """Phi(Phi^-1(FPR) + mu), from above: no attack on a mu-GDP mechanism has a higher TPR."""
    if mu == 0.0:
        return fprs
    if math.isinf(mu):
        return np.ones(fprs.shape)
    arguments = ndtri(fprs) + mu
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        tprs = ndtr(arguments) * (1.0 + charges.gaussian_rate(arguments, mu))
    # At FPR 0 and 1 the quantile is infinite and nothing is rounded.
    tprs = np.where((fprs > 0.0) & (fprs < 1.0), np.nextafter(tprs, np.inf), fprs)
    return np.minimum(tprs, 1.0)


def beta_of_mu(mu: float, alphas: Floats) -> Floats:
    """f_mu(alpha) = Phi(-Phi^-1(alpha) - mu), from below: no attack has a lower FNR."""
    if mu == 0.0:
        return 1.0 - alphas
    if math.isinf(mu):
        return np.zeros(alphas.shape)
    arguments = -ndtri(alphas) - mu
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        betas = ndtr(arguments) * (1.0 - charges.gaussian_rate(arguments, mu))
    inside = (alphas > 0.0) & (alphas < 1.0)
    return np.where(inside, np.maximum(betas, 0.0), 1.0 - alphas)


def separations(log_alphas: Floats, tprs: Floats, betas: Floats) -> Floats:
    """-Phi^-1(alpha) - Phi^-1(beta): the mu of the Gaussian curve through each point.

    ``betas`` is 1 - ``tprs``; each quantile is taken from the side on which its argument keeps its
    digits. `charges.quantile` bounds the error.
    """
    with np.errstate(under="ignore"):
        rises = ndtri(np.exp(log_alphas))
    tiny = log_alphas < -700.0
    if tiny.any():
        rises[tiny] = ndtri_exp(log_alphas[tiny])
    falls = np.where(tprs < 0.5, ndtri(np.minimum(tprs, 0.5)), -ndtri(np.minimum(betas, 1.0)))
    return np.asarray(falls - rises)
