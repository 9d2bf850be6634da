"""Regret of representations: never understated, and tight; the paper's Figure 1c."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

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
    Laplace,
    PureDP,
    RandomizedResponse,
    TruncatedCDP,
    delta_divergence,
    fit_gdp,
    regret,
    tradeoff_curve,
)
from tests.build import run_of
from tests.catalogue import REFERENCE

LAPLACE = Laplace(scale=1.0)
RUN = DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)


def laplace_delta(epsilon):
    """1 - exp((eps - 1) / 2) up to eps = 1: Laplace noise of scale one."""
    return np.maximum(0.0, -np.expm1((epsilon - 1.0) / 2.0))


def dense(summary, truth, reach=20.0):
    """Sup over eps >= 0 of (delta_g - delta_f) / (1 + exp(eps)), as defined, on a dense grid."""
    epsilons = np.linspace(0.0, reach, 20_001)
    gain = np.asarray(summary(epsilons)) - truth(epsilons)
    return max(0.0, float((gain / (1.0 + np.exp(epsilons))).max()))


def percent(value):
    return 100.0 * value


# --- reference cases ----------------------------------------------------------------------------


@every_run
def test_the_regret_of_mu_is_that_of_the_reference(case):
    run = run_of(case)
    gdp = GDP.fit(run, tolerance=1e-4)
    found = regret(gdp, run, tolerance=1e-4)
    known = case.regret
    assert found >= known.lower - 1e-9
    assert found <= known.upper + 3e-4


# --- closed forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("summary", [
    PureDP(epsilon=1.0), ApproxDP(epsilon=0.9, delta=0.05), GDP(mu=1.0302), GDP(mu=2.0),
    ZCDP(rho=0.3679), RDP.fit(LAPLACE),
], ids=repr)  # fmt: skip
def test_the_regret_of_laplace_is_never_understated_and_tight(summary):
    exact = dense(summary.curve().delta, laplace_delta)
    for tolerance in (1e-3, 1e-5):
        found = regret(summary, LAPLACE, tolerance=tolerance)
        assert found >= exact - 1e-12
        assert found <= exact + 10.0 * tolerance**0.5 * 1e-4 + 1e-8


def test_a_gaussian_known_as_such_has_no_regret():
    run = Gaussian(sigma=0.7) * 3
    assert regret(GDP.fit(run, slack=0.0), run) == 0.0
    # A slack costs half of itself at even odds.
    mu = GDP.fit(run, slack=0.0).mu
    assert regret(GDP(mu=mu, slack=1e-3), run) == pytest.approx(5e-4, rel=2e-3)


def test_randomised_response_has_the_regret_of_the_paper():
    """Figure 5b: mu = 1.23204 with regret 0.0575."""
    response = RandomizedResponse(epsilon=1.0)
    gdp = GDP.fit(response)
    assert gdp.mu == pytest.approx(1.23204, abs=5e-6)
    assert regret(gdp, response) == pytest.approx(0.0575, abs=5e-5)


def test_for_a_curve_the_regret_is_the_divergence():
    curve = tradeoff_curve(RUN)
    gdp = GDP.fit(curve)
    assert regret(gdp, curve) == delta_divergence(curve, gdp)


def test_the_witness_is_where_the_summary_gives_most_away():
    summary = PureDP(epsilon=1.0)
    found = regret(summary, LAPLACE, tolerance=1e-6)
    gain = summary.curve().delta(found.epsilon) - laplace_delta(found.epsilon)
    assert gain / (1.0 + np.exp(found.epsilon)) == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("flattering", [
    PureDP(epsilon=0.5), GDP(mu=1.0), ApproxDP(epsilon=0.5, delta=1e-6), ZCDP(rho=1e-3),
], ids=repr)  # fmt: skip
def test_a_summary_that_does_not_hold_is_refused(flattering):
    with pytest.raises(InvalidArgument, match="does not hold"):
        regret(flattering, LAPLACE)
    with pytest.raises(InvalidArgument, match="does not hold"):
        regret(flattering, tradeoff_curve(LAPLACE))
    with pytest.raises(InvalidArgument, match="does not hold"):
        regret(flattering, Gaussian(sigma=0.5))


def test_regret_needs_a_summary_and_a_mechanism():
    with pytest.raises(InvalidType, match=r"representation=1\.5"):
        regret(1.5, LAPLACE)
    with pytest.raises(InvalidType, match="mechanism='laplace'"):
        regret(PureDP(epsilon=1.0), "laplace")


def test_integer_noise_of_the_census_is_as_good_as_gaussian():
    run = DiscreteGaussian(sigma=5.0) * 10
    assert regret(GDP.fit(run, tolerance=1e-5), run, tolerance=1e-5) < 1e-4


# --- Figure 1c ----------------------------------------------------------------------------------
# "raw" takes the order-minimised bound as if it were a profile; "curve" is what it induces.

ORDERS = 1.0 + np.geomspace(1e-4, 63.0, 600)


def test_figure_1c_laplace_curves():
    fine = {"tolerance": 1e-6}
    assert percent(regret(PureDP.fit(LAPLACE), LAPLACE, **fine)) == pytest.approx(3.432, abs=6e-4)
    approx = ApproxDP.fit(LAPLACE, delta=1e-5, **fine)
    assert percent(regret(approx, LAPLACE, **fine)) == pytest.approx(3.432, abs=6e-4)
    gdp = GDP.fit(LAPLACE)
    assert gdp.mu == pytest.approx(1.0301, abs=5e-5)
    assert percent(regret(gdp, LAPLACE, **fine)) == pytest.approx(3.702, abs=6e-4)
    zcdp = ZCDP.fit(LAPLACE)
    assert zcdp.rho == pytest.approx(0.3679, abs=5e-5)
    found = percent(regret(zcdp.curve("closed_form"), LAPLACE, **fine))
    assert found == pytest.approx(4.43, abs=5.5e-3)
    rdp = RDP.fit(LAPLACE, orders=1.0 + np.geomspace(1e-4, 1e4, 600))
    found = percent(regret(rdp.curve("closed_form"), LAPLACE, **fine))
    assert found == pytest.approx(1.73, abs=5.5e-3)


def test_figure_1c_laplace_raw():
    raw = percent(dense(ZCDP.fit(LAPLACE).closed_form_delta, laplace_delta))
    assert raw == pytest.approx(4.812, abs=1.5e-3)
    rdp = RDP.fit(LAPLACE, orders=1.0 + np.geomspace(1e-4, 1e4, 600))
    assert percent(dense(rdp.closed_form_delta, laplace_delta)) == pytest.approx(3.383, abs=1.5e-3)


def test_figure_1c_dp_sgd_curves():
    fine = {"tolerance": 1e-5}
    approx = ApproxDP.fit(RUN, delta=1e-5, **fine)
    assert percent(regret(approx, RUN, **fine)) == pytest.approx(21.71, abs=5.5e-3)
    gdp = GDP.fit(RUN, **fine)
    assert percent(regret(gdp, RUN, **fine)) == pytest.approx(0.107, abs=1.5e-3)
    for cap, rho, expected in ((64.0, 1.454, 12.02), (8.0, 1.240, 10.10)):
        capped = TruncatedCDP.fit(RUN, cap=cap)
        assert capped.rho == pytest.approx(rho, abs=5.5e-4)
        found = percent(regret(capped.curve("closed_form"), RUN, **fine))
        assert found == pytest.approx(expected, abs=6e-3)
    rdp = RDP.fit(RUN, orders=ORDERS)
    found = percent(regret(rdp.curve("closed_form"), RUN, **fine))
    assert found == pytest.approx(9.90, abs=5.5e-3)


def test_figure_1c_dp_sgd_raw():
    truth = tradeoff_curve(RUN, tolerance=1e-5).delta
    for cap, expected in ((64.0, 12.88), (8.0, 10.97)):
        raw = percent(dense(TruncatedCDP.fit(RUN, cap=cap).closed_form_delta, truth))
        assert raw == pytest.approx(expected, abs=6e-3)
    raw = percent(dense(RDP.fit(RUN, orders=ORDERS).closed_form_delta, truth))
    assert raw == pytest.approx(10.76, abs=6e-3)


def test_figure_1c_a_bound_that_says_nothing_at_zero():
    """(1 - eta) / 2 = 21.77 %, where the paper's RDP and zCDP entries come from."""
    advantage = tradeoff_curve(RUN, tolerance=1e-5).advantage
    assert percent((1.0 - advantage) / 2.0) == pytest.approx(21.77, abs=6e-3)


def test_figure_1c_the_optimal_renyi_curve_is_better_still():
    for mechanism in (LAPLACE, RUN):
        rdp = RDP.fit(mechanism)
        assert regret(rdp, mechanism) < 0.75 * regret(rdp.curve("closed_form"), mechanism)


def test_gdp_is_about_a_hundred_times_tighter_for_dp_sgd():
    """The paper's conclusion, which stands."""
    gdp = regret(GDP.fit(RUN, tolerance=1e-5), RUN, tolerance=1e-5)
    assert regret(RDP.fit(RUN).curve("closed_form"), RUN) > 75.0 * gdp
    assert regret(ApproxDP.fit(RUN, delta=1e-5), RUN) > 150.0 * gdp


@pytest.mark.parametrize("slack", [1e-10, 1e-3, 0.01, 0.2])
@pytest.mark.parametrize(
    "run",
    [Laplace(scale=1.0), Gaussian(sigma=2.0), RandomizedResponse(epsilon=1.0)],
    ids=repr,
)
def test_the_slack_of_a_fit_is_charged(run, slack):
    fit = fit_gdp(run, slack=slack)
    # Delta by its definition on a grid: k such that f(alpha + k) - k <= max(0, f_mu(alpha) - slack)
    # on the half of the curves where alpha <= beta; both are symmetric.
    alphas = np.linspace(0.0, 0.5, 20_001)
    claimed = np.maximum(ndtr(-ndtri(alphas) - fit.mu) - slack, 0.0)
    steep = claimed >= alphas
    curve = tradeoff_curve(run, tolerance=1e-5)

    def enough(k):
        moved = np.asarray(curve.beta(np.minimum(alphas[steep] + k, 1.0))) - k
        return bool((moved <= claimed[steep] + 1e-12).all())

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    assert fit.regret >= low - 1e-4  # the grid misses the worst alpha by as much
    assert fit.regret <= high + 1e-3
    assert regret(GDP(mu=fit.mu, slack=slack), run) == pytest.approx(fit.regret, abs=2e-4)


def test_a_large_slack_is_a_large_regret():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    fit = fit_gdp(run, slack=0.9)
    assert fit.mu == 0.0
    # 0-GDP up to 0.9 allows TPR - FPR of 0.9; half the difference of the advantages is a bound.
    assert fit.regret >= 0.5 * (0.9 - fit.advantage)


@pytest.mark.parametrize("slack", [0.0, 1e-10, 0.05])
def test_a_fit_has_one_tpr(slack):
    fit = fit_gdp(Laplace(scale=1.0), slack=slack)
    for fpr in (0.0, 1e-6, 0.1, 0.5, 0.9, 1.0):
        assert fit.tpr(fpr) == fit.curve().tpr(fpr)
