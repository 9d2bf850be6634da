"""One Poisson-sampled step, whose curve has a closed form, in both directions."""

from functools import cache

import numpy as np
import pytest

from gdpnum import Gaussian, Laplace, PoissonSampled, fit_gdp, tradeoff_curve
from gdpnum.lattice.discretize import lattice, pessimistic
from gdpnum.releases import releases
from tests.closeness import raised
from tests.examples import mostly_slow
from tests.oracles import closed_form

STEPS = {
    "gaussian-1-0.01": (PoissonSampled(Gaussian(sigma=1.0), rate=0.01), (1.0, 0.01)),
    "gaussian-0.4-0.3": (PoissonSampled(Gaussian(sigma=0.4), rate=0.3), (0.4, 0.3)),
    "gaussian-5-0.8": (PoissonSampled(Gaussian(sigma=5.0), rate=0.8), (5.0, 0.8)),
    "gaussian-0.7-1e-5": (PoissonSampled(Gaussian(sigma=0.7), rate=1e-5), (0.7, 1e-5)),
    "laplace-1-0.5": (PoissonSampled(Laplace(scale=1.0), rate=0.5), (1.0, 0.5)),
    "laplace-0.3-0.02": (PoissonSampled(Laplace(scale=0.3), rate=0.02), (0.3, 0.02)),
    "laplace-4-0.9": (PoissonSampled(Laplace(scale=4.0), rate=0.9), (4.0, 0.9)),
}
every_step = pytest.mark.parametrize("name", STEPS)
# The oracle takes a second or two for each.
FEW = ("gaussian-1-0.01", "gaussian-5-0.8", "laplace-0.3-0.02")
oracles_step = pytest.mark.parametrize("name", mostly_slow(STEPS, quick=FEW))
every_slack = pytest.mark.parametrize(
    "slack", mostly_slow([1e-6, 1e-8, 1e-10, 1e-12], quick=[1e-10])
)
EPSILONS = [0.0, 1e-3, 0.02, 0.1, 0.5, 1.0, 2.5, 5.0]
# The oracle's answer, rounded to a float.
LAST_DIGIT = 1e-15


def oracle(name):
    build = closed_form.gaussian if name.startswith("gaussian") else closed_form.laplace
    return build(*STEPS[name][1])


@cache
def exact_mu(name, slack):
    return float(closed_form.mu(oracle(name), slack))


@every_slack
@oracles_step
def test_the_bracket_of_a_sampled_step_holds_its_mu(name, slack):
    exact = exact_mu(name, slack)
    fit = fit_gdp(STEPS[name][0], slack=slack)
    assert fit.mu_lower <= exact * (1 + LAST_DIGIT)
    assert fit.mu >= exact * (1 - LAST_DIGIT)


@every_slack
@oracles_step
def test_the_bracket_of_a_sampled_step_is_narrow(name, slack):
    exact = exact_mu(name, slack)
    fit = fit_gdp(STEPS[name][0], slack=slack)
    assert fit.mu <= exact * 1.002 + 1e-9
    assert fit.mu - fit.mu_lower <= 0.005 * max(fit.mu, 1e-6)


@every_step
def test_the_profile_of_a_sampled_step_is_bounded(name):
    curve = tradeoff_curve(STEPS[name][0])
    for eps in EPSILONS:
        exact = float(closed_form.symmetric_profile(oracle(name), eps))
        assert curve.delta(eps) >= exact * (1 - LAST_DIGIT)


@every_step
def test_the_profile_of_a_sampled_step_is_bounded_closely(name):
    curve = tradeoff_curve(STEPS[name][0])
    for eps in EPSILONS:
        exact = float(closed_form.symmetric_profile(oracle(name), eps))
        assert curve.delta(eps) <= raised(eps, exact)


@oracles_step
def test_regret_of_a_sampled_step_is_bounded_closely(name):
    fit = fit_gdp(STEPS[name][0])
    exact = float(closed_form.regret(oracle(name), fit.mu))
    # The slack in fit.mu may leave the curve above f_mu: no regret then.
    assert exact * (1 - 1e-13) <= fit.regret <= exact + 1e-3


@pytest.mark.parametrize("direction", closed_form.DIRECTIONS)
@every_step
def test_each_direction_on_a_lattice_dominates_the_step(name, direction):
    """Also at losses below zero, which the curve itself never shows."""
    ((pair, _),) = releases(STEPS[name][0]).above
    pair = pair if direction == "remove" else pair.reversed()
    loss = pessimistic(pair, lattice(0.01, -4.0, 6.0), 0.01)
    for eps in (-1.5, -0.405, -0.1, -0.003, *EPSILONS):
        exact = float(closed_form.profile(oracle(name), eps, direction))
        gains = loss.masses * np.maximum(-np.expm1(eps - loss.losses), 0.0)
        found = loss.mass_at_infinity + gains.sum()
        assert found >= exact * (1 - LAST_DIGIT)
