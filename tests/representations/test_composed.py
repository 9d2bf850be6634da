"""Representations compose as they should, and the better of all valid routes counts."""

import math

import pytest

from gdpnum import (
    RDP,
    ZCDP,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PureDP,
    RandomizedResponse,
    TruncatedCDP,
    tradeoff_curve,
)


def epsilon(mechanism, delta=1e-5):
    return tradeoff_curve(mechanism).epsilon(delta)


def test_rho_adds():
    assert epsilon(ZCDP(rho=0.01) * 100) == pytest.approx(epsilon(ZCDP(rho=1.0)), rel=1e-6)
    assert epsilon(ZCDP(rho=0.01) * 100) <= 7.0773


def test_divergences_add_order_by_order():
    one = RDP(orders=[2.0, 8.0], epsilons=[0.1, 0.4])
    ten = RDP(orders=[2.0, 8.0], epsilons=[1.0, 4.0])
    assert epsilon(one * 10) <= epsilon(ten) * (1.0 + 1e-6)
    capped = TruncatedCDP(rho=0.01, cap=64.0)
    assert epsilon(capped * 10) <= epsilon(TruncatedCDP(rho=0.1, cap=64.0)) * (1.0 + 1e-3)


@pytest.mark.parametrize(
    ("mechanism", "exact"),
    [
        (PureDP(epsilon=0.5) + PureDP(epsilon=0.25), 0.75),
        (PureDP(epsilon=1.0) * 4, 4.0),
        (RandomizedResponse(epsilon=1.0) * 4, 4.0),
        (DiscreteLaplace(scale=1.0) * 4, 4.0),
        (Laplace(scale=2.0) * 4, 2.0),
        (PureDP(epsilon=1.0), 1.0),
    ],
    ids=repr,
)
def test_losses_add_up_at_delta_zero(mechanism, exact):
    found = tradeoff_curve(mechanism).epsilon(0.0)
    assert exact <= found <= exact * (1.0 + 1e-14)


@pytest.mark.parametrize("rho", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-9])
def test_the_optimal_curve_is_never_beaten_by_the_closed_form(rho, delta):
    one = ZCDP(rho=rho)
    assert one.curve().epsilon(delta) <= one.curve("closed_form").epsilon(delta) * (1.0 + 1e-9)


def test_a_sum_with_noise_is_no_worse_than_either_route():
    # All of it is zCDP, and rho adds; the Gaussian's is mu^2 / 2.
    both = ZCDP(rho=0.1) + Gaussian(sigma=2.0)
    assert epsilon(both) <= epsilon(ZCDP(rho=0.1 + 0.125)) * (1.0 + 1e-6)
    assert math.isfinite(epsilon(both))
