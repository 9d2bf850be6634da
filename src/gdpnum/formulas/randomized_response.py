"""The mu of randomised response, the least private mechanism of bounded loss."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.floats import quietly
from gdpnum.formulas.gaussian import mu_of_advantage


@quietly
def randomized_response_mu(epsilon: float, categories: int) -> float:
    """-Phi^-1(m) - Phi^-1((k - 1) m) with m = 1 / (exp(eps) + k - 1).

    For k = 2 this is Prop. 6.1 of the paper, -2 Phi^-1(1 / (exp(eps) + 1)), the mu of the
    advantage tanh(eps / 2).
    """
    if categories == 2 and epsilon < 1.0:
        return mu_of_advantage(math.tanh(0.5 * epsilon)) * (1.0 + charges.closed_form())
    log_m = -float(np.logaddexp(epsilon, math.log(categories - 1)))
    low, high = _quantile(log_m), _quantile(log_m + math.log(categories - 1))
    if epsilon > 1e-6:
        return max(0.0, -low - high) * (1.0 + charges.closed_form())
    # The sum cancels. It is the distance of two quantiles whose probabilities are expm1(eps) m
    # apart, and the normal density is smallest at an end: mean value theorem.
    density = math.exp(-0.5 * max(low**2, high**2)) / math.sqrt(2.0 * math.pi)
    return math.expm1(epsilon) * math.exp(log_m) / density * (1.0 + charges.closed_form())


@quietly
def sampled_answer_mu(epsilon: float, categories: int, rate: float) -> float:
    """Phi^-1(q M) - Phi^-1(q m), m and M the chances of a given wrong answer and of the true one.

    The mu of randomised response that is given with probability q only: both inclusive vertices of
    its curve call for this one.
    """
    log_m = -float(np.logaddexp(epsilon, math.log(categories - 1)))
    wrong = rate * math.exp(log_m)
    low, high = float(ndtri(wrong)), float(ndtri(rate * math.exp(epsilon + log_m)))
    if wrong == 0.0:
        return math.inf
    # The difference cancels where the two are close; then the mean value theorem is safe.
    density = math.exp(-0.5 * max(low**2, high**2)) / math.sqrt(2.0 * math.pi)
    steep = math.expm1(epsilon) * wrong / density if epsilon < 1e-6 else math.inf
    far = high - low + charges.quantile(high - low)
    return min(steep, far) * (1.0 + charges.closed_form())


def _quantile(log_probability: float) -> float:
    """Phi^-1(exp(x)); the plain form is the more accurate one until it underflows."""
    if log_probability > -700.0:
        return float(ndtri(math.exp(log_probability)))
    return float(ndtri_exp(log_probability))
