"""Neighbours that differ by one exchanged record: a pair that is not that of add/remove.

The oracle is written here. With noise of deviation s, one sampled step is

    P = (1 - q) N(0) + q N(1)   against   Q = (1 - q) N(0) + q N(-1),

whose loss increases with the output, so that one step has threshold tests only, and two steps
are one integral over the first output.
"""

from math import sqrt

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from gdpnum import DPSGD, Gaussian, fit_gdp, tradeoff_curve
from tests.closeness import raised
from tests.examples import mostly_slow
from tests.oracles.gaussian_dp import mu_at_point, normal_cdf
from tests.oracles.search import maximum

SETTINGS = [(1.0, 0.1), (0.6, 0.01), (3.0, 0.5), (0.5, 0.9)]


def run(sigma, rate, count):
    return DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count, neighbouring="replace")


@mp.workdps(50)
def mu_of_one_step(sigma, rate, slack):
    """The test x >= t has alpha = Q[x >= t] and beta = P[x < t]; its loss is zero at t = 0."""
    s, q = mpf(sigma), mpf(rate)

    def score(t):
        alpha = (1 - q) * normal_cdf(-t / s) + q * normal_cdf(-(t + 1) / s)
        beta = (1 - q) * normal_cdf(t / s) + q * normal_cdf((t - 1) / s)
        return mu_at_point(alpha, beta, slack)

    return max(mpf(0), maximum(score, 0, 1 + 12 * s))


class TwoSteps:
    """alpha and TPR of the test "total loss >= w", by a trapezoid over the first output."""

    def __init__(self, sigma, rate):
        self.sigma, self.rate = sigma, rate
        # The integrand is entire and bell-shaped: the rule is exact to rounding.
        self.x = np.linspace(-1 - 12 * sigma, 1 + 12 * sigma, 4001)
        moved = [np.exp(-0.5 * ((self.x - m) / sigma) ** 2) for m in (-1, 0, 1)]
        down, still, up = (
            bell * (self.x[1] - self.x[0]) / sigma / sqrt(2 * np.pi) for bell in moved
        )
        self.p, self.q = (1 - rate) * still + rate * up, (1 - rate) * still + rate * down
        self.loss = np.log(self.p / self.q)

    def threshold(self, loss):
        """The root y = exp(x/s^2) of B y^2 - A (e^w - 1) y - B e^w = 0."""
        a, b = 1 - self.rate, self.rate * np.exp(-0.5 / self.sigma**2)
        # At -w the root is the inverse: solve for the positive side, where nothing cancels.
        growth = np.exp(np.abs(loss))
        slope = a * (growth - 1)
        y = (slope + np.sqrt(slope**2 + 4 * b**2 * growth)) / (2 * b)
        return np.sign(loss) * self.sigma**2 * np.log(y)

    def rates(self, loss):
        t = self.threshold(loss - self.loss)
        still = (1 - self.rate) * ndtr(-t / self.sigma)
        alpha = self.q @ (still + self.rate * ndtr(-(t + 1) / self.sigma))
        return alpha, self.p @ (still + self.rate * ndtr((1 - t) / self.sigma))

    def mu(self, slack):
        best = 0.0
        for loss in np.linspace(0, 2 * self.loss[-1], 6000):
            alpha, tpr = self.rates(loss)
            if tpr <= slack * 1.01:
                break
            best = max(best, ndtri(tpr - slack) - ndtri(alpha))
        return best


@pytest.mark.parametrize("sigma", [0.4, 1.0, 12.0])
def test_an_exchanged_record_moves_an_unsampled_gaussian_twice_as_far(sigma):
    fit = fit_gdp(Gaussian(sigma=sigma, neighbouring="replace") * 3)
    assert fit.mu == pytest.approx(2 * sqrt(3) / sigma, rel=1e-12)
    assert fit.neighbouring == "replace"


@pytest.mark.parametrize("slack", mostly_slow([1e-6, 1e-10], quick=[1e-10]))
@pytest.mark.parametrize("setting", SETTINGS)
def test_one_sampled_step_with_an_exchanged_record(setting, slack):
    exact = float(mu_of_one_step(*setting, slack))
    fit = fit_gdp(run(*setting, 1), slack=slack)
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + 1e-14)
    assert exact * (1 - 1e-14) <= fit.mu <= exact * 1.002


@pytest.mark.parametrize("slack", mostly_slow([1e-5, 1e-8], quick=[1e-8]))
@pytest.mark.parametrize("setting", SETTINGS)
def test_two_sampled_steps_with_an_exchanged_record(setting, slack):
    # The oracle tries a fine grid of thresholds: a little below the best, never above.
    exact = TwoSteps(*setting).mu(slack)
    fit = fit_gdp(run(*setting, 2), slack=slack)
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + 1e-6)
    assert exact * (1 - 1e-12) <= fit.mu <= exact * 1.002


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_profile_of_two_steps_with_an_exchanged_record(setting):
    curve, oracle = tradeoff_curve(run(*setting, 2)), TwoSteps(*setting)
    for eps in (0.0, 0.2, 1.0, 2.5):
        alpha, tpr = oracle.rates(eps)
        exact = tpr - np.exp(eps) * alpha
        assert curve.delta(eps) >= exact - 1e-14
        assert curve.delta(eps) <= raised(eps, exact)


def test_without_slack_the_bound_for_an_exchanged_record_is_the_unsampled_one():
    assert fit_gdp(run(2.0, 0.1, 25), slack=0.0).mu == pytest.approx(5.0, rel=1e-12)


@pytest.mark.parametrize("setting", SETTINGS)
def test_exchanging_a_record_is_worse_than_removing_it(setting):
    removed = DPSGD(noise_multiplier=setting[0], sample_rate=setting[1], steps=20)
    assert fit_gdp(removed).mu <= fit_gdp(run(*setting, 20)).mu * 1.001
