"""Two and three steps, by quadrature without a lattice, in both directions."""

from functools import cache

import numpy as np
import pytest

from gdpnum import Laplace, PoissonSampled, fit_gdp, tradeoff_curve
from gdpnum.accuracy import Accuracy
from gdpnum.lattice.above import upper_bound
from gdpnum.lattice.plan import plan as planned
from gdpnum.lattice.reading import lines_of
from gdpnum.pairs.pair import Release
from gdpnum.releases import releases
from tests.build import steps
from tests.closeness import raised
from tests.examples import mostly_slow
from tests.oracles import certified

TWO = [[(1.0, 0.01)] * 2, [(0.5, 0.3)] * 2, [(4.0, 0.7)] * 2, [(0.7, 0.1), (2.0, 0.9)]]
THREE = [[(0.9, 0.3)] * 3, [(0.6, 0.05), (1.5, 0.4), (3.0, 0.8)]]
runs = pytest.mark.parametrize("run", [*TWO, *THREE], ids=str)
two_steps = pytest.mark.parametrize("run", TWO, ids=str)
EPSILONS = [0.0, 0.1, 0.6, 2.0]


def mechanism(run):
    return steps((*one, 1) for one in run)


@cache
def exact_mu(run, slack):
    return certified.mu(list(run), slack)


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
@two_steps
def test_the_bracket_of_two_steps_holds_their_mu(run, slack):
    # The quadrature settles mu to 1e-9 or better (test_oracle_steps.py).
    exact = exact_mu(tuple(run), slack)
    fit = fit_gdp(mechanism(run), slack=slack)
    assert fit.mu_lower <= exact * (1 + 1e-9)
    assert fit.mu >= exact * (1 - 1e-9)


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
@two_steps
def test_the_bracket_of_two_steps_is_narrow(run, slack):
    exact = exact_mu(tuple(run), slack)
    fit = fit_gdp(mechanism(run), slack=slack)
    assert fit.mu <= exact * 1.002
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@pytest.mark.parametrize(
    ("run", "slack"),
    [
        ([(0.916, 3.55e-4)] * 2, 1e-10),
        pytest.param([(0.54, 1.23e-4)] * 2, 1e-12, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_few_steps_at_a_tiny_rate_have_a_narrow_bracket_too(run, slack):
    """mu is driven by the one step in a thousand that sampled the record."""
    exact = exact_mu(tuple(run), slack)
    fit = fit_gdp(mechanism(run), slack=slack)
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + 1e-9)
    assert exact * (1 - 1e-9) <= fit.mu <= exact * 1.002


@pytest.mark.slow
@pytest.mark.parametrize("run", THREE, ids=str)
def test_the_bracket_of_three_steps_holds_their_mu(run):
    exact = exact_mu(tuple(run), 1e-8)
    fit = fit_gdp(mechanism(run), slack=1e-8)
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + 1e-9)
    assert exact * (1 - 1e-9) <= fit.mu <= exact * 1.002


@cache
def exact_profile(run, epsilon, direction):
    return certified.profile(list(run), epsilon, direction)


@runs
def test_the_profile_of_a_few_steps_is_bounded(run):
    curve = tradeoff_curve(mechanism(run))
    for eps in EPSILONS:
        for direction in ("remove", "add"):
            exact = exact_profile(tuple(run), eps, direction)
            assert curve.delta(eps) >= exact.value - exact.error


@runs
def test_the_profile_of_a_few_steps_is_bounded_closely(run):
    curve = tradeoff_curve(mechanism(run))
    for eps in EPSILONS:
        worst = max(exact_profile(tuple(run), eps, one) for one in ("remove", "add"))
        assert curve.delta(eps) <= raised(eps, worst.value + worst.error)


@pytest.mark.parametrize("loss", mostly_slow([0.0, 0.4, 1.5], quick=[0.4]))
@runs
def test_no_attack_on_a_few_steps_beats_the_curve(run, loss):
    """The best tests, by their true error rates, lie on or above the curve."""
    curve = tradeoff_curve(mechanism(run))
    for direction in ("remove", "add"):
        alpha, beta = certified.errors(run, loss, direction)
        assert curve.beta(alpha.value + alpha.error) <= beta.value + beta.error


@pytest.mark.parametrize(("direction", "published"), [("remove", 0.1486), ("add", 0.1672)])
def test_two_sampled_laplace_steps_in_each_direction(direction, published):
    """b = 1, q = 1/2, eps = 1/4; test_oracle_sums.py has the integrals."""
    found = releases(PoissonSampled(Laplace(scale=1.0), rate=0.5) * 2).above
    if direction == "add":
        found = [Release(pair.reversed(), times) for pair, times in found]
    accuracy = Accuracy(1e-4, 1e-12)
    lines = lines_of(upper_bound(found, planned(found, accuracy), accuracy))
    assert lines.delta(np.array([0.25]))[0] == pytest.approx(published, abs=5e-5 + 1e-4)


def test_the_profile_of_two_sampled_laplace_steps_is_the_worse_of_the_two_directions():
    curve = tradeoff_curve(PoissonSampled(Laplace(scale=1.0), rate=0.5) * 2, tolerance=1e-4)
    assert 0.16715 <= curve.delta(0.25) <= 0.1672 * 1.0004 + 5e-5
