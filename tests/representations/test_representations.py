"""What each representation promises, and how it is fitted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from gdpnum import (
    DPSGD,
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    Gaussian,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    TradeoffCurve,
    TruncatedCDP,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from tests.curves import curves
from tests.examples import examples

RUN = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
GRID = np.concatenate([np.geomspace(1e-12, 0.5, 60), np.linspace(0.0, 1.0, 101)])
EPSILONS = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0])

FITTED = {
    "pure": PureDP.fit,
    "approx": lambda subject: ApproxDP.fit(subject, delta=1e-4),
    "gdp": GDP.fit,
    "rdp": RDP.fit,
    "zcdp": ZCDP.fit,
    "tcdp": lambda subject: TruncatedCDP.fit(subject, cap=16.0),
}
SUBJECTS = {
    "laplace": Laplace(scale=0.8),
    "response": RandomizedResponse(epsilon=1.0, categories=5) * 3,
    "dpsgd": RUN,
    "integer": DiscreteGaussian(sigma=1.5) * 2,
    "mixed": Laplace(scale=4.0) * 2 + Gaussian(sigma=3.0),
    "sampled": PoissonSampled(Laplace(scale=0.5), rate=0.3) * 4,
}
UNBOUNDED = {"dpsgd", "integer", "mixed"}

# --- what a guarantee allows --------------------------------------------------------------------


@given(st.floats(0.0, 30.0), st.sampled_from([0.0, 1e-12, 1e-5, 0.3, 1.0]), st.floats(0.0, 1.0))
def test_approx_dp_has_the_curve_of_its_definition(epsilon, delta, alpha):
    curve = ApproxDP(epsilon=epsilon, delta=delta).curve()
    first = 1.0 - delta - math.exp(epsilon) * alpha
    second = math.exp(-epsilon) * (1.0 - delta - alpha)
    assert curve.beta(alpha) == pytest.approx(max(0.0, first, second), abs=1e-14)


@given(st.floats(0.0, 700.0), st.sampled_from([0.0, 1e-300, 1e-12, 1e-5, 0.3, 1.0]))
def test_approx_dp_reproduces_its_epsilon_and_delta(epsilon, delta):
    curve = ApproxDP(epsilon=epsilon, delta=delta).curve()
    assert curve.delta(epsilon) == pytest.approx(delta, rel=1e-12, abs=0.0 if delta else 1e-15)
    assert curve.epsilon(delta) <= epsilon
    if 0.0 < delta < 1.0:
        assert curve.epsilon(delta) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
        assert curve.epsilon(0.99 * delta) == math.inf


def test_pure_dp_is_approx_dp_without_delta():
    assert PureDP(epsilon=1.7).curve() == ApproxDP(epsilon=1.7, delta=0.0).curve()


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 6.0, 50.0])
@pytest.mark.parametrize("slack", [0.0, 1e-10, 1e-3, 0.2])
def test_gdp_allows_what_its_definition_allows(mu, slack):
    """f_mu - slack on the steep half; the other is its mirror image."""
    curve = GDP(mu=mu, slack=slack).curve()
    plain = GDP(mu=mu).curve()
    assert (curve.beta(GRID) >= plain.beta(GRID) - slack - 1e-15).all()
    steep = GRID[curve.beta(GRID) >= GRID]
    expected = np.asarray(plain.tpr(steep)) + slack
    assert curve.tpr(steep) == pytest.approx(np.maximum(expected, steep), rel=1e-12)
    # Symmetric: f(f(alpha)) = alpha wherever f falls.
    inside = steep[(steep > 0.0) & (curve.beta(steep) < 1.0 - slack)]
    assert curve.beta(np.asarray(curve.beta(inside))) == pytest.approx(inside, abs=1e-9)


@pytest.mark.parametrize("slack", [0.0, 1e-10, 1e-3, 0.2])
def test_the_profile_of_gdp_is_the_conjugate_of_its_curve(slack):
    curve = GDP(mu=1.3, slack=slack).curve()
    meeting = brentq(lambda alpha: curve.beta(alpha) - alpha, 0.0, 1.0, xtol=1e-15)
    alphas = np.concatenate([np.geomspace(1e-16, 1.0, 200_001), [0.0, meeting]])
    for epsilon in EPSILONS:
        scanned = float((1.0 - curve.beta(alphas) - np.exp(epsilon) * alphas).max())
        assert curve.delta(epsilon) == pytest.approx(scanned, abs=1e-8)
        # Each is rounded to its own safe side.
        assert curve.delta(epsilon) >= scanned - 1e-14


@pytest.mark.parametrize("slack", [0.0, 1e-10, 1e-3])
@pytest.mark.parametrize("mu", [0.01, 1.0, 40.0])
def test_epsilon_inverts_delta(mu, slack):
    curve = GDP(mu=mu, slack=slack).curve()
    # Where delta is neither 1 nor the slack, to the digits of a double.
    for epsilon in mu * np.linspace(max(0.01, 0.5 * mu - 2.0), 0.5 * mu + 3.0, 9):
        delta = curve.delta(float(epsilon))
        assert curve.epsilon(delta) == pytest.approx(epsilon, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("representation", [
    PureDP(epsilon=0.7), ApproxDP(epsilon=0.7, delta=0.01), GDP(mu=0.7), GDP(mu=0.7, slack=0.01),
    ZCDP(rho=0.3), TruncatedCDP(rho=0.3, cap=4.0),
    RDP(orders=[0.5, 1.0, 2.0], epsilons=[0.1, 0.2, 0.4]),
], ids=repr)  # fmt: skip
def test_profile_curve_advantage_and_tpr_say_the_same(representation):
    curve, profile = representation.curve(), representation.profile()
    assert profile(EPSILONS).tolist() == curve.delta(EPSILONS).tolist()
    assert profile.delta(1.0) == curve.delta(1.0)
    assert profile.epsilon(0.02) == curve.epsilon(0.02)
    assert representation.advantage == curve.advantage == profile(0.0)
    assert representation.tpr(0.1) == pytest.approx(1.0 - curve.beta(0.1), abs=1e-14)
    assert curve.is_symmetric


# --- fitting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("kind", FITTED)
def test_no_fit_flatters(kind, subject):
    """What a representation allows is never less than what attacks achieve.

    The curve of the mechanism is an upper bound on attacks that is tight to its tolerance, so it
    may exceed a tight fit by that much and no more.
    """
    mechanism = SUBJECTS[subject]
    if kind == "pure" and subject in UNBOUNDED:
        with pytest.raises(UnsupportedMechanism, match="not epsilon-DP"):
            PureDP.fit(mechanism)
        return
    allowed = FITTED[kind](mechanism).curve()
    truth = tradeoff_curve(mechanism, tolerance=1e-5)
    assert (np.asarray(allowed.tpr(GRID)) >= np.asarray(truth.tpr(GRID)) * (1 - 2e-4) - 1e-11).all()


def test_the_tight_epsilons_are_the_sums():
    assert PureDP.fit(Laplace(scale=0.5) * 3).epsilon == 6.0
    assert PureDP.fit(RandomizedResponse(epsilon=0.7) + PureDP(epsilon=0.3)).epsilon == 1.0
    sampled = PoissonSampled(Laplace(scale=1.0), rate=0.1)
    assert PureDP.fit(sampled).epsilon == pytest.approx(
        math.log1p(0.1 * math.expm1(1.0)), rel=1e-12
    )


def test_a_fit_at_delta_is_the_curve_s_epsilon():
    curve = tradeoff_curve(RUN)
    assert ApproxDP.fit(RUN, delta=1e-6).epsilon == curve.epsilon(1e-6)
    with pytest.raises(UnsupportedMechanism, match="pass a larger delta"):
        ApproxDP.fit(ApproxDP(epsilon=1.0, delta=0.1), delta=0.01)


def test_gaussians_have_the_rho_and_divergences_of_textbooks():
    run = Gaussian(sigma=2.0) * 8  # mu^2 = 2
    assert ZCDP.fit(run).rho == pytest.approx(1.0, rel=1e-8)
    assert ZCDP.fit(run).rho >= 1.0
    assert TruncatedCDP.fit(run, cap=32.0).rho == pytest.approx(1.0, rel=1e-8)
    assert RDP.fit(run, orders=[0.5, 1.0, 3.0]).epsilons == pytest.approx([0.5, 1.0, 3.0], rel=1e-8)


def test_dp_sgd_has_no_amplified_rho_at_all_orders():
    """The supremum is the unamplified T / (2 sigma^2); up to a cap it is far smaller."""
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1000)
    assert ZCDP.fit(run).rho == pytest.approx(500.0, rel=1e-9)
    assert TruncatedCDP.fit(run, cap=8.0).rho == pytest.approx(8.73e-4, rel=1e-3)


def test_a_capped_rho_never_enters_a_formula_for_all_orders():
    """Fed to one it would claim delta = 1e-34 at eps = .5 where the truth is 2e-10."""
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1000)
    capped = TruncatedCDP.fit(run, cap=8.0)
    assert ZCDP(rho=capped.rho).closed_form_delta(0.5) < 1e-30
    truth = tradeoff_curve(run).delta(0.5)
    assert truth == pytest.approx(2e-10, rel=0.2)
    assert capped.closed_form_delta(0.5) > truth
    assert capped.curve().delta(0.5) > truth


@examples(20)
@given(st.floats(1.05, 60.0), st.floats(0.4, 20.0), st.floats(0.001, 0.9))
def test_rho_is_the_supremum_over_the_orders(cap, sigma, rate):
    step = PoissonSampled(Gaussian(sigma=sigma), rate=rate)
    rho = TruncatedCDP.fit(step, cap=cap).rho
    orders = np.append(1.0 + np.geomspace(1e-7, cap - 1.0, 300), 1.0)
    scanned = float((np.array(RDP.fit(step, orders=orders).epsilons) / orders).max())
    assert scanned <= rho * (1.0 + 1e-12)
    assert rho <= scanned * 1.001


@examples(40)
@given(curves)
def test_a_curve_can_be_fitted_like_a_mechanism(curve):
    """Each fit allows all that the curve does."""
    symmetric = curve.symmetrised()
    for kind in ("approx", "rdp", "gdp"):
        try:
            allowed = FITTED[kind](curve).curve()
        except UnsupportedMechanism:
            assert kind != "rdp"
            assert max(curve.mass_at_infinity, curve.inverse().mass_at_infinity) > 0.0
            continue
        assert (np.asarray(allowed.tpr(GRID)) >= np.asarray(symmetric.tpr(GRID)) - 1e-9).all()


def test_the_mu_of_a_curve_is_exact():
    """Randomised response: -2 Phi^-1(1 / (exp(eps) + 1)), 1.23204 at eps = 1 (Prop. 6.1)."""
    fit = fit_gdp(PureDP(epsilon=1.0).curve(), slack=0.0)
    assert fit.mu == pytest.approx(1.23204, abs=5e-6)
    assert fit.regret == pytest.approx(0.0575, abs=5e-5)
    assert fit.mu_lower <= fit.mu <= fit.mu_lower + 1e-9


def test_a_curve_that_may_reveal_all_has_no_mu_and_says_why():
    fit = fit_gdp(ApproxDP(epsilon=1.0, delta=1e-3).curve())
    assert math.isinf(fit.mu)
    assert "0.001" in fit.reason
    assert fit.regret == pytest.approx((1.0 - fit.advantage) / 2, rel=1e-9)


# --- as mechanisms ------------------------------------------------------------------------------


def test_representations_compose_like_what_they_stand_for():
    assert fit_gdp(GDP(mu=3.0) + GDP(mu=4.0)).mu == 5.0
    assert fit_gdp(GDP(mu=0.5) * 4 + Gaussian(sigma=1.0)).mu == pytest.approx(math.sqrt(2.0))
    both = fit_gdp(KnownCurve(PureDP(epsilon=0.5).curve()) * 2)
    assert both.mu == pytest.approx(fit_gdp(PureDP(epsilon=0.5) * 2).mu, rel=1e-9)


@pytest.mark.parametrize("leaf", [
    ZCDP(rho=0.1), TruncatedCDP(rho=0.1, cap=30.0), GDP(mu=0.4, slack=1e-12),
    RDP(orders=[1.5, 2.0, 8.0, 32.0], epsilons=[0.1, 0.2, 0.8, 3.0]),
], ids=repr)  # fmt: skip
def test_what_is_known_by_a_curve_has_a_mu_that_its_curve_needs(leaf):
    alone, paired = fit_gdp(leaf, slack=1e-6), fit_gdp(leaf * 2, slack=1e-6)
    curve = leaf.curve()
    assert alone.mu >= fit_gdp(curve, slack=1e-6).mu_lower * (1.0 - 1e-9)
    assert alone.mu <= fit_gdp(curve, slack=1e-6).mu * 1.01
    assert alone.mu < paired.mu < 2.0 * alone.mu


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "message"), [
    (lambda: RDP(orders=[2.0, 0.4], epsilons=[1.0, 1.0]), r"orders\[1\]=0.4 is outside"),
    (lambda: RDP(orders=[2.0], epsilons=[1.0, 1.0]), "orders has 1 entries and epsilons 2"),
    (lambda: RDP(orders=[2.0, 3.0], epsilons=[1.0, -1.0]), r"epsilons\[1\]=-1.0 is no divergence"),
    (lambda: RDP(orders=[2.0, math.nan], epsilons=[1.0, 1.0]), r"orders\[1\]=nan"),
    (lambda: RDP(orders=[2.0], epsilons=[math.nan]), r"epsilons\[0\]=nan"),
    (lambda: RDP(orders=[], epsilons=[]), "orders=.* has the shape"),
    (lambda: ZCDP(rho=-0.1), "rho=-0.1 is negative"),
    (lambda: TruncatedCDP(rho=0.1, cap=1.0), r"cap=1.0 is outside \(1, 1e6\]"),
    (lambda: TruncatedCDP(rho=-0.1, cap=8.0), "rho=-0.1 is negative"),
    (lambda: TruncatedCDP.fit(RUN, cap=0.5), "cap=0.5 is outside"),
    (lambda: RDP.fit(RUN, orders=[0.3]), r"orders\[0\]=0.3"),
    (lambda: GDP(mu=-1.0), "mu=-1.0 is negative"),
    (lambda: GDP(mu=1.0, slack=1.0), r"slack=1.0 is outside \[0, 1\)"),
    (lambda: GDP(mu=math.inf), "mu=inf is not a finite"),
    (lambda: ApproxDP.fit(RUN, delta=2.0), r"delta=2.0 is outside"),
    (lambda: RDP(orders=[2.0], epsilons=[1.0]).curve("best"), "method='best'"),
])  # fmt: skip
def test_nonsense_is_refused_by_name(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()


@pytest.mark.parametrize("fit", FITTED.values(), ids=FITTED)
def test_only_mechanisms_and_curves_can_be_fitted(fit):
    with pytest.raises(InvalidType):
        fit("DP-SGD")


def test_words_are_no_orders():
    with pytest.raises(InvalidType, match=r"orders=.* not a number"):
        RDP(orders=["two"], epsilons=[1.0])
    with pytest.raises(InvalidType, match="not a trade-off curve"):
        KnownCurve(TradeoffCurve)


@pytest.mark.parametrize("kind", ["zcdp", "tcdp"])
def test_what_may_reveal_all_has_no_rho(kind):
    with pytest.raises(UnsupportedMechanism, match="no rho holds"):
        FITTED[kind](ApproxDP(epsilon=1.0, delta=1e-6))
