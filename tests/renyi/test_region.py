"""The best trade-off curve that a Renyi guarantee implies."""

from math import acos, asin, exp, expm1, inf, log, sin, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from gdpnum.renyi.bound import closed_form_lines
from gdpnum.renyi.region import _tangents, region_lines
from tests.examples import examples
from tests.oracles.gaussian_dp import gdp_beta
from tests.oracles.renyi_region import (
    beta_of_lines,
    coin_beta,
    coin_divergence,
    scanned_beta,
    tpr_of_lines,
)
from tests.renyi.region_points import region_beta, region_tpr

ALPHAS = np.concatenate([np.geomspace(1e-12, 0.5, 120), np.linspace(0.5, 0.99, 25)])
ORDERS = np.array([0.5, 0.7, 0.9, 1.0, 1.05, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 64.0])
MANY = np.concatenate([np.linspace(0.5, 0.99, 20), 1 + np.geomspace(1e-3, 9999, 80)])

GUARANTEES = {
    "one order": ([2.0], [0.5]),
    "Kullback-Leibler": ([1.0], [0.8]),
    "Hellinger": ([0.5], [0.1]),
    "just above one": ([1 + 1e-9], [0.3]),
    "just below one": ([1 - 1e-9], [0.3]),
    "one order near one": ([1.01], [0.3]),
    "one high order": ([1e4], [1.0]),
    "one order, high privacy": ([8.0], [1e-8]),
    "two orders far apart": ([1.5, 1e4], [1e-3, 0.5]),
    "low orders, then a high one": ([0.5, 32.0], [0.01, 3.0]),
    "in no order": ([8.0, 0.7, 2.0], [2.0, 0.2, 0.7]),
    "Gaussian": (ORDERS, 0.5 * ORDERS),
    "many orders": (MANY, 0.3 * MANY),
    "weak Gaussian": (ORDERS, 20.0 * ORDERS),
    "strong Gaussian": (MANY, 1e-6 * MANY),
    "with an order that says nothing": ([0.5, 2.0, 9.0], [0.1, 0.7, inf]),
}


def arrays(guarantee):
    return tuple(np.asarray(column, dtype=float) for column in guarantee)


def one(order, epsilon, alpha, function=region_beta):
    return function(np.array([order]), np.array([epsilon]), np.array([alpha]))[0]


# --- points of the curve ------------------------------------------------------------------------

POINTS = [
    (order, epsilon, alpha)
    for order in (0.5, 0.8, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0, 100.0, 1e4)
    for epsilon, alpha in (
        (1e-9, 0.3),
        (1e-3, 1e-12),
        (0.5, 1e-12),
        (0.5, 0.02),
        (0.5, 0.7),
        (3.0, 1e-300),
        (3.0, 0.999),
        (40.0, 1e-18),
        (700.0, 1e-305),
        (700.0, 0.01),
    )
]


@pytest.mark.parametrize(("order", "epsilon", "alpha"), POINTS)
def test_a_point_is_the_least_beta_that_both_inequalities_allow(order, epsilon, alpha):
    with mp.workdps(50):
        exact = coin_beta(order, epsilon, alpha)
        missed, caught = float(exact), float(1 - exact)
    beta, tpr = one(order, epsilon, alpha), one(order, epsilon, alpha, region_tpr)
    assert beta <= missed
    assert tpr >= caught
    # Rounding of log alpha comes back as a relative error.
    assert beta == pytest.approx(missed, rel=2e-11, abs=1e-307)
    assert tpr == pytest.approx(caught, rel=2e-11)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 2.0])
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.03, 0.2])
def test_order_one_half_is_an_angle(epsilon, alpha):
    """The affinity of two coins is the cosine of the angle between their square roots."""
    angle = asin(sqrt(alpha)) + acos(exp(-epsilon / 2))
    exact = sin(angle) ** 2 if angle < np.pi / 2 else 1.0
    assert one(0.5, epsilon, alpha, region_tpr) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("order", [0.5, 0.75, 0.99])
def test_below_order_one_some_outcomes_may_give_all_away(order):
    exact = -expm1(-0.3 * (1 - order) / order)
    assert one(order, 0.3, 0.0, region_tpr) == pytest.approx(exact, rel=1e-12)
    assert one(order, 0.3, 1e-300, region_tpr) >= exact * (1 - 1e-12)


@pytest.mark.parametrize("order", [1.0, 1.5, 1e4])
def test_from_order_one_on_none_does(order):
    assert one(order, 0.3, 0.0) == 1.0
    assert one(order, 0.3, 0.0, region_tpr) == 0.0


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_curve_is_its_own_inverse(name):
    guarantee = arrays(GUARANTEES[name])
    alphas = np.linspace(0.01, 0.9, 30)
    betas = region_beta(*guarantee, alphas)
    seen = betas > 1e-12
    assert region_beta(*guarantee, betas[seen]) == pytest.approx(alphas[seen], rel=1e-9)


def test_of_several_orders_the_largest_beta_holds():
    alone = [region_beta(ORDERS[[i]], 0.5 * ORDERS[[i]], ALPHAS) for i in range(ORDERS.size)]
    assert (region_beta(ORDERS, 0.5 * ORDERS, ALPHAS) == np.max(alone, axis=0)).all()


def test_ends_of_the_curve():
    orders, epsilons = np.array([2.0]), np.array([1.0])
    assert region_beta(orders, epsilons, np.array([0.0, 1.0])).tolist() == [1.0, 0.0]
    assert region_tpr(orders, epsilons, np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


# --- the curve as lines -------------------------------------------------------------------------


def check_well_formed(lines):
    assert np.isfinite(lines.tprs).all()
    assert (lines.epsilons >= 0.0).all()
    assert (np.diff(lines.epsilons) > 0.0).all()
    assert (np.diff(lines.log_alphas) <= 0.0).all()
    assert (np.diff(lines.tprs) <= 0.0).all()
    assert 0.0 <= lines.mass_at_infinity <= lines.tprs[-1]
    assert lines.epsilons.size < 5000


def check_honest(lines, exact):
    check_well_formed(lines)
    assert (beta_of_lines(lines, ALPHAS) <= exact + 1e-14).all()


def check_tight(lines, exact):
    assert (beta_of_lines(lines, ALPHAS) >= exact - 1e-6).all()


@pytest.mark.parametrize("name", GUARANTEES)
def test_lines_are_honest(name):
    guarantee = arrays(GUARANTEES[name])
    check_honest(region_lines(*guarantee), region_beta(*guarantee, ALPHAS))


@pytest.mark.parametrize("name", GUARANTEES)
def test_lines_are_tight(name):
    guarantee = arrays(GUARANTEES[name])
    lines = region_lines(*guarantee)
    exact = region_beta(*guarantee, ALPHAS)
    check_tight(lines, exact)
    steep = ALPHAS[exact > ALPHAS]
    assert (tpr_of_lines(lines, steep) <= region_tpr(*guarantee, steep) * (1 + 1e-4)).all()


def test_lines_are_tight_where_the_lead_passes_from_order_to_order():
    # Of orders so close together the one that leads changes between two tangents.
    low = [0.507, 0.542, 0.58, 0.598, 0.619, 0.884, 0.948, 0.986, 1.003, 1.016]
    high = [1.346, 1.423, 1.425, 1.445, 1.517, 1.563, 1.676, 1.953, 2.585, 2.587]
    orders = np.array([*low, *high])
    guarantee = orders, 0.3816 * orders
    alphas = np.linspace(0.001, 0.6, 1200)
    found = beta_of_lines(region_lines(*guarantee), alphas)
    assert (found >= region_beta(*guarantee, alphas) - 1e-6).all()


# Divergences of pairs of few outcomes: the lead passes within a short way through several orders.
PASSED_ON = {
    "three outcomes": (
        [
            0.595,
            0.877,
            0.938,
            0.948,
            1.002,
            1.019,
            1.078,
            1.079,
            1.194,
            1.333,
            1.751,
            2.464,
            14.401,
        ],
        [
            0.1319,
            0.2026,
            0.2184,
            0.221,
            0.235,
            0.2394,
            0.2548,
            0.2551,
            0.2852,
            0.3216,
            0.4274,
            0.5817,
            1.01,
        ],
    ),
    "four outcomes": (
        [0.512, 0.657, 0.671, 0.694, 0.74, 1.002, 1.003, 1.009, 1.051, 1.125, 1.539, 5.012, 11.315],
        [
            0.03967,
            0.05121,
            0.05233,
            0.05417,
            0.05785,
            0.07889,
            0.07897,
            0.07945,
            0.08283,
            0.08877,
            0.1217,
            0.3191,
            0.4241,
        ],
    ),
}


@pytest.mark.parametrize("name", PASSED_ON)
def test_every_corner_between_tangents_is_within_a_millionth_of_what_is_allowed(name):
    """In mpmath, from the definition: a tpr less by 1e-6, or by 1e-4 of delta, is allowed."""
    orders, epsilons = arrays(PASSED_ON[name])
    lines = region_lines(orders, epsilons)
    assert (lines.tprs[:-1] - lines.tprs[1:]).max() < 0.02
    deltas = lines.delta(lines.epsilons)
    # Where the lead passes on, every corner; elsewhere some.
    seen = np.flatnonzero(lines.tprs > 1e-12)
    middle = (lines.tprs[seen] > 0.4) & (lines.tprs[seen] < 0.53)
    for i in np.append(seen[middle], seen[~middle][::20]):
        missed = min(1e-6, 1e-4 * deltas[i])
        with mp.workdps(30):
            alpha = mp.exp(mp.mpf(float(lines.log_alphas[i])))
            tpr = mp.mpf(float(lines.tprs[i])) - mp.mpf(float(missed))
            for order, epsilon in zip(orders, epsilons, strict=True):
                assert coin_divergence(order, tpr, alpha) <= epsilon
                assert coin_divergence(order, alpha, tpr) <= epsilon


def exact_deltas(orders, epsilons, at):
    """sup over alpha of tpr - exp(eps) alpha, by ternary search on log alpha."""

    def shown(log_alphas):
        alphas = np.exp(log_alphas)
        return region_tpr(orders, epsilons, alphas) - np.exp(at) * alphas

    low, high = np.full(at.size, -80.0), np.full(at.size, -0.01)
    for _ in range(70):
        third = (high - low) / 3
        left = shown(low + third) > shown(high - third)
        low, high = np.where(left, low, low + third), np.where(left, high - third, high)
    return shown((low + high) / 2)


@pytest.mark.parametrize("name", ["one order", "Hellinger", "Gaussian", "two orders far apart"])
def test_the_profile_is_honest_and_tight(name):
    guarantee = arrays(GUARANTEES[name])
    at = np.append(0.0, np.geomspace(1e-3, 25.0, 25))
    exact, found = exact_deltas(*guarantee, at), region_lines(*guarantee).delta(at)
    assert (found >= exact - 1e-14).all()
    seen = exact > 1e-12
    assert (found[seen] <= exact[seen] * (1 + 1e-4)).all()
    assert (found <= exact + 1e-6).all()


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 2.0])
def test_the_profile_of_order_one_half_is_that_of_two_pure_states(epsilon):
    """With x = exp(eps), (1 - x + sqrt((1 - x)^2 + 4 x (1 - exp(-eps_t)))) / 2."""
    lines = region_lines(np.array([0.5]), np.array([epsilon]))
    for at in (*lines.epsilons[:-1:97], 0.0, 0.01, 0.1, 1.0, 5.0):
        with mp.workdps(50):
            x = mp.exp(mp.mpf(float(at)))
            inside = (1 - x) ** 2 - 4 * x * mp.expm1(-mp.mpf(epsilon))
            exact = float((1 - x + mp.sqrt(inside)) / 2)
        found = lines.delta(np.array([at]))[0]
        assert found >= exact
        assert found <= exact * (1 + 1e-4)


@pytest.mark.parametrize("shift", [-0.1, 0.02, 0.3])
@pytest.mark.parametrize("order", [0.6, 1.0, 3.0])
def test_a_tangent_plane_off_the_edge_cuts_off_nothing_allowed(order, shift):
    """Rounding, or Newton's method stopped early, costs accuracy and never soundness."""
    orders, epsilons = np.full(9, order), np.full(9, 0.7)
    alphas = np.geomspace(1e-6, 0.1, 9)
    tprs = region_tpr(orders[:1], epsilons[:1], alphas)
    logits = np.log(tprs) - np.log1p(-tprs) + shift
    at, deltas = _tangents(orders, epsilons, logits, np.log(alphas) - np.log1p(-alphas))
    exact = exact_deltas(orders[:1], epsilons[:1], at)
    assert (deltas >= exact).all()
    assert (deltas <= exact + 0.3 * shift**2).all()


@pytest.mark.parametrize("order", [1.5, 2.0, 64.0, 1e4])
def test_small_deltas_of_one_order_are_exact_to_four_digits(order):
    guarantee = np.array([order]), np.array([1.0])
    # delta falls like exp(-(t - 1) eps)
    at = 1.0 + np.linspace(1.0, 25.0, 25) / (order - 1)
    # Further out alpha is below 1e-24.
    at = at[at < 28.0]
    exact, found = exact_deltas(*guarantee, at), region_lines(*guarantee).delta(at)
    assert exact[0] > 1e-6
    assert exact[-1] < 1e-3
    assert (found >= exact * (1 - 1e-9)).all()
    assert (found <= exact * (1 + 1e-4)).all()


guarantees = st.lists(
    st.tuples(
        st.one_of(st.floats(0.5, 2.0), st.floats(2.0, 64.0)),
        st.one_of(st.floats(1e-4, 1.0), st.floats(1.0, 6.0)),
    ),
    min_size=1,
    max_size=4,
).map(lambda pairs: arrays(zip(*pairs, strict=True)))


@examples(30)
@given(guarantees)
def test_any_lines_are_honest_and_tight(guarantee):
    """Against bisection in floats, which near order one knows D_t to 1e-16 / (t - 1) only."""
    orders, epsilons = guarantee
    orders = np.where(np.abs(orders - 1) < 1e-3, 1.0, orders)
    lines = region_lines(orders, epsilons)
    check_well_formed(lines)
    alphas = np.linspace(0.01, 0.97, 40)
    exact = scanned_beta(orders, epsilons, alphas)
    found = beta_of_lines(lines, alphas)
    assert (found <= exact + 1e-9).all()
    assert (found >= exact - 1e-6).all()


@examples(30)
@given(guarantees)
def test_any_curve_is_above_that_of_the_closed_form(guarantee):
    """The closed form leaves out one of the two outcomes of a test."""
    closed = beta_of_lines(closed_form_lines(*guarantee), ALPHAS)
    assert (region_beta(*guarantee, ALPHAS) >= closed - 1e-14).all()
    assert (beta_of_lines(region_lines(*guarantee), ALPHAS) >= closed - 1e-6).all()


@examples(30)
@given(guarantees, st.floats(1e-6, 0.97))
def test_any_point_is_on_the_edge_of_what_is_allowed(guarantee, alpha):
    orders, epsilons = guarantee
    beta = region_beta(orders, epsilons, np.array([alpha]))[0]
    reached = [
        max(
            coin_divergence(t, 1 - beta, alpha, missed=beta),
            coin_divergence(t, alpha, 1 - beta, rest=beta),
        )
        / epsilon
        for t, epsilon in zip(orders, epsilons, strict=True)
    ]
    assert max(reached) <= 1 + 1e-9
    # Where a test may miss nothing, nothing holds it back.
    assert beta == 0.0 or max(reached) >= 1 - 1e-9


# --- mechanisms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [1e-3, 0.5, 2.0, 7.0])
def test_a_gaussian_is_never_less_private_than_its_divergences_say(mu):
    lines = region_lines(MANY, 0.5 * mu**2 * MANY)
    alphas = np.array([1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.6, 0.95])
    found = beta_of_lines(lines, alphas)
    assert all(beta <= gdp_beta(alpha, mu) for beta, alpha in zip(found, alphas, strict=True))


def test_randomised_response_is_as_private_as_its_high_orders_say():
    """Its coins are the ones that reach the bound: at every order, one vertex of the curve."""
    epsilon = 1.3
    p = 1 / (1 + exp(-epsilon))
    divergences = np.array([float(coin_divergence(t, p, 1 - p)) for t in ORDERS])
    lines = region_lines(ORDERS, divergences)
    betas = beta_of_lines(lines, ALPHAS)
    truth = np.maximum(1 - exp(epsilon) * ALPHAS, exp(-epsilon) * (1 - ALPHAS))
    assert (betas <= truth + 1e-14).all()
    assert beta_of_lines(lines, [1 - p])[0] == pytest.approx(1 - p, abs=1e-6)


def test_the_advantage_of_a_divergence_of_order_one_obeys_pinsker():
    for epsilon in (1e-8, 1e-3, 0.1):
        advantage = region_lines(np.array([1.0]), np.array([epsilon])).delta(np.zeros(1))[0]
        assert advantage <= sqrt(epsilon / 2)
        assert advantage >= sqrt(epsilon / 2) * (1 - epsilon)


def test_laplace_loses_less_than_by_the_closed_form():
    orders = 1 + np.geomspace(1e-3, 9999, 100)
    up, down = (
        np.log(orders / (2 * orders - 1)) + orders - 1,
        np.log((orders - 1) / (2 * orders - 1)),
    )
    divergences = np.logaddexp(up, down - orders) / (orders - 1)
    at = np.linspace(0, 3, 301)
    truth = np.maximum(0, 1 - np.exp((at - 1) / 2))
    by_region = region_lines(orders, divergences).delta(at)
    by_closed_form = closed_form_lines(orders, divergences).delta(at)
    assert (by_region >= truth).all()
    regrets = [np.max((d - truth) / (1 + np.exp(at))) for d in (by_region, by_closed_form)]
    assert regrets[0] < regrets[1]


# --- extremes -----------------------------------------------------------------------------------


def test_a_divergence_of_zero_is_perfect_privacy():
    guarantee = np.array([0.5, 3.0]), np.array([1.0, 0.0])
    lines = region_lines(*guarantee)
    assert lines.epsilons.tolist() == [0.0]
    assert lines.log_alphas.tolist() == [-inf]
    assert lines.tprs.tolist() == [0.0]
    assert lines.mass_at_infinity == 0.0
    assert region_tpr(*guarantee, ALPHAS) == pytest.approx(ALPHAS, rel=1e-15)


@pytest.mark.parametrize("guarantee", [([], []), ([2.0], [inf]), ([0.5, 9.0], [1e5, 1e300])])
def test_where_nothing_is_claimed_nothing_is_private(guarantee):
    guarantee = arrays(guarantee)
    assert (region_lines(*guarantee).delta(np.array([0.0, 1.0, 1e4])) == 1.0).all()
    assert (region_beta(*guarantee, np.append(ALPHAS, [0.0, 1.0])) == 0.0).all()


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 1e4])
@pytest.mark.parametrize("epsilon", [1e-300, 1e-30, 1e-20])
def test_a_divergence_of_next_to_nothing_is_almost_perfect_privacy(order, epsilon):
    lines = region_lines(np.array([order]), np.array([epsilon]))
    check_well_formed(lines)
    advantage = lines.delta(np.zeros(1))[0]
    # D_t is about 2 t advantage^2 for small ones.
    assert sqrt(epsilon / (2 * order)) <= advantage <= sqrt(epsilon / (2 * order)) * 1.001 + 2e-13


@pytest.mark.parametrize("order", [1.0, 2.0, 1e4])
@pytest.mark.parametrize("epsilon", [700.0, 5000.0])
def test_a_divergence_of_hundreds_is_no_more_than_weak_privacy(order, epsilon):
    """Corners between tangents are just outside of what is allowed."""
    lines = region_lines(np.array([order]), np.array([epsilon]))
    check_well_formed(lines)
    # Further down than by a factor of 1e-12 the tangents are few.
    seen = (lines.tprs < 0.9999) & (lines.log_alphas > lines.log_alphas[0] + log(1e-12))
    log_alphas, tprs = lines.log_alphas[seen], lines.tprs[seen]
    assert tprs.size > 100
    if order == 1.0:
        reached = tprs * (np.log(tprs) - log_alphas) + (1 - tprs) * np.log1p(-tprs)
    else:
        # The other outcome has lost its share: alpha^(1 - t) is all there is.
        reached = order / (order - 1) * np.log(tprs) - log_alphas
    assert (reached >= epsilon * (1 - 1e-12)).all()
    assert (reached <= epsilon + 1e-2).all()


def test_the_tail_of_one_order_is_a_power_of_alpha():
    order, epsilon = 2.0, 0.5
    lines = region_lines(np.array([order]), np.array([epsilon]))
    alphas = np.geomspace(1e-60, 1e-30, 20)
    # p^2 / alpha + 1 = exp(eps), once p is small
    exact = np.sqrt(alphas * expm1(epsilon))
    found = tpr_of_lines(lines, alphas)
    assert found == pytest.approx(exact, rel=2e-3)
    assert (found >= exact * (1 - 1e-9)).all()
    assert lines.mass_at_infinity < 1e-39


def test_what_is_left_of_a_slow_tail_is_a_mass_at_infinity():
    """p log(p / alpha) = eps hardly falls: at alpha = 1e-300 it is still about eps / 690."""
    lines = region_lines(np.array([1.0]), np.array([0.5]))
    assert log(lines.epsilons[-1]) > log(600.0)
    assert lines.mass_at_infinity == pytest.approx(0.5 / 690, rel=0.05)
