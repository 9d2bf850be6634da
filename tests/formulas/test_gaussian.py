"""The profile of mu-GDP keeps its digits: for tiny mu, for tiny delta, and next to one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from gdpnum import charges
from gdpnum.formulas import gaussian
from tests.oracles import gaussian_dp

# Both sides of every change of formula, and the ends of what is promised.
MUS = [1e-6, 3e-5, 1e-3, 0.02, 0.0999999, 0.1, 0.11, 0.3, 1.0, 2.7, 10.0, 37.0, 100.0]
EXTREMES = [5e-324, 1e-310, 1e-300, 1e-20, 1e-6, 0.1, 1.0, 700.0, 1e4, 1e16, 1e154, 1.79e308]


def epsilons_of(mu):
    """Epsilons at which x = eps/mu - mu/2 runs from its least value to 36.4, where delta > 1e-300.

    With s = eps/mu around 5 and 0 (both exactly and nearly), where formulas change or cancel.
    """
    x = np.concatenate([np.linspace(-min(mu / 2, 40.0), 36.4, 60), np.linspace(-0.1, 0.1, 7)])
    s = np.concatenate([x + mu / 2, [0.0, 1e-12, 1e-3, 4.99, 5.0, 5.01]])
    return mu * s[(s >= 0.0) & (s <= 36.4 + mu / 2)]


def exact_log_odds(mu, epsilon):
    return mp.log(gaussian_dp.gdp_delta(epsilon, mu) / gaussian_dp.gdp_spared(epsilon, mu))


def assert_delta_within(tolerance, mu, epsilons):
    deltas = gaussian.delta_of_mu(mu, epsilons)
    with mp.workdps(60):
        for epsilon, delta in zip(epsilons, deltas, strict=True):
            exact = gaussian_dp.gdp_delta(epsilon, mu)
            assert exact >= 1e-300
            assert abs(mpf(delta) / exact - 1) <= tolerance, f"{epsilon=}"


@pytest.mark.parametrize("mu", MUS)
def test_delta_has_twelve_digits(mu):
    assert_delta_within(1e-12, mu, epsilons_of(mu))


@pytest.mark.parametrize("mu", [mu for mu in MUS if mu <= 1.0])
def test_delta_has_thirteen_digits_where_it_is_well_conditioned(mu):
    """The rounding of eps/mu alone moves log delta by x eps/mu 2^-53, here by 1e-14 at most."""
    assert_delta_within(1e-13, mu, mu * np.linspace(0.0, 9.0, 50))


@pytest.mark.parametrize("mu", MUS)
def test_what_delta_leaves_of_one_has_eleven_digits(mu):
    """The log odds carry 1 - delta where delta itself rounds to one."""
    epsilons = epsilons_of(mu)
    found = gaussian.log_odds_of_mu(mu, epsilons)
    with mp.workdps(60):
        for epsilon, log_odds in zip(epsilons, found, strict=True):
            assert abs(log_odds - exact_log_odds(mu, epsilon)) <= 1e-11, f"{epsilon=}"


@given(log_mu=st.floats(-9.0, 4.0), share=st.floats(0.0, 1.0))
def test_the_bound_on_the_error_of_the_logs_is_honest(log_mu, share):
    mu = 10.0**log_mu
    lowest = -min(mu / 2, 40.0)
    epsilon = max(0.0, mu * (lowest + (60.0 - lowest) * share + mu / 2))
    bound = float(charges.gaussian_profile(mu, np.array([epsilon]))[0])
    log_delta = gaussian.log_delta_of_mu(mu, np.array([epsilon]))[0]
    log_odds = gaussian.log_odds_of_mu(mu, np.array([epsilon]))[0]
    with mp.workdps(60):
        assert abs(log_delta - mp.log(gaussian_dp.gdp_delta(epsilon, mu))) <= bound
        assert abs(log_odds - exact_log_odds(mu, epsilon)) <= bound


@given(log_mu=st.floats(-6.0, 2.0), x=st.floats(-40.0, 37.0))
def test_the_bound_on_the_error_of_the_logs_is_tight(log_mu, x):
    mu = 10.0**log_mu
    epsilon = mu * max(0.0, x + mu / 2)
    assert float(charges.gaussian_profile(mu, np.array([epsilon]))[0]) <= 3e-12


@pytest.mark.parametrize(
    ("mu", "epsilon"),
    [
        (1e-6, 1e4),
        (1e-6, 1e-3),
        (1e-3, 700.0),
        (0.0999, 50.0),
        (0.1, 1e4),
        (1.0, 45.0),
        (1.0, 1e4),
        (1.0, 1e9),
        (3.0, 1e20),
        (10.0, 1e4),
        (100.0, 1e4),
    ],
)
def test_log_delta_goes_on_where_delta_underflows(mu, epsilon):
    assert gaussian.delta_of_mu(mu, np.array([epsilon]))[0] == 0.0
    found = gaussian.log_delta_of_mu(mu, np.array([epsilon]))[0]
    with mp.workdps(120):
        exact = mp.log(gaussian_dp.gdp_delta(epsilon, mu))
        assert exact < -745
        assert abs(found / exact - 1) <= 2e-15


@pytest.mark.parametrize("mu", MUS)
def test_at_epsilon_zero_delta_is_the_advantage(mu):
    found = gaussian.delta_of_mu(mu, np.zeros(1))[0]
    assert found == pytest.approx(float(gaussian_dp.gdp_advantage(mu)), rel=1e-13)


@given(log_mu=st.floats(-6.0, 2.0), low=st.floats(0.0, 1e4), high=st.floats(0.0, 1e4))
def test_delta_falls_in_epsilon_and_rises_in_mu(log_mu, low, high):
    mu, (low, high) = 10.0**log_mu, sorted((low, high))
    at = gaussian.delta_of_mu(mu, np.array([low, high]))
    assert at[1] <= at[0] * (1 + 1e-12)
    assert (gaussian.delta_of_mu(mu * 1.01, np.array([low, high])) >= at).all()


@pytest.mark.parametrize("epsilons", [np.zeros(0), np.array([0.0, 1.0, 1e308])])
def test_no_mu_shows_nothing_and_an_infinite_mu_everything(epsilons):
    assert (gaussian.delta_of_mu(0.0, epsilons) == np.zeros(epsilons.size)).all()
    assert (gaussian.delta_of_mu(math.inf, epsilons) == np.ones(epsilons.size)).all()
    assert (gaussian.log_delta_of_mu(0.0, epsilons) == -math.inf).all()
    assert (gaussian.log_delta_of_mu(math.inf, epsilons) == 0.0).all()
    assert (gaussian.log_odds_of_mu(0.0, epsilons) == -math.inf).all()
    assert (gaussian.log_odds_of_mu(math.inf, epsilons) == math.inf).all()


@pytest.mark.parametrize("mu", EXTREMES)
def test_nothing_overflows_or_is_lost_at_the_ends_of_the_floats(mu):
    """Warnings are errors here."""
    epsilons = np.array([0.0, *EXTREMES])
    deltas = gaussian.delta_of_mu(mu, epsilons)
    assert ((deltas >= 0.0) & (deltas <= 1.0)).all()
    assert (np.diff(deltas) <= 0.0).all()
    assert (gaussian.log_delta_of_mu(mu, epsilons) <= 0.0).all()
    assert not np.isnan(gaussian.log_odds_of_mu(mu, epsilons)).any()


def test_a_point_does_not_depend_on_its_neighbours():
    """Formulas change point by point: an array is the same as its points one by one."""
    for mu in (0.01, 0.5, 20.0):
        epsilons = mu * np.array([0.0, 1.0, 4.9, 5.1, 30.0, 1e7 * mu, mu / 2, mu / 4])
        single = [gaussian.delta_of_mu(mu, epsilons[i : i + 1])[0] for i in range(8)]
        assert gaussian.delta_of_mu(mu, epsilons).tolist() == pytest.approx(single, rel=1e-14)
