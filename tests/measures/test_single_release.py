"""One release alone: its pair is known in closed form, and so is the mu that its tests need."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

import gdpnum


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.1), (5.0, 0.1), (20.0, 0.01)])
def test_one_sampled_step_is_known_to_a_millionth(sigma, rate):
    """mu = sup over thresholds t of Phi^-1(tpr - slack) - Phi^-1(alpha)."""

    def needed(t):
        alpha = ndtr(-t)
        tpr = (1.0 - rate) * alpha + rate * ndtr(1.0 / sigma - t)
        return ndtri(tpr - 1e-10) - ndtri(alpha) if tpr > 1e-10 else 0.0

    best = max(np.linspace(0.0, 9.0, 900), key=needed)
    found = minimize_scalar(
        lambda t: -needed(t), bounds=(best - 0.02, best + 0.02), method="bounded"
    )
    fit = gdpnum.fit_gdp(gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=1))
    assert fit.mu >= -found.fun * (1.0 - 1e-12)
    assert fit.mu <= -found.fun * (1.0 + 5e-6)
    assert fit.mu_lower <= -found.fun * (1.0 + 1e-9)
