"""Oracles that sum discrete and Laplace losses agree with each other and with closed forms.

Each test compares two roads to one number that share no code beyond the normal distribution.
"""

from math import inf, sqrt

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from tests.oracles import (
    closed_form,
    divergence,
    gaussian_dp,
    laplace,
    naive,
)

# They hold each other, and nothing of the library.
pytestmark = pytest.mark.slow


def test_randomised_response_has_the_mu_of_pure_dp_and_regret_0_0575():
    pair = naive.randomized_response(1.0)
    mu = naive.mu(pair)
    assert float(mu) == pytest.approx(-2 * ndtri(1 / (np.e + 1)), abs=1e-14)
    assert float(naive.regret(pair, mu)) == pytest.approx(0.0575, abs=5e-5)


def test_more_categories_are_more_private():
    assert naive.mu(naive.randomized_response(1.0, 5)) < naive.mu(naive.randomized_response(1.0))


def test_repeated_randomised_response_is_a_binomial():
    """delta(eps) of n runs, from the number of truthful answers."""
    n, eps0 = 6, 0.4
    truth = np.exp(eps0) / (1 + np.exp(eps0))
    count = np.arange(n + 1)
    ways = np.array([float(mp.binomial(n, k)) for k in count])
    p = ways * truth**count * (1 - truth) ** (n - count)
    for eps in (0.0, 0.5, 1.3):
        expected = np.sum(np.maximum(p - np.exp(eps) * p[::-1], 0))
        found = naive.profile(naive.repeated(naive.randomized_response(eps0), n), eps)
        assert float(found) == pytest.approx(expected, abs=1e-14)


def test_every_pair_is_made_of_two_probability_distributions():
    gaussian = naive.discrete_gaussian(1.5)
    for pair in (
        naive.randomized_response(0.3, 7),
        naive.discrete_laplace(1.3, sensitivity=3),
        naive.poisson_sampled(gaussian, 0.2),
        naive.repeated(naive.approx_dp(0.5, 1e-3), 3),
        naive.composed(gaussian, naive.pure_dp(0.7), naive.approx_dp(0.2, 0.01)),
    ):
        p, q = (mp.fsum(masses) for masses in zip(*pair.outcomes.values(), strict=True))
        assert abs(p + pair.p_only - 1) < 1e-40
        assert abs(q + pair.q_only - 1) < 1e-40


def test_outcomes_of_equal_loss_are_one():
    """Three lattice steps have a lattice of outcomes, not their cube."""
    one = naive.discrete_gaussian(1.5)
    assert len(naive.repeated(one, 3).outcomes) == 3 * (len(one.outcomes) - 1) + 1


def test_a_wide_discrete_gaussian_is_a_gaussian():
    pair = naive.discrete_gaussian(8.0)
    assert float(naive.mu(pair, 1e-10)) == pytest.approx(1 / 8, rel=2e-2)
    assert float(naive.profile(pair, 0)) == pytest.approx(
        float(gaussian_dp.gdp_delta(0, 1 / 8)), rel=1e-2
    )


def test_a_leak_above_the_slack_leaves_no_finite_mu():
    pair = naive.approx_dp(1.0, 1e-5)
    assert naive.mu(pair, 1e-6) == inf
    assert naive.mu(pair, 1e-4) < naive.mu(naive.pure_dp(1.0))


@pytest.mark.parametrize("slack", [0, 1e-6, 1e-3])
def test_mu_by_corners_is_mu_by_definition(slack):
    """f >= f_mu - slack at every alpha, and a smaller mu fails somewhere."""
    pair = naive.repeated(naive.poisson_sampled(naive.randomized_response(1.5, 3), 0.4), 3)
    mu = float(naive.mu(pair, slack))
    alpha = np.linspace(1e-9, 1 - 1e-9, 20_001)
    curves = []
    for one in (pair, pair.reversed()):
        corners = naive.vertices(one)
        xs, ys = ([float(v[i]) for v in corners] for i in (1, 2))
        # Every line 1 - delta(eps) - exp(eps) alpha lies below the curve: join only corners.
        curves.append(np.interp(alpha, xs, ys))
    lowest = np.minimum(*curves)  # the hull has the same corners

    def worst(mu):
        return np.min(lowest - (ndtr(-ndtri(alpha) - mu) - slack))

    assert worst(mu) >= -1e-12
    assert worst(mu * (1 - 1e-3)) < 0


def test_beta_joins_the_corners():
    pair = naive.randomized_response(1.0)
    assert naive.beta(pair, 0) == 1
    assert float(naive.beta(pair, 0.1)) == pytest.approx(1 - np.e * 0.1)
    assert naive.beta(pair, 1) == 0


def test_regret_by_profiles_is_the_divergence_by_definition():
    pair = naive.repeated(naive.randomized_response(0.8), 2)
    mu = float(naive.mu(pair))
    corners = naive.vertices(pair)
    alphas, betas = ([float(v[i]) for v in corners] for i in (1, 2))
    by_definition = divergence.delta_divergence(
        lambda alpha: np.interp(alpha, alphas, betas), lambda alpha: ndtr(-ndtri(alpha) - mu)
    )
    assert float(naive.regret(pair, mu)) == pytest.approx(by_definition, abs=1e-5)


def test_the_divergence_from_perfect_privacy_is_half_the_advantage():
    """Delta(1 - alpha, f_mu) = eta/2."""
    found = divergence.delta_divergence(
        lambda alpha: 1 - alpha, lambda alpha: ndtr(-ndtri(alpha) - 1.2)
    )
    assert found == pytest.approx(float(gaussian_dp.gdp_advantage(1.2)) / 2, abs=1e-5)


@pytest.mark.parametrize("eps", [-0.5, 0.0, 0.8])
def test_one_laplace_step_by_sums_and_by_thresholds(eps):
    by_threshold = closed_form.profile(closed_form.laplace(0.7), eps, "add")
    assert float(laplace.profile(0.7, 1, eps)) == pytest.approx(float(by_threshold), abs=1e-15)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_laplace_composition_is_one_more_step_after_the_last(count):
    """delta_n(eps) = E_P[delta_(n-1)(eps - L(x))], over the output x of one step (b = 1)."""
    eps = mpf("0.3")

    def inside(x):
        return mp.exp(x - 1) / 2 * laplace.profile(1.0, count - 1, eps - (2 * x - 1))

    # Outside [0, 1] the loss is -1 (P mass e^-1/2) or +1 (P mass 1/2). Inside, delta_(n-1) has
    # kinks where eps - (2x - 1) is an integer.
    kinks = sorted(x for x in ((eps + 1 - j) / 2 for j in range(-count, count)) if 0 < x < 1)
    below = laplace.profile(1.0, count - 1, eps + 1) * mp.exp(-1) / 2
    above = laplace.profile(1.0, count - 1, eps - 1) / 2
    between = mp.quad(inside, [0, *kinks, 1], method="gauss-legendre", maxdegree=3)
    found = laplace.profile(1.0, count, eps)
    assert float(found) == pytest.approx(float(below + between + above), abs=1e-14)


def test_laplace_tails_are_whole_at_the_bottom():
    alpha, tpr = laplace.tails(0.6, 4, -4 / 0.6)
    assert abs(alpha - 1) < 1e-30
    assert abs(tpr - 1) < 1e-30


def test_mu_of_laplace_compositions_grows_slower_than_the_root():
    """sqrt(n) mu_1 is valid, and not tight."""
    one, three = laplace.mu(1.0, 1), laplace.mu(1.0, 3, 1e-10)
    assert one < three < sqrt(3) * one


@pytest.mark.parametrize(("direction", "expected"), [("remove", 0.1486), ("add", 0.1672)])
def test_two_sampled_laplace_steps_are_worse_when_a_record_is_added(direction, expected):
    """delta_2(eps) = E_P[delta_1(eps - L)], one integral in mpmath (b = 1, q = 1/2, eps = 1/4)."""
    q = mpf(1) / 2
    step = closed_form.laplace(1.0, 0.5)

    def integrand(x):
        base, moved = mp.exp(-abs(x)) / 2, mp.exp(-abs(x - 1)) / 2
        mixture = (1 - q) * base + q * moved
        loss, p = mp.log(mixture / base), mixture
        if direction == "add":
            loss, p = -loss, base
        return p * closed_form.profile(step, mpf(1) / 4 - loss, direction)

    # The loss is constant outside [0, 1]; inside, delta_1 has kinks, so cut finely.
    cuts = [-40, 0, *(mpf(i) / 24 for i in range(1, 24)), 1, 41]
    with mp.workdps(15):
        assert float(mp.quad(integrand, cuts, maxdegree=4)) == pytest.approx(expected, abs=5e-5)
