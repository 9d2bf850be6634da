"""The best of several runs: never below an attack, and close to it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv, ndtr, ndtri

import gdpnum
from gdpnum import (
    DPSGD,
    GDP,
    BestOf,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PureDP,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.curve.tuning import (
    _density,
    _hinges,
    runs_bound,
    selection_bound,
)
from gdpnum.mechanisms.tuning import mean_of, tuned
from tests.examples import examples


def best(mu, **given):
    return BestOf(Gaussian(sigma=1.0 / mu), **given)


def generating_slope(run, u):
    """phi'(u), from the chances of K themselves."""
    k, total = np.arange(1, 20_000), None
    if run.number == "poisson":
        from scipy.special import gammaln

        logs = k * math.log(run.mean) - run.mean - gammaln(k + 1.0)
        chances = np.exp(logs)
    else:
        from scipy.special import gammaln

        eta, gamma = run.shape, run.gamma
        if eta == 0.0:
            chances = (1.0 - gamma) ** k / (k * math.log(1.0 / gamma))
        else:
            sign = 1.0 if eta > 0.0 else -1.0
            # Gamma(k + eta) / (k! Gamma(eta)), both signs for -1 < eta < 0.
            logs = gammaln(k + eta) - gammaln(k + 1.0) - gammaln(eta) + k * math.log1p(-gamma)
            chances = sign * np.exp(logs) / (gamma**-eta - 1.0)
    total = (chances * k * u ** (k - 1.0)).sum()
    return float(total), float((chances * k).sum()), float(chances.sum())


@pytest.mark.parametrize(
    "law",
    [
        {"number": "geometric", "mean": 10},
        {"number": "poisson", "mean": 4.5},
        {"number": "truncated_negative_binomial", "eta": 0.0, "gamma": 0.1},
        {"number": "truncated_negative_binomial", "eta": 0.5, "mean": 7.0},
        {"number": "truncated_negative_binomial", "eta": -0.5, "gamma": 0.05},
        {"number": "truncated_negative_binomial", "eta": 3.0, "gamma": 0.4},
    ],
)
def test_the_density_of_the_winner_is_that_of_the_law(law):
    run = best(0.5, **law)
    for u in (0.0, 0.3, 0.9, 1.0):
        slope, mean, total = generating_slope(run, u)
        assert float(_density(run, np.array([1.0 - u]))[0]) == pytest.approx(slope, rel=1e-9)
        assert run.mean == pytest.approx(mean, rel=1e-9)
        assert total == pytest.approx(
            1.0 - math.exp(-run.mean) if law["number"] == "poisson" else 1.0, rel=1e-9
        )


def plain_delta(tuned, run, epsilon):
    """E[K] delta_run(eps - log c), c the largest phi'(u) / phi'(f(1 - u)): the looser bound."""
    bound = selection_bound(tuned, run)
    return bound.weights.sum() * run.delta(epsilon + bound.shifts[0])


@pytest.mark.parametrize(
    ("mu", "mean", "delta", "page", "attack"),
    [
        (0.665, 10, 1e-5, 4.2663, 4.087),
        (0.5, 10, 1e-5, 3.1463, 2.995),
        (1.0, 20, 1e-6, 7.7069, 7.463),
    ],
)
def test_known_values_of_the_geometric_law(mu, mean, delta, page, attack):
    run = best(mu, number="geometric", mean=mean)
    found = tradeoff_curve(run).epsilon(delta)
    assert attack < found < page
    # The programme of the design page, which this bound attains without a solver.
    assert found < attack + 0.04
    plain = plain_delta(run, GDP(mu=mu).curve(), page)
    assert delta * (1.0 - 2e-3) <= plain <= delta * 1.015


def test_the_headline_is_at_most_what_is_asked_for():
    found = tradeoff_curve(best(0.665, number="geometric", mean=10)).epsilon(1e-5)
    assert 4.087 <= found <= 4.267


@pytest.mark.parametrize(
    ("law", "page"),
    [
        ({"number": "truncated_negative_binomial", "eta": 0.0, "gamma": 0.1}, 2.5971),
        ({"number": "poisson", "mean": 10}, 4.2282),
    ],
)
def test_known_values_of_other_laws(law, page):
    run = best(0.5, **law)
    assert tradeoff_curve(run).epsilon(1e-5) < page
    assert plain_delta(run, GDP(mu=0.5).curve(), page) == pytest.approx(1e-5, rel=0.015)


# --- attacks ------------------------------------------------------------------------------------


def attacked(run, mu, epsilons, order):
    """The profile of the winner where the score is a given order of the outcomes, by cells.

    ``order`` puts the cells of the outcome in the order of their score; P and Q masses of each cell
    are exact, and within a cell ties are broken at random, so the selection is one that exists.
    """
    edges = np.linspace(-9.0, 9.0 + mu, 4001)
    z = np.concatenate([[-np.inf], edges, [np.inf]])
    p, q = np.diff(ndtr(z - mu)), np.diff(ndtr(z))
    # The upper tail from its own side.
    p[-1], q[-1] = ndtr(mu - edges[-1]), ndtr(-edges[-1])
    p, q = p[order], q[order]
    results = []
    for first, second in ((p, q), (q, p)):
        up, down = np.append(0.0, np.cumsum(first)), np.append(0.0, np.cumsum(second))

        def won(levels):
            # phi at the levels, by integrating its slope: the chance that the winner is below.
            return _generating(run, np.minimum(levels, 1.0))

        a, b = np.diff(won(up)), np.diff(won(down))
        results.append([float(np.maximum(a - math.exp(e) * b, 0.0).sum()) for e in epsilons])
    return np.maximum(*results)


def _generating(run, u):
    if run.number == "poisson":
        return np.exp(run.mean * (u - 1.0))
    eta, gamma = run.shape, run.gamma
    if eta == 0.0:
        return np.log1p(-(1.0 - gamma) * u) / math.log(gamma)
    return ((1.0 - (1.0 - gamma) * u) ** -eta - 1.0) / (gamma**-eta - 1.0)


LAWS = [
    {"number": "geometric", "mean": 10},
    {"number": "geometric", "mean": 2},
    {"number": "poisson", "mean": 10},
    {"number": "truncated_negative_binomial", "eta": 0.0, "gamma": 0.1},
    {"number": "truncated_negative_binomial", "eta": 2.0, "gamma": 0.2},
    {"number": "truncated_negative_binomial", "eta": -0.5, "gamma": 0.05},
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("mu", [0.3, 1.0])
def test_no_order_of_the_outcomes_beats_the_bound(law, mu):
    run = best(mu, **law)
    curve = tradeoff_curve(run)
    epsilons = np.array([0.0, 0.1, 0.3, 1.0, 2.0, 4.0])
    bound = curve.delta(epsilons)
    cells = 4002
    rng = np.random.default_rng(7)
    rising = np.arange(cells)
    orders = [rising, rising[::-1], rng.permutation(cells)]
    # High losses above everything but the very top, which low losses hold: the score of the
    # attack that comes closest.
    for split in (0.3, 0.5, 0.8, 0.95):
        cut = int(split * cells)
        orders.append(np.concatenate([rising[cut:], rising[:cut]]))
        orders.append(np.concatenate([rising[cut:], rising[:cut]])[::-1])
    for order in orders:
        assert np.all(attacked(run, mu, epsilons, order) <= bound + 1e-9)


def test_an_attack_comes_close_where_epsilon_is_large():
    run = best(0.665, number="geometric", mean=10)
    # Scores that put the outcomes of the largest losses where phi' gains most.
    cells = np.arange(4002)
    epsilons = np.array([4.05])
    reached = max(
        float(attacked(run, 0.665, epsilons, np.concatenate([lower, top, upper]))[0])
        for cut in range(1800, 3000, 50)
        for tail in (3000, 3200, 3400)
        if tail > cut
        for lower, upper, top in [(cells[cut:tail], cells[:cut], cells[tail:])]
    )
    # Within .1 in epsilon of the bound.
    assert reached >= 0.5 * tradeoff_curve(run).delta(4.15)


@pytest.mark.parametrize("law", LAWS[:4], ids=repr)
def test_a_simulated_selection_never_beats_the_bound(law):
    """Two Gaussians and a score, K drawn, the best kept: the attack sees the winner only."""
    mu, trials = 0.8, 200_000
    run = best(mu, **law)
    rng = np.random.default_rng(99)

    def numbers():
        if run.number == "poisson":
            return rng.poisson(run.mean, trials)
        levels = _generating_chances(run)
        return 1 + np.searchsorted(np.cumsum(levels), rng.random(trials))

    def winners(shift, score_sign):
        counts = numbers()
        # The largest of K normals: the quantile at U^(1/K). None where there is no run.
        uniform = rng.random(trials) ** (1.0 / np.maximum(counts, 1))
        best_score = ndtri(uniform) + score_sign * shift
        return score_sign * best_score[counts > 0], int((counts == 0).sum())

    curve = tradeoff_curve(run)
    for sign in (1.0, -1.0):
        with_record, _ = winners(mu, sign)
        without, _ = winners(0.0, sign)
        for threshold in np.quantile(without, [0.1, 0.5, 0.9, 0.99]):
            hits, false = int((with_record > threshold).sum()), int((without > threshold).sum())
            tpr = float(betaincinv(hits, trials - hits + 1, 1e-7)) if hits else 0.0
            fpr = float(betaincinv(false + 1, trials - false, 1.0 - 1e-7))
            assert tpr <= curve.tpr(fpr)


def _generating_chances(run):
    k = np.arange(1, 3000)
    ratios = (1.0 - run.gamma) * (k[:-1] + run.shape) / (k[:-1] + 1.0)
    chances = np.cumprod(np.append(1.0, ratios))
    return chances / chances.sum()


# --- what the bound is made of ------------------------------------------------------------------


@examples(60)
@given(st.lists(st.tuples(st.floats(0.01, 10.0), st.floats(0.01, 10.0)), min_size=1, max_size=12))
def test_hinges_make_the_largest_of_the_lines(lines):
    slopes, drops = np.array(lines).T
    weights, shifts = _hinges(slopes.copy(), drops.copy())
    for r in (0.0, 0.1, 0.7, 1.0, 3.0, 30.0, 1e4):
        wanted = max(0.0, float((slopes * r - drops).max()))
        found = float((weights * np.maximum(r - np.exp(shifts), 0.0)).sum())
        # Hinges are merged towards smaller kinks, so never below.
        assert found >= wanted * (1.0 - 1e-9) - 1e-9
    assert weights.sum() == pytest.approx(slopes.max())


def test_weights_sum_to_the_mean_number_of_runs():
    run = best(0.5, number="geometric", mean=10)
    bound = selection_bound(run, GDP(mu=0.5).curve())
    assert 10.0 <= bound.weights.sum() <= 10.0 * (1.0 + 1e-9)


def test_the_number_of_runs_alone_is_a_bound_for_small_epsilon():
    """Sum over k of Pr[K = k] times the advantage of k runs, directly."""
    run = best(0.5, number="geometric", mean=10)
    k = np.arange(1, 400)
    exact = float((0.1 * 0.9 ** (k - 1) * (2.0 * ndtr(0.25 * np.sqrt(k)) - 1.0)).sum())
    found = runs_bound(run, lambda n: GDP(mu=0.5 * math.sqrt(n)).curve(), growth=1.03)
    assert exact <= found.delta(np.zeros(1))[0] <= exact * 1.01
    assert tradeoff_curve(run).advantage <= exact * 1.01


def test_one_run_always_is_the_run_itself():
    run = DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=100)
    for one in (
        BestOf(run, number=1),
        BestOf(run, number="geometric", mean=1),
        BestOf(run, number="truncated_negative_binomial", eta=0.5, gamma=1.0),
    ):
        assert one.parts == run.parts
        assert fit_gdp(one) == fit_gdp(run)


def test_a_fixed_number_of_runs_counts_each_in_full():
    run = Gaussian(sigma=2.0)
    assert BestOf(run, number=4).parts == (run * 4).parts
    assert fit_gdp(BestOf(run, number=4)).mu == 1.0
    assert BestOf(run, number="fixed", mean=4).parts == (run * 4).parts


def test_more_runs_reveal_more():
    epsilons = [
        tradeoff_curve(best(0.5, number="geometric", mean=mean)).epsilon(1e-5)
        for mean in (1.0, 1.5, 3.0, 10.0, 100.0)
    ]
    assert epsilons == sorted(epsilons)
    assert epsilons[1] < 1.3 * epsilons[0]


def test_pure_dp_stays_pure():
    """Papernot and Steinke: eta + 2 times epsilon, and here no more."""
    run = BestOf(PureDP(epsilon=0.5), number="geometric", mean=10)
    assert tradeoff_curve(run).epsilon(1e-12) <= 1.5 * (1.0 + 1e-6)


def test_tuned_runs_compose_and_are_fitted():
    run = BestOf(
        DPSGD(noise_multiplier=4.0, sample_rate=0.01, steps=200), number="geometric", mean=5
    )
    fit = fit_gdp(run)
    single = fit_gdp(run.run)
    assert single.mu_lower <= fit.mu_lower * (1.0 + 1e-2)
    assert single.mu < fit.mu < math.inf
    assert fit_gdp(run + Gaussian(sigma=20.0)).mu > fit.mu
    assert fit.neighbouring == "add_remove"
    laplace = BestOf(Laplace(scale=10.0), number="poisson", mean=3)
    assert fit_gdp(laplace).mu > fit_gdp(Laplace(scale=10.0)).mu


def test_noise_is_found_for_which_the_tuned_whole_meets_a_target():
    found = gdpnum.calibrate(
        lambda sigma: BestOf(Gaussian(sigma=sigma), number="geometric", mean=10),
        between=(1.5, 3.0),
        tolerance=1e-2,
        epsilon=3.0,
        delta=1e-5,
    )
    assert found.achieved <= 3.0
    assert tradeoff_curve(found.mechanism).epsilon(1e-5) <= 3.0 * (1.0 + 1e-9)
    assert 1.0 / found.value == pytest.approx(0.5, rel=0.03)  # see the known values


# --- describing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "repr_"),
    [
        ("best-of-geometric:10", "number='geometric', mean=10.0"),
        ("best-of-poisson:2.5", "number='poisson', mean=2.5"),
        ("best-of-fixed:3", "number=3"),
    ],
)
def test_a_command_line_names_a_tuning(text, repr_):
    assert repr(tuned(Gaussian(sigma=2.0), text)) == f"BestOf(Gaussian(sigma=2.0), {repr_})"


def test_a_command_line_names_negative_binomials():
    run = tuned(Gaussian(sigma=2.0), "best-of-logarithmic:4")
    assert run.eta == 0.0
    assert run.mean == pytest.approx(4.0, rel=1e-12)
    assert tuned(Gaussian(sigma=2.0), "best-of-negative-binomial:4:0.5").eta == 0.5


@pytest.mark.parametrize(
    "text", ["geometric:10", "best-of-geometric", "best-of-x:3", "best-of-poisson:a"]
)
def test_a_tuning_that_is_none_is_refused(text):
    with pytest.raises(InvalidArgument, match="best-of-geometric:MEAN"):
        tuned(Gaussian(sigma=2.0), text)


@examples(40)
@given(st.floats(-0.5, 20.0), st.floats(1.0, 500.0))
def test_gamma_is_found_for_a_mean(eta, mean):
    run = BestOf(Gaussian(sigma=1.0), number="truncated_negative_binomial", eta=eta, mean=mean)
    assert mean_of(eta, run.gamma) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"number": "geometric"}, InvalidArgument, "mean is missing"),
        ({"number": "geometric", "mean": 0.5}, InvalidArgument, "below 1"),
        ({"number": "geometric", "mean": math.nan}, InvalidArgument, "mean"),
        ({"number": "geometric", "mean": 10, "eta": 1.0}, InvalidArgument, "eta"),
        ({"number": "poisson", "mean": 0.0}, InvalidArgument, "mean"),
        ({"number": "uniform", "mean": 10}, InvalidArgument, "number"),
        ({"number": 0}, InvalidArgument, "number"),
        ({"number": 2.5}, InvalidType, "number"),
        ({"number": 3, "mean": 3}, InvalidArgument, "beside"),
        ({"number": "truncated_negative_binomial", "mean": 10}, InvalidArgument, "eta is missing"),
        ({"number": "truncated_negative_binomial", "eta": 0.5}, InvalidArgument, "exactly one"),
        (
            {"number": "truncated_negative_binomial", "eta": -1.0, "mean": 10},
            InvalidArgument,
            "eta",
        ),
        (
            {"number": "truncated_negative_binomial", "eta": -0.95, "mean": 1e5},
            InvalidArgument,
            "out of reach",
        ),
        (
            {"number": "truncated_negative_binomial", "eta": 0.5, "gamma": 1.5},
            InvalidArgument,
            "gamma",
        ),
    ],
)
def test_bad_input_is_refused(given, error, match):
    with pytest.raises(error, match=match):
        BestOf(Gaussian(sigma=1.0), **given)


def test_what_is_no_run_is_refused():
    with pytest.raises(InvalidType, match="run"):
        BestOf(3.0, number=2)


@pytest.mark.parametrize("mu", [1e-6, 0.5, 50.0])
@pytest.mark.parametrize(
    "law",
    [
        {"number": "geometric", "mean": 1e5},
        {"number": "poisson", "mean": 1e4},
        {"number": "poisson", "mean": 1e-3},
        {"number": "truncated_negative_binomial", "eta": 900.0, "gamma": 0.5},
        {"number": "truncated_negative_binomial", "eta": -0.99, "gamma": 0.5},
    ],
    ids=repr,
)
def test_extremes_neither_crash_nor_flatter(law, mu):
    run = best(mu, **law)
    with np.errstate(all="raise"):
        curve = tradeoff_curve(run)
    epsilon = curve.epsilon(1e-6)
    # Given at least one run, the best of them reveals no less than one with a score of no use.
    some = 1.0 - math.exp(-run.mean) if law["number"] == "poisson" else 1.0
    assert epsilon >= GDP(mu=mu).curve().epsilon(min(1.0, 1e-6 / some)) * (1.0 - 1e-9)


@examples(30)
@given(
    st.lists(st.integers(1, 60), min_size=4, max_size=4),
    st.lists(st.integers(1, 60), min_size=4, max_size=4),
    st.sampled_from(LAWS),
)
def test_no_order_of_four_outcomes_beats_the_bound(first, second, law):
    """Every order of the outcomes as the score, exactly, for runs that are no Gaussians."""
    p, q = np.array(first) / sum(first), np.array(second) / sum(second)
    falling = np.argsort(-p / q)
    alphas = np.append(0.0, np.cumsum(q[falling]))
    betas = 1.0 - np.append(0.0, np.cumsum(p[falling]))
    alphas[-1], betas[-1] = 1.0, 0.0
    run = gdpnum.KnownCurve(
        gdpnum.TradeoffCurve.from_samples(alphas, np.maximum(betas, 0.0)).symmetrised()
    )
    tuned_run = BestOf(run, number=law["number"], **{k: v for k, v in law.items() if k != "number"})
    curve = run.tradeoff
    # The two bounds by themselves, without making compositions.
    epsilons = np.array([0.0, 0.2, 0.7, 1.5, 3.0])
    bound = selection_bound(tuned_run, curve).delta(epsilons)
    for order in itertools.permutations(range(4)):
        up, down = (np.append(0.0, np.cumsum(one[list(order)])) for one in (p, q))
        a, b = (np.diff(_generating(tuned_run, np.minimum(one, 1.0))) for one in (up, down))
        for one, other in ((a, b), (b, a)):
            reached = [np.maximum(one - math.exp(e) * other, 0.0).sum() for e in epsilons]
            assert np.all(np.array(reached) <= bound + 1e-12)
