"""What an attack on 0.2.0 found, each as a fact that was once false."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    DiscreteGaussian,
    Gaussian,
    InvalidArgument,
    KnownCurve,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    TradeoffCurve,
    UnsupportedMechanism,
    fit_gdp,
    regret,
    statement,
    tradeoff_curve,
)


def phi(x):
    return (-x / arb(2).sqrt()).erfc() / 2


def test_randomised_response_does_not_mix_with_added_records():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=10)
    with pytest.raises(InvalidArgument, match="mix neighbouring relations"):
        RandomizedResponse(epsilon=1.0) + run


@pytest.mark.parametrize("sigma", [0.05, 0.07, 0.5])
def test_no_pure_dp_is_claimed_of_an_unbounded_loss(sigma):
    noise = DiscreteGaussian(sigma=sigma)
    with pytest.raises(UnsupportedMechanism, match="unbounded"):
        PureDP.fit(noise)
    assert math.isinf(tradeoff_curve(noise).epsilon(0.0))
    assert math.isinf(statement(noise).pure_epsilon)


def test_a_curve_that_is_only_a_bound_is_not_attacked():
    curve = tradeoff_curve(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=50), tolerance=0.1)
    nothing = PureDP(epsilon=0.0).curve()
    fit = fit_gdp(KnownCurve(curve, nothing) * 2)
    assert fit.mu > 0.5
    assert fit.mu_lower == 0.0
    # What a summary may give away against perfect privacy: half its advantage.
    assert fit.regret == pytest.approx(0.5 * fit.curve().advantage, rel=1e-9)
    exact = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=100))
    shown = KnownCurve(
        curve, tradeoff_curve(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=49))
    )
    assert fit_gdp(shown * 2).mu_lower <= exact.mu <= fit_gdp(shown * 2).mu


def test_a_substitute_for_a_tiny_rate_is_not_attacked():
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=1.0), rate=1e-14) * 10)
    assert fit.mu_lower == 0.0 <= fit.mu


def test_masses_at_infinity_do_not_vanish_when_curves_compose():
    one = ApproxDP(epsilon=1.0, delta=1e-17).curve()
    both = one.composed_with(one)
    exact = 1 - (1 - Fraction(1e-17)) ** 2
    assert Fraction(both.delta(3.0)) >= exact
    assert both.delta(3.0) <= float(exact) * (1.0 + 1e-12)


@pytest.mark.parametrize("mu", [0.1, 0.37, 1.0, 2.2, 4.0])
def test_gaussian_numbers_are_never_below_the_exact_ones(mu):
    curve = tradeoff_curve(Gaussian(sigma=1.0 / mu))
    with ctx.workprec(200):
        m = 1 / arb(1.0 / mu)
        assert arb(curve.advantage) >= 2 * phi(m / 2) - 1
        for epsilon in (0.0, 0.1, 1.0, 3.0, 7.5):
            e = arb(epsilon)
            true = phi(m / 2 - e / m) - e.exp() * phi(-m / 2 - e / m)
            assert arb(curve.delta(epsilon)) >= true
        for z in (-6.0, -4.0, -2.0, -0.5, 1.0):
            # The FPR of a quantile: its TPR is that of the quantile moved by mu.
            fpr = float(phi(arb(z)).upper())
            if phi(arb(z)) <= arb(fpr):
                assert arb(curve.tpr(fpr)) >= phi(arb(z) + m)
        assert curve.delta(1.0) <= float(phi(m / 2 - 1 / m)) + 1e-9


def test_losses_add_up_to_an_epsilon_that_holds():
    assert Fraction(PureDP.fit(Laplace(scale=49.0) * 49).epsilon) >= 1
    assert PureDP.fit(Laplace(scale=49.0) * 49).epsilon == pytest.approx(1.0, rel=1e-15)
    assert PureDP.fit(Laplace(scale=0.5) * 3).epsilon == 6.0


# --- loose ---------------------------------------------------------------------------------------


def test_slack_that_makes_a_difference_is_used():
    fit = fit_gdp(Gaussian(sigma=1000.0), slack=1e-5)
    # f_mu - slack touches f_mu' where both have slope -1: 2 Phi(x / 2) - 1 = slack.
    smallest = 1e-3 - 1e-5 * math.sqrt(2.0 * math.pi)
    assert smallest - 1e-12 <= fit.mu <= smallest * (1.0 + 1e-6)
    wide = fit_gdp(GDP(mu=1.0), slack=0.1)
    assert wide.mu - wide.mu_lower < 1e-6
    assert wide.mu < 0.76


# --- crashes, hangs, memory ----------------------------------------------------------------------


def test_a_summary_is_compared_with_what_reveals_everything_now_and_then():
    found = regret(GDP(mu=5.0), TradeoffCurve.from_profile([0.0], [1e-3]))
    assert 0.0 < found < 0.5
    with pytest.raises((InvalidArgument, UnsupportedMechanism)):
        regret(GDP(mu=5.0), ApproxDP(epsilon=0.0, delta=1e-3) * 10)


def test_numpy_may_raise_on_every_floating_point_event():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
    quiet = fit_gdp(run), tradeoff_curve(run).tpr(0.01), tradeoff_curve(run).epsilon(1e-5)
    with np.errstate(all="raise"):
        loud = fit_gdp(run), tradeoff_curve(run).tpr(0.01), tradeoff_curve(run).epsilon(1e-5)
    assert quiet == loud
