"""Delta-divergence: a metric, in three forms that agree, with a witness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import GDP, ApproxDP, InvalidType, PureDP, TradeoffCurve, delta_divergence
from tests.curves import bayes_error, curves, profile, vertex_lists
from tests.oracles import divergence as naive

PERFECT = TradeoffCurve.from_vertices([0.0, 1.0], [1.0, 0.0])


def kinks(*lists):
    """Every epsilon at which one of the profiles has a kink: log slopes of segments."""
    found = [0.0]
    for alphas, betas in lists:
        run, rise = np.diff(alphas), -np.diff(betas)
        sloped = (run > 0.0) & (rise > 0.0)
        found.extend(np.log(rise[sloped] / run[sloped]))
    return np.array(found)


# --- the three forms ----------------------------------------------------------------------------


@given(vertex_lists(), vertex_lists())
def test_curve_profile_and_bayes_form_agree(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    found = delta_divergence(f, g)
    at = kinks(one, other)
    by_profile = max(0.0, *((profile(other, e) - profile(one, e)) / (1 + np.exp(e)) for e in at))
    priors = np.concatenate([1.0 / (1.0 + np.exp(-at)), [0.0, 1.0]])
    by_bayes = max(0.0, *(bayes_error(one, pi) - bayes_error(other, pi) for pi in priors))
    assert found == pytest.approx(by_profile, abs=1e-12)
    assert found == pytest.approx(by_bayes, abs=1e-12)
    # The curve form: at k = Delta f(alpha + k) - k is nowhere above g, just below it somewhere.
    alphas = np.linspace(0.0, 1.0, 2001)

    def lifted(k):
        moved = alphas + k
        return np.where(moved <= 1.0, f.beta(np.minimum(moved, 1.0)), 0.0) - k

    assert (lifted(found + 1e-12) <= g.beta(alphas) + 1e-12).all()


@given(vertex_lists(), vertex_lists())
def test_the_witness_attains_it(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    found = delta_divergence(f, g)
    if found < 1e-9:
        return
    epsilon, prior, alpha = found.epsilon, found.prior, found.alpha
    assert prior == pytest.approx(1.0 / (1.0 + np.exp(-epsilon)), rel=1e-12)
    gained = profile(other, epsilon) - profile(one, epsilon)
    assert gained / (1.0 + np.exp(epsilon)) == pytest.approx(found, abs=1e-12)
    assert bayes_error(one, prior) - bayes_error(other, prior) == pytest.approx(found, abs=1e-12)
    moved = alpha + found
    lifted = f.beta(min(moved, 1.0)) if moved <= 1.0 + 1e-12 else 0.0
    assert lifted - found == pytest.approx(g.beta(alpha), abs=1e-9)


def test_against_the_definition_on_a_dense_grid():
    """One fixed discrete curve against f_mu, and the other way round."""
    points = ([0.0, 0.05, 0.2, 0.5, 1.0], [0.97, 0.6, 0.3, 0.1, 0.0])
    f, g = TradeoffCurve.from_vertices(*points), GDP(mu=1.7).curve()
    epsilons = np.union1d(np.linspace(-6.0, 6.0, 200_001), kinks(points))

    def naive_profile(epsilon):
        alphas, betas = np.array(points[0])[:, None], np.array(points[1])[:, None]
        return np.max(1.0 - betas - np.exp(epsilon) * alphas, axis=0)

    gain = (np.asarray(g.delta(epsilons)) - naive_profile(epsilons)) / (1.0 + np.exp(epsilons))
    assert delta_divergence(f, g) == pytest.approx(gain.max(), abs=1e-9)
    assert delta_divergence(g, f) == pytest.approx((-gain).max(), abs=1e-9)
    assert delta_divergence(f, g) == pytest.approx(naive.delta_divergence(f.beta, g.beta), abs=1e-4)


# --- a metric -----------------------------------------------------------------------------------


@given(curves)
def test_a_curve_is_at_no_distance_from_itself(curve):
    assert delta_divergence(curve, curve, symmetric=True) == 0.0


@given(curves, curves)
def test_the_symmetric_form_is_symmetric(f, g):
    both = delta_divergence(f, g, symmetric=True)
    assert both == delta_divergence(g, f, symmetric=True)
    assert both == max(delta_divergence(f, g), delta_divergence(g, f))


@given(curves, curves, curves)
def test_the_triangle_inequality_holds(f, g, h):
    for symmetric in (False, True):
        direct = delta_divergence(f, h, symmetric=symmetric)
        first = delta_divergence(f, g, symmetric=symmetric)
        second = delta_divergence(g, h, symmetric=symmetric)
        assert direct <= first + second + 1e-14


@given(curves, curves)
def test_advantages_differ_by_at_most_twice_the_distance(f, g):
    distance = delta_divergence(f, g, symmetric=True)
    assert abs(f.advantage - g.advantage) <= 2.0 * distance + 1e-14


@given(curves)
def test_the_distance_from_perfect_privacy_is_half_the_advantage(f):
    assert delta_divergence(PERFECT, f) == pytest.approx(f.advantage / 2, abs=1e-14)
    assert delta_divergence(f, PERFECT) == 0.0


@given(curves, curves)
def test_it_is_zero_exactly_in_the_blackwell_order(f, g):
    if f <= g:
        assert delta_divergence(f, g) <= 1e-11
    elif delta_divergence(f, g) == 0.0:
        # Then they differ only where no prior sees it, in the last digits.
        alphas = np.linspace(0.0, 1.0, 101)
        assert (f.beta(alphas) <= g.beta(alphas) + 1e-12).all()


# --- Gaussian curves ----------------------------------------------------------------------------


@given(st.floats(0.0, 60.0), st.floats(0.0, 60.0))
def test_two_gaussians_differ_by_half_the_difference_of_their_advantages(mu, other):
    low, high = sorted((GDP(mu=mu), GDP(mu=other)), key=lambda gdp: gdp.mu)
    found = delta_divergence(low, high)
    assert found == pytest.approx((high.advantage - low.advantage) / 2, abs=1e-15)
    assert delta_divergence(high, low) == 0.0
    assert found.epsilon == 0.0


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (GDP(mu=1.0), ApproxDP(epsilon=3.0, delta=0.01)),
        (GDP(mu=2.0, slack=1e-3), PureDP(epsilon=2.0)),
        (GDP(mu=1.0, slack=0.02), GDP(mu=1.03)),
        (GDP(mu=1.03), GDP(mu=1.0, slack=0.02)),
        (GDP(mu=0.5, slack=0.1), GDP(mu=1.5, slack=0.01)),
        (GDP(mu=0.5, slack=0.1), ApproxDP(epsilon=1.0, delta=0.05)),
    ],
    ids=str,
)
def test_a_smooth_curve_is_searched_between_the_kinks(f, g):
    epsilons = np.linspace(0.0, 30.0, 300_001)
    gain = np.asarray(g.curve().delta(epsilons)) - np.asarray(f.curve().delta(epsilons))
    scanned = max(0.0, float((gain / (1.0 + np.exp(epsilons))).max()))
    found = delta_divergence(f, g)
    assert found >= scanned - 1e-15
    assert found == pytest.approx(scanned, abs=1e-9)


def test_a_table_of_a_gaussian_is_far_from_it_between_its_entries():
    """Gaussian mu=1 against its own table at eps {0, 3}: at the kinks they agree."""
    gaussian = GDP(mu=1.0).curve()
    table = TradeoffCurve.from_profile([0.0, 3.0], gaussian.delta([0.0, 3.0]))
    assert delta_divergence(gaussian, table) == pytest.approx(0.060, abs=5e-4)


@pytest.mark.parametrize(
    "f", [GDP(mu=50.0), PureDP(epsilon=700.0), ApproxDP(epsilon=700.0, delta=0.1)]
)
@pytest.mark.parametrize(
    "g", [GDP(mu=50.0), PureDP(epsilon=700.0), GDP(mu=0.0), PureDP(epsilon=0.0)]
)
def test_nothing_overflows(f, g):
    for found in (delta_divergence(f, g), delta_divergence(g, f)):
        assert 0.0 <= found <= 0.5
        assert np.isfinite([found.epsilon, found.prior, found.alpha]).all()


def test_what_has_no_curve_is_refused_by_name():
    with pytest.raises(InvalidType, match=r"g=3\.0 has no trade-off curve"):
        delta_divergence(GDP(mu=1.0), 3.0)
