"""The catalogue holds what it says, and its closed forms agree with the oracles."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtri

from tests import catalogue
from tests.oracles import (
    closed_form,
    gaussian_dp,
    naive,
)


def test_the_catalogue_holds_31_runs_under_distinct_names():
    assert len({run.name for run in catalogue.REFERENCE}) == 31
    assert catalogue.PAPER.name == "9.4-0.32768-2000"


@pytest.mark.parametrize("run", catalogue.REFERENCE, ids=lambda run: run.name)
def test_reference_numbers_are_consistent(run):
    """mu falls with slack, exceeds the mu of the advantage, and eps falls with delta."""
    mus = [run.mu(slack) for slack in catalogue.SLACKS]
    assert all(loose.upper < tight.lower for loose, tight in pairwise(mus))
    assert float(gaussian_dp.mu_of_advantage(run.advantage.value)) < mus[0].upper + 1e-5
    assert run.epsilon(1e-5).value < run.epsilon(1e-6).value
    assert all(known.err < 2e-5 * max(known.value, 1e-2) for known in mus)
    # eps at delta must be explained by mu: delta <= delta_mu(eps) + slack.
    for delta in catalogue.DELTAS:
        claimed = gaussian_dp.gdp_delta(run.epsilon(delta).value, run.mu(1e-10).upper)
        assert delta <= float(claimed) * (1 + 1e-4) + 1e-10
    # |eta(f) - eta(f_mu)| <= 2 regret, up to the slack.
    gap = float(gaussian_dp.gdp_advantage(run.mu(1e-10).value)) - run.advantage.value
    assert gap <= 2 * run.regret.value + 1e-4


def test_an_untabulated_slack_is_refused():
    with pytest.raises(KeyError, match="mu@1e-09 is not tabulated"):
        catalogue.PAPER.mu(1e-9)


def test_named_closed_forms_have_the_published_values():
    cases = {case.name: case for case in catalogue.CLOSED_FORM}
    assert len(cases) == len(catalogue.CLOSED_FORM)
    assert cases["Laplace-1"].mu == pytest.approx(1.0301, abs=5e-5)
    assert cases["PureDP-1"].mu == pytest.approx(-2 * ndtri(1 / (np.e + 1)), abs=1e-14)
    assert cases["PureDP-1"].regret == pytest.approx(0.0575, abs=5e-5)


# What the catalogue says does not change with the library.
@pytest.mark.slow
@pytest.mark.parametrize("case", catalogue.CLOSED_FORM, ids=lambda case: case.name)
def test_closed_form_cases_agree_with_the_oracles(case):
    if case.family in ("Gaussian", "Laplace"):
        build = closed_form.gaussian if case.family == "Gaussian" else closed_form.laplace
        step = build(*case.arguments.values())
        mu, eta = closed_form.mu(step, 0), closed_form.advantage(step)
        regret = closed_form.regret(step, case.mu)
    else:
        families = {
            "RandomizedResponse": naive.randomized_response,
            "PureDP": naive.pure_dp,
            "DiscreteLaplace": naive.discrete_laplace,
        }
        pair = families[case.family](*case.arguments.values())
        mu, eta, regret = naive.mu(pair), naive.profile(pair, 0), naive.regret(pair, case.mu)
    found = [float(mu), float(eta), float(regret)]
    assert found == pytest.approx([case.mu, case.advantage, case.regret], abs=1e-13)
