"""A fit gives away little more than the tolerance it was asked for."""

import pytest
from scipy.special import ndtri

from tests.build import fit_of
from tests.catalogue import REFERENCE, SLACKS

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)
every_slack = pytest.mark.parametrize("slack", SLACKS)


@every_slack
@every_run
def test_mu_exceeds_the_true_one_by_at_most_a_fifth_of_a_percent(case, slack):
    assert fit_of(case.name, slack).mu <= case.mu(slack).value * 1.002


@every_slack
@every_run
def test_a_tenfold_tolerance_is_honoured(case, slack):
    assert fit_of(case.name, slack, 1e-4).mu <= case.mu(slack).value * 1.0002


@every_slack
@every_run
def test_the_bracket_is_within_half_a_percent(case, slack):
    fit = fit_of(case.name, slack)
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@every_slack
@every_run
def test_the_bracket_shrinks_with_the_tolerance(case, slack):
    fit = fit_of(case.name, slack, 1e-4)
    assert fit.mu - fit.mu_lower <= 0.0005 * fit.mu


@every_run
def test_regret_is_within_a_thousandth(case):
    assert fit_of(case.name).regret <= case.regret.value + 1e-3


@every_run
def test_regret_is_within_three_ten_thousandths_at_a_tenfold_tolerance(case):
    assert fit_of(case.name, tolerance=1e-4).regret <= case.regret.value + 3e-4


@every_run
def test_the_advantage_is_within_a_fifth_of_a_percent(case):
    assert fit_of(case.name).advantage <= case.advantage.value * 1.002


@every_run
def test_the_tail_ratio_compares_mu_with_that_of_the_advantage(case):
    fit = fit_of(case.name)
    typical = 2 * ndtri((1 + case.advantage.value) / 2)
    assert fit.tail_ratio == pytest.approx(case.mu(1e-10).value / typical, rel=4e-3)
