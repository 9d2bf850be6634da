"""Composition of curves against sums over all outcomes."""

import numpy as np
import pytest
from hypothesis import given

from gdpnum import (
    GDP,
    ApproxDP,
    InvalidType,
    Laplace,
    PureDP,
    TradeoffCurve,
    fit_gdp,
    tradeoff_curve,
)
from tests.curves import vertex_lists

EPSILONS = np.array([-2.0, -0.5, 0.0, 0.2, 1.0, 2.5])


def outcomes(points):
    """(P, Q) masses: a segment rises by its P mass and runs by its Q mass."""
    alphas, betas = points
    q, p = np.diff(alphas), -np.diff(betas)
    # A curve that starts below one reveals the rest for certain.
    return np.append(p, 1.0 - betas[0]), np.append(q, 0.0)


def product_profile(one, other, epsilon):
    (p1, q1), (p2, q2) = outcomes(one), outcomes(other)
    gains = np.outer(p1, p2) - np.exp(epsilon) * np.outer(q1, q2)
    return float(np.maximum(gains, 0.0).sum())


@given(vertex_lists(), vertex_lists())
def test_no_attack_on_both_releases_beats_the_composed_curve(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    both = f.composed_with(g)
    for epsilon in EPSILONS:
        assert both.delta(epsilon) >= product_profile(one, other, epsilon) - 1e-14


@given(vertex_lists(), vertex_lists())
def test_few_vertices_compose_exactly(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    both = f.composed_with(g)
    for epsilon in EPSILONS:
        exact = product_profile(one, other, epsilon)
        assert both.delta(epsilon) == pytest.approx(exact, abs=1e-12)


def test_many_vertices_compose_to_the_tolerance():
    """Gaussians read off a table: some thousand vertices each, so the accountant composes them."""
    table = TradeoffCurve.from_profile(GDP(mu=1.0).curve().delta)
    both, gaussian = table.composed_with(table), GDP(mu=np.sqrt(2.0)).curve()
    knots = np.linspace(0.0, 6.0, 25)
    assert (both.delta(knots) >= gaussian.delta(knots)).all()
    assert fit_gdp(both).mu == pytest.approx(np.sqrt(2.0), rel=5e-3)


def test_gaussians_compose_exactly():
    assert GDP(mu=3.0).curve().composed_with(GDP(mu=4.0).curve()) == GDP(mu=5.0).curve()


def test_a_slack_is_composed_as_what_it_is():
    """The curve of each is at most its slack below f_mu, so the two together at most the sum."""
    both = GDP(mu=1.0, slack=1e-3).curve().composed_with(GDP(mu=1.0, slack=1e-3).curve())
    gaussian = GDP(mu=np.sqrt(2.0)).curve()
    alphas = np.linspace(0.0, 1.0, 101)
    assert (both.beta(alphas) <= gaussian.beta(alphas)).all()
    assert (both.beta(alphas) >= gaussian.beta(alphas) - 2.5e-3).all()
    assert both.tpr(0.0) >= 1.0 - (1.0 - 1e-3) ** 2


def test_nothing_released_changes_nothing():
    nothing, laplace = PureDP(epsilon=0.0).curve(), tradeoff_curve(Laplace(scale=1.0))
    assert nothing.composed_with(laplace) is laplace
    assert laplace.composed_with(nothing) is laplace


def test_everything_revealed_stays_revealed():
    everything = ApproxDP(epsilon=0.0, delta=1.0).curve()
    assert everything.composed_with(GDP(mu=1.0).curve()).advantage == 1.0


def test_two_curves_compose_like_the_mechanisms_they_stand_for():
    apart = PureDP(epsilon=0.5).curve().composed_with(PureDP(epsilon=0.5).curve())
    assert fit_gdp(apart).mu == pytest.approx(fit_gdp(PureDP(epsilon=0.5) * 2).mu, rel=1e-6)


def test_only_curves_compose():
    with pytest.raises(InvalidType, match="not a trade-off curve"):
        GDP(mu=1.0).curve().composed_with(GDP(mu=1.0))
