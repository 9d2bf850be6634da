"""Risk: what the bounds mean, against attacks spelled out."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    Gaussian,
    InvalidArgument,
    InvalidType,
    PureDP,
    TradeoffCurve,
    fit_gdp,
    risk,
)
from tests.curves import vertex_lists

RUN = DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)


@given(vertex_lists(), st.floats(0.0, 1.0))
def test_no_guess_is_wrong_less_often_than_the_bayes_error(points, prior):
    """Wrong: a non-member accused, or a member missed. Some vertex is the best test."""
    curve = TradeoffCurve.from_vertices(*points)
    alphas, betas = points
    best = float(np.min((1.0 - prior) * alphas + prior * betas))
    assert risk.bayes_error(curve, prior=prior) == pytest.approx(best, abs=1e-13)


@given(st.floats(0.01, 0.99), st.floats(0.05, 5.0))
def test_the_bayes_error_of_a_gaussian_is_that_of_the_likelihood_test(prior, mu):
    """N(0, 1) against N(mu, 1): accuse above the point of equal odds."""
    threshold = mu / 2.0 + math.log((1.0 - prior) / prior) / mu
    wrong = (1.0 - prior) * ndtr(-threshold) + prior * ndtr(threshold - mu)
    assert risk.bayes_error(GDP(mu=mu), prior=prior) == pytest.approx(wrong, rel=1e-9, abs=1e-15)


def test_the_headline_of_the_paper():
    """TPR <= 61 % at FPR 10 %, where the single (eps, 1e-5) pair would allow 99.95 %."""
    assert risk.tpr(RUN, fpr=0.1) == pytest.approx(0.61, abs=5e-3)
    assert risk.tpr(ApproxDP.fit(RUN, delta=1e-5), fpr=0.1) == pytest.approx(0.9995, abs=1e-4)


@pytest.mark.parametrize("fpr", [0.0, 1e-12, 1e-3, 0.2, 0.5, 1.0])
def test_the_numbers_agree_with_the_curve_and_with_each_other(fpr):
    curve = GDP(mu=1.2).curve()
    assert risk.tpr(curve, fpr) == curve.tpr(fpr)
    assert risk.fnr(curve, fpr) == curve.beta(fpr)
    assert risk.attack_success(curve, baseline=fpr) == curve.tpr(fpr)
    assert risk.tpr(curve, fpr) - fpr <= risk.advantage(curve) + 1e-15
    assert risk.bayes_error(curve, 0.5) == pytest.approx((1.0 - curve.advantage) / 2, rel=1e-12)


def test_a_mechanism_a_curve_a_representation_and_a_fit_are_all_subjects():
    sigma = Gaussian(sigma=2.0)
    expected = pytest.approx(float(ndtr(ndtri(0.05) + 0.5)), rel=1e-9)
    assert risk.tpr(sigma, 0.05) == expected
    assert risk.tpr(GDP(mu=0.5), 0.05) == expected
    assert risk.tpr(GDP(mu=0.5).curve(), 0.05) == expected
    assert risk.tpr(fit_gdp(sigma), 0.05) == expected


def test_a_fit_promises_less_than_the_curve_it_summarises():
    fit = fit_gdp(RUN)
    for fpr in (1e-8, 1e-4, 0.01, 0.3):
        assert risk.tpr(fit, fpr) >= risk.tpr(RUN, fpr) * (1 - 1e-3)
    assert risk.bayes_error(fit) <= risk.bayes_error(RUN) + 1e-3


def test_pure_dp_bounds_the_posterior_odds():
    """Likelihood ratios are at most exp(eps): posterior odds at most prior odds times that."""
    prior, epsilon = 0.01, 2.0
    odds = math.exp(epsilon) * prior / (1.0 - prior)
    for fpr in (1e-6, 1e-3, 0.05):
        found = risk.positive_predictive_value(PureDP(epsilon=epsilon), prior=prior, fpr=fpr)
        assert found == pytest.approx(odds / (1.0 + odds), rel=1e-9)


def test_predictive_values_at_the_edges():
    assert risk.positive_predictive_value(GDP(mu=1.0), prior=0.0, fpr=0.1) == 0.0
    assert risk.positive_predictive_value(GDP(mu=1.0), prior=1.0, fpr=0.1) == 1.0
    assert risk.positive_predictive_value(GDP(mu=1.0), prior=0.3, fpr=1.0) == pytest.approx(0.3)
    # Without false accusations nobody is accused, or everyone accused is a member.
    assert risk.positive_predictive_value(GDP(mu=1.0), prior=0.3, fpr=0.0) == 0.3
    leaky = ApproxDP(epsilon=1.0, delta=0.1)
    assert risk.positive_predictive_value(leaky, prior=0.3, fpr=0.0) == 1.0


def test_arrays_are_answered_one_by_one():
    rates = np.array([[0.0, 1e-9, 0.01], [0.5, 0.75, 1.0]])
    # One curve that is its own inverse, and one that is not.
    lopsided = TradeoffCurve.from_vertices([0.0, 0.5, 1.0], [1.0, 0.3, 0.0])
    for subject in (GDP(mu=1.2), lopsided):
        for ask in (
            lambda rate, of=subject: risk.tpr(of, rate),
            lambda rate, of=subject: risk.fnr(of, rate),
            lambda rate, of=subject: risk.attack_success(of, rate),
            lambda rate, of=subject: risk.bayes_error(of, rate),
            lambda rate, of=subject: risk.positive_predictive_value(of, prior=0.3, fpr=rate),
            lambda rate, of=subject: risk.positive_predictive_value(of, prior=rate, fpr=0.3),
        ):
            found = ask(rates)
            assert found.shape == rates.shape
            assert [ask(float(rate)) for rate in rates.flat] == found.ravel().tolist()


@given(st.floats(0.0, 1.0), st.floats(0.0, 6.0))
def test_the_bayes_error_is_not_overstated(prior, epsilon):
    """Randomised response: its four joint probabilities, as fractions."""
    truth = Fraction(float(np.exp(epsilon)))
    keep = truth / (1 + truth)
    # An epsilon of no less than the log of the odds.
    subject = PureDP(epsilon=math.nextafter(math.log(truth), math.inf))
    prior_exact = Fraction(prior)
    least = min(
        prior_exact, 1 - prior_exact, (1 - prior_exact) * (1 - keep) + prior_exact * (1 - keep)
    )
    assert Fraction(risk.bayes_error(subject, prior)) <= least


def test_nothing_learnt_leaves_the_prior():
    nothing = PureDP(epsilon=0.0)
    for prior in (0.0, 1e-9, 0.2, 0.5, 0.9, 1.0):
        assert risk.bayes_error(nothing, prior) == pytest.approx(min(prior, 1.0 - prior))
    assert risk.attack_success(nothing, baseline=0.125) == 0.125
    assert risk.advantage(nothing) == 0.0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: risk.tpr(GDP(mu=1.0), fpr=1.5), r"fpr=1.5 is outside \[0, 1\]"),
        (lambda: risk.fnr(GDP(mu=1.0), fpr=math.nan), "fpr=nan"),
        (lambda: risk.bayes_error(GDP(mu=1.0), prior=-0.1), "prior=-0.1 is outside"),
        (lambda: risk.attack_success(GDP(mu=1.0), baseline=2.0), "baseline=2.0 is outside"),
        (
            lambda: risk.positive_predictive_value(GDP(mu=1.0), prior=2.0, fpr=0.1),
            "prior=2.0 is outside",
        ),
        (lambda: risk.fnr(GDP(mu=1.0), fpr=[0.1, 1.5]), r"fpr=1.5 is outside \[0, 1\]"),
        (
            lambda: risk.positive_predictive_value(GDP(mu=1.0), prior=[0.1] * 2, fpr=[0.1] * 3),
            r"shapes \(2,\) and \(3,\) do not go together",
        ),
    ],
)
def test_what_is_no_probability_is_refused_by_name(ask, message):
    with pytest.raises(InvalidArgument, match=message):
        ask()


def test_what_has_no_curve_is_no_subject():
    with pytest.raises(InvalidType, match=r"subject=1\.0 has no trade-off curve"):
        risk.advantage(1.0)
