"""Where mu has a formula, a fit is that formula."""

from math import inf, sqrt

import pytest

import gdpnum
from gdpnum import DPSGD, ApproxDP, Gaussian, Laplace, PoissonSampled, PureDP, fit_gdp
from tests.build import steps
from tests.catalogue import CLOSED_FORM, SLACKS
from tests.oracles import gaussian_dp, naive

SIGMAS = [(1.0,), (0.3, 0.3), (2.0, 5.0, 40.0), (1000.0,) * 7, (0.7,) * 500]
every_slack = pytest.mark.parametrize("slack", [0.0, *SLACKS, 1e-2])


def gaussians(sigmas):
    return gdpnum.Composed(Gaussian(sigma=sigma) for sigma in sigmas)


# --- Gaussians ----------------------------------------------------------------------------------


@every_slack
@pytest.mark.parametrize("sigmas", SIGMAS, ids=lambda sigmas: f"{len(sigmas)}x{sigmas[0]}")
def test_mu_of_gaussians_is_the_root_of_the_sum_of_squares(sigmas, slack):
    exact = sqrt(sum(sigma**-2 for sigma in sigmas))
    fit = fit_gdp(gaussians(sigmas), slack=slack)
    if fit.mu_lower > 0.999 * exact:
        assert fit.mu == pytest.approx(exact, rel=1e-12)
    else:
        # The slack makes a difference, and is used.
        smallest = float(gaussian_dp.gaussian_mu(exact, slack))
        assert smallest <= fit.mu <= smallest + 1e-12


@every_slack
@pytest.mark.parametrize("sigmas", SIGMAS, ids=lambda sigmas: f"{len(sigmas)}x{sigmas[0]}")
def test_slack_lowers_the_smallest_mu_of_gaussians_by_the_diagonal_gap(sigmas, slack):
    """mu_lower = max(0, mu0 - 2 Phi^-1((1 + slack)/2))."""
    exact = gaussian_dp.gaussian_mu(sqrt(sum(sigma**-2 for sigma in sigmas)), slack)
    fit = fit_gdp(gaussians(sigmas), slack=slack)
    assert fit.mu_lower == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


def test_mu_says_all_about_gaussians():
    fit = fit_gdp(gaussians((2.0, 5.0)))
    # The curves f_mu and f_mu - slack are half the slack apart at equal priors.
    assert fit.regret == pytest.approx(0.5 * fit.slack, rel=1e-3)
    assert fit.tail_ratio == 1.0
    exact = gaussian_dp.gdp_advantage(sqrt(1 / 4 + 1 / 25))
    assert fit.advantage == pytest.approx(float(exact), rel=1e-14)


def test_sampling_every_record_is_no_sampling():
    fit = fit_gdp(DPSGD(noise_multiplier=2.0, sample_rate=1.0, steps=9))
    assert fit == fit_gdp(Gaussian(sigma=2.0) * 9)


# --- slack zero ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "segments",
    [
        [(9.4, 0.32768, 2000)],
        [(0.5, 0.01, 1000)],
        [(1.0, 1e-3, 100), (3.0, 0.9, 1)],
        [(2.0, 0.1, 50), (1.0, 0.0, 10**6)],
    ],
)
def test_without_slack_sampling_does_not_help(segments):
    """sqrt(sum T/sigma^2) over the phases that sample at all: the exact mu*."""
    exact = sqrt(sum(count / sigma**2 for sigma, rate, count in segments if rate > 0))
    fit = fit_gdp(steps(segments), slack=0.0)
    assert fit.mu == pytest.approx(exact, rel=1e-12)
    assert fit.mu_lower == fit.mu


def test_without_slack_the_advantage_is_still_that_of_the_curve():
    run = steps([(0.5, 0.01, 1000)])
    assert fit_gdp(run, slack=0.0).advantage == pytest.approx(fit_gdp(run).advantage, rel=2e-3)


# --- one release of bounded loss ----------------------------------------------------------------


@pytest.mark.parametrize("case", CLOSED_FORM, ids=lambda case: case.name)
def test_a_single_release_has_the_mu_of_its_formula(case):
    """Pure eps-DP: -2 Phi^-1(1/(exp(eps) + 1)) (Prop. 6.1), and its like."""
    mechanism = getattr(gdpnum, case.family)(**case.arguments)
    assert fit_gdp(mechanism).mu == pytest.approx(case.mu, rel=1e-12)
    assert fit_gdp(mechanism, slack=0.0).mu == pytest.approx(case.mu, rel=1e-12)


@pytest.mark.parametrize("case", CLOSED_FORM, ids=lambda case: case.name)
def test_a_single_release_does_not_understate_advantage_and_regret(case):
    fit = fit_gdp(getattr(gdpnum, case.family)(**case.arguments))
    assert fit.advantage >= case.advantage * (1 - 1e-15)
    assert fit.regret >= case.regret - 1e-15


@pytest.mark.parametrize("case", CLOSED_FORM, ids=lambda case: case.name)
def test_a_single_release_does_not_overstate_advantage_and_regret(case):
    fit = fit_gdp(getattr(gdpnum, case.family)(**case.arguments))
    assert fit.advantage <= case.advantage * 1.002
    assert fit.regret <= case.regret + 1e-3


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 30.0])
@pytest.mark.parametrize("slack", [1e-6, 1e-10])
def test_the_bracket_of_pure_dp_holds_its_smallest_mu(epsilon, slack):
    exact = float(naive.mu(naive.pure_dp(epsilon), slack))
    fit = fit_gdp(PureDP(epsilon=epsilon), slack=slack)
    assert fit.mu_lower <= exact * (1 + 1e-14) <= fit.mu * (1 + 2e-14)
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


# --- (eps, delta) and its infinite mu -----------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_a_leak_above_the_slack_has_no_finite_mu_and_the_fit_says_why(count):
    fit = fit_gdp(ApproxDP(epsilon=1.0, delta=1e-6) * count, slack=1e-8)
    assert fit.mu == fit.mu_lower == inf
    assert "slack=1e-08" in fit.reason
    assert f"{count}e-06" in fit.reason


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-6])
def test_a_leak_within_the_slack_leaves_mu_finite(delta):
    exact = float(naive.mu(naive.approx_dp(1.0, delta), 1e-6))
    fit = fit_gdp(ApproxDP(epsilon=1.0, delta=delta), slack=1e-6)
    assert exact * (1 - 1e-12) <= fit.mu <= exact * 1.002
    assert exact * 0.995 <= fit.mu_lower <= exact * (1 + 1e-12)
    assert fit.reason is None


def test_leaks_add_up_to_one_above_the_slack():
    leak = ApproxDP(epsilon=0.1, delta=4e-9)
    assert fit_gdp(leak * 2, slack=1e-8).mu < 1.0
    assert fit_gdp(leak * 3, slack=1e-8).mu == inf


# --- nothing released ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(sigma=1.0) * 0,
        Laplace(scale=1.0) * 0,
        DPSGD(noise_multiplier=1.0, sample_rate=0.5, steps=0),
        DPSGD(noise_multiplier=1.0, sample_rate=0.0, steps=1000),
        PoissonSampled(Laplace(scale=0.1), rate=0.0) * 10,
        PureDP(epsilon=0.0) * 5,
        ApproxDP(epsilon=0.0, delta=0.0),
        gdpnum.RandomizedResponse(epsilon=0.0, categories=4),
    ],
    ids=repr,
)
@pytest.mark.parametrize("slack", [0.0, 1e-10])
def test_releasing_nothing_is_perfect_privacy(mechanism, slack):
    fit = fit_gdp(mechanism, slack=slack)
    assert (fit.mu, fit.mu_lower, fit.advantage) == (0.0, 0.0, 0.0)
    # What is left is the slack's own.
    assert fit.regret == pytest.approx(0.5 * slack, rel=1e-3)
