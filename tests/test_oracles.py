"""The oracles agree with each other, with closed forms and with the catalogue.

Each test compares two roads to one number that share no code beyond the normal distribution.
"""

from itertools import pairwise
from math import inf, sqrt

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from tests import catalogue
from tests.oracles import (
    ball,
    ball_step,
    certified,
    closed_form,
    divergence,
    gaussian_dp,
    laplace,
    naive,
)

DIRECTIONS = closed_form.DIRECTIONS


# --- f_mu ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1e-300, 1e-10, 0.3, 0.5, 0.9, 1 - 1e-9])
def test_the_normal_quantile_inverts_the_distribution(p):
    with mp.workdps(40):
        assert abs(gaussian_dp.normal_cdf(gaussian_dp.normal_quantile(p)) / mpf(p) - 1) < 1e-35


@pytest.mark.parametrize("mu", [0.1, 1.0, 6.0])
def test_profile_and_curve_of_mu_gdp_are_dual(mu):
    """delta(eps) = max over alpha of 1 - f(alpha) - exp(eps) alpha."""
    alpha = np.linspace(1e-6, 1 - 1e-6, 400_001)
    f = ndtr(-ndtri(alpha) - mu)
    for eps in (0.0, 0.5, 2.0):
        dual = max(0.0, np.max(1 - f - np.exp(eps) * alpha))
        assert float(gaussian_dp.gdp_delta(eps, mu)) == pytest.approx(dual, abs=1e-8)


def test_advantage_of_mu_gdp_is_its_profile_at_zero():
    assert gaussian_dp.gdp_advantage(1.7) == pytest.approx(float(gaussian_dp.gdp_delta(0, 1.7)))
    assert gaussian_dp.mu_of_advantage(gaussian_dp.gdp_advantage(1.7)) == pytest.approx(1.7)


# --- one step -----------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("sigma", [0.5, 3.0])
def test_an_unsampled_gaussian_step_is_mu_gdp(sigma, direction):
    step = closed_form.gaussian(sigma)
    for eps in (-1.0, 0.0, 0.7, 4.0):
        expected = gaussian_dp.gdp_delta(eps, 1 / sigma)
        assert float(closed_form.profile(step, eps, direction)) == pytest.approx(float(expected))


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
def test_slack_lowers_the_mu_of_a_gaussian_by_the_diagonal_gap(slack):
    found = closed_form.mu(closed_form.gaussian(2.0), slack)
    assert float(found) == pytest.approx(float(gaussian_dp.gaussian_mu(0.5, slack)), abs=1e-13)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("step", [closed_form.gaussian(0.8, 0.2), closed_form.laplace(0.7, 0.3)])
def test_the_profile_of_a_step_is_the_integral_of_the_positive_part(step, direction):
    """delta(eps) = integral of (p - exp(eps) q)+, by brute force."""
    x = np.linspace(-12, 13, 2_000_001)
    noise = step.noise
    if isinstance(noise, closed_form.GaussianNoise):

        def density(x):
            return np.exp(-0.5 * (x / noise.sigma) ** 2) / (noise.sigma * sqrt(2 * np.pi))
    else:

        def density(x):
            return np.exp(-np.abs(x) / noise.scale) / (2 * noise.scale)

    base, moved = density(x), density(x - 1)
    mixture = (1 - step.rate) * base + step.rate * moved
    p, q = (mixture, base) if direction == "remove" else (base, mixture)
    for eps in (-0.3, 0.0, 0.15):
        brute = np.sum(np.maximum(p - np.exp(eps) * q, 0)) * (x[1] - x[0])
        assert float(closed_form.profile(step, eps, direction)) == pytest.approx(brute, abs=1e-7)


def test_a_sampled_step_at_slack_zero_has_no_amplification():
    assert closed_form.mu(closed_form.gaussian(2.0, 0.01), 0) == 0.5


def test_mu_of_a_step_is_the_smallest_that_dominates_its_profile():
    """delta <= delta_mu + slack everywhere, and nearly equal somewhere."""
    step, slack = closed_form.gaussian(1.0, 0.01), 1e-8
    mu = closed_form.mu(step, slack)
    with mp.workdps(30):
        gaps = [
            gaussian_dp.gdp_delta(eps, mu) + slack - closed_form.symmetric_profile(step, eps)
            for eps in np.linspace(0, 3, 601)
        ]
    assert 0 <= min(gaps) < 1e-11


def test_laplace_of_scale_one_needs_mu_1_0301():
    assert float(closed_form.mu(closed_form.laplace(1.0), 0)) == pytest.approx(1.0301, abs=5e-5)


# --- discrete losses ----------------------------------------------------------------------------


def test_randomised_response_has_the_mu_of_pure_dp_and_regret_0_0575():
    pair = naive.randomized_response(1.0)
    mu = naive.mu(pair)
    assert float(mu) == pytest.approx(-2 * ndtri(1 / (np.e + 1)), abs=1e-14)
    assert float(naive.regret(pair, mu)) == pytest.approx(0.0575, abs=5e-5)


def test_more_categories_are_more_private():
    assert naive.mu(naive.randomized_response(1.0, 5)) < naive.mu(naive.randomized_response(1.0))


def test_repeated_randomised_response_is_a_binomial():
    """delta(eps) of n runs, from the number of truthful answers."""
    n, eps0 = 6, 0.4
    truth = np.exp(eps0) / (1 + np.exp(eps0))
    count = np.arange(n + 1)
    ways = np.array([float(mp.binomial(n, k)) for k in count])
    p = ways * truth**count * (1 - truth) ** (n - count)
    for eps in (0.0, 0.5, 1.3):
        expected = np.sum(np.maximum(p - np.exp(eps) * p[::-1], 0))
        found = naive.profile(naive.repeated(naive.randomized_response(eps0), n), eps)
        assert float(found) == pytest.approx(expected, abs=1e-14)


def test_every_pair_is_made_of_two_probability_distributions():
    gaussian = naive.discrete_gaussian(1.5)
    for pair in (
        naive.randomized_response(0.3, 7),
        naive.discrete_laplace(1.3, sensitivity=3),
        naive.poisson_sampled(gaussian, 0.2),
        naive.repeated(naive.approx_dp(0.5, 1e-3), 3),
        naive.composed(gaussian, naive.pure_dp(0.7), naive.approx_dp(0.2, 0.01)),
    ):
        p, q = (mp.fsum(masses) for masses in zip(*pair.outcomes.values(), strict=True))
        assert abs(p + pair.p_only - 1) < 1e-40
        assert abs(q + pair.q_only - 1) < 1e-40


def test_outcomes_of_equal_loss_are_one():
    """Three lattice steps have a lattice of outcomes, not their cube."""
    one = naive.discrete_gaussian(1.5)
    assert len(naive.repeated(one, 3).outcomes) == 3 * (len(one.outcomes) - 1) + 1


def test_a_wide_discrete_gaussian_is_a_gaussian():
    pair = naive.discrete_gaussian(8.0)
    assert float(naive.mu(pair, 1e-10)) == pytest.approx(1 / 8, rel=2e-2)
    assert float(naive.profile(pair, 0)) == pytest.approx(
        float(gaussian_dp.gdp_delta(0, 1 / 8)), rel=1e-2
    )


def test_a_leak_above_the_slack_leaves_no_finite_mu():
    pair = naive.approx_dp(1.0, 1e-5)
    assert naive.mu(pair, 1e-6) == inf
    assert naive.mu(pair, 1e-4) < naive.mu(naive.pure_dp(1.0))


@pytest.mark.parametrize("slack", [0, 1e-6, 1e-3])
def test_mu_by_corners_is_mu_by_definition(slack):
    """f >= f_mu - slack at every alpha, and a smaller mu fails somewhere."""
    pair = naive.repeated(naive.poisson_sampled(naive.randomized_response(1.5, 3), 0.4), 3)
    mu = float(naive.mu(pair, slack))
    alpha = np.linspace(1e-9, 1 - 1e-9, 20_001)
    curves = []
    for one in (pair, pair.reversed()):
        corners = naive.vertices(one)
        xs, ys = ([float(v[i]) for v in corners] for i in (1, 2))
        # Every line 1 - delta(eps) - exp(eps) alpha lies below the curve: join only corners.
        curves.append(np.interp(alpha, xs, ys))
    lowest = np.minimum(*curves)  # the hull has the same corners

    def worst(mu):
        return np.min(lowest - (ndtr(-ndtri(alpha) - mu) - slack))

    assert worst(mu) >= -1e-12
    assert worst(mu * (1 - 1e-3)) < 0


def test_beta_joins_the_corners():
    pair = naive.randomized_response(1.0)
    assert naive.beta(pair, 0) == 1
    assert float(naive.beta(pair, 0.1)) == pytest.approx(1 - np.e * 0.1)
    assert naive.beta(pair, 1) == 0


def test_regret_by_profiles_is_the_divergence_by_definition():
    pair = naive.repeated(naive.randomized_response(0.8), 2)
    mu = float(naive.mu(pair))
    corners = naive.vertices(pair)
    alphas, betas = ([float(v[i]) for v in corners] for i in (1, 2))
    by_definition = divergence.delta_divergence(
        lambda alpha: np.interp(alpha, alphas, betas), lambda alpha: ndtr(-ndtri(alpha) - mu)
    )
    assert float(naive.regret(pair, mu)) == pytest.approx(by_definition, abs=1e-5)


def test_the_divergence_from_perfect_privacy_is_half_the_advantage():
    """Delta(1 - alpha, f_mu) = eta/2."""
    found = divergence.delta_divergence(
        lambda alpha: 1 - alpha, lambda alpha: ndtr(-ndtri(alpha) - 1.2)
    )
    assert found == pytest.approx(float(gaussian_dp.gdp_advantage(1.2)) / 2, abs=1e-5)


# --- Laplace ------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [-0.5, 0.0, 0.8])
def test_one_laplace_step_by_sums_and_by_thresholds(eps):
    by_threshold = closed_form.profile(closed_form.laplace(0.7), eps, "add")
    assert float(laplace.profile(0.7, 1, eps)) == pytest.approx(float(by_threshold), abs=1e-15)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_laplace_composition_is_one_more_step_after_the_last(count):
    """delta_n(eps) = E_P[delta_(n-1)(eps - L(x))], over the output x of one step (b = 1)."""
    eps = mpf("0.3")

    def inside(x):
        return mp.exp(x - 1) / 2 * laplace.profile(1.0, count - 1, eps - (2 * x - 1))

    # Outside [0, 1] the loss is -1 (P mass e^-1/2) or +1 (P mass 1/2). Inside, delta_(n-1) has
    # kinks where eps - (2x - 1) is an integer.
    kinks = sorted(x for x in ((eps + 1 - j) / 2 for j in range(-count, count)) if 0 < x < 1)
    below = laplace.profile(1.0, count - 1, eps + 1) * mp.exp(-1) / 2
    above = laplace.profile(1.0, count - 1, eps - 1) / 2
    between = mp.quad(inside, [0, *kinks, 1], method="gauss-legendre", maxdegree=3)
    found = laplace.profile(1.0, count, eps)
    assert float(found) == pytest.approx(float(below + between + above), abs=1e-14)


def test_laplace_tails_are_whole_at_the_bottom():
    alpha, tpr = laplace.tails(0.6, 4, -4 / 0.6)
    assert abs(alpha - 1) < 1e-30
    assert abs(tpr - 1) < 1e-30


def test_mu_of_laplace_compositions_grows_slower_than_the_root():
    """sqrt(n) mu_1 is valid, and not tight."""
    one, three = laplace.mu(1.0, 1), laplace.mu(1.0, 3, 1e-10)
    assert one < three < sqrt(3) * one


@pytest.mark.parametrize(("direction", "expected"), [("remove", 0.1486), ("add", 0.1672)])
def test_two_sampled_laplace_steps_are_worse_when_a_record_is_added(direction, expected):
    """delta_2(eps) = E_P[delta_1(eps - L)], one integral in mpmath (b = 1, q = 1/2, eps = 1/4)."""
    q = mpf(1) / 2
    step = closed_form.laplace(1.0, 0.5)

    def integrand(x):
        base, moved = mp.exp(-abs(x)) / 2, mp.exp(-abs(x - 1)) / 2
        mixture = (1 - q) * base + q * moved
        loss, p = mp.log(mixture / base), mixture
        if direction == "add":
            loss, p = -loss, base
        return p * closed_form.profile(step, mpf(1) / 4 - loss, direction)

    # The loss is constant outside [0, 1]; inside, delta_1 has kinks, so cut finely.
    cuts = [-40, 0, *(mpf(i) / 24 for i in range(1, 24)), 1, 41]
    with mp.workdps(15):
        assert float(mp.quad(integrand, cuts, maxdegree=4)) == pytest.approx(expected, abs=5e-5)


# --- two and three DP-SGD steps -----------------------------------------------------------------


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("segment", [(1.0, 0.01), (0.4, 0.7), (6.0, 0.3)])
def test_quadrature_of_one_step_is_its_closed_form(segment, direction):
    for eps in (-0.2, 0.0, 0.1, 2.0):
        exact = float(closed_form.profile(closed_form.gaussian(*segment), eps, direction))
        found = certified.profile([segment], eps, direction)
        assert found.value == pytest.approx(exact, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("count", [2, 3])
def test_unsampled_steps_compose_like_gaussians(count, direction):
    for eps in (0.0, 3.0):
        exact = float(gaussian_dp.gdp_delta(eps, sqrt(count) / 0.8))
        found = certified.profile([(0.8, 1.0)] * count, eps, direction)
        assert abs(found.value - exact) <= found.error
        assert found.error < 1e-10 * exact


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_two_steps_by_quadrature_in_floats_and_in_mpmath(direction):
    sigma, rate, eps = 0.7, 0.2, mpf("0.15")
    step = closed_form.gaussian(sigma, rate)

    def integrand(x):
        base, moved = mp.npdf(x, 0, sigma), mp.npdf(x, 1, sigma)
        mixture = (1 - mpf(rate)) * base + mpf(rate) * moved
        loss, p = mp.log(mixture / base), mixture
        if direction == "add":
            loss, p = -loss, base
        return p * closed_form.profile(step, eps - loss, direction)

    # Where the second step is left at its lowest loss, log(1 - q), the integrand has an edge.
    ratio = mp.exp(eps if direction == "remove" else -eps) / (1 - mpf(rate))
    edge = mpf(sigma) ** 2 * mp.log((ratio - (1 - mpf(rate))) / mpf(rate)) + mpf(1) / 2
    with mp.workdps(15):
        cuts = [-9, -5, -2, 0, edge - mpf(1) / 4, edge, edge + mpf(1) / 4, 3, 6, 10]
        exact = float(mp.quad(integrand, sorted(cuts), maxdegree=6))
    found = certified.profile([(sigma, rate)] * 2, 0.15, direction)
    assert found.value == pytest.approx(exact, rel=1e-10)


def test_the_order_of_the_steps_does_not_matter():
    steps = [(0.7, 0.1), (1.5, 0.4), (3.0, 0.8)]
    there, back = (certified.profile(list(order), 0.4, "add") for order in (steps, steps[::-1]))
    assert abs(there.value - back.value) <= there.error + back.error < 1e-11


def test_profile_and_error_rates_of_three_steps_agree():
    steps, eps = [(0.9, 0.3)] * 3, 0.6
    for direction in DIRECTIONS:
        alpha, beta = certified.errors(steps, eps, direction)
        delta = 1 - beta.value - np.exp(eps) * alpha.value
        assert delta == pytest.approx(certified.profile(steps, eps, direction).value, abs=1e-12)


@pytest.mark.parametrize("slack", [1e-6, 1e-10])
def test_mu_of_one_step_by_quadrature_and_by_closed_form(slack):
    exact = float(closed_form.mu(closed_form.gaussian(1.0, 0.01), slack))
    assert certified.mu([(1.0, 0.01)], slack) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("slack", catalogue.SLACKS)
def test_mu_of_two_steps_is_that_of_the_reference(slack):
    (run,) = (run for run in catalogue.REFERENCE if run.segments[0].steps == 2)
    known = run.mu(slack)
    assert abs(certified.mu([run.segments[0][:2]] * 2, slack) - known.value) <= known.err


# --- ball arithmetic ----------------------------------------------------------------------------


def lattice(lowest, highest, step):
    return [step * i for i in range(lowest, highest + 1)]


def test_ball_composition_is_exact_on_dyadic_masses():
    loss = ball.composed([ball.Component([0.25, 0.5, 0.25], -0.5, count=3)], 0.5)
    expected = [float(mp.binomial(6, k)) / 64 for k in range(7)]
    assert [float(mass) for mass in loss.masses] == expected
    assert [float(w) for w in loss.losses()] == lattice(-3, 3, 0.5)
    assert float(loss.upper_tails()[0]) == 1.0


def test_ball_composition_is_numpy_convolution():
    rng = np.random.default_rng(1)
    first, second = rng.random(40), rng.random(30)
    first[-2:] = 0  # leading zeros of the polynomial must not be lost
    loss = ball.composed([ball.Component(first, -1.0, 2), ball.Component(second, 0.3)], 0.1)
    expected = np.convolve(np.convolve(first, first), second)
    assert len(loss.masses) == expected.size
    np.testing.assert_allclose([float(m) for m in loss.masses], expected, rtol=1e-12, atol=1e-300)
    tilted = np.exp(-(-1.7 + 0.1 * np.arange(expected.size))) * expected
    found = [float(tail) for tail in loss.tilted_tails()]
    np.testing.assert_allclose(found, np.cumsum(tilted[::-1])[::-1], rtol=1e-12)


@pytest.mark.parametrize("count", [1, 7, 40])
def test_both_ways_to_multiply_balls_agree_within_their_radii(count):
    nodes = lattice(-20, 180, 0.02)
    step = ball_step.sampled_gaussian(1.5, 0.2, nodes)
    component = ball.Component(step.masses, nodes[0], count)
    fixed, relative = (ball.composed([component], 0.02, relative=way) for way in (False, True))
    assert len(fixed.masses) == len(relative.masses) == 200 * count + 1
    pairs = zip(fixed.tilted_tails(), relative.tilted_tails(), strict=True)
    assert all(one.overlaps(other) for one, other in pairs)
    assert fixed.mu(1e-8).overlaps(relative.mu(1e-8))
    assert max(float(tail.rad()) for tail in fixed.tilted_tails()) < 1e-60


def test_radii_stay_below_1e_40_over_a_hundred_steps():
    nodes = lattice(-40, 160, 0.01)
    step = ball_step.sampled_gaussian(2.0, 0.1, nodes)
    loss = ball.composed([ball.Component(step.masses, nodes[0], 100)], 0.01)
    assert max(float(tail.rad()) for tail in loss.upper_tails()) < 1e-40
    assert float(loss.mu(1e-6, direction="remove").rad()) < 1e-30


@pytest.mark.parametrize(
    ("sigma", "rate", "h"), [(1.0, 0.01, 0.002), (0.5, 0.5, 0.02), (5.0, 1.0, 0.02)]
)
def test_connecting_the_dots_keeps_all_mass_and_never_flatters(sigma, rate, h):
    nodes = lattice(-200, 1400, h)
    step = ball_step.sampled_gaussian(sigma, rate, nodes)
    pairs = list(zip(step.nodes, step.masses, strict=True))
    with ctx.workprec(256):
        p = sum(step.masses, step.p_at_infinity)
        q = sum(((-w).exp() * m for w, m in pairs), step.q_at_infinity)
        assert abs(p - 1) < arb("1e-60")
        assert abs(q - 1) < arb("1e-60")
        assert all(not mass < 0 for mass in step.masses)
        assert not step.p_at_infinity < 0
        assert not step.q_at_infinity < 0
    exact = closed_form.gaussian(sigma, rate)
    for eps in (-0.015, 0.0, 0.5, 2.01):
        delta = float(step.p_at_infinity) + sum(
            float(m) * max(0.0, -np.expm1(eps - float(w))) for w, m in pairs
        )
        true = float(closed_form.profile(exact, eps, "remove"))
        assert true <= delta * (1 + 1e-12)
        assert delta <= true * 1.02 + 1e-12


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_lattice_mu_is_above_the_true_one_and_converges_quadratically(count):
    exact = certified.mu([(2.0, 0.2)] * count, 1e-8)
    excess = []
    for h in (0.02, 0.01):
        nodes = lattice(round(-0.4 / h), round(4 / h), h)
        step = ball_step.sampled_gaussian(2.0, 0.2, nodes)
        component = ball.Component(
            step.masses, nodes[0], count, step.p_at_infinity, step.q_at_infinity
        )
        excess.append(float(ball.composed([component], h).mu(1e-8)) - exact)
    assert 0 < excess[1] < excess[0] < 0.01 * exact
    assert 2.5 < excess[0] / excess[1] < 6


def test_ball_mu_is_the_naive_mu_on_randomised_response():
    eps, count = 0.5, 4
    pair = naive.randomized_response(eps)
    masses = [float(p) for _, p, _ in reversed(list(pair.losses()))]
    # The lattice reads Q = exp(-w) P, so floats that are not exactly a pair differ by 1e-16.
    component = ball.Component([masses[0], 0.0, masses[1]], -eps, count)
    for slack in (0.0, 1e-6):
        found = float(ball.composed([component], eps).mu(slack))
        assert found == pytest.approx(
            float(naive.mu(naive.repeated(pair, count), slack)), abs=1e-13
        )


def test_mass_at_infinity_above_the_slack_makes_ball_mu_infinite():
    loss = ball.composed([ball.Component([0.5, 0.4], 0.0, 2, p_at_infinity=0.1)], 0.1)
    assert float(loss.p_at_infinity) == pytest.approx(0.19)
    assert float(loss.mu(0.1)) == inf


# --- the catalogue ------------------------------------------------------------------------------


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
