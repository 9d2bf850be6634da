"""Selection: no instance beats the pairs of bounded range, and some meet them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaln, ndtr

import gdpnum
from gdpnum import ExponentialMechanism, ReportNoisyMax, fit_gdp, tradeoff_curve
from gdpnum.pairs.bounded_range import block_pair, blocks
from tests.examples import examples

EPSILONS = np.linspace(0.0, 3.0, 61)


def profile(p, q, epsilons=EPSILONS):
    """sum (p - exp(eps) q)+ by the definition."""
    return np.maximum(np.asarray(p) - np.exp(epsilons)[:, None] * np.asarray(q), 0.0).sum(axis=1)


def softmax(weights):
    weights = np.exp(weights - np.max(weights))
    return weights / weights.sum()


# --- one release ----------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.floats(-6, 6), st.floats(-1, 1)), min_size=2, max_size=6),
    st.sampled_from([0.2, 1.0, 2.5]),
)
def test_no_exponential_mechanism_beats_its_curve(scores, epsilon):
    score, change = np.array(scores).T
    p, q = softmax(0.5 * epsilon * score), softmax(0.5 * epsilon * (score + change))
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon))
    for one, other in ((p, q), (q, p)):
        assert (curve.delta(EPSILONS) >= profile(one, other) - 1e-12).all()


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 60.0])
def test_two_candidates_meet_it(epsilon):
    """At each x the two candidates whose loss is (x + eps) / 2 or (x - eps) / 2."""
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon), tolerance=1e-5)
    for x in np.linspace(0.0, 0.99 * epsilon, 7):
        t = 0.5 * (x + epsilon)
        upper = -math.expm1(t - epsilon) / -math.expm1(-epsilon)
        exact = upper * -math.expm1(x - t)
        # The losses are those of scores 0 and z that move by one against each other.
        z = math.log(upper / (1.0 - upper)) if upper < 1.0 else math.inf
        p, q = 1.0 / (1.0 + math.exp(-z)), 1.0 / (1.0 + math.exp(epsilon - z))
        assert p - math.exp(x) * q == pytest.approx(exact, rel=1e-6, abs=1e-13)
        assert exact * (1.0 - 1e-12) <= curve.delta(x) <= exact * (1.0 + 2e-5) + 2e-5 * epsilon**2


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_curve_is_that_of_logistic_noise(epsilon):
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon), tolerance=1e-5)
    alphas = np.linspace(0.001, 0.999, 200)
    exact = (1.0 - alphas) / (1.0 + math.expm1(epsilon) * alphas)
    assert (curve.beta(alphas) <= exact + 1e-12).all()
    assert (curve.beta(alphas) >= exact - 1e-5).all()


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 4.0, 20.0])
def test_mu_without_slack_is_that_of_half_the_epsilon(epsilon):
    mu = fit_gdp(ExponentialMechanism(epsilon=epsilon), slack=0.0).mu
    # The fixed point of the curve, from both sides.
    miss = 1.0 / (1.0 + math.exp(0.5 * epsilon))
    assert 2.0 * float(ndtr(-0.5 * mu)) == pytest.approx(2.0 * miss, rel=1e-12)
    # And nowhere does the curve call for more.
    z = np.linspace(0.0, 0.5 * epsilon + 30.0, 4001)
    alphas = 1.0 / (1.0 + np.exp(z + 0.5 * epsilon))
    betas = 1.0 / (1.0 + np.exp(0.5 * epsilon - z))
    allowed = np.asarray(gdpnum.GDP(mu=mu).curve().beta(alphas))
    assert (allowed <= betas + 1e-14).all()


NOISES = {
    "gumbel": (lambda z: math.exp(-z - math.exp(-z)), lambda z: math.exp(-math.exp(-z))),
    "exponential": (
        lambda z: math.exp(-z) if z > 0 else 0.0,
        lambda z: -math.expm1(-z) if z > 0 else 0.0,
    ),
    "laplace": (
        lambda z: 0.5 * math.exp(-abs(z)),
        lambda z: 0.5 * math.exp(z) if z < 0 else 1.0 - 0.5 * math.exp(-z),
    ),
}


def chosen(scores, noise):
    """The probability of each candidate, by integrating over its noisy score."""
    density, below = NOISES[noise]

    def won(i):
        def inside(z):
            others = (below(z - s) for j, s in enumerate(scores) if j != i)
            return density(z - scores[i]) * math.prod(others)

        breaks = sorted(set(scores))
        return quad(inside, -12.0, 40.0, points=breaks, limit=400, epsabs=1e-12)[0]

    return np.array([won(i) for i in range(len(scores))])


@examples(12)
@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(-1, 1)), min_size=2, max_size=4),
    st.sampled_from(list(NOISES)),
)
def test_no_report_of_a_noisy_maximum_beats_its_curve(scores, noise):
    scale = 1.5
    score, change = np.array(scores).T
    p, q = chosen(list(score / scale), noise), chosen(list((score + change) / scale), noise)
    curve = tradeoff_curve(ReportNoisyMax(scale=scale, noise=noise))
    monotone = tradeoff_curve(ReportNoisyMax(scale=scale, noise=noise, monotonic=True))
    for one, other in ((p, q), (q, p)):
        assert (curve.delta(EPSILONS) >= profile(one, other) - 1e-9).all()
    up = chosen(list((score + np.abs(change)) / scale), noise)
    for one, other in ((p, up), (up, p)):
        assert (monotone.delta(EPSILONS) >= profile(one, other) - 1e-9).all()


def test_gumbel_noise_is_the_exponential_mechanism():
    scores = [0.3, -0.2, 1.1]
    assert chosen(scores, "gumbel") == pytest.approx(softmax(np.array(scores)), abs=1e-9)
    one = tradeoff_curve(ReportNoisyMax(scale=4.0))
    assert one == tradeoff_curve(ExponentialMechanism(epsilon=0.5))


def test_two_candidates_with_exponential_noise_meet_the_laplace_curve():
    """Permute-and-flip: the difference of two exponentials is Laplace noise."""
    curve = tradeoff_curve(ReportNoisyMax(scale=2.0, noise="exponential"))
    for z in (0.2, 0.5, 0.9):
        p, q = chosen([0.5, 0.5 - z + 0.5], "exponential"), chosen([0.0, 1.5 - z], "exponential")
        alpha, tpr = q[0], p[0]
        assert curve.tpr(alpha) >= tpr - 1e-9
        assert curve.tpr(alpha) <= tpr + 1e-3


# --- several --------------------------------------------------------------------------------------


def two_losses(epsilon, t):
    """The worst pair whose losses are t and t - epsilon: P masses."""
    upper = -math.expm1(t - epsilon) / -math.expm1(-epsilon)
    return [(t, upper), (t - epsilon, 1.0 - upper)]


def tree(epsilon, depth, rng):
    """Losses and P masses after some releases, each t drawn by itself at each node."""
    leaves = [(0.0, 1.0)]
    for _ in range(depth):
        leaves = [
            (loss + more, mass * share)
            for loss, mass in leaves
            for more, share in two_losses(epsilon, epsilon * rng.uniform())
        ]
    return np.array(leaves).T


@pytest.mark.parametrize(("epsilon", "times"), [(1.0, 2), (0.3, 5), (2.5, 3), (8.0, 2)])
def test_no_adaptive_attack_beats_the_block(epsilon, times):
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon) * times)
    x = np.linspace(0.0, times * epsilon, 60)
    bound = np.asarray(curve.delta(x))
    rng = np.random.default_rng(7)
    for _ in range(60):
        losses, masses = tree(epsilon, times, rng)
        shown = (masses * np.maximum(0.0, -np.expm1(np.minimum(x[:, None] - losses, 0.0)))).sum(1)
        assert (bound >= shown - 1e-13).all()


def best(epsilon, times, x, grid):
    """The best profile with every t on a grid that divides epsilon: attained, so from below."""
    step = epsilon / grid
    nodes = np.arange(-times * grid * 2, times * grid * 2 + 1) * step
    values = np.maximum(0.0, -np.expm1(np.minimum(nodes, 0.0)))
    values[nodes > 0.0] = 0.0
    for _ in range(times):
        tried = []
        for c in range(grid + 1):
            (_, upper), (_, lower) = two_losses(epsilon, c * step)
            up, down = np.roll(values, c), np.roll(values, c - grid)
            tried.append(upper * up + lower * down)
        values = np.max(tried, axis=0)
        values[: 2 * grid], values[-2 * grid :] = 1.0 - np.exp(nodes[: 2 * grid]), 0.0
    return np.interp(x, nodes, values)


@pytest.mark.parametrize(("epsilon", "times"), [(1.0, 2), (0.3, 8), (3.0, 4)])
def test_the_best_attack_has_an_epsilon_within_a_per_cent_of_the_block(epsilon, times):
    grid = 60
    x = np.arange(0, int(0.6 * times * grid), 17) * (epsilon / grid)
    exact = best(epsilon, times, x, grid)
    found = np.asarray(
        tradeoff_curve(ExponentialMechanism(epsilon=epsilon) * times, tolerance=1e-5).delta(x)
    )
    assert (found >= exact * (1.0 - 1e-9)).all()
    assert (found <= best(epsilon, times, 0.99 * x, grid) * 1.003).all()


def zcdp_epsilon(epsilon, times, delta):
    """By bounded range in RDP, as dp-accounting does (there the count is left out), and CKS."""
    orders = 1.0 + np.geomspace(1e-3, 1e4, 20_000)
    xi = epsilon / math.expm1(epsilon) - 1.0 - math.log(epsilon / math.expm1(epsilon))
    xi -= epsilon**2 / 8.0
    rdp = times * np.minimum(xi + epsilon**2 / 8.0 * orders, epsilon)
    return float((rdp + np.log1p(-1.0 / orders) - np.log(delta * orders) / (orders - 1.0)).min())


def pure_epsilon(epsilon, times, delta):
    """By randomised responses, as dp-accounting's loss distributions do."""
    j = np.arange(times + 1)
    log = gammaln(times + 1) - gammaln(j + 1) - gammaln(times - j + 1)
    masses = np.exp(
        log - j * np.log1p(math.exp(-epsilon)) - (times - j) * np.log1p(math.exp(epsilon))
    )
    x = np.linspace(0.0, times * epsilon, 2001)
    losses = (2 * j - times) * epsilon
    deltas = (masses * np.maximum(0.0, -np.expm1(np.minimum(x[:, None] - losses, 0.0)))).sum(1)
    return float(x[max(0, np.argmax(deltas <= delta) - 1)])


@pytest.mark.parametrize("delta", [1e-5, 1e-9])
@pytest.mark.parametrize(
    ("epsilon", "times"), [(0.1, 1), (0.1, 10), (0.1, 100), (1.0, 3), (1.0, 50), (3.0, 5)]
)
def test_it_is_tighter_than_both_bounds_of_dp_accounting(epsilon, times, delta):
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon) * times)
    found = curve.epsilon(delta)
    assert found <= zcdp_epsilon(epsilon, times, delta)
    assert found <= pure_epsilon(epsilon, times, delta) + epsilon * times / 2000


@pytest.mark.parametrize(("epsilon", "times"), [(0.1, 300), (1.0, 200)])
def test_many_blocks_are_still_tighter(epsilon, times):
    curve = tradeoff_curve(ExponentialMechanism(epsilon=epsilon) * times)
    assert curve.epsilon(1e-5) <= zcdp_epsilon(epsilon, times, 1e-5)
    # The limit: nothing below mu = eps sqrt(times) / 2, as all t at eps / 2 show.
    fit = fit_gdp(ExponentialMechanism(epsilon=epsilon) * times)
    assert fit.mu_lower <= fit.mu <= 1.01 * max(fit.mu_lower, 0.5 * epsilon * math.sqrt(times))


def test_selections_and_noise_together():
    """Two releases at any fixed t with Gaussian noise: a sum over four losses, exactly."""
    epsilon, mu = 0.8, 0.7
    curve = tradeoff_curve(
        ExponentialMechanism(epsilon=epsilon) * 2 + gdpnum.Gaussian(sigma=1 / mu)
    )
    gaussian = gdpnum.GDP(mu=mu).curve()
    x = np.linspace(0.0, 3.0, 40)
    for t, u in ((0.4, 0.4), (0.1, 0.7), (0.8, 0.3)):
        exact = sum(
            p * r * np.asarray(gaussian.delta(x - one - other))
            for one, p in two_losses(epsilon, t)
            for other, r in two_losses(epsilon, u)
        )
        assert (np.asarray(curve.delta(x)) >= exact - 1e-12).all()


def test_regret_is_against_neighbours_that_exist():
    """All t at eps / 2 are randomised responses: no regret below what they show."""
    run = ExponentialMechanism(epsilon=1.0) * 3
    fit = fit_gdp(run)
    real = tradeoff_curve(gdpnum.RandomizedResponse(epsilon=0.5) * 3)
    assert fit.regret >= gdpnum.delta_divergence(real, gdpnum.GDP(mu=fit.mu).curve()).value - 1e-9
    assert fit.mu_lower <= fit_gdp(gdpnum.RandomizedResponse(epsilon=0.5) * 3).mu
    laplace = fit_gdp(ReportNoisyMax(scale=1.0, noise="laplace"))
    assert laplace.mu_lower < 0.9 * laplace.mu


def test_blocks_add_up_and_pairs_are_distributions():
    for epsilon in (1e-9, 1e-3, 0.1, 3.0, 70.0, 500.0):
        for times in (1, 2, 7, 129, 1000):
            assert sum(size * often for size, often in blocks(epsilon, times)) == times
    for epsilon, times in ((0.05, 128), (3.0, 30), (40.0, 2)):
        pair = block_pair(epsilon, times)
        losses, p, q = pair.points()
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        assert q.sum() == pytest.approx(1.0, abs=1e-12)
        assert (p >= 0.0).all()
        assert losses[-1] == pytest.approx(times * epsilon)
        held = (p > 1e-280) & (q > 1e-280)
        assert np.log(p[held] / q[held]) == pytest.approx(losses[held], rel=1e-9, abs=1e-9)


def test_it_runs_where_numpy_raises():
    with np.errstate(all="raise"):
        assert block_pair(0.2, 40).highest == pytest.approx(8.0)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-12, 1e-6, 300.0])
@pytest.mark.parametrize("times", [1, 3])
def test_extremes_are_finite_and_sound(epsilon, times):
    run = ExponentialMechanism(epsilon=epsilon) * times
    exact = math.tanh(0.25 * epsilon)  # the advantage of one release
    curve = tradeoff_curve(run)
    assert curve.advantage >= exact * (1.0 - 1e-12)
    assert math.isfinite(fit_gdp(run).mu)


def test_no_privacy_is_told_apart_from_a_number():
    with pytest.raises(gdpnum.BudgetExceeded, match="no privacy at all"):
        tradeoff_curve(ExponentialMechanism(epsilon=1e5))


def test_nothing_is_revealed_at_epsilon_zero():
    assert fit_gdp(ExponentialMechanism(epsilon=0.0) * 5).mu == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ExponentialMechanism(epsilon=-1.0), "epsilon=-1.0 is negative"),
        (lambda: ReportNoisyMax(scale=0.0), "scale=0.0 is not positive"),
        (lambda: ReportNoisyMax(scale=1.0, noise="gaussian"), "noise='gaussian' is not an option"),
        (lambda: ReportNoisyMax(scale=1.0, monotonic=1), "monotonic=1 is not an option"),
    ],
)
def test_what_is_no_selection_is_refused(make, message):
    with pytest.raises(gdpnum.InvalidArgument, match=message):
        make()
