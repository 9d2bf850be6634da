"""What an adversarial review of curves and representations found wrong; it stays right."""

import math

import numpy as np
import pytest

from gdpnum import (
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    PureDP,
    RandomizedResponse,
    TradeoffCurve,
    TruncatedCDP,
    UnsupportedMechanism,
    blackwell_order,
    delta_divergence,
    fit_gdp,
    regret,
    tradeoff_curve,
)

ONE_SIDED = TradeoffCurve.from_vertices([0.0, 0.25, 0.75], [1.0, 0.25, 0.0])
LOPSIDED = TradeoffCurve.from_vertices([0.0, 0.05, 0.3, 1.0], [1.0, 0.6, 0.25, 0.0])


# --- claims of more privacy than there is ---------------------------------------------------------


@pytest.mark.parametrize("curve", [ONE_SIDED, ONE_SIDED.inverse()])
def test_a_leak_in_the_other_direction_is_a_leak(curve):
    """Beta reaches 0 at alpha = .75: with probability 1/4 the other neighbour is certain."""
    for subject in (curve, KnownCurve(curve), KnownCurve(curve) + Laplace(scale=1.0)):
        with pytest.raises(UnsupportedMechanism, match="not epsilon-DP"):
            PureDP.fit(subject)
    assert math.isinf(fit_gdp(KnownCurve(curve)).mu)


def test_the_regret_of_a_lopsided_summary_sees_both_halves():
    laplace = Laplace(scale=1.0)
    expected = delta_divergence(tradeoff_curve(laplace, tolerance=1e-5), LOPSIDED)
    for summary in (LOPSIDED, LOPSIDED.inverse()):
        assert regret(summary, laplace) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("rho", "cap", "alpha", "beta"),
    [
        (1.0, 1.00001, 0.01, 0.642712),
        (10.0, 1.00001, 1e-20, 0.77121),
        (300.0, 1.000001, 1e-290, 0.54978),
    ],
)
def test_a_cap_near_one_uses_no_order_above_it(rho, cap, alpha, beta):
    """Two coins with D_t <= rho t at orders up to the cap are told apart with that FNR."""
    assert TruncatedCDP(rho=rho, cap=cap).curve().beta(alpha) <= beta + 5e-6


@pytest.mark.parametrize("gap", [1e-16, 1e-15, 1e-14, 1e-12, 1e-9])
def test_samples_next_to_each_other_tell_no_slope(gap):
    gaussian = GDP(mu=1.0).curve()
    alphas = np.unique([0.005, 0.268, 0.268 + gap, 0.568])
    bound = TradeoffCurve.from_samples(alphas, gaussian.beta(alphas))
    grid = np.linspace(0.0, 1.0, 801)
    assert (np.asarray(bound.beta(grid)) <= np.asarray(gaussian.beta(grid)) + 1e-15).all()


@pytest.mark.parametrize(
    ("mu", "own", "slack", "smallest"),
    [(1.0, 0.8, 0.85, 0.78301), (0.5, 0.5, 0.6, 0.19992), (1.0, 0.05, 0.1, None)],
)
def test_the_lower_end_of_a_gaussian_with_slack_is_the_smallest_mu(mu, own, slack, smallest):
    fit = fit_gdp(GDP(mu=mu, slack=own).curve(), slack=slack)
    alphas = np.linspace(0.0, 1.0, 20_001)
    curve = np.asarray(GDP(mu=mu, slack=own).curve().beta(alphas))

    def holds(candidate):
        return (curve >= np.asarray(GDP(mu=candidate).curve().beta(alphas)) - slack - 1e-12).all()

    assert holds(fit.mu_lower + 1e-4)
    assert not holds(fit.mu_lower - 1e-3)
    if smallest is not None:
        assert fit.mu_lower == pytest.approx(smallest, abs=2e-5)


def test_tiny_mus_do_not_vanish_when_they_are_added():
    assert fit_gdp(GDP(mu=1e-170) * 100).mu == pytest.approx(1e-169)


def test_epsilon_is_rounded_up():
    both = PureDP(epsilon=400.0).curve().composed_with(PureDP(epsilon=300.0).curve())
    for delta in (8.9e-14, 1e-9, 0.5):
        assert both.delta(both.epsilon(delta)) <= delta


# --- wrong by factors, NaN, crashes ---------------------------------------------------------------


@pytest.mark.parametrize("mu", [40.0, 50.0, 200.0])
def test_a_large_mu_with_slack_has_numbers(mu):
    curve = GDP(mu=mu, slack=1e-10).curve()
    epsilons = np.linspace(0.0, mu**2, 201)
    deltas = np.asarray(curve.delta(epsilons))
    assert ((deltas >= 0.0) & (deltas <= 1.0)).all()
    assert (np.diff(deltas) <= 0.0).all()
    for delta in (1.0, 0.999999, 0.5, 1e-5, 1e-10):
        epsilon = curve.epsilon(delta)
        assert curve.delta(epsilon) <= delta * (1 + 1e-9)
    assert curve.epsilon(0.0) == math.inf


@pytest.mark.parametrize("categories", [3, 4, 100])
def test_a_segment_of_slope_one_is_counted_once(categories):
    response = RandomizedResponse(epsilon=1.0, categories=categories)
    curve = tradeoff_curve(response)
    known = KnownCurve(curve)
    assert curve.composed_with(curve).advantage == pytest.approx(
        tradeoff_curve(response * 2).advantage, rel=1e-3
    )
    five, exact = tradeoff_curve(known * 5).advantage, tradeoff_curve(response * 5).advantage
    assert exact * (1.0 - 1e-9) <= five <= 1.03 * exact
    assert regret(curve, known) < 1e-3
    assert fit_gdp(known * 2).mu == pytest.approx(fit_gdp(response * 2).mu, rel=5e-3)


@pytest.mark.parametrize(
    "vertices",
    [([0.0, 0.3, 0.95, 1.0], [1.0, 0.6, 0.01, 0.0]), ([0.0, 0.5, 1.0], [1.0, 0.1, 0.0])],
)
def test_the_direction_that_reaches_further_is_followed(vertices):
    for curve in (
        TradeoffCurve.from_vertices(*vertices),
        TradeoffCurve.from_vertices(*vertices).inverse(),
    ):
        found = tradeoff_curve(KnownCurve(curve))
        assert found.mass_at_infinity < 1e-12
        assert found.advantage == pytest.approx(curve.advantage, rel=1e-9)
        assert fit_gdp(KnownCurve(curve)).mu == pytest.approx(fit_gdp(curve).mu, rel=1e-6)


def test_rounding_does_not_become_a_leak():
    for curve in (PureDP(epsilon=1.0).curve(), LOPSIDED, LOPSIDED.symmetrised()):
        assert np.isfinite(RDP.fit(curve, orders=[1.0, 2.0, 64.0]).epsilons).all()
        assert math.isfinite(TruncatedCDP.fit(curve, cap=8.0).rho)
        assert math.isfinite(PureDP.fit(KnownCurve(curve)).epsilon)
    exact = RDP.fit(PureDP(epsilon=1.0), orders=[1.0, 2.0]).epsilons
    assert RDP.fit(PureDP(epsilon=1.0).curve(), orders=[1.0, 2.0]).epsilons == pytest.approx(exact)
    tiny = KnownCurve(TradeoffCurve.from_profile([0.001], [0.0]))
    assert fit_gdp(tiny * 10**6).mu == pytest.approx(1.0, rel=0.01)


def test_what_is_known_as_renyi_divergences_keeps_them():
    assert ZCDP.fit(ZCDP(rho=0.5) * 3).rho == pytest.approx(1.5, rel=1e-4)
    assert TruncatedCDP.fit(TruncatedCDP(rho=0.5, cap=8.0) * 2, cap=8.0).rho == pytest.approx(
        1.0, rel=1e-4
    )
    rdp = RDP(orders=[2.0, 4.0], epsilons=[0.5, 1.0])
    assert RDP.fit(rdp + rdp, orders=[2.0, 3.0, 4.0, 5.0]).epsilons == pytest.approx(
        [1.0, 2.0, 2.0, math.inf]
    )
    assert RDP.fit(GDP(mu=2.0), orders=[3.0]).epsilons[0] == pytest.approx(6.0)


def test_a_discrete_gaussian_has_the_rho_of_its_theorem():
    assert TruncatedCDP.fit(DiscreteGaussian(sigma=0.5), cap=64.0).rho <= 2.0


def test_no_privacy_at_all_can_be_composed_and_asked():
    revealed = KnownCurve(
        GDP(mu=1.0).curve().composed_with(ApproxDP(epsilon=0.0, delta=1.0).curve())
    )
    assert math.isinf(fit_gdp(revealed + Laplace(scale=1.0)).mu)
    assert tradeoff_curve(revealed + Laplace(scale=1.0)).advantage == 1.0
    huge = GDP(mu=1e99)
    assert fit_gdp(huge * 4).mu == pytest.approx(2e99)
    assert tradeoff_curve(huge + Laplace(scale=1.0)).advantage == 1.0
    with pytest.raises(InvalidArgument, match=r"mu=1e\+160 is above 1e\+100"):
        GDP(mu=1e160)


def test_a_mass_equal_to_the_slack_is_within_it():
    for representation in (ApproxDP(epsilon=1.0, delta=0.25), GDP(mu=1.0, slack=0.25)):
        assert math.isfinite(fit_gdp(representation, slack=0.25).mu)


def test_a_profile_with_a_plateau_is_read_to_its_end():
    curve = TradeoffCurve.from_profile(lambda epsilon: 0.3 if epsilon < 5.0 else 0.0)
    assert curve.delta(6.0) == 0.0
    far = TradeoffCurve.from_profile(GDP(mu=50.0).curve().delta)
    assert far.delta(2000.0) < 1e-3


@pytest.mark.parametrize(
    "call",
    [
        lambda: blackwell_order(LOPSIDED, 3.0),
        lambda: delta_divergence(LOPSIDED, GDP),
        lambda: LOPSIDED.beta("x"),
        lambda: LOPSIDED.delta("x"),
        lambda: LOPSIDED.delta(1j),
        lambda: TradeoffCurve.from_profile(lambda _: None),
        lambda: TradeoffCurve.from_profile(lambda _: "x"),
    ],
)
def test_what_is_no_number_or_curve_is_refused(call):
    with pytest.raises(InvalidType):
        call()


@pytest.mark.parametrize("text", [
    "[" * 100_000,
    '{"curve": "gaussian", "mu": ' + "1" * 401 + ', "slack": 0}',
    '{"curve": "gaussian", "mu": true, "slack": 0}',
    '{"curve": "piecewise", "flat": null, "steep": {"epsilons": [1, 2], "log_alphas": [-5, -1],'
    ' "tprs": [0.1, 0.9], "mass_at_infinity": 0.5}}',
    '{"curve": "piecewise", "flat": null, "steep": {"epsilons": "12", "log_alphas": [-5, -6],'
    ' "tprs": [0.9, 0.1], "mass_at_infinity": 0}}',
    '{"curve": "piecewise", "steep": {"epsilons": [1], "log_alphas": [-2], "tprs": [0.9],'
    ' "mass_at_infinity": 0}, "flat": {"epsilons": [1], "log_alphas": [-5], "tprs": [0.1],'
    ' "mass_at_infinity": 0}}',
])  # fmt: skip
def test_a_document_that_is_no_curve_is_refused(text):
    with pytest.raises(InvalidArgument, match="to_json"):
        TradeoffCurve.from_json(text)


def test_subnormal_alphas_are_vertices_like_others():
    curve = TradeoffCurve.from_vertices([0.0, 1e-310, 1.0], [1.0, 0.5, 0.0])
    assert curve.tpr(1e-309) == pytest.approx(0.5)
    with pytest.raises(InvalidArgument, match="alphas are all the same"):
        TradeoffCurve.from_samples([0.5, 0.5], [0.2, 0.1])
    assert TradeoffCurve.from_samples([1.0, 1.0], [0.0, 0.0]).advantage == 1.0


def test_caps_next_to_one_give_no_warning():
    for cap in (1.0 + 1e-6, 1.0 + 1e-15):
        assert TruncatedCDP.fit(Laplace(scale=1.0), cap=cap).rho == pytest.approx(0.3679, abs=1e-3)
