"""Compositions of bounded losses against sums written out in full."""

from functools import cache

import pytest

from gdpnum import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    fit_gdp,
    tradeoff_curve,
)
from tests.closeness import raised
from tests.examples import mostly_slow
from tests.oracles import closed_form, laplace, naive

# The oracles carry 60 digits; a float of their answer is off by one part in 2^53.
LAST_DIGIT = 1e-15


def sampled(pair, rate, count):
    return naive.repeated(naive.poisson_sampled(pair, rate), count)


DISCRETE = {
    "RandomizedResponse(2)*5": (
        RandomizedResponse(epsilon=0.8) * 5,
        lambda: naive.repeated(naive.randomized_response(0.8), 5),
    ),
    "RandomizedResponse(6)*4": (
        RandomizedResponse(epsilon=1.5, categories=6) * 4,
        lambda: naive.repeated(naive.randomized_response(1.5, 6), 4),
    ),
    "PureDP*30": (
        PureDP(epsilon=0.2) * 30,
        lambda: naive.repeated(naive.pure_dp(0.2), 30),
    ),
    "DiscreteLaplace*7": (
        DiscreteLaplace(scale=1.3) * 7,
        lambda: naive.repeated(naive.discrete_laplace(1.3), 7),
    ),
    "DiscreteLaplace by 3*4": (
        DiscreteLaplace(scale=1.3, sensitivity=3) * 4,
        lambda: naive.repeated(naive.discrete_laplace(1.3, 3), 4),
    ),
    "DiscreteLaplace replaced*4": (
        DiscreteLaplace(scale=1.3, neighbouring="replace") * 4,
        lambda: naive.repeated(naive.discrete_laplace(1.3, 2), 4),
    ),
    "DiscreteGaussian by 2*2": (
        DiscreteGaussian(sigma=2.5, sensitivity=2) * 2,
        lambda: naive.repeated(naive.discrete_gaussian(2.5, sensitivity=2), 2),
    ),
    "DiscreteGaussian": (
        DiscreteGaussian(sigma=1.5),
        lambda: naive.discrete_gaussian(1.5),
    ),
    "DiscreteGaussian*3": (
        DiscreteGaussian(sigma=2.5) * 3,
        lambda: naive.repeated(naive.discrete_gaussian(2.5), 3),
    ),
    "sampled DiscreteGaussian*2": (
        PoissonSampled(DiscreteGaussian(sigma=1.1), rate=0.3) * 2,
        lambda: sampled(naive.discrete_gaussian(1.1, tail=1e-30), 0.3, 2),
    ),
    "sampled DiscreteLaplace*10": (
        PoissonSampled(DiscreteLaplace(scale=0.7), rate=0.05) * 10,
        lambda: sampled(naive.discrete_laplace(0.7), 0.05, 10),
    ),
    "incommensurable": (
        PureDP(epsilon=0.3) * 2 + RandomizedResponse(epsilon=0.7, categories=3) * 2,
        lambda: naive.composed(*[naive.pure_dp(0.3)] * 2, *[naive.randomized_response(0.7, 3)] * 2),
    ),
    "with a leak": (
        ApproxDP(epsilon=0.5, delta=1e-12) * 3 + DiscreteLaplace(scale=2.0),
        lambda: naive.composed(*[naive.approx_dp(0.5, 1e-12)] * 3, naive.discrete_laplace(2.0)),
    ),
}
every_discrete = pytest.mark.parametrize("name", DISCRETE)
every_slack = pytest.mark.parametrize("slack", [1e-6, 1e-10])


@cache
def exact_pair(name):
    return DISCRETE[name][1]()


@cache
def exact_mu(name, slack):
    return float(naive.mu(exact_pair(name), slack))


@every_slack
@every_discrete
def test_the_bracket_of_a_discrete_composition_holds_its_mu(name, slack):
    exact = exact_mu(name, slack)
    fit = fit_gdp(DISCRETE[name][0], slack=slack)
    assert fit.mu_lower <= exact * (1 + LAST_DIGIT)
    assert fit.mu >= exact * (1 - LAST_DIGIT)


@every_slack
@every_discrete
def test_the_bracket_of_a_discrete_composition_is_narrow(name, slack):
    exact = exact_mu(name, slack)
    fit = fit_gdp(DISCRETE[name][0], slack=slack)
    assert fit.mu <= exact * 1.002
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


# The oracle of two sampled steps takes seconds.
@pytest.mark.parametrize(
    "name", mostly_slow(DISCRETE, quick=DISCRETE.keys() - {"sampled DiscreteGaussian*2"})
)
def test_regret_of_a_discrete_composition_is_bounded_closely(name):
    fit = fit_gdp(DISCRETE[name][0])
    exact = float(naive.regret(exact_pair(name), fit.mu))
    assert exact * (1 - LAST_DIGIT) - LAST_DIGIT <= fit.regret <= exact + 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.35, 0.8, 1.7])
@every_discrete
def test_the_profile_of_a_discrete_composition_is_bounded_closely(name, epsilon):
    exact = float(naive.symmetric_profile(exact_pair(name), epsilon))
    found = tradeoff_curve(DISCRETE[name][0]).delta(epsilon)
    assert found >= exact * (1 - LAST_DIGIT)
    assert found <= raised(epsilon, exact)


# --- Laplace ------------------------------------------------------------------------------------


@cache
def laplace_mu(scale, count, slack):
    return float(laplace.mu(scale, count, slack))


laplace_runs = pytest.mark.parametrize(
    ("scale", "count"),
    mostly_slow(
        [(1.0, 2), (1.0, 3), (1.0, 4), (0.5, 5), (0.2, 2), (6.0, 3)],
        quick=[(1.0, 2), (0.2, 2), (6.0, 3)],
    ),
)
a_slack = pytest.mark.parametrize("slack", mostly_slow([1e-6, 1e-10], quick=[1e-10]))


@a_slack
@laplace_runs
def test_the_bracket_of_laplace_steps_holds_their_mu(scale, count, slack):
    exact = laplace_mu(scale, count, slack)
    fit = fit_gdp(Laplace(scale=scale) * count, slack=slack)
    assert fit.mu_lower <= exact * (1 + LAST_DIGIT)
    assert fit.mu >= exact * (1 - LAST_DIGIT)


@a_slack
@laplace_runs
def test_the_bracket_of_laplace_steps_is_narrow(scale, count, slack):
    exact = laplace_mu(scale, count, slack)
    fit = fit_gdp(Laplace(scale=scale) * count, slack=slack)
    assert fit.mu <= exact * 1.002
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@laplace_runs
def test_the_profile_of_laplace_steps_is_bounded_closely(scale, count):
    curve = tradeoff_curve(Laplace(scale=scale) * count)
    for share in (0.0, 0.1, 0.4, 0.7, 0.95):
        epsilon = share * count / scale
        exact = float(laplace.profile(scale, count, epsilon))
        assert exact * (1 - LAST_DIGIT) <= curve.delta(epsilon) <= raised(epsilon, exact)


@pytest.mark.parametrize("scale", mostly_slow([0.3, 1.0, 5.0], quick=[1.0]))
def test_one_laplace_step_at_a_slack(scale):
    exact = float(closed_form.mu(closed_form.laplace(scale), 1e-10))
    fit = fit_gdp(Laplace(scale=scale))
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + LAST_DIGIT)
    assert exact * (1 - LAST_DIGIT) <= fit.mu <= exact * 1.002
