"""A profile for all real epsilons: the curve of one ordered pair, and back."""

import numpy as np
import pytest
from hypothesis import given

from gdpnum import GDP, ApproxDP, InvalidArgument, TradeoffCurve, fit_gdp
from tests.curves import vertex_lists

GRID = np.linspace(0.0, 1.0, 201)

EPSILONS = np.linspace(-6.0, 6.0, 241)


def knots(curve):
    """Where the profile has a kink, on both sides of 0."""
    found = np.concatenate([-curve.inverse().knots, curve.knots, [0.0]])
    return np.unique(found[np.isfinite(found)])


@given(vertex_lists())
def test_a_curve_is_its_whole_profile(points):
    curve = TradeoffCurve.from_vertices(*points)
    at = knots(curve)
    again = TradeoffCurve.from_profile(at, curve.delta(at), whole=True)
    assert again.beta(GRID) == pytest.approx(curve.beta(GRID), abs=1e-9)
    assert (again.beta(GRID) <= curve.beta(GRID) + 1e-12).all()
    assert again.delta(EPSILONS) == pytest.approx(curve.delta(EPSILONS), abs=1e-9)


@given(vertex_lists())
def test_a_sampled_profile_is_read_pessimistically(points):
    curve = TradeoffCurve.from_vertices(*points)
    at = np.linspace(-3.0, 3.0, 9)
    bound = TradeoffCurve.from_profile(at, curve.delta(at), whole=True)
    assert (bound.beta(GRID) <= curve.beta(GRID) + 1e-12).all()
    assert (np.asarray(bound.delta(EPSILONS)) >= curve.delta(EPSILONS) - 1e-12).all()
    assert bound.delta(at) == pytest.approx(curve.delta(at), abs=1e-9)


def test_the_formula_over_all_real_epsilons():
    """f(alpha) = sup 1 - delta - exp(eps) alpha, for a curve that is not symmetric."""
    curve = TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [1.0, 0.5, 0.0])
    epsilons = np.linspace(-8.0, 8.0, 3201)
    deltas = np.asarray(curve.delta(epsilons))
    again = TradeoffCurve.from_profile(epsilons, deltas, whole=True)
    for alpha in (0.02, 0.1, 0.3, 0.8):
        exact = max(0.0, float((1.0 - deltas - np.exp(epsilons) * alpha).max()))
        assert again.beta(alpha) == pytest.approx(exact, abs=1e-4)
        assert again.beta(alpha) <= curve.beta(alpha) + 1e-12
    assert not again.is_symmetric
    assert again.symmetrised().is_symmetric


def test_a_function_is_read_on_both_sides():
    truth = TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [1.0, 0.5, 0.0])
    curve = TradeoffCurve.from_profile(lambda epsilon: float(truth.delta(epsilon)), whole=True)
    assert curve.beta(GRID) == pytest.approx(truth.beta(GRID), abs=2e-3)
    assert (curve.beta(GRID) <= truth.beta(GRID) + 1e-12).all()
    assert TradeoffCurve.from_profile(truth.profile(), whole=True) == truth
    assert TradeoffCurve.from_profile(truth.profile()).is_symmetric


def test_a_symmetric_profile_gives_the_symmetric_curve():
    truth = GDP(mu=1.0).curve()
    at = np.linspace(-9.0, 9.0, 1801)
    curve = TradeoffCurve.from_profile(at, truth.delta(at), whole=True)
    half = TradeoffCurve.from_profile(at[900:], truth.delta(at[900:]))
    assert curve.beta(GRID) == pytest.approx(half.beta(GRID), abs=1e-9)
    assert curve.tpr(1e-9) == pytest.approx(half.tpr(1e-9), rel=1e-6)
    assert fit_gdp(curve, slack=1e-6).mu == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 1.5, 800.0])
def test_one_claim_says_what_it_can(epsilon):
    """The line through (0, 1) and the claim, and no rise after it."""
    delta = max(0.3, -np.expm1(min(epsilon, 0.0)))
    curve = TradeoffCurve.from_profile([epsilon], [delta], whole=True)
    if epsilon > 700.0:
        assert curve.beta(0.5) == 0.0
    else:
        alpha = (1.0 - delta) / np.exp(epsilon)
        assert curve.delta(epsilon) == pytest.approx(delta, rel=1e-12)
        assert curve.beta(alpha * 0.5) == pytest.approx((1.0 - delta) * 0.5, rel=1e-9)
        assert curve.beta(min(1.0, alpha * 1.001)) == 0.0


def test_the_tail_keeps_its_digits():
    truth = ApproxDP(epsilon=2.0, delta=1e-30).curve()
    at = np.array([-2.0, 0.0, 2.0])
    curve = TradeoffCurve.from_profile(at, truth.delta(at), whole=True)
    assert curve.tpr(0.0) == pytest.approx(1e-30, rel=1e-6, abs=1e-17)
    assert curve.tpr(0.0) >= 1e-30


@pytest.mark.parametrize(
    ("epsilons", "deltas", "message"),
    [
        ([-1.0, 1.0], [0.5, 0.1], r"deltas\[0\]=0.5 is below 1 - exp\(epsilon\)=0.63"),
        ([-np.inf, 1.0], [1.0, 0.1], r"profile\[0\]=-inf is not a finite number"),
        ([1.0, -1.0], [0.1, 0.7], r"profile\[1\]=-1.0 does not exceed"),
    ],
)
def test_what_is_no_profile_is_refused(epsilons, deltas, message):
    with pytest.raises(InvalidArgument, match=message):
        TradeoffCurve.from_profile(epsilons, deltas, whole=True)
