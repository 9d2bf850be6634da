"""A fit gives away little more than the tolerance it was asked for."""

import pytest
from scipy.special import ndtri

from tests.build import fit_of
from tests.catalogue import REFERENCE, SLACKS

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)


@every_run
def test_mu_exceeds_the_true_one_by_at_most_a_fifth_of_a_percent(case):
    for slack in SLACKS:
        assert fit_of(case.name, slack).mu <= case.mu(slack).value * 1.002
        assert fit_of(case.name, slack, 1e-4).mu <= case.mu(slack).value * 1.0002


@every_run
def test_the_bracket_is_within_half_a_percent_and_shrinks_with_the_tolerance(case):
    for slack in SLACKS:
        fit, finer = fit_of(case.name, slack), fit_of(case.name, slack, 1e-4)
        assert fit.mu - fit.mu_lower <= 0.005 * fit.mu
        assert finer.mu - finer.mu_lower <= 0.0005 * finer.mu


@every_run
def test_regret_is_within_a_thousandth_and_less_at_a_tenth_of_the_tolerance(case):
    assert fit_of(case.name).regret <= case.regret.value + 1e-3
    assert fit_of(case.name, tolerance=1e-4).regret <= case.regret.value + 3e-4


@every_run
def test_the_advantage_is_within_a_fifth_of_a_percent(case):
    assert fit_of(case.name).advantage <= case.advantage.value * 1.002


@every_run
def test_the_tail_ratio_compares_mu_with_that_of_the_advantage(case):
    fit = fit_of(case.name)
    typical = 2 * ndtri((1 + case.advantage.value) / 2)
    assert fit.tail_ratio == pytest.approx(case.mu(1e-10).value / typical, rel=4e-3)
