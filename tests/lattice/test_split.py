"""Rare jumps composed apart from the bulk: the same answer as on one lattice."""

import numpy as np
import pytest

from gdpnum import Gaussian, PoissonSampled, fit_gdp, tradeoff_curve
from gdpnum.accuracy import Accuracy
from gdpnum.lattice.plan import plan as planned
from gdpnum.lattice.split import SplitPair
from gdpnum.pairs.pair import Release
from gdpnum.releases import releases
from tests.build import steps
from tests.oracles import closed_form

RUNS = [(0.614, 4e-5, 100_000), (0.5, 1e-4, 5_000), (0.6, 1e-4, 10_000), (0.7, 2e-4, 3_000)]
every_run = pytest.mark.parametrize("run", RUNS, ids=str)


def plan(run, slack=1e-10):
    found = releases(steps([run])).above
    return planned(found, Accuracy(1e-3, slack))


@every_run
def test_rare_jumps_are_split_off(run):
    assert plan(run).cuts is not None


@every_run
def test_the_bracket_of_a_split_meets_that_of_one_lattice(run):
    """Each holds the true mu, so they overlap; and both are narrow."""
    split = fit_gdp(steps([run]))
    whole = fit_gdp(steps([run]), grid_step=3.0 * plan(run).step)
    assert split.mu_lower <= whole.mu
    assert whole.mu_lower <= split.mu
    for fit in (split, whole):
        assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@pytest.mark.parametrize("slack", [1e-6, 1e-12])
def test_the_bracket_of_a_split_meets_that_of_one_lattice_at_other_slacks(slack):
    run = (0.6, 1e-4, 10_000)
    split = fit_gdp(steps([run]), slack=slack)
    whole = fit_gdp(steps([run]), slack=slack, grid_step=3e-5)
    assert split.mu_lower <= whole.mu
    assert whole.mu_lower <= split.mu


@every_run
def test_the_curves_of_a_split_and_of_one_lattice_agree_to_the_tolerance_in_mu(run):
    split = tradeoff_curve(steps([run]))
    whole = tradeoff_curve(steps([run]), grid_step=3.0 * plan(run).step)
    for delta in (1e-4, 1e-6, 1e-9):
        assert split.epsilon(delta) == pytest.approx(whole.epsilon(delta), rel=5e-3, abs=1e-6)


def test_two_phases_may_both_be_split():
    run = steps([(0.614, 4e-5, 20_000), (0.7, 4e-5, 30_000)])
    found = releases(run).above
    assert planned(found, Accuracy(1e-3, 1e-10)).cuts is not None
    split, whole = fit_gdp(run), fit_gdp(run, grid_step=2e-5)
    assert split.mu_lower <= whole.mu
    assert whole.mu_lower <= split.mu


# --- one step -----------------------------------------------------------------------------------


def product_profile(first, second, epsilon):
    """delta(eps) of two independent releases, pair of losses by pair of losses."""
    losses = first.losses[:, None] + second.losses[None, :]
    masses = first.masses[:, None] * second.masses[None, :]
    infinite = 1.0 - (1.0 - first.mass_at_infinity) * (1.0 - second.mass_at_infinity)
    return infinite + float(np.sum(masses * np.maximum(-np.expm1(epsilon - losses), 0.0)))


@pytest.mark.parametrize(
    ("sigma", "rate", "cut", "step"),
    [(0.6, 1e-3, 0.05, 1e-3), (0.5, 0.01, 0.4, 5e-3), (1.0, 0.1, 0.3, 5e-3), (2.0, 0.3, 0.1, 2e-3)],
)
def test_bulk_and_jump_together_dominate_the_step(sigma, rate, cut, step):
    """They reveal more: the step is "the jump if there is one, else the bulk"."""
    ((pair, _),) = releases(PoissonSampled(Gaussian(sigma=sigma), rate=rate)).above
    split = SplitPair(pair, cut)
    bulk = split.pessimistic_bulk(step, 2.0 * np.log1p(-rate))
    jump = split.pessimistic_jump(10.0 * step, 6.0)
    exact = closed_form.gaussian(sigma, rate)
    for eps in (-0.3, -0.02, -1e-3, 0.0, 1e-3, 0.01, 0.1, 0.5, 1.0, 3.0):
        true = float(closed_form.profile(exact, eps, "remove"))
        assert product_profile(bulk, jump, eps) >= true * (1 - 1e-13)


@pytest.mark.parametrize(("sigma", "rate", "cut"), [(0.6, 1e-3, 0.05), (1.0, 0.1, 0.3)])
def test_the_jump_rate_is_the_chance_of_a_loss_above_the_cut(sigma, rate, cut):
    ((pair, _),) = releases(PoissonSampled(Gaussian(sigma=sigma), rate=rate)).above
    step = closed_form.gaussian(sigma, rate)
    true = step.tpr(step.threshold(cut, "remove"), "remove")
    assert SplitPair(pair, cut).jump_rate == pytest.approx(float(true), rel=1e-13)


def test_the_direction_that_adds_a_record_has_no_jumps_to_split_off():
    """Its losses are bounded by -log(1 - q)."""
    found = [Release(pair.reversed(), n) for pair, n in releases(steps([RUNS[0]])).above]
    assert planned(found, Accuracy(1e-3, 1e-10)).cuts is None
