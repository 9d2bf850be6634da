"""What "within a relative tolerance in mu" means for a point of a profile."""

from math import exp

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr


def delta_of_mu(epsilon: float, mu: float) -> float:
    """delta_mu(eps) of mu-GDP."""
    upper, lower = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return float(ndtr(upper)) - exp(epsilon + float(log_ndtr(lower)))


def raised(epsilon: float, delta: float, share: float = 2e-3) -> float:
    """delta at that epsilon of the curve moved by `share`, relative, in the mu of the point.

    The mu of a point (eps, delta) is the one with delta_mu(eps) = delta. A curve promises this
    down to true positive rates of about 1e-12, so that much is granted besides.
    """
    if delta < 1e-13:
        return delta + 1e-12
    mu = brentq(lambda mu: delta_of_mu(epsilon, mu) - delta, 1e-9, 80.0, xtol=1e-14)
    return delta_of_mu(epsilon, mu * (1.0 + share)) + 1e-12
