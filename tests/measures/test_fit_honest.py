"""No number of a fit claims more privacy than the reference runs have."""

from itertools import product

import pytest

from gdpnum import fit_gdp
from tests.build import fit_of, run_of
from tests.catalogue import REFERENCE, SLACKS

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)
TOLERANCES = (1e-3, 1e-4)


@every_run
def test_the_bracket_holds_the_true_mu(case):
    for slack, tolerance in product(SLACKS, TOLERANCES):
        fit = fit_of(case.name, slack, tolerance)
        assert fit.mu >= case.mu(slack).lower
        assert fit.mu_lower <= case.mu(slack).upper


@every_run
def test_regret_is_never_understated(case):
    """Regret grows with mu, so that of a larger mu is no smaller."""
    for tolerance in TOLERANCES:
        assert fit_of(case.name, tolerance=tolerance).regret >= case.regret.lower


@every_run
def test_the_advantage_of_an_attacker_is_never_understated(case):
    for slack, tolerance in product(SLACKS, TOLERANCES):
        assert fit_of(case.name, slack, tolerance).advantage >= case.advantage.lower


@every_run
def test_a_coarse_grid_step_costs_tightness_not_honesty(case):
    """An explicit step of a tenth in loss, far too coarse for most of these runs."""
    fit = fit_gdp(run_of(case), slack=1e-8, grid_step=0.1)
    assert fit.mu_lower <= case.mu(1e-8).upper
    assert fit.mu >= case.mu(1e-8).lower


@every_run
def test_a_fit_keeps_the_tolerance_it_was_asked_for(case):
    fit = fit_gdp(run_of(case), slack=1e-8, tolerance=2e-3)
    assert fit.mu - fit.mu_lower <= 5.0 * fit.tolerance * fit.mu <= 5.0 * 2e-3 * fit.mu
    assert fit.reason is None
