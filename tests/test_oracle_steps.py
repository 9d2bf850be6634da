"""Oracles of one to three releases agree with each other and with closed forms.

Each test compares two roads to one number that share no code beyond the normal distribution.
"""

from math import sqrt

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from tests import catalogue
from tests.oracles import (
    certified,
    closed_form,
    gaussian_dp,
)

# They hold each other, and nothing of the library.
pytestmark = pytest.mark.slow

DIRECTIONS = closed_form.DIRECTIONS


@pytest.mark.parametrize("p", [1e-300, 1e-10, 0.3, 0.5, 0.9, 1 - 1e-9])
def test_the_normal_quantile_inverts_the_distribution(p):
    with mp.workdps(40):
        assert abs(gaussian_dp.normal_cdf(gaussian_dp.normal_quantile(p)) / mpf(p) - 1) < 1e-35


@pytest.mark.parametrize("mu", [0.1, 1.0, 6.0])
def test_profile_and_curve_of_mu_gdp_are_dual(mu):
    """delta(eps) = max over alpha of 1 - f(alpha) - exp(eps) alpha."""
    alpha = np.linspace(1e-6, 1 - 1e-6, 400_001)
    f = ndtr(-ndtri(alpha) - mu)
    for eps in (0.0, 0.5, 2.0):
        dual = max(0.0, np.max(1 - f - np.exp(eps) * alpha))
        assert float(gaussian_dp.gdp_delta(eps, mu)) == pytest.approx(dual, abs=1e-8)


def test_advantage_of_mu_gdp_is_its_profile_at_zero():
    assert gaussian_dp.gdp_advantage(1.7) == pytest.approx(float(gaussian_dp.gdp_delta(0, 1.7)))
    assert gaussian_dp.mu_of_advantage(gaussian_dp.gdp_advantage(1.7)) == pytest.approx(1.7)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("sigma", [0.5, 3.0])
def test_an_unsampled_gaussian_step_is_mu_gdp(sigma, direction):
    step = closed_form.gaussian(sigma)
    for eps in (-1.0, 0.0, 0.7, 4.0):
        expected = gaussian_dp.gdp_delta(eps, 1 / sigma)
        assert float(closed_form.profile(step, eps, direction)) == pytest.approx(float(expected))


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
def test_slack_lowers_the_mu_of_a_gaussian_by_the_diagonal_gap(slack):
    found = closed_form.mu(closed_form.gaussian(2.0), slack)
    assert float(found) == pytest.approx(float(gaussian_dp.gaussian_mu(0.5, slack)), abs=1e-13)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("step", [closed_form.gaussian(0.8, 0.2), closed_form.laplace(0.7, 0.3)])
def test_the_profile_of_a_step_is_the_integral_of_the_positive_part(step, direction):
    """delta(eps) = integral of (p - exp(eps) q)+, by brute force."""
    x = np.linspace(-12, 13, 2_000_001)
    noise = step.noise
    if isinstance(noise, closed_form.GaussianNoise):

        def density(x):
            return np.exp(-0.5 * (x / noise.sigma) ** 2) / (noise.sigma * sqrt(2 * np.pi))
    else:

        def density(x):
            return np.exp(-np.abs(x) / noise.scale) / (2 * noise.scale)

    base, moved = density(x), density(x - 1)
    mixture = (1 - step.rate) * base + step.rate * moved
    p, q = (mixture, base) if direction == "remove" else (base, mixture)
    for eps in (-0.3, 0.0, 0.15):
        brute = np.sum(np.maximum(p - np.exp(eps) * q, 0)) * (x[1] - x[0])
        assert float(closed_form.profile(step, eps, direction)) == pytest.approx(brute, abs=1e-7)


def test_a_sampled_step_at_slack_zero_has_no_amplification():
    assert closed_form.mu(closed_form.gaussian(2.0, 0.01), 0) == 0.5


def test_mu_of_a_step_is_the_smallest_that_dominates_its_profile():
    """delta <= delta_mu + slack everywhere, and nearly equal somewhere."""
    step, slack = closed_form.gaussian(1.0, 0.01), 1e-8
    mu = closed_form.mu(step, slack)
    with mp.workdps(30):
        gaps = [
            gaussian_dp.gdp_delta(eps, mu) + slack - closed_form.symmetric_profile(step, eps)
            for eps in np.linspace(0, 3, 601)
        ]
    assert 0 <= min(gaps) < 1e-11


def test_laplace_of_scale_one_needs_mu_1_0301():
    assert float(closed_form.mu(closed_form.laplace(1.0), 0)) == pytest.approx(1.0301, abs=5e-5)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("segment", [(1.0, 0.01), (0.4, 0.7), (6.0, 0.3)])
def test_quadrature_of_one_step_is_its_closed_form(segment, direction):
    for eps in (-0.2, 0.0, 0.1, 2.0):
        exact = float(closed_form.profile(closed_form.gaussian(*segment), eps, direction))
        found = certified.profile([segment], eps, direction)
        assert found.value == pytest.approx(exact, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("count", [2, 3])
def test_unsampled_steps_compose_like_gaussians(count, direction):
    for eps in (0.0, 3.0):
        exact = float(gaussian_dp.gdp_delta(eps, sqrt(count) / 0.8))
        found = certified.profile([(0.8, 1.0)] * count, eps, direction)
        assert abs(found.value - exact) <= found.error
        assert found.error < 1e-10 * exact


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_two_steps_by_quadrature_in_floats_and_in_mpmath(direction):
    sigma, rate, eps = 0.7, 0.2, mpf("0.15")
    step = closed_form.gaussian(sigma, rate)

    def integrand(x):
        base, moved = mp.npdf(x, 0, sigma), mp.npdf(x, 1, sigma)
        mixture = (1 - mpf(rate)) * base + mpf(rate) * moved
        loss, p = mp.log(mixture / base), mixture
        if direction == "add":
            loss, p = -loss, base
        return p * closed_form.profile(step, eps - loss, direction)

    # Where the second step is left at its lowest loss, log(1 - q), the integrand has an edge.
    ratio = mp.exp(eps if direction == "remove" else -eps) / (1 - mpf(rate))
    edge = mpf(sigma) ** 2 * mp.log((ratio - (1 - mpf(rate))) / mpf(rate)) + mpf(1) / 2
    with mp.workdps(15):
        cuts = [-9, -5, -2, 0, edge - mpf(1) / 4, edge, edge + mpf(1) / 4, 3, 6, 10]
        exact = float(mp.quad(integrand, sorted(cuts), maxdegree=6))
    found = certified.profile([(sigma, rate)] * 2, 0.15, direction)
    assert found.value == pytest.approx(exact, rel=1e-10)


def test_the_order_of_the_steps_does_not_matter():
    steps = [(0.7, 0.1), (1.5, 0.4), (3.0, 0.8)]
    there, back = (certified.profile(list(order), 0.4, "add") for order in (steps, steps[::-1]))
    assert abs(there.value - back.value) <= there.error + back.error < 1e-11


def test_profile_and_error_rates_of_three_steps_agree():
    steps, eps = [(0.9, 0.3)] * 3, 0.6
    for direction in DIRECTIONS:
        alpha, beta = certified.errors(steps, eps, direction)
        delta = 1 - beta.value - np.exp(eps) * alpha.value
        assert delta == pytest.approx(certified.profile(steps, eps, direction).value, abs=1e-12)


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
def test_mu_of_one_step_by_quadrature_and_by_closed_form(slack):
    exact = float(closed_form.mu(closed_form.gaussian(1.0, 0.01), slack))
    assert certified.mu([(1.0, 0.01)], slack) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("slack", catalogue.SLACKS)
def test_mu_of_two_steps_is_that_of_the_reference(slack):
    (run,) = (run for run in catalogue.REFERENCE if run.segments[0].steps == 2)
    known = run.mu(slack)
    assert abs(certified.mu([run.segments[0][:2]] * 2, slack) - known.value) <= known.err
