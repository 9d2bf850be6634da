"""The Blackwell order: who is more private, and where neither is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import GDP, ApproxDP, Laplace, PureDP, TradeoffCurve, blackwell_order, tradeoff_curve
from tests.curves import curves, vertex_lists

GRID = np.concatenate([np.geomspace(1e-12, 0.5, 400), np.linspace(0.0, 1.0, 1001)])


@given(curves)
def test_every_curve_is_as_private_as_itself(curve):
    assert blackwell_order(curve, curve).relation == "equal"
    again = TradeoffCurve.from_json(curve.to_json())
    assert curve <= again
    assert curve >= again


@given(vertex_lists(), vertex_lists())
def test_the_relation_is_what_the_curves_show(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    order = blackwell_order(f, g)
    # Piecewise linear curves are compared at all their vertices.
    alphas = np.union1d(one[0], other[0])
    difference = np.asarray(f.beta(alphas)) - np.asarray(g.beta(alphas))
    if order.relation in ("equal", "less private"):
        assert (difference <= 1e-10).all()
    if order.relation in ("equal", "more private"):
        assert (difference >= -1e-10).all()
    if order.relation == "incomparable":
        for witness, sign in ((order.lower, 1.0), (order.higher, -1.0)):
            curves = (f.inverse(), g.inverse()) if witness.inverted else (f, g)
            tprs = [curve.tpr(witness.alpha) for curve in curves]
            assert tprs == [witness.first_tpr, witness.second_tpr]
            assert sign * (tprs[0] - tprs[1]) > 0.0


@given(vertex_lists(), vertex_lists())
def test_the_order_turns_round_with_its_arguments(one, other):
    f, g = TradeoffCurve.from_vertices(*one), TradeoffCurve.from_vertices(*other)
    turned = {"less private": "more private", "more private": "less private"}
    relation = blackwell_order(f, g).relation
    assert blackwell_order(g, f).relation == turned.get(relation, relation)
    assert (f <= g) is (relation in ("equal", "less private"))
    assert (f >= g) is (relation in ("equal", "more private"))


@given(vertex_lists(), st.floats(0.05, 0.95))
def test_a_mixture_with_perfect_privacy_is_more_private(points, share):
    """Release the truth with probability ``share`` only, and say so."""
    alphas, betas = points
    mixed = share * betas + (1.0 - share) * (1.0 - alphas)
    f, g = TradeoffCurve.from_vertices(alphas, betas), TradeoffCurve.from_vertices(alphas, mixed)
    expected = "more private" if f.advantage > 1e-6 else blackwell_order(g, f).relation
    assert blackwell_order(g, f).relation == expected


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        (GDP(mu=1.0), GDP(mu=1.0 + 1e-9), "more private"),
        (GDP(mu=1.0), GDP(mu=1.0, slack=1e-9), "more private"),
        (GDP(mu=1.0, slack=1e-3), GDP(mu=1.5), "incomparable"),
        (GDP(mu=1.0, slack=0.5), GDP(mu=1.001), "less private"),
        (GDP(mu=0.0), GDP(mu=0.0), "equal"),
        # Where they differ, FPRs are too small for a float.
        (GDP(mu=38.0), GDP(mu=76.0), "more private"),
        (GDP(mu=160.0), GDP(mu=80.0), "less private"),
        (GDP(mu=40.0, slack=1e-3), GDP(mu=80.0, slack=1e-3), "more private"),
        (GDP(mu=80.0), GDP(mu=80.0, slack=1e-3), "more private"),
        (GDP(mu=160.0), GDP(mu=80.0, slack=1e-3), "incomparable"),
        (GDP(mu=80.001), GDP(mu=80.0, slack=1e-3), "more private"),
        (GDP(mu=80.0), GDP(mu=80.0), "equal"),
        (PureDP(epsilon=1.0), ApproxDP(epsilon=1.0, delta=1e-6), "more private"),
        (ApproxDP(epsilon=8.0, delta=1e-9), ApproxDP(epsilon=6.0, delta=1e-5), "incomparable"),
        (PureDP(epsilon=0.0), GDP(mu=0.0), "equal"),
        (PureDP(epsilon=700.0), PureDP(epsilon=699.0), "less private"),
    ],
    ids=str,
)  # fmt: skip
def test_known_orders(first, second, relation):
    assert blackwell_order(first.curve(), second.curve()).relation == relation


def test_the_tight_mu_of_laplace_is_just_below_its_curve():
    """mu = 1.0301 (Laplace b = 1); the curve of the mechanism is pessimistic by its tolerance."""
    laplace = tradeoff_curve(Laplace(scale=1.0), tolerance=1e-5)
    assert GDP(mu=1.0302).curve() <= laplace
    assert not GDP(mu=1.0299).curve() <= laplace


def test_mu_matched_to_two_epsilons_explains_the_paper_s_example():
    """eps=8 at 1e-9 is more private than eps=6 at 1e-5, if both are Gaussian."""
    from gdpnum import mu_from_epsilon_delta

    first = GDP(mu=mu_from_epsilon_delta(8.0, 1e-9)).curve()
    second = GDP(mu=mu_from_epsilon_delta(6.0, 1e-5)).curve()
    assert first >= second
    assert not first <= second


def test_curves_are_not_compared_with_other_things():
    with pytest.raises(TypeError):
        GDP(mu=1.0).curve() <= 3.0  # noqa: B015
