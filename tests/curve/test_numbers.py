"""Curves from numbers: what they say, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import GDP, ApproxDP, InvalidArgument, InvalidType, TradeoffCurve
from tests.curves import curves, profile, symmetric_curves, vertex_lists
from tests.oracles import gaussian_dp

GRID = np.linspace(0.0, 1.0, 257)
EPSILONS = np.array([-4.0, -1.0, -0.2, 0.0, 0.1, 0.7, 1.0, 3.0, 9.0])

# --- vertices -----------------------------------------------------------------------------------


@given(vertex_lists())
def test_a_curve_passes_through_its_vertices_and_is_straight_between(points):
    curve = TradeoffCurve.from_vertices(*points)
    alphas, betas = points
    lowest = np.array([betas[alphas == alpha].min() for alpha in np.unique(alphas)])
    assert curve.beta(GRID) == pytest.approx(np.interp(GRID, np.unique(alphas), lowest), abs=1e-14)


@given(vertex_lists(), st.sampled_from(EPSILONS.tolist()))
def test_its_profile_is_the_conjugate_of_the_curve(points, epsilon):
    curve = TradeoffCurve.from_vertices(*points)
    assert curve.delta(epsilon) == pytest.approx(profile(points, epsilon), abs=1e-13)


@given(vertex_lists())
def test_tpr_and_beta_add_up_to_one(points):
    curve = TradeoffCurve.from_vertices(*points)
    assert curve.tpr(GRID) + curve.beta(GRID) == pytest.approx(1.0, abs=1e-14)


@given(curves)
def test_the_inverse_exchanges_the_errors(curve):
    inverse = curve.inverse()
    alphas, betas = curve.vertices
    # Where the curve is strictly falling it can be read both ways.
    falling = np.flatnonzero(np.diff(betas) < 0.0)
    assert inverse.beta(betas[falling]) == pytest.approx(alphas[falling], abs=1e-12)
    assert inverse.inverse() == curve


@given(curves)
def test_symmetrised_is_the_convex_hull_of_the_curve_and_its_inverse(curve):
    """In profiles: the larger of the two."""
    hull = curve.symmetrised()
    larger = np.maximum(curve.delta(EPSILONS), curve.inverse().delta(EPSILONS))
    assert hull.delta(EPSILONS) == pytest.approx(larger, abs=1e-13)
    assert hull.is_symmetric
    assert hull <= curve
    assert hull <= curve.inverse()


@given(curves)
def test_symmetrising_twice_changes_nothing(curve):
    once = curve.symmetrised()
    assert once.symmetrised() == once


@given(curves)
def test_a_curve_survives_json_bit_for_bit(curve):
    assert TradeoffCurve.from_json(curve.to_json()) == curve


def test_a_gaussian_curve_survives_json():
    for gdp in (GDP(mu=1.25), GDP(mu=0.0), GDP(mu=2.0, slack=1e-9)):
        assert TradeoffCurve.from_json(gdp.curve().to_json()) == gdp.curve()


REFUSED = [
    ([0.0, 0.5, 1.0], [1.0, 0.5], r"alphas has 3 entries and betas 2"),
    ([0.0], [1.0], "fewer than 2"),
    ([0.0, 0.2, 0.4, 1.0], [1.0, 0.7, 0.6, 0.0], r"alphas\[2\]=0.4, betas\[2\]=0.6 .*convex"),
    ([0.0, 0.2, 1.0], [0.5, 0.6, 0.0], r"betas\[1\]=0.6 exceeds betas\[0\]=0.5"),
    ([0.0, 0.5, 1.0], [1.0, 0.6, 0.0], r"betas\[1\]=0.6 is above 1 - alphas\[1\]=0.5"),
    ([0.0, 0.5, 0.2, 1.0], [1.0, 0.2, 0.1, 0.0], r"alphas\[2\]=0.2 is below alphas\[1\]=0.5"),
    ([0.1, 1.0], [0.5, 0.0], r"alphas\[0\]=0.1 is not 0"),
    ([0.0, 0.5], [1.0, 0.2], r"betas\[1\]=0.2 is not 0"),
    ([0.0, np.nan, 1.0], [1.0, 0.2, 0.0], r"alphas\[1\]=nan is outside \[0, 1\]"),
    ([0.0, 0.5, 1.0], [1.0, -0.2, 0.0], r"betas\[1\]=-0.2 is outside \[0, 1\]"),
    ([], [], "alphas=.* has the shape"),
]


@pytest.mark.parametrize(("alphas", "betas", "message"), REFUSED)
def test_what_is_no_curve_is_refused_by_its_first_bad_entry(alphas, betas, message):
    with pytest.raises(InvalidArgument, match=message):
        TradeoffCurve.from_vertices(alphas, betas)


def test_words_are_no_vertices():
    with pytest.raises(InvalidType, match=r"alphas=.* not a number"):
        TradeoffCurve.from_vertices(["a", "b"], [1.0, 0.0])


# --- samples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("count", [2, 3, 5, 17, 200])
def test_samples_of_a_smooth_curve_become_a_curve_below_it(mu, count):
    truth = GDP(mu=mu).curve()
    alphas = np.linspace(0.01, 0.99, count)
    bound = TradeoffCurve.from_samples(alphas, truth.beta(alphas))
    assert (bound.beta(GRID) <= truth.beta(GRID) + 1e-13).all()


def test_samples_read_as_vertices_would_flatter():
    """Chords of a convex curve lie above it: this is why the two have different names."""
    truth = GDP(mu=1.0).curve()
    alphas = np.linspace(0.0, 1.0, 6)
    chords = TradeoffCurve.from_vertices(alphas, truth.beta(alphas))
    assert (chords.beta(GRID) > truth.beta(GRID) + 0.01).any()


def test_many_samples_tell_the_curve():
    truth = GDP(mu=1.0).curve()
    alphas = np.linspace(0.0, 1.0, 4001)
    bound = TradeoffCurve.from_samples(alphas, truth.beta(alphas))
    assert bound.beta(GRID[1:-1]) == pytest.approx(truth.beta(GRID[1:-1]), abs=2e-5)


@given(vertex_lists(), vertex_lists())
def test_no_convex_curve_through_the_samples_lies_below_the_bound(one, other):
    """Two curves sampled at the same alphas: each is a candidate for its own samples."""
    for points in (one, other):
        curve = TradeoffCurve.from_vertices(*points)
        alphas = np.linspace(0.07, 0.83, 5)
        bound = TradeoffCurve.from_samples(alphas, curve.beta(alphas))
        assert (bound.beta(GRID) <= curve.beta(GRID) + 1e-12).all()


def test_samples_of_a_concave_function_are_refused():
    with pytest.raises(InvalidArgument, match=r"alphas\[1\]=0.5.*samples of a trade-off curve"):
        TradeoffCurve.from_samples([0.25, 0.5, 0.75], [0.5, 0.45, 0.1])


# --- profiles -----------------------------------------------------------------------------------


@given(symmetric_curves)
def test_curve_to_profile_to_curve_is_the_identity(curve):
    knots = np.unique(np.append(0.0, curve.knots))
    again = TradeoffCurve.from_profile(knots, curve.delta(knots))
    assert again.beta(GRID) == pytest.approx(curve.beta(GRID), abs=1e-12)
    assert again.delta(EPSILONS) == pytest.approx(curve.delta(EPSILONS), abs=1e-12)
    assert TradeoffCurve.from_profile(curve.profile()) == curve


@pytest.mark.parametrize("mu", [0.05, 1.0, 6.0])
def test_a_sampled_profile_is_read_pessimistically(mu):
    """Between epsilons it may only be above the truth: convex in exp(eps), joined by chords."""
    truth = GDP(mu=mu).curve()
    knots = np.linspace(0.0, 5.0 * mu, 9)
    curve = TradeoffCurve.from_profile(knots, truth.delta(knots))
    between = np.linspace(0.0, 6.0 * mu, 501)
    assert (curve.delta(between) >= truth.delta(between) - 1e-15).all()
    assert (curve.beta(GRID) <= truth.beta(GRID) + 1e-15).all()
    # In exp(eps) the chord is straight.
    x = np.exp(between)
    inside = between <= knots[-1]
    chords = np.interp(x, np.exp(knots), truth.delta(knots))
    assert curve.delta(between)[inside] == pytest.approx(chords[inside], abs=1e-12)


@pytest.mark.parametrize("mu", [1e-3, 1.0, 8.0])
def test_a_profile_function_tells_the_curve(mu):
    curve = TradeoffCurve.from_profile(lambda eps: float(gaussian_dp.gdp_delta(eps, mu)))
    truth = GDP(mu=mu).curve()
    assert (curve.beta(GRID) <= truth.beta(GRID) + 1e-13).all()
    assert curve.beta(GRID) == pytest.approx(truth.beta(GRID), abs=1e-5)


def test_one_claim_is_the_curve_of_approx_dp():
    curve = TradeoffCurve.from_profile([1.5], [0.01])
    assert curve == ApproxDP(epsilon=1.5, delta=0.01).curve()


def test_a_claim_worse_than_others_imply_changes_nothing():
    """Claims at 1 and 3 imply one at 2 that a sloppy table may exceed."""
    curve = TradeoffCurve.from_profile([1.0, 2.0, 3.0], [0.1, 0.1, 0.0])
    assert curve == TradeoffCurve.from_profile([1.0, 3.0], [0.1, 0.0])


@pytest.mark.parametrize(
    ("epsilons", "deltas", "message"),
    [
        ([0.0, 1.0], [0.1], "profile has 2 entries and deltas 1"),
        ([0.0, 1.0], [0.1, 0.2], r"deltas\[1\]=0.2 exceeds deltas\[0\]=0.1.*does not increase"),
        ([1.0, 0.5], [0.1, 0.0], r"profile\[1\]=0.5 does not exceed profile\[0\]=1.0"),
        ([-1.0, 0.5], [0.1, 0.0], r"profile\[0\]=-1.0 is not a finite number of at least 0"),
        ([0.0, np.inf], [0.1, 0.0], r"profile\[1\]=inf"),
        ([0.0, 1.0], [0.1, np.nan], r"deltas\[1\]=nan is outside \[0, 1\]"),
    ],
)
def test_what_is_no_profile_is_refused_by_its_first_bad_entry(epsilons, deltas, message):
    with pytest.raises(InvalidArgument, match=message):
        TradeoffCurve.from_profile(epsilons, deltas)


def test_a_profile_function_that_returns_no_delta_is_refused():
    with pytest.raises(InvalidArgument, match=r"returns nan at epsilon"):
        TradeoffCurve.from_profile(lambda _: float("nan"))
    with pytest.raises(InvalidArgument, match="increases"):
        TradeoffCurve.from_profile(lambda epsilon: 0.1 if epsilon > 0.5 else 0.0)
    with pytest.raises(InvalidType, match="deltas is missing"):
        TradeoffCurve.from_profile([0.0, 1.0])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"curve": "spline"}', '{"curve": "gaussian", "mu": -1, "slack": 0}',
     '{"curve": "piecewise", "steep": {}, "flat": null}',
     '{"curve": "piecewise", "flat": null, "steep": {"epsilons": [1, 0], "log_alphas": [-1, -1],'
     ' "tprs": [1, 1], "mass_at_infinity": 0}}'],
)  # fmt: skip
def test_json_that_is_no_curve_is_refused(text):
    with pytest.raises(InvalidArgument, match="to_json"):
        TradeoffCurve.from_json(text)
