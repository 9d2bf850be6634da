"""What mathematics says about the contour's answers."""

import math
import sys

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import erf, ndtri

import gdpnum
from gdpnum import contour
from gdpnum.contour.decided import shown, smallest
from gdpnum.contour.estimate import about_epsilon, about_mu, about_tpr
from gdpnum.contour.fit import Effort, _read
from gdpnum.contour.jumpy import jumpy
from gdpnum.contour.ladder import ladder
from gdpnum.contour.line import knots_of
from gdpnum.contour.located import nearer, settled
from gdpnum.contour.pairs import Steps
from gdpnum.contour.profile import ContourBounds, _lines
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import reading, sought
from gdpnum.contour.rungs import Approximate, first_knots, guessed, one_outlook
from gdpnum.contour.worth import likely_frequencies

SLACKS = [1e-6, 1e-8, 1e-10, 1e-12]


def poisson(*settings):
    return [contour.Segment(contour.Poisson(s, q), n) for s, q, n in settings]


def begun(run, slack):
    """A run as arrays, its ladder, its lines and its first knots."""
    one = Steps.of([run])
    rungs = ladder(one, 22.0)
    draft, guess = sought(one, rungs, slack, 1e-9)
    lines = reading(one, rungs, draft, 1e7)
    knots = first_knots(rungs, np.repeat(slack, 2), guess, lines.limits[-1])
    return one, rungs, lines, np.concatenate(knots, axis=1)


def ordinary(seed):
    rng = np.random.default_rng(seed)
    sigma, rate = 10.0 ** rng.uniform(0.0, 1.5), 10.0 ** rng.uniform(-2.0, -0.3)
    return poisson((sigma, rate, int(10.0 ** rng.uniform(1.4, 3.5))))


@pytest.mark.parametrize(
    "setting",
    [
        (9.4, 0.32768, 2000),
        (0.7638, 0.01, 1000),
        (4.0, 0.02, 400),
        (1.3558, 0.05, 20_000),
        (1.256, 0.163, 307),
        (0.58, 0.1, 1000),
    ],
)
def test_an_estimate_is_near_what_is_certified(setting):
    """A search looks where it says; how near it comes decides how long that takes."""
    run = poisson(setting)
    (mu,) = contour.fits([run], slack=1e-10).mu
    found = about_mu([run, run], 1e-10)
    assert found.value == pytest.approx(mu, rel=1e-4 if found.is_close.all() else 1e-2)
    sigma, rate, steps = setting
    curve = gdpnum.tradeoff_curve(
        gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    )
    found = about_epsilon([run], 1e-5)
    assert found.value == pytest.approx(curve.epsilon(1e-5), rel=1e-2)
    if curve.tpr(1e-6) < 0.5:
        found = about_tpr([run], 1e-6)
        assert found.value == pytest.approx(curve.tpr(1e-6), rel=1e-3 if found.is_close else 1e-2)


def test_an_estimate_knows_that_rare_jumps_decide():
    assert not about_mu([poisson((0.72, 1e-3, 10_000))], 1e-10).is_close.any()


def test_an_estimate_counts_gaussians_of_a_run():
    run = [*poisson((4.0, 0.1, 500)), contour.Segment(contour.Gaussian(0.2), 16)]
    (mu,) = contour.fits([run], slack=1e-10).mu
    assert about_mu([run], 1e-10).value == pytest.approx(mu, rel=1e-4)


def test_several_with_next_to_no_privacy_are_known_as_well_as_each_alone():
    """Where the last knot is known by Chernoff's bound alone, the cell before it is cut as well."""
    run = poisson((1.0, 0.5674856469605362, 2000))
    together = contour.fits([run, run], slack=1e-10)
    assert (together.mu - together.mu_lower <= 1e-8 * together.mu).all()


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 3.0])
def test_without_sampling_it_is_the_gaussian(mu):
    gaussian = [contour.Segment(contour.Gaussian(mu / 2.0), 4)]
    whole = [contour.Segment(contour.Poisson(2.0 / mu, 1.0), 4)]
    for run in (gaussian, whole):
        found = contour.profile(run)
        lower, upper = found.delta(np.array([0.0]))
        exact = erf(mu / np.sqrt(8.0))
        assert lower[0] <= exact * (1 + 1e-14)
        assert upper[0] >= exact * (1 - 1e-14)
        assert upper[0] - lower[0] <= 1e-10 * exact
        # The smallest valid mu at a slack, in closed form.
        fit = contour.fits([run], slack=1e-8)
        smallest = mu - 2.0 * ndtri((1.0 + 1e-8) / 2.0)
        assert fit.mu_lower[0] <= smallest * (1 + 1e-15) <= fit.mu[0]
        assert fit.mu[0] == pytest.approx(mu, rel=1e-14)
        both = contour.fits([run, ordinary(0), run], slack=1e-8)
        assert both.mu[0] == both.mu[2] == fit.mu[0]


@pytest.mark.parametrize("seed", range(12))
def test_ordinary_settings_are_known_to_eight_digits(seed):
    found = contour.fits([ordinary(seed)], slack=1e-10)
    assert found.mu_lower[0] <= found.mu[0] <= found.mu_lower[0] * (1 + 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_cutting_a_run_in_two_changes_nothing(seed):
    ((pair, count),) = ordinary(seed)
    parts = [contour.Segment(pair, count - 7), contour.Segment(pair, 7)]
    # The float next to sigma makes it a segment of its own.
    other = contour.Poisson(float(np.nextafter(pair.sigma, 9e9)), pair.rate)
    apart = [contour.Segment(pair, count - 7), contour.Segment(other, 7)]
    found = contour.fits([[contour.Segment(pair, count)], parts], slack=1e-10)
    alone = contour.fits([apart], slack=1e-10)
    assert found.mu[0] == found.mu[1]
    assert max(found.mu_lower[0], alone.mu_lower[0]) <= min(found.mu[0], alone.mu[0])


@pytest.mark.parametrize("seed", range(8))
def test_brackets_overlap_the_lattices(seed):
    rng = np.random.default_rng(100 + seed)
    settings = [
        (
            10.0 ** rng.uniform(-0.1, 1.2),
            10.0 ** rng.uniform(-2.0, -0.2),
            int(rng.integers(20, 900)),
        )
        for _ in range(1 + seed % 4)
    ]
    slack = SLACKS[seed % 4]
    try:
        found = contour.fits([poisson(*settings)], slack=slack, accuracy=1.0)
    except contour.OutOfReach:
        return
    runs = [gdpnum.DPSGD(noise_multiplier=s, sample_rate=q, steps=n) for s, q, n in settings]
    fit = gdpnum.fit_gdp(runs[0] if len(runs) == 1 else sum(runs[1:], runs[0]), slack=slack)
    assert found.mu[0] >= fit.mu_lower
    assert found.mu_lower[0] <= fit.mu
    # Both bound the regret of their mu from above, and that of the smaller mu is smaller.
    assert found.mu[0] > fit.mu or found.regret[0] <= fit.regret + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_many_at_once_are_as_good_as_alone(seed):
    runs = [ordinary(10 * seed + i) for i in range(6)]
    together = contour.fits(runs, slack=1e-9)
    for i, run in enumerate(runs):
        alone = contour.fits([run], slack=1e-9)
        assert together.mu_lower[i] <= alone.mu[0]
        assert alone.mu_lower[0] <= together.mu[i]
        assert together.mu[i] == pytest.approx(alone.mu[0], rel=1e-7)
        assert together.regret[i] == pytest.approx(alone.regret[0], rel=1e-5, abs=1e-11)


def test_uneven_runs_are_as_good_as_alone():
    """Jumps of very different kinds, some of which take many more frequencies than others."""
    settings = [(4.1, 0.037, 8), (0.6, 0.011, 225), (0.6, 0.0027, 118), (3.0, 0.002, 700)]
    runs = [poisson(one) for one in settings]
    together = contour.fits(runs, slack=1e-10)
    for i, run in enumerate(runs):
        alone = contour.fits([run], slack=1e-10, accuracy=1.0)
        assert together.mu_lower[i] <= alone.mu[0]
        assert alone.mu_lower[0] <= together.mu[i]
        assert together.mu[i] == pytest.approx(alone.mu[0], rel=1e-5)


@pytest.mark.parametrize(
    "settings", [(1.0, 0.001, 400), (4.0, 0.002, 400), (19.0, 0.0025, 44), (0.8, 4.5e-4, 23_000)]
)
def test_the_place_of_rare_jumps_is_where_tests_need_most(settings):
    run, slack = poisson(settings), np.array([1e-10])
    steps = Steps.of([run, run])
    with np.errstate(all="ignore"):
        rungs = ladder(steps, 22.0)
        near = Approximate.of(rungs.rungs)
        guess = guessed(near, rungs.rungs, 2, np.repeat(slack, 2))
        place = settled(near, steps, rungs, guess, np.repeat(slack, 2))[0][0]
        draft, _ = sought(steps, rungs, np.repeat(slack, 2), 1e-9)
        lines = reading(steps, rungs, draft, 1e9)
        around = place * np.geomspace(0.2, 5.0, 401)
        needs = shown(lines.rows(slice(1)).at(around[None, :]), slack)[0]
    assert around[np.argmax(needs)] == pytest.approx(place, rel=0.1)


def test_adding_next_to_removing_is_known_as_closely():
    """Nearly a Gaussian, whose directions need nearly the same mu."""
    run = poisson((4.74, 0.0564, 22_200))
    together = contour.fits([run, run], slack=1e-10)
    assert (together.mu - together.mu_lower <= 1e-8 * together.mu).all()


def test_one_out_of_reach_does_not_stop_the_others():
    runs = [ordinary(0), poisson((0.615, 1.04e-4, 69)), ordinary(1)]
    found = contour.fits(runs, slack=1e-10)
    assert np.isinf(found.mu[1])
    assert found.mu_lower[1] == 0.0
    assert found.mu[0] == pytest.approx(contour.fits(runs[:1], slack=1e-10).mu[0], rel=1e-7)


def test_it_works_where_numpy_raises():
    with np.errstate(all="raise"):
        found = contour.fits([ordinary(0)], slack=1e-10)
        delta = contour.profile(ordinary(0)).delta(np.array([0.0, 50.0]))
    assert found.mu[0] >= found.mu_lower[0] > 0.0
    assert delta[1][1] < delta[0][0]


def test_the_same_twice():
    run = ordinary(3)
    first, again = (contour.fits([run], slack=1e-10) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def one_step(p_density, q_density, epsilon):
    """int (p - e^eps q)+ by mpmath, from a density of one step."""
    with mp.workdps(30):
        grow = mp.e ** mpf(epsilon)

        def over(x):
            return max(mpf(0), p_density(x) - grow * q_density(x))

        edges = [mpf(i) / 8 for i in range(-240, 241)]
        # Split where the integrand leaves zero.
        signs = [p_density(x) - grow * q_density(x) for x in edges]
        points = [edges[0]]
        for a, b, fa, fb in zip(edges, edges[1:], signs, signs[1:], strict=False):
            if (fa > 0) != (fb > 0):
                points.append(
                    mp.findroot(
                        lambda x: p_density(x) - grow * q_density(x), (a, b), solver="anderson"
                    )
                )
        points.append(edges[-1])
        return mp.quad(over, sorted({*points, *(mpf(i) for i in range(-30, 31, 5))}))


def normal(x, mean, sigma):
    return mp.exp(-((x - mean) ** 2) / (2 * sigma**2)) / (sigma * mp.sqrt(2 * mp.pi))


@pytest.mark.parametrize(
    ("pair", "p", "q"),
    [
        (
            contour.Replace(2.0, 0.3),
            lambda x: mpf(0.7) * normal(x, 0, 2) + mpf(0.3) * normal(x, 1, 2),
            lambda x: mpf(0.7) * normal(x, 0, 2) + mpf(0.3) * normal(x, -1, 2),
        ),
        (
            contour.Poisson(2.0, 0.3),
            lambda x: (1 - mpf(0.3)) * normal(x, 0, 2) + mpf(0.3) * normal(x, 1, 2),
            lambda x: normal(x, 0, 2),
        ),
        (
            contour.Mixture(4.0, (0.49, 0.42, 0.09), True),
            lambda x: (
                (1 - mpf(0.42) - mpf(0.09)) * normal(x, 0, 4)
                + mpf(0.42) * normal(x, 1, 4)
                + mpf(0.09) * normal(x, 2, 4)
            ),
            lambda x: normal(x, 0, 4),
        ),
    ],
)
def test_one_step_against_an_integral(pair, p, q):
    run = [contour.Segment(pair, 1)]
    try:
        found = contour.profile(run, smallest=1e-4, accuracy=1e-6, most=1e8)
    except contour.OutOfReach:
        pytest.skip("one step is out of reach")
    for epsilon in (0.0, 0.05, 0.15):
        knots = found.knots(np.array([epsilon]))
        truth = float(one_step(p, q, epsilon))
        assert abs(knots.delta[0, 0] - truth) <= knots.delta_error[0, 0] + 1e-14
        if knots.delta.shape[0] == 2:
            truth = float(one_step(q, p, epsilon))
            assert abs(knots.delta[1, 0] - truth) <= knots.delta_error[1, 0] + 1e-14


def test_the_two_directions_are_one_at_zero():
    knots = contour.profile(ordinary(1)).knots(np.array([0.0]))
    difference = abs(knots.delta[0, 0] - knots.delta[1, 0])
    assert difference <= knots.delta_error[0, 0] + knots.delta_error[1, 0]


@pytest.mark.parametrize("seed", range(3))
def test_tpr_lies_between_tests_and_the_profile(seed):
    found = contour.profile(ordinary(seed))
    epsilons = np.linspace(0.0, found.epsilon(1e-9)[0], 12)
    for tests in found.attacks(epsilons):
        bound = found.tpr(np.exp(tests.log_alpha))
        assert np.all(bound >= tests.tpr)
    tests = found.attacks(epsilons)[0]
    # The tests of removing are the best there are, where it is the worse direction.
    assert np.allclose(found.tpr(np.exp(tests.log_alpha)), tests.tpr, rtol=1e-6)


def test_chords_lie_above_the_profile():
    found = contour.profile(ordinary(2))
    knots = np.linspace(0.0, found.epsilon(1e-9)[0], 40)
    points = found.chords(knots)
    between = 0.5 * (knots[1:] + knots[:-1])
    chord = points.tprs - np.exp(between + points.log_alphas)
    assert np.all(chord >= found.delta(between)[0])


@pytest.mark.parametrize("run", [poisson((1.0, 1e-7, 10)), poisson((0.3, 1e-4, 3))])
def test_it_says_so_at_once_where_it_is_of_no_use(run):
    with pytest.raises(contour.OutOfReach, match="use the lattice"):
        contour.fits([run], slack=1e-10, most=1e6)


@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_gaussians_that_outweigh_the_rest_are_taken_apart(mu):
    """f_mu composed with f_m - s is at least f_sqrt(m^2 + mu^2) - s, and no more than f_mu."""
    rest = poisson((31.0, 0.0035, 5936))
    together = contour.fits([[*rest, contour.Segment(contour.Gaussian(mu), 1)]], slack=1e-10)
    alone = contour.fits([rest], slack=1e-10)
    assert together.mu[0] <= np.hypot(mu, alone.mu[0]) * (1 + 1e-14)
    assert together.mu[0] >= mu - 2.0 * ndtri((1.0 + 1e-10) / 2.0)
    assert together.mu[0] - together.mu_lower[0] <= 1e-6 * together.mu[0]


@pytest.mark.parametrize("seed", range(6))
def test_one_run_alone_is_what_it_is_among_others(seed):
    """The quick way for one run and the general one: both brackets hold the same mu."""
    run, other = ordinary(40 + seed), ordinary(60 + seed)
    alone, among = contour.fits([run], slack=1e-9), contour.fits([run, other], slack=1e-9)
    assert alone.mu_lower[0] <= among.mu[0]
    assert among.mu_lower[0] <= alone.mu[0]
    assert alone.regret[0] == pytest.approx(among.regret[0], abs=1e-8)
    assert alone.advantage[0] == pytest.approx(among.advantage[0], rel=1e-9)


def test_the_regret_beside_a_gaussian_that_outweighs_the_rest():
    # f lies below f_g of the Gaussian alone, so Delta(f, f_mu) <= Delta(f_g, f_mu), which is half
    # the difference of their advantages. Where tests are too uncertain, delta >= 0 must count.
    g = 0.4348437202181015
    rest = poisson((56.88415403295886, 0.003642320641021254, 3474))
    run = [*rest, contour.Segment(contour.Gaussian(g), 1)]
    for runs in ([run], [run, ordinary(0)]):
        found = contour.fits(runs, slack=2.76e-12)
        most = 0.5 * (erf(found.mu[0] / np.sqrt(8.0)) - erf(g / np.sqrt(8.0)))
        assert found.regret[0] <= most * (1.0 + 1e-6)


@pytest.mark.parametrize("lost", [1e-9, 1e-3, 1e6])
def test_what_a_line_does_not_know_at_the_last_knot_is_not_used(lost):
    """There Chernoff says that delta is at most the slack, and a line may say anything."""
    run, slack = poisson((1.0, 0.05, 300)), np.array([1e-10])
    exact = contour.fits([run], slack=1e-10)
    with np.errstate(all="ignore"):
        one, rungs, lines, knots = begun(run, slack)
        for sign in (-1.0, 1.0):
            found = lines.at(knots)
            found.delta[:, -1], found.delta_error[:, -1] = sign * lost, 2.0 * lost
            fit = _read(one, rungs, lines, found, slack, 1e-9, 1e7)
            assert fit.mu_lower[0] <= exact.mu[0]
            assert fit.mu[0] >= exact.mu_lower[0]
            assert fit.mu[0] <= exact.mu[0] * (1.0 + 1e-7)


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.0, 1.3])
def test_a_mu_to_try_that_is_too_small_is_raised(factor):
    """Rows that are given a mu by others find what they need themselves, whichever it was."""
    run, slack = poisson((1.0, 0.05, 300)), np.array([1e-10])
    exact = contour.fits([run], slack=1e-10)
    with np.errstate(all="ignore"):
        _, rungs, lines, knots = begun(run, slack)
        removing = lines.rows(slice(0, 1))
        found = removing.at(knots[:1])
        tried = factor * exact.mu, np.zeros(1)
        mu, mu_lower = smallest(
            removing, found, rungs.rungs.rows(slice(0, 1)), 1, slack, 1e-9, tried
        )
    assert mu >= exact.mu_lower
    assert mu <= max(factor, 1.0) * exact.mu * (1.0 + 1e-7)
    assert mu_lower <= exact.mu


@pytest.mark.parametrize("setting", [(829.0, 0.00246, 4849), (4.56, 0.306, 172240)])
def test_tiny_and_large_mu_are_known_as_closely(setting):
    """Where kappa is a millionth, and where 1 - delta is less than a line's own error."""
    found = contour.fits([poisson(setting)], slack=1e-10)
    assert found.mu - found.mu_lower <= 1e-8 * found.mu


def test_kappa_of_steep_rungs_keeps_its_digits():
    rungs = ladder(Steps.of([poisson((829.0, 0.00246, 4849))]), 22.0).rungs
    with mp.workdps(40):
        for lam, found in zip(rungs.lam.ravel(), rungs.log_kappa.ravel(), strict=True):
            exact = mpf(float(lam))
            true = exact * mp.log(exact) - (1 + exact) * mp.log(1 + exact)
            assert abs(mpf(float(found)) - true) <= 1e-14 * abs(true)


def test_much_noise_among_others():
    """Squares of 1e-200 are no floats: nothing is known of that run, and all of the others."""
    runs = [poisson(one) for one in ((2.0, 0.1, 400), (1e200, 0.1, 10), (1.0, 0.01, 1000))]
    found = contour.fits(runs, slack=1e-10)
    assert found.mu[1] == np.inf or found.mu[1] < 1e-100
    assert np.all((found.mu - found.mu_lower)[[0, 2]] <= 1e-8 * found.mu[[0, 2]])


def test_chords_that_end_within_a_cell():
    """A run of rare jumps whose place is not found: beside the attacks of a lattice."""
    beside = gdpnum.fit_gdp(
        gdpnum.DPSGD(noise_multiplier=0.346, sample_rate=2.23e-5, steps=226_756), grid_step=0.01
    )
    found = contour.fits([poisson((0.346, 2.23e-5, 226_756))], slack=1e-10, accuracy=1.0, most=1e8)
    assert beside.mu_lower <= found.mu[0] <= beside.mu * 1.001


def test_a_large_mu_is_known_as_closely():
    """Up to 40, where an FPR may be exp(-1000); beside the lattice, which has no part in it."""
    settings = [(1.0, 0.6, 400), (1.0, 0.9, 2000), (0.5, 0.3, 2000), (0.5, 0.05, 2000)]
    found = contour.fits([poisson(one) for one in settings], slack=1e-10)
    assert np.all(found.mu - found.mu_lower <= 1e-8 * found.mu)
    for i, (sigma, rate, steps) in enumerate(settings):
        run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
        beside = gdpnum.fit_gdp(run, grid_step=0.05)
        assert beside.mu_lower <= found.mu[i]
        assert found.mu_lower[i] <= beside.mu
        assert found.advantage[i] >= 1.0 - 2.0 * (1.0 - beside.advantage)
        assert gdpnum.fit_gdp(run).tail_ratio >= 0.99


@pytest.mark.parametrize("delta", [1e-6, 1e-5, 0.01])
@pytest.mark.parametrize("run", [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (1.0, 0.001, 1000)])
def test_an_epsilon_is_that_of_a_profile_read_otherwise(run, delta):
    """Both are bounds from above, and each is next to the least."""
    # Two lines of the general way, at nodes and frequencies of their own.
    effort = Effort(poisson(run), 1e7)
    with np.errstate(all="ignore"):
        rungs = ladder(effort.steps, 22.0)
        lines = _lines(effort.steps, rungs, [-15.0, -29.0], 1e-11, 1e7)
    beside = contour.Profile(lines, rungs.rungs, 1e-12)
    (found,) = ContourBounds(effort, 1e-12).epsilons(np.array([delta]))
    assert found == pytest.approx(beside.epsilon(delta)[0], rel=2e-8)
    # No upper bound is below what the other reading knows from below.
    assert beside.delta(np.array([found]))[0][0] <= delta


def test_an_epsilon_is_the_same_whatever_is_asked_beside_it():
    """Alone, among many, in a statement at another slack, and after the whole curve was made."""
    run = gdpnum.DPSGD(noise_multiplier=3.0, sample_rate=0.25, steps=400)
    curve = gdpnum.tradeoff_curve(run)
    alone = curve.epsilon(1e-6)
    several = gdpnum.tradeoff_curve(run).epsilon(np.append(np.geomspace(1e-11, 1e-2, 40), 1e-6))
    assert several[-1] == alone
    for slack in (1e-10, 1e-8):
        stated = gdpnum.statement(run, slack=slack, deltas=[1e-3, 1e-6, *np.geomspace(1e-9, 1, 9)])
        assert {row.delta: row.epsilon for row in stated.epsilon}[1e-6] == alone
    assert curve.knots.size > 100
    assert curve.epsilon(1e-6) == alone


def test_a_heavy_run_is_left_to_the_lattice(monkeypatch):
    run = Effort(poisson((3.0, 0.25, 400)), 1e7)
    assert ContourBounds(run, 1e-12).epsilons(np.array([1e-6])) > 0.0
    monkeypatch.setattr(sys.modules[ContourBounds.__module__], "_SUMMED", 1e7)
    with pytest.raises(contour.OutOfReach, match="use the lattice"):
        ContourBounds(run, 1e-12)


# Few steps, much noise, tiny mu: the contour knows six digits, where a lattice knows three.
FEW = [(9.52, 0.00252, 2), (644.0, 0.00103, 2), (301.0, 0.000324, 46)]
TINY = [(184.0, 9.97e-6, 127), (231.0, 1.83e-5, 2233), (124.0, 7.08e-5, 231), (20.0, 2.09e-5, 16)]


@pytest.mark.parametrize("settings", [*FEW, *TINY])
def test_few_steps_and_much_noise_are_known_to_six_digits_as_a_lattice_has_them(settings):
    sigma, rate, steps = settings
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    found = gdpnum.fit_gdp(run, tolerance=2e-6)
    assert found.mu - found.mu_lower <= 2e-6 * found.mu
    beside = gdpnum.fit_gdp(run, grid_step=0.1 * found.mu / math.sqrt(steps))
    assert beside.mu_lower <= found.mu
    assert found.mu_lower <= beside.mu
    assert beside.mu <= (1.0 + 5e-3) * found.mu


# Rare jumps that would take many frequencies, where a lattice takes some hundred points.
QUICKER_ON_A_LATTICE = [FEW[0], TINY[3], (8.06, 2.04e-4, 341), (2.59, 1.28e-3, 73)]


@pytest.mark.parametrize("settings", QUICKER_ON_A_LATTICE)
def test_rare_jumps_are_left_to_a_quicker_lattice_unless_digits_are_asked(settings):
    """Three digits by default, and those asked for."""
    sigma, rate, steps = settings
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    usual, closer = gdpnum.fit_gdp(run), gdpnum.fit_gdp(run, tolerance=1e-5)
    assert usual.mu - usual.mu_lower <= 5e-3 * usual.mu
    assert usual.mu - usual.mu_lower > 1e-5 * usual.mu
    assert closer.mu - closer.mu_lower <= 1e-5 * closer.mu
    assert usual.mu_lower <= closer.mu
    assert closer.mu_lower <= usual.mu
    assert usual.regret >= closer.regret * (1.0 - 1e-6)


# Less noise, for which no lattice is quick; rates and steps of which digits are wanted in any case;
# and so many steps with so little loss that rounding blurs a lattice.
WANTED_CLOSELY = [(0.7, 1e-3, 5000), (1.6, 0.0105, 28), (36.0, 2.43e-7, 6_845_221)]


@pytest.mark.parametrize("settings", WANTED_CLOSELY)
def test_a_lattice_that_is_not_quicker_or_too_blurred_is_no_rival(settings):
    sigma, rate, steps = settings
    found = gdpnum.fit_gdp(gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps))
    assert found.mu - found.mu_lower <= 1e-6 * found.mu


def test_a_rival_is_asked_only_where_frequencies_are_many():
    """Its estimate takes a plan, which a run of few frequencies need not wait for."""

    def rival(mu):
        raise AssertionError(f"asked for a mu of {mu!r}")

    for settings in [(9.4, 0.32768, 2000), (3.71, 9.17e-4, 3763)]:
        found = Effort(poisson(settings), 2e6, rival).fit(1e-10)
        assert found.mu[0] - found.mu_lower[0] <= 1e-8 * found.mu[0]
    many = poisson((2.12, 1.35e-4, 7052))
    with pytest.raises(AssertionError, match=r"asked for a mu of 0\.00"):
        Effort(many, 2e6, rival).fit(1e-10)
    with pytest.raises(OutOfReach, match="would be taken"):
        Effort(many, 2e6, lambda _: 1.0).fit(1e-10)
    assert Effort(many, 2e6, lambda _: 1e3).fit(1e-10).mu[0] > 0.0
    # Nor is one asked of an ordinary run, unless it takes the general way and mu is tiny.
    little = poisson((338.0, 1.13e-3, 19))
    with pytest.raises(OutOfReach, match="a lattice is quicker"):
        Effort(little, 2e6, lambda _: 1.0).fit(1e-10)
    assert Effort(little, 2e6).fit(1e-10).mu[0] > 0.0


def test_a_phase_of_rare_jumps_next_to_an_ordinary_one_costs_no_digits():
    """Its transform dies out slowly, and the other's need not wait for it."""
    ordinary = [contour.Segment(contour.Poisson(3.0, 0.674), 345)]
    rare = contour.Segment(contour.Poisson(3.54, 1.64e-7), 644_765)
    alone, both = (contour.fits([one], slack=1e-8) for one in (ordinary, [*ordinary, rare]))
    assert both.mu[0] - both.mu_lower[0] <= 1e-8 * both.mu[0]
    # What is done in addition reveals something, here next to nothing.
    assert alone.mu_lower[0] <= both.mu[0] <= (1.0 + 1e-3) * alone.mu[0]


def test_few_frequencies_are_likely_where_few_are_taken():
    """The estimate that spares a look at what is out of reach: within a factor of some ten."""
    for settings in [(4.91, 6.17e-5, 18), (3.56, 2.1e-5, 686), (20.0, 2.09e-5, 16)]:
        effort = Effort(poisson(settings), 1e7)
        taken = effort.quick.read[1].frequencies
        mu, reach = one_outlook(effort.steps)
        assert 0.1 * taken <= likely_frequencies(effort.steps, mu, reach) <= 10.0 * taken
    # And those that take far more than they may are not even looked at: also where a jump is not
    # rare, but the smallest losses of so few steps are next to none.
    for settings in [(2.38, 1.12e-7, 12), (0.348, 0.65, 2), (0.443, 0.123, 3)]:
        with pytest.raises(OutOfReach, match="would be taken"):
            Effort(poisson(settings), 2e6).fit(1e-10)


@pytest.mark.parametrize(
    ("settings", "slack"),
    [
        ((1.41, 0.94, 7180), 1e-8),
        ((1.3, 0.5, 13_128), 1e-6),
        ((1.0, 0.1, 200_436), 1e-10),
        ((0.531, 0.0758, 788_343), 1e-6),
        ((0.505, 0.428, 1_390_111), 1e-9),
        # Rounding of the steps hides delta in between unless a line is close to there.
        ((5.05, 0.0741, 7_167_859), 1e-12),
        ((11.08, 0.892, 73_776), 1e-12),
        ((2.6, 0.124, 3_631_962), 1e-12),
        ((1.2, 0.988, 44_441), 1e-10),
    ],
)
def test_next_to_no_privacy_is_known_as_closely(settings, slack):
    """A mu from 22 to 1,200, and within the bracket of a lattice."""
    sigma, rate, steps = settings
    run = gdpnum.PoissonSampled(gdpnum.Gaussian(sigma=sigma), rate=rate) * steps
    fit, lattice = gdpnum.fit_gdp(run, slack=slack), gdpnum.fit_gdp(run, slack=slack, grid_step=0.5)
    assert fit.mu - fit.mu_lower <= 5e-8 * fit.mu
    assert lattice.mu_lower <= fit.mu
    assert fit.mu_lower <= lattice.mu


def test_an_advantage_below_the_slack_is_a_mu_of_zero():
    """Even where a lattice of millions of steps is too blurred to tell."""
    run = gdpnum.DPSGD(noise_multiplier=285.0, sample_rate=1.14e-7, steps=8_515_465)
    found = gdpnum.fit_gdp(run, slack=1e-6)
    assert found.mu == found.mu_lower == 0.0
    # That of the Gaussian whose mu is the root of chi^2, from above, and no more than a half more.
    nearly = 1.14e-7 * math.sqrt(8_515_465 * math.expm1(285.0**-2)) / math.sqrt(2.0 * math.pi)
    assert nearly <= found.advantage <= 1.5 * nearly
    assert found.regret <= 0.5 * found.slack * (1.0 + 1e-9)


# Each was known to a few digits only: mu is decided far before the last knot, little noise leaves
# out more of alpha than there is, rounding of many steps hides adding, or jumps are barely rare.
KNOWN_BETTER = [
    ((836.0, 0.197, 1767), 1e-8),
    ((405.0, 0.874, 314_263), 1e-6),
    ((531.0, 0.0162, 3_347_843), 1e-10),
    ((0.301, 0.0212, 2053), 1e-10),
    ((0.334, 0.0144, 1320), 1e-8),
    ((4.05, 0.000243, 1_280_843), 1e-12),
    ((2.0, 0.01, 25), 1e-10),
    ((1.6, 0.0105, 28), 1e-10),
]


@pytest.mark.parametrize(("settings", "slack"), KNOWN_BETTER)
def test_mu_is_known_to_eight_digits_and_a_lattice_agrees(settings, slack):
    sigma, rate, steps = settings
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    found = gdpnum.fit_gdp(run, slack=slack)
    assert found.mu - found.mu_lower <= 1e-8 * found.mu
    beside = gdpnum.fit_gdp(run, slack=slack, grid_step=0.3 * found.mu / math.sqrt(steps))
    assert beside.mu_lower <= found.mu
    assert found.mu_lower <= beside.mu <= 1.02 * found.mu


def test_adding_that_rounding_hides_in_the_middle_takes_a_line_of_its_own():
    """Of so many steps the sum for 1 - delta is wrong by more than delta of adding is."""
    hidden = Effort(poisson((4.05, 0.000243, 1_280_843)), 1e7)
    with np.errstate(all="ignore"), pytest.raises(OutOfReach, match="a line of its own"):
        jumpy(hidden.steps, *one_outlook(hidden.steps), np.array([1e-12]), 1e-9, 1e7)
    assert hidden.quick is not None  # at the usual slack it is not hidden


@pytest.mark.parametrize("sigma", [2.0, 8.0, 15.0])
def test_a_slack_next_to_none_is_no_division_by_nothing(sigma):
    """So far out the density of a Gaussian is none: it is refused, or bounded without sampling."""
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=0.01, steps=1000)
    try:
        found = gdpnum.fit_gdp(run, slack=5e-324)
    except gdpnum.BudgetExceeded:
        return
    assert 0.0 < found.mu_lower <= found.mu <= math.sqrt(1000.0) / sigma * (1.0 + 1e-12)


@pytest.mark.parametrize("off", [0.92, 1.0, 1.2])
@pytest.mark.parametrize("settings", [(1.0, 0.001, 1000), (0.7, 0.001, 5000), (2.77, 0.0611, 7)])
def test_a_line_tells_where_mu_is_decided(settings, off):
    """From a guess that is off by some percent to a twentieth of a deviation."""
    slack = np.array([1e-10])
    steps = Steps.of([poisson(settings)])
    with np.errstate(all="ignore"):
        mu, reach = one_outlook(steps)
        read = jumpy(steps, mu, reach, slack, 1e-9, 1e9)
        line = read.tail.lines[1].rows(slice(1))
        around = (read.guess[0] * np.linspace(0.7, 1.2, 4001))[None, :]
        needs = shown(knots_of(around, *line.at(around)), slack)[0]
        place = around[0, np.argmax(needs)]
        found = nearer(line, np.array([off * place]), slack)
    assert found == pytest.approx(place, abs=0.05 * read.ladder.deviation[0])


@pytest.mark.parametrize("slack", [1e-6, 1e-7])
def test_a_regret_that_the_slack_decides_is_close(slack):
    """Delta(f, f_mu - slack) of a mu next to nothing, beside its supremum over many epsilons."""
    run = gdpnum.PoissonSampled(gdpnum.Gaussian(sigma=10.3), rate=5e-4) * 18
    run += gdpnum.PoissonSampled(gdpnum.Gaussian(sigma=57.6), rate=0.0225) * 16
    fit, curve = gdpnum.fit_gdp(run, slack=slack), gdpnum.tradeoff_curve(run)
    epsilons = np.linspace(0.0, 20.0 * fit.mu, 401)
    summary = np.array([gdpnum.delta_from_mu(fit.mu, e) for e in epsilons]) + slack
    known = np.max((summary - curve.delta(epsilons)) / (1.0 + np.exp(epsilons)))
    assert known * (1.0 - 1e-4) <= fit.regret <= 1.2 * known
