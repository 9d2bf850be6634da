"""The closed-form bound of a Renyi guarantee, and the curve of all that it claims."""

from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from gdpnum.renyi.bound import (
    closed_form_delta,
    closed_form_lines,
    concentrated_delta,
    concentrated_lines,
)
from tests.examples import examples
from tests.oracles.gaussian_dp import gdp_delta
from tests.oracles.renyi_region import (
    DIGITS,
    beta_of_lines,
    chord_beta,
    closed_form,
    profile,
    tpr_of_lines,
)

# Dense where the Laplace mechanism needs it.
MANY = 1 + np.geomspace(1e-4, 9999, 1000)
FEW = np.array([1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 64.0])

# Orders with their divergences, from strong to weak and from one order to many.
GUARANTEES = {
    "one order": ([2.0], [0.5]),
    "one order near one": ([1.01], [0.3]),
    "one high order": ([1e4], [1.0]),
    "one order, high privacy": ([8.0], [1e-4]),
    "two orders far apart": ([1.5, 1e4], [1e-3, 0.5]),
    "Gaussian": (FEW, 0.5 * FEW),
    "weak Gaussian": (FEW, 20.0 * FEW),
    "strong Gaussian": (MANY, 1e-6 * MANY),
    "pure, 1": (FEW, np.minimum(0.5 * FEW, 1.0)),
    # From the bound of one order to the mirror image of another, a kink that hides a turn.
    "one order takes over": ([1.0006, 1.016, 16.0], [6.8, 56.0, 0.015]),
    "and another": ([1.0096, 2.6], [2.2e-7, 0.68]),
    "with orders that say nothing": ([0.5, 1.0, 2.0, 9.0], [0.1, 0.1, 0.7, inf]),
}


def arrays(guarantee):
    return tuple(np.asarray(column, dtype=float) for column in guarantee)


def laplace_divergence(t):
    """Renyi divergence of the Laplace mechanism with scale one."""
    up, down = np.log(t / (2 * t - 1)) + t - 1, np.log((t - 1) / (2 * t - 1)) - t
    return np.logaddexp(up, down) / (t - 1)


def regret_of_laplace(deltas, epsilons):
    truth = np.maximum(0, 1 - np.exp((epsilons - 1) / 2))
    return np.max((deltas - truth) / (1 + np.exp(epsilons)))


# --- the bound itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1 + 1e-9, 1.01, 2.0, 64.0, 1e4])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 1.0, 700.0])
def test_the_bound_is_its_formula(order, epsilon):
    at = epsilon + np.array([-0.5, -1e-3, 0.0, 1e-3, 0.01, 0.5, 50.0])
    found = closed_form_delta(np.array([order]), np.array([epsilon]), at)
    for one, eps in zip(found, at, strict=True):
        exact = closed_form(order, epsilon, eps)
        assert one >= float(exact)
        # An exponent has as many wrong digits as it has before the point.
        assert one == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


def test_no_order_above_one_gives_no_bound():
    at = np.array([-1.0, 0.0, 800.0])
    assert (closed_form_delta(np.array([0.5, 1.0]), np.array([0.0, 0.1]), at) == 1.0).all()
    assert (closed_form_delta(np.array([2.0]), np.array([inf]), at) == 1.0).all()
    assert (closed_form_delta(np.zeros(0), np.zeros(0), at) == 1.0).all()


def test_of_several_orders_the_smallest_bound_holds():
    at = np.linspace(-3.0, 9.0, 50)
    alone = [closed_form_delta(FEW[[i]], 0.5 * FEW[[i]], at) for i in range(FEW.size)]
    assert (closed_form_delta(FEW, 0.5 * FEW, at) == np.min(alone, axis=0)).all()


# --- published regrets --------------------------------------------------------------------------


def test_laplace_has_the_published_regrets():
    epsilons = np.linspace(0, 3, 3001)
    divergences = laplace_divergence(MANY)
    raw = regret_of_laplace(closed_form_delta(MANY, divergences, epsilons), epsilons)
    curve = regret_of_laplace(closed_form_lines(MANY, divergences).delta(epsilons), epsilons)
    assert f"{100 * raw:.3f}" == "3.383"
    assert f"{100 * curve:.2f}" == "1.73"


def test_zcdp_of_laplace_has_the_published_regrets():
    epsilons = np.linspace(0, 3, 3001)
    raw = regret_of_laplace(concentrated_delta(0.3679, inf, epsilons), epsilons)
    curve = regret_of_laplace(concentrated_lines(0.3679, inf).delta(epsilons), epsilons)
    assert f"{100 * raw:.3f}" == "4.812"
    assert f"{100 * curve:.2f}" == "4.43"


# --- the curve ----------------------------------------------------------------------------------

ALPHAS = np.concatenate([np.geomspace(1e-12, 0.5, 120), np.linspace(0.5, 0.99, 25)])


def check_well_formed(lines):
    assert np.isfinite(lines.tprs).all()
    assert (lines.epsilons >= 0.0).all()
    assert (np.diff(lines.epsilons) > 0.0).all()
    assert (np.diff(lines.log_alphas) <= 0.0).all()
    assert (np.diff(lines.tprs) <= 0.0).all()
    assert 0.0 <= lines.mass_at_infinity <= lines.tprs[-1]
    assert lines.epsilons.size < 8000


def check_honest(lines, orders, epsilons):
    """Never above the curve of all claims; never a delta below the profile of that curve."""
    check_well_formed(lines)
    assert (beta_of_lines(lines, ALPHAS) <= chord_beta(orders, epsilons, ALPHAS) + 1e-14).all()
    dense = np.concatenate([np.geomspace(1e-30, 0.1, 4000), np.linspace(0.1, 1.0, 4000)])
    at = np.append(0.0, np.geomspace(1e-4, 40.0, 100))
    shown = profile(dense, chord_beta(orders, epsilons, dense), at)
    assert (lines.delta(at) >= shown - 1e-14).all()


def check_tight(lines, orders, epsilons):
    exact = chord_beta(orders, epsilons, ALPHAS)
    assert (beta_of_lines(lines, ALPHAS) >= exact - 1e-6).all()
    steep = ALPHAS[exact > ALPHAS]
    tprs = 1 - chord_beta(orders, epsilons, steep)
    # 1 - beta has lost its digits below this.
    known = tprs > 1e-10
    assert (tpr_of_lines(lines, steep)[known] <= tprs[known] * (1 + 1e-4)).all()


@pytest.mark.parametrize("name", GUARANTEES)
def test_the_curve_is_honest(name):
    orders, epsilons = arrays(GUARANTEES[name])
    check_honest(closed_form_lines(orders, epsilons), orders, epsilons)


@pytest.mark.parametrize("name", GUARANTEES)
def test_the_curve_is_tight(name):
    orders, epsilons = arrays(GUARANTEES[name])
    check_tight(closed_form_lines(orders, epsilons), orders, epsilons)


guarantees = st.lists(
    st.tuples(
        st.one_of(st.floats(1.001, 3.0), st.floats(3.0, 1e4)),
        st.one_of(st.floats(1e-6, 3.0), st.floats(3.0, 20.0)),
    ),
    min_size=1,
    max_size=5,
).map(lambda pairs: arrays(zip(*pairs, strict=True)))


@examples(30)
@given(guarantees)
def test_any_curve_is_honest_and_tight(guarantee):
    lines = closed_form_lines(*guarantee)
    check_honest(lines, *guarantee)
    check_tight(lines, *guarantee)


@pytest.mark.parametrize("order", [1.1, 2.0, 64.0, 1e4])
def test_small_deltas_of_one_order_are_those_of_its_formula(order):
    """Far out the bound of one order is convex and its own hull."""
    lines = closed_form_lines(np.array([order]), np.array([1.0]))
    deltas = np.geomspace(1e-12, 0.1 / order, 200)
    factor = (1 - 1 / order) ** (order - 1) / order
    at = 1.0 + np.log(factor / deltas) / (order - 1)
    near = at < 40.0
    found = lines.delta(at[near])
    assert (found >= deltas[near] * (1 - 1e-9)).all()
    assert (found <= deltas[near] * (1 + 1e-4)).all()
    # Below, what is left is a mass at infinity, and next to nothing.
    assert lines.mass_at_infinity < 1e-39


@pytest.mark.parametrize("mu", [0.01, 0.5, 3.0])
def test_a_gaussian_is_never_less_private_than_its_divergences_say(mu):
    lines = closed_form_lines(FEW, 0.5 * mu**2 * FEW)
    for eps in (0.0, 0.1 * mu, mu, mu**2, 2 * mu + mu**2, 5 * mu + mu**2):
        assert lines.delta(np.array([eps]))[0] >= gdp_delta(eps, mu)


def test_a_profile_is_convex_in_exp_eps_and_falls():
    lines = closed_form_lines(*arrays(GUARANTEES["two orders far apart"]))
    growth = np.linspace(1.0, 4.0, 3001)
    deltas = lines.delta(np.log(growth))
    assert (np.diff(deltas) <= 1e-15).all()
    assert (np.diff(deltas, 2) >= -1e-14).all()


@pytest.mark.parametrize("epsilon", [700.0, 2000.0])
def test_a_divergence_of_hundreds_is_no_more_than_weak_privacy(epsilon):
    lines = closed_form_lines(np.array([2.0]), np.array([epsilon]))
    check_well_formed(lines)
    at = epsilon + np.array([-5.0, 0.0, 10.0])
    # max of p - exp(eps) a with p^2 / a = exp(eps_2): the formula, once below 1/2
    assert lines.delta(at)[0] == pytest.approx(1.0, abs=1e-2)
    assert lines.delta(at)[1:] == pytest.approx([0.25, 0.25 * exp(-10.0)], rel=1e-4)


def test_a_divergence_of_zero_is_perfect_privacy():
    lines = closed_form_lines(np.array([2.0, 3.0]), np.array([1.0, 0.0]))
    assert (lines.delta(np.array([0.0, 1.0])) == 0.0).all()
    assert lines.mass_at_infinity == 0.0
    assert lines.tprs.tolist() == [0.0]
    assert lines.log_alphas.tolist() == [-inf]


@pytest.mark.parametrize(
    "guarantee",
    [([], []), ([0.5, 1.0], [0.1, 0.2]), ([2.0], [inf]), ([2.0, 9.0], [1e5, 1e300])],
)
def test_where_nothing_is_claimed_nothing_is_private(guarantee):
    lines = closed_form_lines(*arrays(guarantee))
    assert (lines.delta(np.array([0.0, 1.0, 1e4])) == 1.0).all()
    assert (beta_of_lines(lines, ALPHAS) == 0.0).all()


# --- concentrated -------------------------------------------------------------------------------


@mp.workdps(DIGITS)
def least_closed_form(rho, cap, at):
    """The bound at the best order in (1, cap], by golden section on log(t - 1)."""
    rho, at = mpf(rho), mpf(at)

    def exponent(z):
        excess = mp.exp(z)
        t = 1 + excess
        return excess * (rho * t - at) + excess * mp.log(excess / t) - mp.log(t)

    low, high = mpf(-60), mpf(60) if cap == inf else mp.log(mpf(cap) - 1)
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if exponent(left) < exponent(right) else (left, high)
    return min(mpf(1), mp.exp(min(exponent(low), exponent(high))))


@pytest.mark.parametrize("cap", [1.5, 8.0, 1e4, inf])
@pytest.mark.parametrize("rho", [1e-12, 1e-3, 0.3679, 40.0])
def test_the_concentrated_bound_is_the_least_over_all_orders_up_to_the_cap(rho, cap):
    spread = sqrt(rho)
    at = np.array([rho - 3 * spread, 0.0, rho, rho + spread, rho + 9 * spread, 700.0])
    found = concentrated_delta(rho, cap, at)
    for one, eps in zip(found, at, strict=True):
        exact = least_closed_form(rho, cap, eps)
        assert one >= float(exact)
        # An exponent has as many wrong digits as it has before the point.
        assert one == pytest.approx(
            float(exact), rel=1e-11 * (1 - min(0, log(one or 1))), abs=1e-290
        )


def test_orders_above_the_cap_are_not_used():
    """DP-SGD with noise 1, rate .001, 1000 steps has rho = 8.73e-4 up to order 8, not beyond."""
    at = np.array([0.5])
    assert concentrated_delta(8.73e-4, inf, at)[0] < 1e-30
    assert concentrated_delta(8.73e-4, 8.0, at)[0] > 2e-10
    assert concentrated_lines(8.73e-4, 8.0).delta(at)[0] > 2e-10


@pytest.mark.parametrize("cap", [1.5, 8.0, inf])
@pytest.mark.parametrize("rho", [1e-6, 0.02, 0.3679, 12.0])
def test_the_concentrated_curve_is_that_of_very_many_orders(rho, cap):
    orders = 1 + np.geomspace(1e-4, min(cap - 1, 40 / sqrt(rho)), 4000)
    lines = concentrated_lines(rho, cap)
    check_well_formed(lines)
    exact = chord_beta(orders, rho * orders, ALPHAS)
    found = beta_of_lines(lines, ALPHAS)
    assert (found >= exact - 1e-6).all()
    # Four thousand orders miss the best one by little, and so do the knots.
    assert (found <= exact + 1e-6).all()


@pytest.mark.parametrize("rho", [1e-4, 0.1, 3.0])
def test_a_gaussian_is_never_less_private_than_its_rho_says(rho):
    mu = sqrt(2 * rho)
    lines = concentrated_lines(rho, inf)
    for eps in (0.0, 0.1 * mu, mu, 2 * mu + mu**2, 5 * mu + mu**2):
        delta = lines.delta(np.array([eps]))[0]
        assert delta >= gdp_delta(eps, mu)


def test_rho_of_zero_is_perfect_privacy_and_a_huge_one_none():
    at = np.array([0.0, 3.0])
    assert (concentrated_lines(0.0, inf).delta(at) == 0.0).all()
    assert (concentrated_delta(0.0, inf, at) < 1e-40).all()
    assert (concentrated_delta(0.0, 3.0, at) > 0.0).all()
    assert (concentrated_lines(1e6, inf).delta(at) == 1.0).all()
    assert (concentrated_delta(1e6, inf, at) == 1.0).all()
