"""A ledger of settings that an earlier state of the code answered wrongly, and why."""

import math

import numpy as np
import pytest
from mpmath import mp

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.lattice.coarsening import counted
from gdpnum.lattice.compose import compose
from gdpnum.lattice.distribution import Factor, LossDistribution
from gdpnum.lattice.window import Window
from tests.oracles import gaussian_dp


def test_a_window_that_begins_a_rounding_error_above_zero_keeps_the_profile():
    """A bound of nearly one on what lies below was added to the first mass, and tpr capped."""
    sigmas = [9.76351609263349, 9.76351609263349, 0.28610154993622094]
    mechanism = Gaussian(sigma=sigmas[0]) * 2 + Gaussian(sigma=sigmas[2])
    mu = math.sqrt(sum(sigma**-2 for sigma in sigmas))
    assert tradeoff_curve(mechanism).delta(0.0) >= gaussian_dp.gdp_advantage(mu)


def test_the_advantage_of_a_replaced_record_is_not_lost():
    fit = fit_gdp(DPSGD(noise_multiplier=4.1, sample_rate=0.1129, steps=80, neighbouring="replace"))
    assert fit.advantage >= gaussian_dp.gdp_advantage(fit.mu_lower) - 0.01
    assert fit.tail_ratio > 0.9


def test_regret_is_the_supremum_also_where_a_line_crosses_zero():
    """Laplace noise of scale 1 has delta(1) = 0, so its regret is delta_mu(1) / (1 + e)."""
    fit = fit_gdp(Laplace(scale=1.0))
    assert fit.regret >= float(gaussian_dp.gdp_delta(1.0, fit.mu)) / (1.0 + math.e) * (1 - 1e-12)


def test_a_curve_that_touches_zero_does_not_have_mu_zero():
    """A quantile of a negative beta was NaN, which compares as not positive."""
    fit = fit_gdp(DPSGD(noise_multiplier=0.05, sample_rate=0.5, steps=10), tolerance=0.01)
    assert fit.mu > 50.0


@pytest.mark.parametrize("scale", [1e2, 1e6, 1e8, 7e12, 1e16])
def test_closed_forms_of_tiny_epsilons_do_not_cancel(scale):
    with mp.workdps(50):
        exact = -2 * gaussian_dp.normal_quantile(mp.exp(-mp.mpf(0.5) / mp.mpf(scale)) / 2)
    mu = fit_gdp(Laplace(scale=scale), slack=0.0).mu
    assert exact <= mu <= exact * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [1e-17, 3e-14, 1e-4, 0.5, 2.0])
def test_randomised_response_of_tiny_epsilons_does_not_cancel(epsilon):
    with mp.workdps(50):
        exact = -2 * gaussian_dp.normal_quantile(1 / (mp.exp(mp.mpf(epsilon)) + 1))
    mu = fit_gdp(PureDP(epsilon=epsilon), slack=0.0).mu
    assert exact <= mu <= exact * (1 + 1e-12)


@pytest.mark.parametrize("rate", [1e-300, 1e-20, 1e-16])
def test_a_rate_too_small_to_resolve_is_as_good_as_zero(rate):
    fit = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=rate, steps=100))
    assert fit.mu == 0.0
    assert 0.0 < fit.advantage < 1e-10


@pytest.mark.parametrize(
    "mechanism",
    [
        ApproxDP(epsilon=0.0, delta=1e-12),
        ApproxDP(epsilon=2.0, delta=1.0),
        DiscreteGaussian(sigma=0.05),
        DiscreteLaplace(scale=0.75) * 82,
        PureDP(epsilon=30.0),
        PureDP(epsilon=600.0),
        PoissonSampled(DiscreteLaplace(scale=0.2885), rate=2.54e-4) * 124,
        RandomizedResponse(epsilon=4.0) * 177,
        DPSGD(noise_multiplier=2.5, sample_rate=0.35, steps=13450),
        DPSGD(noise_multiplier=0.916, sample_rate=3.55e-4, steps=2),
        ApproxDP(epsilon=0.0, delta=1.0) * 2 + Laplace(scale=1.0),
        ApproxDP(epsilon=0.5, delta=1e-12) * 2 + Laplace(scale=1.0),
        # Planned from a variance that a bounded loss on a lattice exceeds by half.
        PoissonSampled(Laplace(scale=0.0549293), rate=1.276776e-4) * 5795,
        DPSGD(noise_multiplier=0.132316, sample_rate=0.0018426, steps=2570),
    ],
    ids=repr,
)
def test_what_once_raised_has_an_answer(mechanism):
    fit = fit_gdp(mechanism)
    assert 0.0 <= fit.mu_lower <= fit.mu
    assert fit.mu == math.inf or fit.mu - fit.mu_lower <= 0.005 * max(fit.mu, 1e-6)
    assert not math.isnan(fit.tail_ratio)


def test_a_rare_leak_does_not_spoil_the_lower_bound():
    """The leak was put at the highest finite loss, where it swamped the bound on what wraps."""
    fit = fit_gdp(GDP(mu=0.4, slack=1e-12) * 2)
    assert fit.mu_lower <= math.sqrt(2) * 0.4 * (1 + 1e-9)
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@pytest.mark.parametrize("lowest", np.linspace(-3.0, -0.1, 60))
def test_a_top_that_just_wraps_is_reckoned_with(lowest):
    """Ten of a coin at two ends, on a circle one point short: rounding hid what it brings round."""
    masses = np.zeros(9)
    masses[0], masses[-1] = 0.2, 0.8
    factor = Factor(LossDistribution(float(lowest), 0.1, masses), 10)
    low = 10.0 * float(lowest)
    window = Window(low, low + 7.7, (0.0,), 7.75, 1.0, -1.0, 1.0, 1.0, extended=False)
    found = compose([factor], window, counted(1))
    assert found.head_below()[1] <= 0.2**10


def test_sharp_losses_do_not_spoil_the_regret_of_coarse_tests():
    """The nearest threshold took in the outcomes of steps that nobody joined; the next does not."""
    rate, times = 0.0024639849299241522, 96
    run = DPSGD(noise_multiplier=0.07383196893587318, sample_rate=rate, steps=times)
    # Nothing is known of the others; mu is 28, so a mechanism of that mu reveals everything.
    joined = 1.0 - (1.0 - rate) ** times
    assert fit_gdp(run, slack=1e-8).regret == pytest.approx(0.5 * (1.0 - joined), abs=1e-3)
