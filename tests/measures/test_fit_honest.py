"""No number of a fit claims more privacy than the reference runs have."""

import pytest

from gdpnum import fit_gdp
from tests.build import fit_of, run_of
from tests.catalogue import REFERENCE, SLACKS

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)
every_slack = pytest.mark.parametrize("slack", SLACKS)
every_tolerance = pytest.mark.parametrize("tolerance", [1e-3, 1e-4])


@every_tolerance
@every_slack
@every_run
def test_mu_is_never_below_the_true_one(case, slack, tolerance):
    assert fit_of(case.name, slack, tolerance).mu >= case.mu(slack).lower


@every_tolerance
@every_slack
@every_run
def test_mu_lower_is_never_above_the_true_one(case, slack, tolerance):
    assert fit_of(case.name, slack, tolerance).mu_lower <= case.mu(slack).upper


@every_tolerance
@every_run
def test_regret_is_never_understated(case, tolerance):
    """Regret grows with mu, so that of a larger mu is no smaller."""
    assert fit_of(case.name, tolerance=tolerance).regret >= case.regret.lower


@every_tolerance
@every_slack
@every_run
def test_the_advantage_of_an_attacker_is_never_understated(case, slack, tolerance):
    fit = fit_of(case.name, slack, tolerance)
    assert fit.advantage >= case.advantage.lower


@every_run
def test_a_coarse_grid_step_costs_tightness_not_honesty(case):
    """An explicit step of a tenth in loss, far too coarse for most of these runs."""
    fit = fit_gdp(run_of(case), slack=1e-8, grid_step=0.1)
    assert fit.mu_lower <= case.mu(1e-8).upper
    assert fit.mu >= case.mu(1e-8).lower


@every_run
def test_a_fit_says_what_it_assumed(case):
    fit = fit_gdp(run_of(case), slack=1e-8, tolerance=2e-3)
    assert (fit.slack, fit.neighbouring) == (1e-8, "add_remove")
    assert fit.mu - fit.mu_lower <= 5.0 * fit.tolerance * fit.mu <= 5.0 * 2e-3 * fit.mu
    assert fit.reason is None
